"""What is costly of a tile, PostGIS computes once for each feature."""

from __future__ import annotations

import math

import asyncpg
import pytest

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.profiles.proof import UNPROVEN, Proven
from server.gis.tiles.bins.writer import BinStatements
from server.gis.tiles.grid import Tile
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.statement import LayerStatements
from tests.integration.tiles.drawing import Atlas

SHAPES = 20
CALLS = "SELECT funcname, sum(calls)::int AS calls FROM pg_stat_xact_user_functions GROUP BY funcname"
ONE_SHAPE_ONCE = ("st_asmvtgeom", "st_simplify", "st_affine", "st_snaptogrid", "st_isvalid")
SQUARE = "ST_SetSRID(ST_MakeEnvelope(9 + n * 0.0001, 48, 9 + n * 0.0001 + 0.002, 48.002), 4326)"
KINDS = {
    "polygons": ("geometry(Polygon, 4326)", SQUARE),
    "mixed_shapes": ("geometry(Geometry, 4326)", SQUARE),
    "utm_shapes": ("geometry(Polygon, 32632)", f"ST_Transform({SQUARE}, 32632)"),
    "lines": ("geometry(LineString, 4326)", f"ST_ExteriorRing({SQUARE})"),
    "utm_lines": ("geometry(LineString, 32632)", f"ST_Transform(ST_ExteriorRing({SQUARE}), 32632)"),
    "points": ("geometry(Point, 4326)", f"ST_Centroid({SQUARE})"),
    "utm_points": ("geometry(Point, 32632)", f"ST_Transform(ST_Centroid({SQUARE}), 32632)"),
    "globe_shapes": ("geography(Polygon, 4326)", SQUARE),
}


async def calls_of(
    database: Database,
    name: str,
    zoom: int,
    style: StyleSpec | None = None,
    proof: Proven = UNPROVEN,
    mapped: bool = False,
) -> dict[str, int]:
    """How often each function ran for the tile that all shapes lie in."""
    atlas, (column, shape) = Atlas(database), KINDS[name]
    await atlas.execute(
        f"DROP TABLE IF EXISTS data.{name}",
        f"CREATE TABLE data.{name} (id int PRIMARY KEY, value float8, geom {column})",
        f"INSERT INTO data.{name} SELECT n, n, {shape} FROM generate_series(1, {SHAPES}) n",
        f"CREATE INDEX ON data.{name} USING gist (geom)",
        f"ANALYZE data.{name}",
    )
    layer, table = await atlas.layer(f"data.{name}", style), await atlas.table(f"data.{name}")
    north = math.asinh(math.tan(math.radians(48.001))) / math.pi
    tile = Tile.at(zoom, int((9.002 + 180) / 360 * 2**zoom), int((1 - north) / 2 * 2**zoom))
    connection = await asyncpg.connect(database.url)
    try:
        crs, boxes = await read_crs(connection, table.srid, table.id), SearchBoxes()
        box, affine = await boxes.of(connection, crs, tile), boxes.affine(crs, tile) if mapped else None
        assert box is not None
        make = BinStatements if style is not None and style.kind == "grid" else LayerStatements
        statement = make(table, layer, crs, None, name == "mixed_shapes", proof).at(zoom, mapped)
        assert statement.is_mapped == mapped
        async with connection.transaction():
            await connection.execute("SET LOCAL track_functions = 'all'")
            row = await connection.fetchrow(statement.text, *statement.arguments(crs, tile, box, affine))
            calls = {each["funcname"]: each["calls"] for each in await connection.fetch(CALLS)}
    finally:
        await connection.close()
    assert row["shown"] == SHAPES
    return calls


@pytest.mark.parametrize("name", ["polygons", "mixed_shapes", "utm_shapes"])
@pytest.mark.parametrize("zoom", [6, 14])
async def test_each_shape_is_projected_simplified_and_drawn_once(
    database: Database, name: str, zoom: int
) -> None:
    calls = await calls_of(database, name, zoom)
    # In a projected system it is looked whether a shape crosses the antimeridian, in degrees.
    transforms = 2 if name == "utm_shapes" else 1
    assert calls["st_asmvtgeom"] == SHAPES
    assert calls["st_transform"] == SHAPES * transforms
    assert calls.get("st_simplify", 0) in ((SHAPES,) if zoom < 13 else (0,))


@pytest.mark.parametrize("is_valid", [True, False])
@pytest.mark.parametrize("name", ["polygons", "utm_shapes", "lines", "utm_lines", "points", "utm_points"])
@pytest.mark.parametrize("zoom", [12, 14])
async def test_each_shape_is_mapped_and_drawn_once(
    database: Database, name: str, zoom: int, is_valid: bool
) -> None:
    proof = Proven(is_sound=True, is_valid=is_valid)
    calls = await calls_of(database, name, zoom, proof=proof, mapped=True)
    assert max(calls.get(each, 0) for each in ONE_SHAPE_ONCE) == SHAPES
    assert calls.get("st_transform", 0) == 0
    areas = (1 if is_valid else 2) if name in ("polygons", "utm_shapes") else 0
    assert calls.get("st_area", 0) == SHAPES * areas, "for the order, and to find that rectangles are valid"


@pytest.mark.parametrize("name", ["polygons", "mixed_shapes", "utm_shapes", "utm_lines"])
async def test_each_circle_on_a_shape_is_placed_once(database: Database, name: str) -> None:
    calls = await calls_of(database, name, 14, StyleSpec(kind="proportional", column="value"))
    transforms = 2 if name.startswith("utm") else 1
    assert calls["st_pointonsurface"] == SHAPES
    assert calls["st_asmvtgeom"] == 2 * SHAPES, "the shape and its circle"
    assert calls["st_transform"] == 2 * SHAPES * transforms


@pytest.mark.parametrize("name", ["utm_shapes", "utm_lines", "utm_points", "globe_shapes"])
async def test_each_row_is_placed_in_its_cell_once(database: Database, name: str) -> None:
    calls = await calls_of(database, name, 14, StyleSpec(kind="grid"))
    assert calls.get("st_transform", 0) <= SHAPES
    assert calls.get("geometry", 0) <= 4 * SHAPES, "three times to find the row, and once to place it"


async def test_empty_parts_are_looked_for_once(database: Database) -> None:
    calls = await calls_of(database, "mixed_shapes", 14)
    assert calls["st_astext"] == 2 * SHAPES, "for numbers that are not finite, and for empty parts"
