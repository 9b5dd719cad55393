"""Detailed tiles that map shapes to their units look like those that project, clip and mend each shape."""

from __future__ import annotations

import gzip

import asyncpg
import pytest
import shapely

from server.database.engines import Database
from server.gis.profiles.proof import Proven
from server.gis.tiles import fragments
from server.gis.tiles.grid import EXTENT, Tile
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.statement import LayerStatements
from tests.integration.tiles.drawing import Atlas, Feature, decoded

TILES = (Tile.at(12, 2151, 1419), Tile.at(14, 8604, 5678), Tile.at(16, 34416, 22714))
PLACE = "ST_SetSRID(ST_MakePoint(9.05 + (n * 37 % 1000) / 40000.0, 48.235 + (n * 53 % 997) / 50000.0), 4326)"
RING = "ST_Difference(ST_Buffer({p}, {r}, 6), ST_Buffer({p}, {r} / 2, 4))"
SHAPES = {
    "polygons": ("Polygon", 4326, RING),
    "polygons_utm": ("Polygon", 32632, RING),
    "multi_polygons": ("MultiPolygon", 3857, f"ST_Multi({RING})"),
    "bow_ties": ("Polygon", 4326, "ST_MakePolygon(ST_MakeLine(ARRAY[{p}, {q}, {s}, {t}, {p}]))"),
    "streets": ("LineString", 4326, "ST_ExteriorRing(ST_Buffer({p}, {r}, 20))"),
    "lines": ("LineString", 31467, "ST_ExteriorRing(ST_Buffer({p}, {r}, 20))"),
    "solid_points": ("PointZ", 4326, "ST_Force3D({p})"),
}
CASES = [(name, False) for name in SHAPES] + [(name, True) for name in SHAPES if name != "bow_ties"]
"""Each kind of shape, and whether a profile has shown that all of them are valid."""
HOLED = "POLYGON((0 0, 0 9, 9 9, 9 0, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))"
ONE_WAY = "POLYGON((20 0, 20 9, 29 9, 29 0, 20 0), (21 1, 21 2, 22 2, 22 1, 21 1))"
FLAT = "POLYGON((0 20, 9 20, 0 20, 0 20))"
RINGS = [
    *(f"{turned}('{shape}'::geometry)" for turned in ("ST_Reverse", "") for shape in (HOLED, ONE_WAY, FLAT)),
    f"ST_Collect('{HOLED}', ST_Reverse('{ONE_WAY}'::geometry))",
    f"ST_Collect('{HOLED}', '{FLAT}')",
    f"ST_Multi(ST_Reverse('{HOLED}'::geometry))",
]
"""Areas whose outer rings and holes run in either direction."""
MOST_APART = 4
"""In units of a tile: half a pixel, where a large shape reaches far out of the tile."""


@pytest.mark.parametrize(("name", "is_valid"), CASES)
async def test_mapped_shapes_are_where_projected_ones_are(
    database: Database, name: str, is_valid: bool
) -> None:
    kind, srid, shape = SHAPES[name]
    atlas = Atlas(database)
    places = {
        key: f"ST_Translate({PLACE}, {x}, {y})" for key, x, y in (("q", 1, 1), ("s", 1, 0), ("t", 0, 1))
    }
    places = {key: each.replace(", 1", ", 0.002") for key, each in places.items()}
    # Most are small; some reach over the edges of tiles, and a few over several tiles.
    radius = "(CASE WHEN n % 50 = 0 THEN 0.05 ELSE 0.00001 * 3 ^ (n % 6) END)"
    made = shape.format(p=PLACE, r=radius, **places)
    await atlas.execute(
        f"DROP TABLE IF EXISTS data.mapped_{name}",
        f"CREATE TABLE data.mapped_{name} (id int PRIMARY KEY, geom geometry({kind}, {srid}))",
        f"INSERT INTO data.mapped_{name} SELECT n, ST_Transform({made}, {srid}) FROM generate_series(1, 1000) AS n",
    )
    layer, table = await atlas.layer(f"data.mapped_{name}"), await atlas.table(f"data.mapped_{name}")
    connection = await asyncpg.connect(database.url)
    try:
        crs, boxes = await read_crs(connection, table.srid, table.id), SearchBoxes()
        shown = 0
        statements = LayerStatements(table, layer, crs, None, False, Proven(is_sound=True, is_valid=is_valid))
        for tile in TILES:
            box, drawn = await boxes.of(connection, crs, tile), []
            affine = boxes.affine(crs, tile)
            assert box is not None
            assert affine is not None
            for mapped in (True, False):
                statement = statements.at(tile.z, mapped)
                assert statement.is_mapped == mapped
                row = await connection.fetchrow(
                    statement.text, *statement.arguments(crs, tile, box, affine if mapped else None)
                )
                drawn.append({each.id: each for each in decoded(row["tile"])["features"]})
            compare(*drawn, are_mended=not is_valid)
            shown += len(drawn[0])
        assert shown > 100
    finally:
        await connection.close()


@pytest.mark.parametrize("kind", ["Polygon", "LineString"])
async def test_a_shape_over_the_edge_of_a_tile_is_not_clipped(database: Database, kind: str) -> None:
    """Browsers clip what they draw to the tile."""
    atlas, tile = Atlas(database), Tile.at(14, 8604, 5678)
    west, south, east, north = tile.degrees()
    ring = f"ST_MakeEnvelope({west}, {south}, {east}, {north}, 4326)"
    far = (east - west) / 4
    shape = f"ST_Translate({ring}, {far}, {far})"
    await atlas.execute(
        "DROP TABLE IF EXISTS data.over_edge",
        f"CREATE TABLE data.over_edge (id int PRIMARY KEY, geom geometry({kind}, 4326))",
        f"INSERT INTO data.over_edge VALUES (1, {shape if kind == 'Polygon' else f'ST_ExteriorRing({shape})'})",
        "CREATE INDEX ON data.over_edge USING gist (geom)",
    )
    await atlas.layer("data.over_edge")
    made = await atlas.service.tile("m", "a", 1, tile)
    (drawn,) = decoded(gzip.decompress(made.body), clip=False)["features"]
    left, _, right, _ = shapely.bounds(drawn.shape)
    assert left > 0
    assert right > EXTENT * 1.2
    assert len(shapely.get_coordinates(drawn.shape)) == 5


@pytest.mark.parametrize("shape", RINGS)
async def test_outer_rings_run_the_other_way_than_holes(database: Database, shape: str) -> None:
    """A tile's reader tells holes by their direction."""
    turned = fragments.TURNED_OF[2].format(whole="whole")
    texts = f"ST_AsText({turned}), ST_AsText(ST_ForcePolygonCCW(whole))"
    connection = await asyncpg.connect(database.url)
    try:
        found, expected = await connection.fetchrow(
            f"SELECT {texts} FROM (SELECT {shape} AS whole) AS matched"
        )
    finally:
        await connection.close()
    assert found == expected


async def test_small_rings_are_valid_where_postgis_finds_them_valid(database: Database) -> None:
    """Rings of three and four edges between nearby places: many of them cross or touch themselves."""
    is_valid = fragments.IS_VALID.format(whole="whole")
    corners = ", ".join(
        f"ST_MakePoint(hashint4(n * 10 + {2 * corner}) & 3, hashint4(n * 10 + {2 * corner + 1}) & 3)"
        for corner in range(4)
    )
    connection = await asyncpg.connect(database.url, server_settings={"client_min_messages": "error"})
    try:
        valid, quickly, wrong = await connection.fetchrow(
            f"""SELECT count(*) FILTER (WHERE ST_IsValid(whole)),
              count(*) FILTER (WHERE ST_Area(whole) > 0.04812 * ST_Perimeter(whole) ^ 2),
              count(*) FILTER (WHERE {is_valid} IS DISTINCT FROM ST_IsValid(whole))
            FROM (SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) AS whole
                  FROM (SELECT ST_MakeLine(ARRAY[{corners}]) AS line FROM generate_series(1, 20000) AS n) AS lines
            ) AS matched"""
        )
    finally:
        await connection.close()
    assert wrong == 0
    assert 0 < quickly < valid < 20000


def compare(
    mapped: dict[int | None, Feature], projected: dict[int | None, Feature], are_mended: bool
) -> None:
    """`are_mended` where what rounding made invalid is valid again."""
    inside = shapely.box(0, 0, EXTENT, EXTENT)
    within = shapely.buffer(inside, -MOST_APART)
    for key in mapped.keys() | projected.keys():
        if key in mapped and key in projected:
            assert shapely.is_valid(mapped[key].shape) or not are_mended, key
            # Near the edge of the tile, where shapes are cut may differ.
            one, other = (
                shapely.normalize(shapely.make_valid(each[key].shape)) for each in (mapped, projected)
            )
            # Where each vertex is near that of the other shape, all of both is, which is soon found out.
            if not shapely.equals_exact(one, other, MOST_APART):
                assert is_near(one, other, within), key
                assert is_near(other, one, within), key
        else:
            # Rounding decides whether what only touches the edge of the tile is there.
            only = (mapped.get(key) or projected[key]).shape
            assert shapely.is_empty(shapely.intersection(only, within)), key


def is_near(one: shapely.Geometry, other: shapely.Geometry, within: shapely.Geometry) -> bool:
    """Whether what lies within of one shape is nowhere farther from the other than MOST_APART."""
    nearby = shapely.buffer(other, MOST_APART, quad_segs=4)
    return bool(shapely.is_empty(shapely.difference(shapely.intersection(one, within), nearby)))
