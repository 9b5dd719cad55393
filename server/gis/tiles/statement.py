"""Writes the SQL of a tile (fragments.py shows it). Built once per layer version, then only executed by
asyncpg.

It asks the spatial index with the tile's box in the coordinate system of the data, keeps at most `cap`
rows (ranked: the largest first, and among equals by a hash, so that a thinned tile shows all parts of the
country alike), and draws those: simplified below what a pixel shows, cut at the antimeridian, in Mercator,
small areas above large ones. What is smaller than a pixel is drawn as a pixel. Identifiers come from the
registry and are quoted; values are parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from agents.core.free_names import padded_name
from agents.domain import Column, Layer, Table
from server.database.quoting import quoted, quoted_text
from server.gis.expressions.declared_types import declared_type, may_be_curved
from server.gis.expressions.geometry_checks import reasonable, without_gaps
from server.gis.expressions.identifiers import GEOMETRY, is_geography, sql_name
from server.gis.filters import compile_filter
from server.gis.overviews.caps import USUAL_CAPS, TileCaps
from server.gis.overviews.ladder import WEIGHT
from server.gis.overviews.summaries import filter_text
from server.gis.profiles.proof import UNPROVEN, Proven
from server.gis.styles.attributes import ID, TIME, tile_value
from server.gis.styles.errors import require_srid
from server.gis.tiles import fragments
from server.gis.tiles.columns import all_columns, extra_attributes, feature_key, has_points, needed_columns
from server.gis.tiles.grid import BUFFER, EXTENT, MAX_ZOOM, PIXELS, WORLD, Box, Tile
from server.gis.tiles.mapping.affine import Affine
from server.gis.tiles.mapping.units import Shapes, in_units
from server.gis.tiles.mercator import to_mercator
from server.gis.tiles.projection import Crs
from server.gis.tiles.sql_text import compiled, inline, unquoted

SIMPLIFIED_BELOW = 13
THINNED_BELOW = 8
RANKED_BELOW = 12
"""Tiles of large layers below this zoom are expected to be full; at higher ones, ranking waits until one is."""
SMALL_LAYER = 5_000
"""Layers of so few rows carry all attributes at every zoom."""

_DIMENSIONS = {"LINESTRING": 1, "MULTILINESTRING": 1, "POLYGON": 2, "MULTIPOLYGON": 2}


@dataclass(frozen=True)
class TileStatement:
    """`text` takes the filter's values, then those of `arguments`, then the columns of `rows`."""

    text: str
    values: tuple[Any, ...]
    rows: tuple[Any, ...] = ()
    is_mapped: bool = False
    """Whether it takes a linear mapping of the tile; then it has no rows."""

    @property
    def is_planned_once(self) -> bool:
        """Whether one plan is right for all tiles: the spatial index finds the rows, and no value of a filter could
        make another index better."""
        return self.is_mapped and not self.values

    def arguments(self, crs: Crs, tile: Tile, box: Box, affine: Affine | None = None) -> tuple[Any, ...]:
        """Values of the parameters; `affine` where the statement is mapped."""
        units = affine.arguments if affine is not None and self.is_mapped else ()
        return (*self.values, tile.z, tile.x, tile.y, *box, crs.tolerance(tile), *units, *self.rows)


class LayerStatements:
    """The statements of one layer version: with all attributes or few, simplified or in full, ranked or not."""

    is_passing = False
    """Better tiles will replace these soon, so they must not be cached."""
    is_estimate = False
    """Whether the number of features in a tile, all in all, is one."""
    again_s = 0
    """Seconds after which a tile that is passing may be a better one under the same address; 0 if it never will be."""

    def __init__(
        self,
        table: Table,
        layer: Layer,
        crs: Crs,
        caps: TileCaps | None = None,
        wide: bool = True,
        proof: Proven = UNPROVEN,
    ) -> None:
        """`wide`: coordinates may go beyond 180 and 90 degrees, so that a feature may show in a tile on the other
        side."""
        require_srid(table.srid, table.id)
        self.crs = crs
        self.table = table
        self.drawn = (table.id, filter_text(layer.filter))
        self.layer = layer
        self._shapes = self.draws_shapes = table.geometry_family != "point"
        self.caps = caps or USUAL_CAPS
        self.cap = self.caps.of_stored(table)
        self.is_estimate = self.is_estimate or (table.lake is not None and table.lake.is_sampled)
        self._wide = self.is_wide = wide
        self.proof = proof
        self._made: dict[tuple[bool, bool, bool, bool], TileStatement] = {}
        self._ranked_below = RANKED_BELOW if layer.count > self.cap else 0
        if self._shapes and has_points(layer):
            self._ranked_below = MAX_ZOOM + 1  # Their points are drawn in the order of the rows.

    def at(self, zoom: int, mapped: bool = False) -> TileStatement:
        """The statement for a zoom level; `mapped` where it can be given a linear mapping of the tile."""
        is_large = self.layer.count > SMALL_LAYER
        thin = is_large and zoom < THINNED_BELOW
        simple = zoom < SIMPLIFIED_BELOW and self._shapes
        ranked = zoom < self._ranked_below
        variant = (thin, simple, ranked, mapped)
        if variant not in self._made:
            chosen = needed_columns if thin else all_columns
            columns = chosen(self.table, self.layer) if is_large else self.table.columns
            writer = StatementWriter(self.table, self.layer, columns, self.crs, self._wide, self.proof)
            self._made[variant] = writer.statement(self.cap, simple, ranked, mapped)
        return self._made[variant]

    def must_be_ranked(self, zoom: int, shown: int, total: int) -> bool:
        """True when a tile turns out to be full that was drawn without ranking. From then on, tiles up to its zoom
        level are ranked."""
        if shown >= total or zoom < self._ranked_below:
            return False
        self._ranked_below = zoom + 1
        return True


class StatementWriter:
    """Writes a statement."""

    def __init__(
        self,
        table: Table,
        layer: Layer,
        columns: Sequence[Column],
        crs: Crs,
        wide: bool,
        proof: Proven = UNPROVEN,
    ) -> None:
        geometry = table.column(table.geometry_column or "")
        self._geography = geometry is not None and is_geography(geometry)
        self._table, self._layer, self._crs, self._wide = table, layer, crs, wide
        self.kind = declared_type(table)[0]
        """The kind of every shape; GEOMETRY where the column may hold several."""
        self._shapes = table.geometry_family != "point"
        # A row that was added since the profile was made is drawn wrongly at worst; but looking for a point on it may
        # crash PostgreSQL.
        is_sound = proof.is_sound and not has_points(layer)
        self._unsure = proof.newer(self._relation()) if is_sound else "true"
        key = quoted(column.name) if (column := self._key()) is not None else ""
        self._invalid = proof.may_be_invalid(self._relation(), key) if proof.is_valid else "true"
        taken = {column.name for column in table.columns}
        self._g = quoted(padded_name("geometry", taken))
        self._id = quoted(padded_name("id", taken))
        self._columns = [
            (column.name, value)
            for column in columns
            if column.name not in (TIME, ID) and (value := tile_value(table, column)) is not None
        ]
        self._columns += extra_attributes(table, layer)
        self._represented = table.lake.factor if table.lake is not None and table.lake.is_sampled else 1.0
        """Rows that one of a lake table's sample represents."""
        if self._represented > 1:
            self._columns.append((WEIGHT, sa.literal_column(f"{self._represented!r}::float8", sa.Double)))
        condition = compile_filter(table, layer.filter)
        self._where, self._values = compiled(sa.true() if condition is None else condition)
        first = len(self._values) + 1
        self._z, self._x, self._y = (f"${first + offset}::int" for offset in range(3))
        self._box = [f"${first + offset}::float8" for offset in range(3, 7)]
        self._tolerance = f"${first + 7}::float8"
        self._affine = ", ".join(f"${first + offset}::float8" for offset in range(8, 14))
        taken |= {TIME, ID, WEIGHT, unquoted(self._g), unquoted(self._id)}
        self._flat = {
            "m": quoted(padded_name("mercator", taken)),
            "box": quoted(padded_name("mercator_box", taken)),
            "width": f"{WORLD!r} / (1 << {self._z})",
            "pixels": PIXELS,
        }
        """How the shape in Mercator is called, and the width of a tile there, of which a pixel is a part."""
        self._units = {"u": quoted(padded_name("units", taken)), "whole": quoted(padded_name("whole", taken))}
        self._doubtful_name = quoted(padded_name("doubtful", taken))

    def statement(self, cap: int, simple: bool, ranked: bool, mapped: bool = False) -> TileStatement:
        """The statement of a tile of at most `cap` features. `simple`: simplify shapes before they are projected;
        `ranked`: keep the largest; `mapped`: map coordinates by an affine parameter instead of a projection, where
        possible."""
        common = self._common()
        stored = f"matched.{self._g}"
        if simple:
            stored = f"ST_Simplify({stored}, {self._tolerance}, true)"
        common["projected"] = self._mercator(stored)
        drawn = (fragments.SHAPE if self._shapes else fragments.POINT).format(**common)
        steps = fragments.SHAPE_STEPS.format(**common) if self._shapes else "matched"
        mapped = mapped and self._is_mappable()
        if mapped:
            shapes = Shapes(self._dimension_of_type(), self._crs, simple, self._doubtful())
            drawn, steps = in_units(shapes, stored, common, drawn)
        text = fragments.TILE.format(
            **common,
            geometry=self._linear(self._whole(self._geometry())),
            attributes=self._attributes() + (self._doubts() if mapped else ""),
            source=self._source(),
            found=self._found(),
            order=f"ORDER BY {self._rank()}" if ranked else "",
            cap=cap,
            total=self._total(cap),
            remarks=self._remarks(),
            drawn=drawn,
            steps=steps,
            stacked="" if ranked else self._stacked(f"matched.{self._g}"),
            numbers=f"{self._tolerance}, {self._affine}" if mapped else self._tolerance,
            points=self._points(common),
        )
        return TileStatement(text, self._values, is_mapped=mapped)

    def _source(self) -> str:
        """The table or subquery after FROM."""
        return self._relation()

    def _total(self, cap: int) -> str:
        """How many features of the table lie in the tile."""
        found = fragments.TOTAL.format(cap=cap, g=self._g, source=self._source(), found=self._found())
        return found if self._represented == 1 else f"round(({found}) * {self._represented!r})::bigint"

    def _doubtful(self) -> str:
        """Whether the shape of a matched row may be invalid; empty if none is."""
        return f"matched.{self._doubtful_name}" if self._doubts() else self._invalid

    def _doubts(self) -> str:
        """The column that says whether a row may be invalid, if that differs from row to row; otherwise empty."""
        is_open = self._invalid in ("", "true") or self._dimension_of_type() != 2
        return "" if is_open else f", {self._invalid} AS {self._doubtful_name}"

    def _remarks(self) -> str:
        """Further columns of the note of a tile that does not draw everything."""
        return "" if self._represented == 1 else ", true AS sample, true AS overview"

    def _common(self) -> dict[str, Any]:
        """The values that several fragments need."""
        key = [f"matched.{self._id}"] if self._key() else []
        names = [*key, *(f"matched.{quoted(name)}" for name, _ in self._columns)]
        return {
            "g": self._g,
            "g_text": quoted_text(unquoted(self._g)),
            "id_text": f", {quoted_text(unquoted(self._id))}" if key else "",
            "names": ", ".join(names) or "NULL AS none",
            "counted_before": "",
            "extent": EXTENT,
            "buffer": BUFFER,
            "z": self._z,
            "x": self._x,
            "y": self._y,
            "tolerance": self._tolerance,
            "square": fragments.SQUARE.format(z=self._z, x=self._x, y=self._y),
            "envelope": ", ".join(self._box),
            **dict(zip(("west", "south", "east", "north"), self._box, strict=True)),
            "affine": self._affine,
            **self._units,
            **self._flat,
            "tiny": self._narrower("greatest"),
            "slim": self._narrower("least"),
            "pixel": self._pixel(),
        }

    def _narrower(self, function: str) -> str:
        narrower = fragments.NARROWER.format(function=function, **self._flat)
        return narrower if self._dimension() else fragments.IS_EXTENDED.format(**self._flat) + narrower

    def _pixel(self) -> str:
        pixels = {dimension: text.format(**self._flat) for dimension, text in fragments.PIXEL_OF.items()}
        return pixels.get(self._dimension()) or fragments.PIXEL.format(
            of_lines=pixels[1], of_areas=pixels[2], **self._flat
        )

    def _dimension(self) -> int:
        """The dimension of every shape, if the column's type determines it and nothing is cut; else 0."""
        return self._dimension_of_type() if self._is_plain() else 0

    def _dimension_of_type(self) -> int:
        """The dimension of every stored shape; 0 for points and where the column may hold several kinds."""
        return _DIMENSIONS.get(self.kind, 0)

    def _is_mappable(self) -> bool:
        """Whether a linear mapping brings shapes near a tile to its units: all are of one kind, and none of them can
        show on another side of the map."""
        if self._geography or (self._crs.kind == "lonlat" and self._wide):
            return False
        return self.kind == "POINT" or self.kind in _DIMENSIONS

    def _is_plain(self) -> bool:
        """Whether shapes can be projected as they are: none can reach beyond the antimeridian."""
        if self._geography:
            return False
        return self._crs.kind == "mercator" or (self._crs.kind == "lonlat" and not self._wide)

    def _points(self, common: dict[str, Any]) -> str:
        if not has_points(self._layer):
            return "''"
        return fragments.POINTS.format(**common, projected_middle=self._mercator("middle.p"))

    def _relation(self) -> str:
        return sql_name(self._table)

    def _geometry(self) -> str:
        column = f"{self._relation()}.{quoted(self._table.geometry_column or '')}"
        return f"{column}::geometry" if self._geography else column

    def _key(self) -> Column | None:
        return feature_key(self._table)

    def _attributes(self) -> str:
        key = self._key()
        parts = [f"{self._relation()}.{quoted(key.name)}::bigint AS {self._id}"] if key else []
        parts += [f"{inline(value)} AS {quoted(name)}" for name, value in self._columns]
        return ", ".join(parts) or "NULL AS none"

    def _found(self) -> str:
        """The index is asked first; the filter after it."""
        west, south, east, north = self._box
        srid = self._crs.srid
        turns = (0, 360, -360) if self._wide and self._crs.kind == "lonlat" and not self._geography else (0,)
        boxes = [
            f"ST_MakeEnvelope({west} + {turn}, {south}, {east} + {turn}, {north}, {srid})" for turn in turns
        ]
        tests = [f"{self._geometry()} && {box}" for box in boxes]
        found = f"({' OR '.join(tests)})"
        if self._geography:
            column = f"{self._relation()}.{quoted(self._table.geometry_column or '')}"
            # What seems to go around the world crosses the antimeridian, and its planar box says nothing.
            g = self._geometry()
            found = f"({found} OR ST_XMax({g}) - ST_XMin({g}) > 180)"
            # Great circles leave the parallels of a tile's edge, hence the dense outline. A tile of half the
            # world is not a polygon on a sphere: there, the planar test is used.
            outline = f"ST_Segmentize({boxes[0]}, 0.5)::geography"
            found += f" AND ({self._z} < 3 OR {column} && {outline})"
        if not self._unsure:
            return f"{found} AND ({self._where})"
        # Shapes outside of the earth are not drawn, because that might crash PostGIS.
        placed = inline(
            reasonable(sa.literal_column(self._geometry(), GEOMETRY), declared_type(self._table)[0])
        )
        checked = (
            placed if self._unsure == "true" else f"CASE WHEN {self._unsure} THEN {placed} ELSE true END"
        )
        return f"{found} AND {checked} AND ({self._where})"

    def _rank(self) -> str:
        """Largest first; then by a hash, which is even over the map, and last by what distinguishes two rows."""
        g = self._geometry()
        parts = []
        if self._shapes:
            parts.append(f"{self._size(g)} DESC")
        circles = self._layer.style.column if self._layer.style.kind == "proportional" else None
        if circles is not None:
            parts = [f"abs({self._relation()}.{quoted(circles)}) DESC NULLS LAST"]
        return ", ".join([*parts, *self._even_order()])

    def _even_order(self) -> tuple[str, ...]:
        """A hash, and what distinguishes rows with the same hash."""
        if (key := self._key()) is not None:
            column = f"{self._relation()}.{quoted(key.name)}"
            return f"hashint8({column}::bigint)", column
        west, south = (f"{corner}({self._geometry()})" for corner in ("ST_XMin", "ST_YMin"))
        return f"hashfloat8({west}) # hashfloat8({south})", west, south

    def _stacked(self, g: str) -> str:
        """The order in which shapes are drawn: lines and points cover little of each other."""
        is_area = self._shapes and self._dimension_of_type() != 1
        return f"ORDER BY {self._size(g)} DESC" if is_area else ""

    def _size(self, g: str) -> str:
        """How large a shape is, in units of its coordinates: by one function where its dimension is known."""
        measures = {1: f"ST_Length({g})", 2: f"ST_Area({g})"}
        sides = f"ST_XMax({g}) - ST_XMin({g}) + ST_YMax({g}) - ST_YMin({g})"
        return measures.get(_DIMENSIONS.get(declared_type(self._table)[0], 0), sides)

    def _whole(self, g: str) -> str:
        """The shape without empty parts, on which PostGIS crashes when it looks for a point."""
        if not self._unsure:
            return g
        filled = inline(without_gaps(sa.literal_column(g, GEOMETRY), declared_type(self._table)[0]))
        are_all = self._unsure == "true" or filled == g
        return filled if are_all else f"CASE WHEN {self._unsure} THEN {filled} ELSE {g} END"

    def _linear(self, g: str) -> str:
        """Curves as lines, triangulated surfaces as polygons: only where the column may hold such."""
        return fragments.LINEAR.format(g=g) if may_be_curved(self._table) else g

    def _mercator(self, g: str) -> str:
        if self._crs.kind == "lonlat" and not self._wide and (self._is_plain() or not self._shapes):
            return f"ST_Transform({g}, 3857)"
        return to_mercator(g, self._crs, self._geography)
