"""Requests for exported files (which tables or layers, which columns, in which form), and reports of what was
written."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from agents.domain import Value
from agents.worded import Part

ExportFormat = Literal["gpkg", "geojson", "geojsonl", "fgb", "parquet", "shp", "kml", "csv", "xlsx", "json"]
Placing = Literal["shape", "wkt", "xy", "none"]
"""How a row holds its location: as a geometry, as WKT in a column, in columns x and y, or not at all."""
MultiKind = Literal["single", "multi"]
Outside = Literal["drop", "null"]
"""What happens to shapes far outside of a CRS's area of use: their rows are dropped, or have no shape."""

WITH_MEMBERS = frozenset({"geojson", "json"})
"""Formats with room for further top-level members."""
MAX_ITEMS = 50
MAX_MEMBERS = 50
_RENAMED = re.compile(r"^(?P<name>.+?)\s+as\s+(?P<label>.+)$", re.IGNORECASE | re.DOTALL)
_RESERVED_MEMBERS = frozenset({"type", "features", "crs", "records"})


class ExportItem(Value):
    """One table or layer in the file."""

    source: Annotated[str, Field(min_length=1, max_length=300)]
    """A table's id, or a layer's id of the map, which brings its filter."""
    name: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Of the layer, sheet or file; without it the layer's name or the table's."""
    columns: Annotated[tuple[str, ...], Field(min_length=1, max_length=1500)] | None = None
    """In this order, `population AS people` under another name; without it all but keys that GeoAgent added. With `*`
    those, too: what is named beside it is renamed in its place."""
    filter: dict[str, Any] | str | None = None
    """CQL2, as JSON or text."""
    format: ExportFormat | None = None
    """Where it differs from the request's: the answer is then a zip of several files."""


class ExportRequest(Value):
    """A file to be made. What is left out follows the format's own rules."""

    items: Annotated[tuple[ExportItem, ...], Field(min_length=1, max_length=MAX_ITEMS)]
    format: ExportFormat
    file_name: Annotated[str, Field(min_length=1, max_length=120)] | None = None
    crs: Annotated[str, Field(max_length=40)] | None = None
    """`EPSG:2154`; without it each layer's own, and longitude and latitude in GeoJSON and KML."""
    geometry: Placing | None = None
    kind: MultiKind | None = None
    """`single` makes a row of each part. Without it shapes stay as they are, but multi where both occur."""
    precision: Annotated[int, Field(ge=0, le=15)] | None = None
    """Decimals of coordinates."""
    encoding: Annotated[str, Field(max_length=40)] | None = None
    """Of CSV and Shapefile; UTF-8 without it."""
    members: Annotated[dict[str, Any], Field(max_length=MAX_MEMBERS)] = {}
    """Further top-level members of GeoJSON and JSON; the text `{count}` becomes the number of rows."""
    group_by: str | None = None
    """JSON: an object of lists of records, by this column."""
    outside: Outside | None = None
    """Of shapes far outside of the area of use of `crs`: `drop` leaves their rows out, `null` only the shapes."""
    zipped: bool = False

    @model_validator(mode="after")
    def _fitting(self) -> ExportRequest:
        formats = {item.format or self.format for item in self.items}
        if self.members and not formats <= WITH_MEMBERS:
            raise ValueError("only geojson and json have room for further members")
        if reserved := _RESERVED_MEMBERS & set(self.members):
            raise ValueError(f"{sorted(reserved)[0]!r} has a meaning of its own in the file")
        if self.group_by and formats != {"json"}:
            raise ValueError("only json groups records")
        if self.encoding and not formats & {"csv", "shp"}:
            raise ValueError("only csv and shp have an encoding to choose; the others are UTF-8")
        return self


class ExportedLayer(Value):
    """What was written of one table or layer."""

    name: str
    rows: int
    columns: tuple[str, ...]
    geometry: str | None = None
    crs: str | None = None


class ExportReport(Value):
    """A file that was written, and where it is."""

    file_name: str
    bytes: int
    layers: tuple[ExportedLayer, ...]
    notes: tuple[str, ...] = ()
    wording: tuple[tuple[Part, ...], ...] = ()
    """How each note was made, as in `ai_response`."""
    link: str = ""
    """Relative to `/api/maps/{map_id}/`, because the map's id grants access and no model needs it."""
    expires_at: str = ""
    """ISO 8601, UTC."""


def renamed(text: str) -> tuple[str, str]:
    """The column and its name in the file, of `population AS people`."""
    found = _RENAMED.match(text.strip())
    if found is None:
        return text, text
    return found["name"].strip().strip('"'), found["label"].strip().strip('"')
