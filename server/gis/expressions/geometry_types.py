"""PostGIS's types as GeoAlchemy declares them, for geometries that a statement computes and stores.

GeoAlchemy selects a geometry as EWKB and reads values as EWKT. Here geometries stay in the database: a SELECT
becomes a table, a tile or a measure, so columns and values are passed through as they are."""

from __future__ import annotations

from typing import Any

import geoalchemy2


class _Unconverted:
    def column_expression(self, column: Any) -> Any:
        return column

    def bind_expression(self, value: Any) -> Any:
        return value


class Geometry(_Unconverted, geoalchemy2.Geometry):
    """A geometry inside a statement; with a type and an SRID, each value must have them."""

    cache_ok = True

    def __init__(self, geometry_type: str | None = None, srid: int = -1) -> None:
        super().__init__(geometry_type, srid)


class Geography(_Unconverted, geoalchemy2.Geography):
    """A geography inside a statement: longitude and latitude on the WGS 84 spheroid, measured in metres."""

    cache_ok = True

    def __init__(self, geometry_type: str | None = None, srid: int = -1) -> None:
        super().__init__(geometry_type, srid)
