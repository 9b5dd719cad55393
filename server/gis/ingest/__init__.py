"""Files of people to tables of PostGIS: what uploads and `geoagent load` use."""

from server.gis.ingest.limits import CannotLoad, IngestLimits, TableExists
from server.gis.ingest.load import IngestReport, load_file, share

__all__ = ["CannotLoad", "IngestLimits", "IngestReport", "TableExists", "load_file", "share"]
