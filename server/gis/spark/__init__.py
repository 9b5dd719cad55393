"""Steps of an analysis on Apache Spark with Apache Sedona, for data beyond what one database computes in minutes.

Nothing of it is imported without the setting GEOAGENT_SPARK. `runner` runs a step, `compilers` say how operations
read on Spark, `translation` turns PostGIS's SQL into Spark's, `staging` moves rows, `client` talks to Spark."""
