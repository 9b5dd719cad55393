"""Tables whose profile shows that they are sound: the same tiles, without a check of each row."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
import shapely

from agents.domain import StyleSpec, Table
from server.database.engines import Database
from server.gis.profiles.proof import Proven
from server.gis.tiles.grid import Tile
from server.gis.tiles.projection import Crs
from server.gis.tiles.service import DrawnTile, TileService
from server.gis.tiles.statement import LayerStatements
from tests.integration.tiles.drawing import Atlas, decoded
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

ROWS = 2000
SHAPES = {
    "polygons": ("geometry(Polygon, 4326)", "ST_Buffer({p}, 0.0005 * (n % 9 + 1), 3)"),
    "multi_polygons": ("geometry(MultiPolygon, 4326)", "ST_Multi(ST_Buffer({p}, 0.0005 * (n % 9 + 1), 3))"),
    "lines": ("geometry(LineString, 4326)", "ST_MakeLine({p}, ST_Translate({p}, 0.01 * (n % 7 + 1), 0.003))"),
    "points": ("geometry(Point, 4326)", "{p}"),
    "mixed": (
        "geometry(Geometry, 4326)",
        "CASE n % 3 WHEN 0 THEN {p} WHEN 1 THEN ST_MakeLine({p}, ST_Translate({p}, 0.01, 0.02))"
        " ELSE ST_Buffer({p}, 0.002) END",
    ),
    "gauss_kruger": ("geometry(Polygon, 31467)", "ST_Transform(ST_Buffer({p}, 0.002, 3), 31467)"),
    "mercator": ("geometry(Polygon, 3857)", "ST_Transform(ST_Buffer({p}, 0.002, 3), 3857)"),
}
PLACE = "ST_SetSRID(ST_MakePoint(9 + (n * 37 % 1000) / 5000.0, 48 + (n * 53 % 1000) / 5000.0), 4326)"
TILES = (Tile.at(9, 268, 177), Tile.at(12, 2151, 1419), Tile.at(14, 8604, 5678))


async def sound(_table: Table) -> Proven:
    return Proven(is_sound=True, is_on_earth=True)


async def make(atlas: Atlas, name: str) -> None:
    kind, shape = SHAPES[name]
    await atlas.execute(
        f"DROP TABLE IF EXISTS data.proven_{name}",
        f"CREATE TABLE data.proven_{name} (id int PRIMARY KEY, name text, geom {kind})",
        f"INSERT INTO data.proven_{name} SELECT n, 'row ' || n, {shape.format(p=PLACE)}"
        f" FROM generate_series(1, {ROWS}) AS n",
        f"CREATE INDEX ON data.proven_{name} USING gist (geom)",
        f"ANALYZE data.proven_{name}",
    )


def features(drawn: DrawnTile) -> dict[str, list[tuple[int | None, dict[str, Any], shapely.Geometry]]]:
    """What is in each layer of a tile, by key: shapes of the same size may be drawn in any order."""
    layers = decoded(gzip.decompress(drawn.body)) if drawn.body else {}
    return {
        name: sorted(
            ((each.id, each.properties, each.shape) for each in found), key=lambda each: each[0] or 0
        )
        for name, found in layers.items()
    }


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("label", [None, "name"], ids=["plain", "labelled"])
async def test_tiles_are_the_same_with_and_without_a_proof(
    database: Database, atlas: Atlas, name: str, label: str | None
) -> None:
    await make(atlas, name)
    await atlas.layer(f"data.proven_{name}", StyleSpec(label=label))
    proven = TileService(database.tile_pool, atlas.registry, atlas.layers, prove=sound)
    shown = 0
    for tile in TILES:
        careful = await atlas.service.tile("m", "a", 1, tile)
        quick = await proven.tile("m", "a", 1, tile)
        assert (quick.shown, quick.total) == (careful.shown, careful.total)
        assert features(quick) == features(careful)
        shown += quick.shown
    assert shown > ROWS / 2
    await proven.close()


@pytest.mark.parametrize("name", ["polygons", "lines", "points", "gauss_kruger"])
@pytest.mark.parametrize("far", ["1e300", "'NaN'", "'Infinity'"])
async def test_a_row_that_is_nowhere_and_came_after_the_proof_leaves_the_others_drawn(
    database: Database, atlas: Atlas, name: str, far: str
) -> None:
    await make(atlas, name)
    await atlas.layer(f"data.proven_{name}")
    proven = TileService(database.tile_pool, atlas.registry, atlas.layers, prove=sound)
    before = (await proven.tile("m", "a", 1, TILES[1])).shown
    shape = SHAPES[name][1].format(p=PLACE.replace("ST_MakePoint(", f"ST_MakePoint({far}::float8 + ", 1))
    if name in ("polygons", "gauss_kruger"):
        corners = ", ".join(
            f"ST_MakePoint({x}, {y})" for x, y in ((9, 48), (f"{far}::float8", 48.1), (9.1, 48.1), (9, 48))
        )
        shape = f"ST_SetSRID(ST_MakePolygon(ST_MakeLine(ARRAY[{corners}])), {4326 if name == 'polygons' else 31467})"
    await atlas.execute(
        f"INSERT INTO data.proven_{name} SELECT {ROWS} + n, 'nowhere', {shape} FROM generate_series(1, 1) AS n"
    )
    # Another layer version, as the next edit makes it.
    await atlas.layer(f"data.proven_{name}", version=2)
    after = await proven.tile("m", "a", 2, TILES[1])
    assert before <= after.shown <= before + 1
    await proven.close()


async def test_rows_are_checked_where_points_are_looked_for_on_shapes(atlas: Atlas) -> None:
    await make(atlas, "multi_polygons")
    crs = Crs(4326, "lonlat")
    texts = []
    for label in (None, "name"):
        layer = await atlas.layer("data.proven_multi_polygons", StyleSpec(label=label))
        table = await atlas.table("data.proven_multi_polygons")
        texts.append(LayerStatements(table, layer, crs, None, False, Proven(is_sound=True)).at(14).text)
    plain, labelled = texts
    assert "ST_CollectionExtract" not in plain
    assert "ST_PointOnSurface" in labelled
    assert "ST_CollectionExtract" in labelled


async def test_a_server_draws_without_checks_once_its_profile_is_made(samples_url: str) -> None:
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.countries", layer_id="a")
        table = server.registry.get("data.countries")

        async def is_proven() -> bool:
            proof = await server.tiles._prove(table) if server.tiles._prove else None
            return proof is not None and proof.is_sound

        await until(is_proven)
        layer = await server.maps.lookup.current(one.map_id, "a")
        assert layer is not None
        tag = layer.tiles.partition("?data=")[2]
        await server.tiles.tile(one.map_id, "a", layer.version, Tile.at(4, 8, 5), "", tag)
        assert [each.proof.is_sound for each in server.tiles._statements.values()] == [True]
