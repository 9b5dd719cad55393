"""Loads people's files as tables of PostGIS; used by uploads and `geoagent load`."""

from server.gis.ingest.limits import CannotLoad, IngestLimits, TableExists
from server.gis.ingest.load import IngestReport, load_file, share

__all__ = ["CannotLoad", "IngestLimits", "IngestReport", "TableExists", "load_file", "share"]
