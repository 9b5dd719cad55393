"""Where a row is on the map, as SQL: the cell that counts it, how important it is there, and its shape in Mercator."""

from __future__ import annotations

from dataclasses import dataclass, replace

import asyncpg
import sqlalchemy as sa

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.expressions.declared_types import declared_type, may_be_curved
from server.gis.expressions.geometry_checks import reasonable, without_gaps
from server.gis.expressions.identifiers import GEOMETRY, is_geography
from server.gis.overviews.summaries import FilteredRows
from server.gis.tiles import fragments
from server.gis.tiles.columns import feature_key
from server.gis.tiles.grid import HALF_WORLD, WORLD, Box, Tile
from server.gis.tiles.mercator import to_mercator
from server.gis.tiles.projection import Crs, SearchBoxes, read_crs
from server.gis.tiles.sql_text import inline

MAX_LATITUDE = 85.0511287798066
PI = 3.141592653589793
_OTHER_SIDES = "(VALUES (-360), (0), (360)) AS side (shift)"
"""Longitudes beyond 180 degrees count on the other side."""


@dataclass(frozen=True)
class Placing:
    """Expressions over the table under the alias `t`, to which `joined` joins what `x` and `y` read; these run from 0
    to 1, southwards."""

    is_placed: str
    x: str
    y: str
    rank: str
    area: str
    shape: str
    is_cheap: bool
    """`x` and `y` are arithmetic, which may be written out more than once."""
    joined: str = ""

    @classmethod
    def of(cls, table: Table, crs: Crs, box: Box) -> Placing:
        """The placing of all rows of a table. `box` is the world in the table's own reference system."""
        column = table.column(table.geometry_column or "")
        geography = column is not None and is_geography(column)
        g = f"t.{quoted(table.geometry_column or '')}" + ("::geometry" if geography else "")
        is_point = table.geometry_family == "point"
        kind = declared_type(table)[0]
        # An empty point has no coordinates, so its test is not true.
        parts = [] if kind == "POINT" else [f"NOT ST_IsEmpty({g})"]
        parts += [inline(reasonable(sa.literal_column(g, GEOMETRY), kind))]
        if crs.kind == "projected":
            parts.append(f"{g} && ST_MakeEnvelope({', '.join(map(repr, box))}, {crs.srid})")
        x, y, joined = *_middle(g, kind, is_point), ""
        if crs.kind == "projected":
            middle = f"ST_Transform(ST_SetSRID(ST_MakePoint({x}, {y}), {crs.srid}), 3857)"
            joined = f" CROSS JOIN LATERAL (SELECT {middle} AS middle OFFSET 0) AS m"
            x, y = "ST_X(m.middle)", "ST_Y(m.middle)"
        placed_x, placed_y = from_degrees(x, y) if crs.kind == "lonlat" else from_metres(x, y)
        sound = _sound(g, table, kind)
        shape = f"ST_SetSRID(ST_MakePoint(@x * {WORLD!r} - {HALF_WORLD!r}, {HALF_WORLD!r} - @y * {WORLD!r}), 3857)"
        if not is_point:
            shape = to_mercator(sound, crs, geography)
        area = "0.0::float8" if is_point or table.geometry_family == "line" else _area(sound, crs)
        return cls(
            " AND ".join(f"({part})" for part in parts),
            placed_x,
            placed_y,
            _rank(table, g, is_point),
            area,
            shape,
            is_cheap=is_point and crs.kind != "projected",
            joined=joined,
        )

    def passing(self, table: Table, rows: FilteredRows | None) -> Placing:
        """The placing of those rows that pass a filter."""
        if rows is None:
            return self
        return replace(self, is_placed=f"{self.is_placed} AND ({rows.condition(table)})")


async def read_placing(session: asyncpg.Connection, table: Table) -> tuple[Placing, Crs] | None:
    """Where the rows of a table are on the map; None where its reference system does not reach the map."""
    crs = await read_crs(session, table.srid, table.id)
    box = await SearchBoxes().of(session, crs, Tile(0, 0, 0))
    return None if box is None else (Placing.of(table, crs, box), crs)


def _middle(g: str, kind: str, is_point: bool) -> tuple[str, str]:
    if kind == "POINT":
        return f"ST_X({g})", f"ST_Y({g})"
    if is_point:
        return f"ST_X(ST_GeometryN({g}, 1))", f"ST_Y(ST_GeometryN({g}, 1))"
    return f"(ST_XMin({g}) + ST_XMax({g})) / 2", f"(ST_YMin({g}) + ST_YMax({g})) / 2"


def from_degrees(x: str, y: str) -> tuple[str, str]:
    """Longitudes beyond 180 degrees are wrapped to the other side; the poles are moved to the edge of the map. As
    below, PostgreSQL and Spark read the same."""
    turn = f"({x} + 180) / 360"
    latitude = f"greatest(-{MAX_LATITUDE}, least({MAX_LATITUDE}, {y}))"
    return (
        f"CASE WHEN {turn} = 1 THEN 0.999999999 ELSE {turn} - floor({turn}) END",
        f"least(0.999999999, greatest(0, 0.5 - ln(tan({PI} / 4 + radians({latitude}) / 2)) / (2 * {PI})))",
    )


def from_metres(x: str, y: str) -> tuple[str, str]:
    """The place from 0 to 1 of coordinates in Web Mercator."""
    return (
        f"least(0.999999999, greatest(0, ({x} + {HALF_WORLD!r}) / {WORLD!r}))",
        f"least(0.999999999, greatest(0, ({HALF_WORLD!r} - {y}) / {WORLD!r}))",
    )


def search_boxes(cells: str, count: int, crs: Crs, margin: float = 1e-6) -> str:
    """Selects the search boxes of the rows in `cells` (x, y), with x and y. `count` cells are along the world's edge;
    boxes are in the table's system, and larger by a part of a cell (`margin`). The outermost ones have all that is
    beyond them."""
    if crs.kind == "lonlat":
        west, east = (f"(x + {each!r}) * 360.0 / {count} - 180 + shift" for each in (-margin, 1 + margin))
        north, south = (
            f"degrees(2 * atan(exp({PI} - 2 * {PI} * (y + {each!r}) / {count})) - {PI} / 2)"
            for each in (-margin, 1 + margin)
        )
        north = f"CASE WHEN y = 0 THEN 90 ELSE {north} END"
        south = f"CASE WHEN y = {count - 1} THEN -90 ELSE {south} END"
        box = f"ST_MakeEnvelope({west}, {south}, {east}, {north}, {crs.srid})"
        return f"SELECT x, y, {box} AS box FROM {cells}, {_OTHER_SIDES}"  # noqa: S608 - numbers
    size, far = WORLD / count, 1e12 if crs.kind == "mercator" else 0.0
    low, high = (f"{{0}} * {size!r} - {HALF_WORLD!r}", f"({{0}} + 1) * {size!r} - {HALF_WORLD!r}")
    first, last = (f"CASE WHEN {{0}} = {each} THEN {far!r} ELSE 0 END" for each in (0, count - 1))
    west, east = (f"{low} - {first}".format("x"), f"{high} + {last}".format("x"))
    north, south = (f"-({low} - {first})".format("y"), f"-({high} + {last})".format("y"))
    cell = f"ST_Expand(ST_MakeEnvelope({west}, {south}, {east}, {north}, 3857), {size * margin!r})"
    if crs.kind == "projected":
        outline = f"ST_Transform(ST_Segmentize({cell}, {size / 8!r}), {crs.srid})"
        cell = f"ST_Expand(ST_Envelope({outline}), 0.02 * ST_Length(ST_BoundingDiagonal({outline})))"
    return f"SELECT x, y, {cell} AS box FROM {cells}"  # noqa: S608 - numbers


def _rank(table: Table, g: str, is_point: bool) -> str:
    """The order of a cell's rows: the largest first; a hash, which ignores values, orders equals and points."""
    key = feature_key(table)
    spread = f"hashfloat8(ST_XMin({g})) # hashfloat8(ST_YMin({g}))"
    if key is not None:
        spread = f"hashint8(t.{quoted(key.name)}::bigint)"
    low = f"(({spread})::bigint & 4294967295)"
    if is_point:
        return low
    size = f"(ST_XMax({g}) - ST_XMin({g}) + ST_YMax({g}) - ST_YMin({g}))"
    return f"(ln(greatest(1e-12, least(1e12, {size}))) * 1000000)::bigint * 4294967296 + {low}"


def _sound(g: str, table: Table, kind: str) -> str:
    whole = inline(without_gaps(sa.literal_column(g, GEOMETRY), kind))
    return fragments.LINEAR.format(g=whole) if may_be_curved(table) else whole


def _area(g: str, crs: Crs) -> str:
    """The area of a shape in square metres of Mercator; for shapes far smaller than a degree, as cells are filled
    by."""
    stretched = f"power(cosh(({PI} - 2 * {PI} * @y)), 2)"
    if crs.kind == "mercator":
        return f"coalesce(ST_Area({g}), 0)"
    if crs.kind == "lonlat":
        return f"coalesce(ST_Area({g}), 0) * {(WORLD / 360) ** 2!r} * cosh({PI} - 2 * {PI} * @y)"
    return f"coalesce(ST_Area({g}), 0) * {crs.unit**2!r} * {stretched}"
