"""An Apache Spark with Apache Sedona on this machine: its jars, its processes. The engine is `server.gis.spark`."""
