"""The rows to export: their table, the filter, the columns under their names, and the geometry."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import asyncpg
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.free_names import padded_name
from agents.domain import Column, Cql2, Table
from agents.exports import MultiKind, Outside, Placing
from agents.worded import Template
from server.gis.errors import GisError, faults_about, translated
from server.gis.export.columns import usual_columns
from server.gis.export.crs import LONLAT, Crs
from server.gis.expressions.antimeridian import (
    crosses_antimeridian,
    is_beyond,
    is_torn,
    lonlat_apart,
    moved_apart,
    wrapped_apart,
)
from server.gis.expressions.area_of_use import Area, area_of_use, is_geographic, within
from server.gis.expressions.declared_types import declared_type, has_only_points, may_be_curved, straight
from server.gis.expressions.geometry_checks import transformed
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression, geometry_of, relation
from server.gis.filters import compile_filter
from server.gis.styles.errors import require_srid

LAKE = Template(
    "export_lake",
    "{table} is a lake table: its {n} rows are in Parquet files already, and PostGIS holds only a "
    "sample. Filter or aggregate it by an analysis on Spark, and export the result.",
)
NO_CHARACTER = Template(
    "export_no_character", "{encoding} has no character {text} (U+{code}), which is in the data. Use utf-8."
)
NO_LAYER = Template("export_no_layer", "{table} has no geometry column, so it is not a layer.")

CHUNK_ROWS = 1000
"""Rows read at once."""
MAX_COUNTS = 500
"""Counts in one statement: PostgreSQL selects at most 1,664 columns."""


_OGR_TYPES = {
    "POINT": "Point", "LINESTRING": "LineString", "POLYGON": "Polygon", "MULTIPOINT": "MultiPoint",
    "MULTILINESTRING": "MultiLineString", "MULTIPOLYGON": "MultiPolygon",
}  # fmt: skip


class CannotExport(GisError):
    """The layer cannot be written in the format that was asked for."""

    code = "invalid_payload"


def no_character(encoding: str, error: UnicodeEncodeError) -> CannotExport:
    """The error for a character that the encoding of the file lacks."""
    character = error.object[error.start]
    return CannotExport(NO_CHARACTER(encoding=encoding, text=repr(character), code=f"{ord(character):04X}"))


@dataclass(frozen=True)
class Field:
    """A column of the file. `column` gives the type of its values."""

    label: str
    value: Expression
    column: Column
    is_place: bool = False


@dataclass(frozen=True)
class Summary:
    """Counts of the rows to export, from the database."""

    rows: int
    placed: int
    """Rows with a geometry that is not empty."""
    types: frozenset[str] = frozenset()
    """As PostGIS names them: POINT, MULTIPOLYGON."""
    has_heights: bool = False
    has_measures: bool = False
    """A fourth coordinate (M), or a third one that is not a height."""


def check_whole(table: Table) -> None:
    """Raise CannotExport for a lake table: a file of its sample would pass for the whole table."""
    if table.lake is not None and table.lake.is_sampled:
        raise CannotExport(LAKE(table=table.id, n=table.lake.rows))


@dataclass(frozen=True)
class Source:
    """The rows to export."""

    reader: AsyncEngine
    table: Table
    filter: Cql2 | str | None = None
    crs: Crs = LONLAT
    """The reference system of the file."""
    chosen: tuple[tuple[str, str], ...] | None = None
    """Columns and their names in the file; all, when left out."""
    placing: Placing = "shape"
    kind: MultiKind | None = None
    outside: Outside | None = None
    """What happens to shapes far outside of the area of use of `crs`."""
    precision: int | None = None
    """Decimals of coordinates."""
    encoding: str | None = None
    is_wrapped: bool = False
    """Whether the format allows no longitudes beyond 180 degrees."""
    found_type: str | None = None
    """The single geometry type of all rows, if it was determined."""
    count_rows: Callable[[int], None] = field(default=lambda rows: None, compare=False)
    """Called with the number of rows read, after each chunk."""

    def __post_init__(self) -> None:
        if self.placing == "none":
            return
        if self.table.geometry_column is None:
            raise CannotExport(NO_LAYER(table=self.table.id))
        require_srid(self.table.srid, self.table.id)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the table except geometries."""
        return tuple(column for column in self.table.columns if column.kind != "geometry")

    @property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the file except the geometry."""
        values = relation(self.table).c
        everything = usual_columns(self.table)
        if not everything and self.placing == "none":
            everything = tuple((each.name, each.name) for each in self.columns)
        chosen = everything if self.chosen is None else self.chosen
        known = {column.name: column for column in self.columns}
        fields = [Field(label, values[name], known[name]) for name, label in chosen]
        return (*fields, *self._places({each.label for each in fields}))

    def _places(self, taken: set[str]) -> tuple[Field, ...]:
        """Columns with the position of a row."""
        if self.placing in ("shape", "none"):
            return ()
        shape = self.geometry()
        if self.placing == "wkt":
            text = (shape,) if self.precision is None else (shape, self.precision)
            made: list[tuple[str, Expression, str]] = [("geometry", sa.func.ST_AsText(*text), "text")]
        else:
            across, up = ("longitude", "latitude") if self.crs.is_lonlat else ("x", "y")
            made = [
                (across, self._rounded(sa.func.ST_X(shape)), "double precision"),
                (up, self._rounded(sa.func.ST_Y(shape)), "double precision"),
            ]
            if "Z" in declared_type(self.table)[1]:
                made.append(("z", self._rounded(sa.func.ST_Z(shape)), "double precision"))
        return tuple(
            Field(
                name := padded_name(label, taken),
                value,
                Column(name=name, kind="text" if kind == "text" else "number", sql_type=kind),
                is_place=True,
            )
            for label, value, kind in made
        )

    def _rounded(self, value: Expression) -> Expression:
        if self.precision is None:
            return value
        return sa.cast(sa.func.round(sa.cast(value, sa.Numeric), self.precision), sa.Double)

    def geometry(self) -> Expression:
        """The geometry in the source's reference system, without curves, of the requested kind and precision."""
        if self.kind == "single":
            return cast("Expression", self._parts.c.geom)
        shape = self._whole()
        return sa.func.ST_Multi(shape, type_=GEOMETRY) if self.kind == "multi" else shape

    def _whole(self) -> Expression:
        geometry = geometry_of(self.table)
        shape = straight(geometry) if may_be_curved(self.table) else geometry
        if self.table.srid == self.crs.srid:
            shape = wrapped_apart(shape) if self._is_cut_at_180 else shape
        else:
            moved = lonlat_apart(shape, self.table.srid) if self._may_cross else self._moved(shape)
            inside = None if self.outside is None else self._near_area
            shape = moved if inside is None else sa.case((inside, moved))
        if self.precision is not None:
            shape = sa.func.ST_ReducePrecision(shape, 10.0**-self.precision, type_=GEOMETRY)
        return shape

    def _moved(self, shape: Expression) -> Expression:
        moved = transformed(shape, self.table, self.crs.srid)
        return moved_apart(shape, moved, self.crs.srid) if self._may_be_torn else moved

    @cached_property
    def area(self) -> Area | None:
        """The area of use of the file's system; None if the file keeps the table's system."""
        if self.placing == "none" or self.table.srid in (0, self.crs.srid):
            return None
        return area_of_use(self.crs.srid)

    @cached_property
    def _near_area(self) -> sa.ColumnElement[bool] | None:
        return None if self.area is None else within(self.area, geometry_of(self.table), self.table.srid)

    async def far_outside(self) -> int:
        """How many shapes are far outside of the area of use of the file's system."""
        if self._near_area is None:
            return 0
        (far,) = await replace(self, outside=None)._row(sa.func.count().filter(self._near_area.is_(False)))
        return int(far)

    @cached_property
    def _parts(self) -> sa.FromClause:
        """The parts of each shape, one a row."""
        return sa.func.ST_Dump(self._whole()).table_valued(sa.column("geom", GEOMETRY)).alias("parts")

    def ogr_type(self) -> str:
        """GDAL's name of the geometry type. FlatGeobuf leaves heights out if the type is not declared."""
        kind, dimensions = declared_type(self.table)
        if kind not in _OGR_TYPES and self.found_type is not None:
            kind, _, dimensions = self.found_type.partition(" ")
        if kind not in _OGR_TYPES or "M" in dimensions:
            return "Unknown"
        flat = _OGR_TYPES[kind].removeprefix("Multi") if self.kind == "single" else _OGR_TYPES[kind]
        if self.kind == "multi" and not flat.startswith("Multi"):
            flat = f"Multi{flat}"
        return f"{flat} Z" if dimensions else flat

    @property
    def froms(self) -> tuple[sa.FromClause, ...]:
        """The tables that the fields may refer to."""
        return (relation(self.table), self._parts) if self.kind == "single" else (relation(self.table),)

    def rows(self, *selected: Any, beside: sa.FromClause | None = None) -> sa.Select[Any]:
        """The columns and expressions, of the rows that pass the filter, in the order of the key; `beside` is joined
        to each row."""
        source: sa.FromClause = relation(self.table)
        if self.kind == "single":
            source = source.outerjoin(self._parts, sa.true())
        if beside is not None:
            source = source.join(beside, sa.true())
        query = sa.select(*selected).select_from(source)
        condition = compile_filter(self.table, self.filter)
        if condition is not None:
            query = query.where(condition)
        if self.outside == "drop" and self._near_area is not None:
            query = query.where(sa.or_(geometry_of(self.table).is_(None), self._near_area))
        return query.order_by(*self.key)

    @property
    def key(self) -> tuple[Expression, ...]:
        """The columns of the table's key; empty without one."""
        columns = relation(self.table).c
        return tuple(columns[name] for name in self.table.key)

    async def stream(self, query: sa.Select[Any]) -> AsyncGenerator[Sequence[Any], None]:
        """Rows in chunks, through a cursor of the database."""
        try:
            async with self.reader.connect() as connection:
                result = await connection.stream(query.execution_options(yield_per=CHUNK_ROWS))
                async for chunk in result.partitions():
                    self.count_rows(len(chunk))
                    yield chunk
        except (SQLAlchemyError, asyncpg.PostgresError) as error:
            # SQLAlchemy does not wrap asyncpg's errors of later chunks.
            translated(error, self.table.id)

    async def count(self) -> tuple[int, int]:
        """Number of rows, and of those with a geometry that is not empty."""
        if self.placing == "none":
            (rows,) = await self._row(sa.func.count())
            return int(rows), 0
        rows, placed = await self._row(sa.func.count(), _filled(geometry_of(self.table)))
        return int(rows), int(placed)

    async def summary(self) -> Summary:
        """Counts for the file, from the database."""
        if self.placing == "none":
            return Summary(*await self.count())
        shape = geometry_of(self.table)
        parts = sa.func.sum(sa.func.greatest(sa.func.coalesce(sa.func.ST_NumGeometries(shape), 1), 1))
        rows, placed, types, heights, measures = await self._row(
            sa.func.coalesce(parts, 0) if self.kind == "single" else sa.func.count(),
            _filled(shape),
            sa.func.array_agg(sa.func.GeometryType(shape).distinct()),
            sa.func.bool_or(sa.func.ST_Zmflag(shape) >= 2),
            sa.func.bool_or(sa.func.ST_Zmflag(shape) % 2 == 1),
        )
        found = frozenset(each.removesuffix("M") for each in types or () if each)
        return Summary(int(rows), int(placed), found, bool(heights), bool(measures))

    @property
    def _may_cross(self) -> bool:
        """Whether the file is in longitude and latitude and its shapes are not, and are not points."""
        return self.crs.is_lonlat and self.table.srid not in (0, WGS84) and not has_only_points(self.table)

    @property
    def _may_be_torn(self) -> bool:
        """Whether the file is in another system than longitude and latitude, which the shapes of the table have."""
        is_moved = self.table.srid != self.crs.srid and is_geographic(self.table.srid)
        return is_moved and not has_only_points(self.table)

    @property
    def _is_cut_at_180(self) -> bool:
        """Whether longitudes beyond 180 degrees, which the table has, are moved to the other side."""
        return self.is_wrapped and self.crs.is_lonlat and self.table.srid == WGS84

    async def cut_apart(self) -> int:
        """How many shapes cross the antimeridian or surround a pole, and are cut there."""
        if self.placing == "none" or not (self._may_cross or self._is_cut_at_180 or self._may_be_torn):
            return 0
        geometry = geometry_of(self.table)
        shape = straight(geometry) if may_be_curved(self.table) else geometry
        if self._may_cross:
            is_cut = crosses_antimeridian(shape)
        elif self._is_cut_at_180:
            is_cut = is_beyond(shape)
        else:
            is_cut = is_torn(shape, transformed(shape, self.table, self.crs.srid), self.crs.srid)
        (rows,) = await self._row(sa.func.count().filter(is_cut))
        return int(rows)

    async def of_one_type(self, cut: int | None = None) -> Source:
        """The source with multi-part shapes where only some have several parts after being cut or rounded, so that
        the file holds one type. `cut` is what `cut_apart` returned, if it is known."""
        if self.kind is not None or not self._is_of_one_kind:
            return self
        if cut is None:
            cut = await self.cut_apart()
        return replace(self, kind="multi") if cut or await self._is_rounded_to_parts() else self

    @property
    def _is_of_one_kind(self) -> bool:
        """Whether all shapes are lines or all are areas, of one part or several."""
        return self.ogr_type().removesuffix(" Z").removeprefix("Multi") in ("LineString", "Polygon")

    async def _is_rounded_to_parts(self) -> bool:
        """Whether some shapes have several parts with the decimals that were asked for, or had them before: a rounded
        shape with one part is not a multi-part shape any more."""
        if self.precision is None or self.placing != "shape":
            return False
        if self.ogr_type().startswith("Multi"):
            return True
        (has_parts,) = await self._row(sa.func.bool_or(sa.func.ST_NumGeometries(self._whole()) > 1))
        return bool(has_parts)

    async def counts(self, *conditions: Expression) -> Sequence[int]:
        """How many rows of the file meet each of the conditions, which may refer to the fields."""
        found: list[int] = []
        for start in range(0, len(conditions), MAX_COUNTS):
            counted = [sa.func.count().filter(each) for each in conditions[start : start + MAX_COUNTS]]
            found += [int(each) for each in await self._one(self.rows(*counted))]
        return found

    async def _row(self, *selected: Any) -> Sequence[Any]:
        return await self._one(replace(self, kind=None).rows(*selected))

    async def _one(self, query: sa.Select[Any]) -> Sequence[Any]:
        with faults_about(self.table.id):
            async with self.reader.connect() as connection:
                return tuple((await connection.execute(query.order_by(None))).one())


def _filled(shape: Any) -> Any:
    """The number of shapes that are not empty."""
    return sa.func.count().filter(sa.not_(sa.func.ST_IsEmpty(shape)))


def is_point(table: Table) -> bool:
    """Whether every row is declared to be a point."""
    return declared_type(table)[0] == "POINT"
