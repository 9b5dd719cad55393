"""Loads files into PostGIS tables; used by uploads and `geoagent load`."""

from server.gis.ingest.limits import CannotLoad, IngestLimits, TableExists
from server.gis.ingest.load import IngestReport, layer_names, load_file, share, table_for

__all__ = [
    "CannotLoad", "IngestLimits", "IngestReport", "TableExists", "layer_names", "load_file", "share", "table_for",
]  # fmt: skip
