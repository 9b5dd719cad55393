"""Hexagons, squares and clusters count every row once, and are the same on both sides of a tile's edge."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from statistics import fmean
from typing import Any

import pytest
import pytest_asyncio

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.styles.errors import InvalidStyle
from server.gis.tiles.grid import Tile
from tests.integration.tiles.drawing import Atlas

ROWS = 3000


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def quakes(database: Database) -> None:
    places = (
        "SELECT n AS id, (n * 7919) % 1000 / 10.0 AS depth, ST_SetSRID(ST_MakePoint((n * 10473) % 30000 / 1000.0 - 10, "
        f"(n * 15487) % 40000 / 1000.0 + 20), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, {ROWS}) n"
    )
    await Atlas(database).execute(
        f"CREATE TABLE data.quakes AS {places}",
        "ALTER TABLE data.quakes ADD PRIMARY KEY (id)",
        "CREATE INDEX ON data.quakes USING gist (geom)",
        "CREATE TABLE data.quakes_laea AS SELECT id, depth, ST_Transform(geom, 3035) AS geom FROM data.quakes",
        "CREATE INDEX ON data.quakes_laea USING gist (geom)",
        "CREATE TABLE data.quakes_geog AS SELECT id, depth, geom::geography AS geom FROM data.quakes",
        "CREATE TABLE data.quakes_areas AS SELECT id, depth, ST_Expand(geom, 0.01) AS geom FROM data.quakes",
        "ANALYZE data.quakes",
    )


Cells = dict[str, dict[str, Any]]


async def cells_of(atlas: Atlas, tile: Tile, table: str = "data.quakes", **style: Any) -> Cells:
    """The cells of a tile by their names."""
    await atlas.layer(table, StyleSpec(**style), layer_id=f"{table} {style}")
    found = (await atlas.tile(tile.z, tile.x, tile.y, layer_id=f"{table} {style}")).get("features", [])
    cells = {each.properties["@cell"]: {**each.properties, "shape": each.shape} for each in found}
    assert len(cells) == len(found)
    return cells


async def places(atlas: Atlas) -> list[tuple[float, float, float]]:
    """Of all rows: the place in the world from 0 to 1, southwards, and the depth."""
    async with atlas.database.owner.connect() as connection:
        rows = await connection.exec_driver_sql(
            "SELECT ST_X(geom), ST_Y(geom), depth::float8 FROM data.quakes"
        )
        return [
            (
                (x + 180) / 360,
                0.5 - math.log(math.tan(math.pi / 4 + math.radians(y) / 2)) / (2 * math.pi),
                depth,
            )
            for x, y, depth in map(tuple, rows)
        ]


@pytest.mark.parametrize("kind", ["grid", "cluster", "hexbin"])
@pytest.mark.parametrize(
    "table", ["data.quakes", "data.quakes_laea", "data.quakes_geog", "data.quakes_areas"]
)
async def test_every_row_is_counted_once(atlas: Atlas, kind: str, table: str) -> None:
    world = await cells_of(atlas, Tile(0, 0, 0), table, kind=kind)
    assert sum(each["count"] for each in world.values()) == ROWS
    parts: Cells = {}
    for x in range(7, 10):
        for y in range(3, 8):
            found = await cells_of(atlas, Tile(4, x, y), table, kind=kind)
            shared = parts.keys() & found.keys()
            assert all(parts[name]["count"] == found[name]["count"] for name in shared)
            parts |= found
    assert sum(each["count"] for each in parts.values()) == ROWS
    assert len(parts) > len(world)


async def test_squares_hold_what_lies_in_them(atlas: Atlas) -> None:
    tile = Tile(4, 8, 6)
    found = await cells_of(atlas, tile, kind="grid", column="depth", statistic="max")
    expected: dict[tuple[int, int], list[float]] = defaultdict(list)
    for x, y, depth in await places(atlas):
        if (int(x * 16), int(y * 16)) == (tile.x, tile.y):
            expected[int(x * 256), int(y * 256)].append(depth)
    assert len(found) == len(expected) > 20
    counts = Counter((each["count"], each["max of depth"]) for each in found.values())
    assert counts == Counter((len(depths), max(depths)) for depths in expected.values())


@pytest.mark.parametrize(("statistic", "of"), [("mean", fmean), ("sum", sum), ("min", min)])
async def test_hexagons_show_a_statistic_of_the_nearest_rows(atlas: Atlas, statistic: str, of: Any) -> None:
    tile = Tile(4, 8, 6)
    found = await cells_of(atlas, tile, kind="hexbin", column="depth", statistic=statistic, size=40)
    per_world = 512 / 40 * 16
    expected: dict[tuple[float, float], list[float]] = defaultdict(list)
    for x, y, depth in await places(atlas):
        x, y = x * per_world, y * per_world
        lattices = [
            (round(x), round(y / math.sqrt(3)) * math.sqrt(3)),
            (math.floor(x) + 0.5, (math.floor(y / math.sqrt(3)) + 0.5) * math.sqrt(3)),
        ]
        expected[min(lattices, key=lambda at: math.dist(at, (x, y)))].append(depth)
    for each in found.values():
        middle = each["shape"].centroid
        x = (tile.x + middle.x / 4096) * 512 / 40
        y = (tile.y + middle.y / 4096) * 512 / 40
        depths = expected[min(expected, key=lambda at: math.dist(at, (x, y)))]
        assert each["count"] == len(depths)
        assert each[f"{statistic} of depth"] == pytest.approx(of(depths))
    assert len(found) > 20


async def test_a_cluster_lies_in_the_middle_of_its_rows(atlas: Atlas) -> None:
    (one, *_) = sorted(
        (await cells_of(atlas, Tile(0, 0, 0), kind="cluster")).values(), key=lambda each: -each["count"]
    )
    rows = [(x, y) for x, y, _ in await places(atlas)]
    cells: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for x, y in rows:
        cells[int(x * 8), int(y * 8)].append((x, y))
    most = max(cells.values(), key=len)
    assert one["count"] == len(most)
    assert one["shape"].x / 4096 == pytest.approx(fmean(x for x, _ in most), abs=1e-3)
    assert one["shape"].y / 4096 == pytest.approx(fmean(y for _, y in most), abs=1e-3)


async def test_the_legend_has_the_limits_that_are_drawn(atlas: Atlas) -> None:
    layer = await atlas.layer("data.quakes", StyleSpec(kind="hexbin"))
    labels = [entry.label for entry in layer.legend.entries]
    assert labels[0].endswith("1")
    assert len({entry.color for entry in layer.legend.entries}) == len(labels) > 4
    layer = await atlas.layer("data.quakes", StyleSpec(kind="grid", column="depth"), version=2)
    assert layer.legend.title == "mean of depth"


@pytest.mark.parametrize(("statistic", "least", "most"), [("max", 50, 100), ("min", 0, 50)])
async def test_limits_of_least_and_greatest_values_lie_where_those_of_cells_do(
    atlas: Atlas, statistic: Any, least: float, most: float
) -> None:
    spec = StyleSpec(kind="hexbin", column="depth", statistic=statistic)
    layer = await atlas.layer("data.quakes", spec)
    limits = [entry.minimum for entry in layer.legend.entries if entry.minimum is not None]
    assert len(limits) >= 4
    assert all(least < limit < most for limit in limits)


async def test_a_statistic_needs_a_column_of_numbers(atlas: Atlas) -> None:
    with pytest.raises(InvalidStyle, match="hexbin style needs a column"):
        await atlas.layer("data.quakes", StyleSpec(kind="hexbin", statistic="sum"))
