"""Steps of analyses in PostGIS and on Spark, by size: `make bench-spark`."""
