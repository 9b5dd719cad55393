"""Overviews of lake tables: Spark makes them of all rows of the files, as PostGIS makes them of its own rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pyarrow as pa
import pytest
import pytest_asyncio
import shapely
from aiohttp import ClientSession

from agents.domain import Table
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from server.gis.overviews import build, work
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Ladder, OverviewStore
from server.gis.overviews.summaries import Summary
from server.gis.profiles.versions import DataVersions
from server.gis.tiles import low_zoom
from server.spark.cluster import LocalCluster
from tests.integration.spark.conftest import SECONDS, SparkBench
from tests.integration.tiles.drawing import decoded
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.looking import until
from tests.support.server import client, local_server

MANY = 10**12
ROWS = 3000


@pytest.fixture(autouse=True)
def full_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, so that small tables have overviews."""
    monkeypatch.setattr(work, "DROP_AFTER_S", 0.1)
    for module in (build, low_zoom):
        monkeypatch.setattr(module, "USUAL_CAPS", TileCaps(20, 20))


@pytest.fixture(scope="module")
def lake_folder() -> Iterator[Path]:
    with temporary_folder("lake") as folder:
        yield folder


@pytest_asyncio.fixture(loop_scope="session")
async def session(bench: SparkBench) -> AsyncIterator[asyncpg.Connection]:
    opened = await asyncpg.connect(bench.database.url, server_settings=SESSION)
    yield opened
    await opened.close()


def shapes(kind: str) -> tuple[list[Any], tuple[str, ...]]:
    """Around the world, and some near each other; of each kind some are missing, empty, at or beyond the antimeridian,
    at a pole, or have a coordinate that is NaN."""
    dice = np.random.default_rng(3)
    x = np.concatenate([dice.uniform(-180, 180, ROWS // 2), dice.normal(8, 0.5, ROWS - ROWS // 2)])
    y = np.concatenate([dice.uniform(-89, 89, ROWS // 2), dice.normal(48, 0.5, ROWS - ROWS // 2)])
    x[:6] = (-180, 180, 179.99999, 185, -190, 0)
    y[:6] = (0, 0, 10, 10, -10, 90)
    size = 10.0 ** dice.uniform(-4, 1, ROWS)
    if kind == "point":
        made, types = list(shapely.points(x, y)), ("Point",)
        made[6:8] = shapely.Point(), shapely.Point(np.nan, 5)
    elif kind == "line":
        made = [shapely.LineString([(a, b), (a + s, b + s / 2)]) for a, b, s in zip(x, y, size, strict=True)]
        types = ("LineString",)
        made[6:8] = shapely.LineString(), shapely.LineString([(np.nan, 5), (3, 4)])
    else:
        made = [shapely.box(a, b, a + s, b + s) for a, b, s in zip(x, y, size, strict=True)]
        made[0::2] = [shapely.MultiPolygon([each]) for each in made[0::2]]
        types = ("MultiPolygon", "Polygon")
        made[6:8] = shapely.Polygon(), shapely.MultiPolygon()
    made[8] = None
    return made, types


def written(folder: Path, kind: str, srid: int) -> Path:
    made, types = shapes(kind)
    if srid != 4326:
        # Around the middle of the zone, and some far outside of it.
        made = [
            each and shapely.transform(each, lambda places: places * (3000, 50_000) + (5e5, 2e6))
            for each in made
        ]
    values = [None if n % 50 == 0 else float("nan") if n % 70 == 0 else float(n % 97) for n in range(ROWS)]
    table = pa.table(
        {
            "name": [f'{kind} "{n}", \\n' for n in range(ROWS)],
            "value": pa.array(values, pa.float64()),
            "at": pa.array([1_700_000_000_000_000 + n for n in range(ROWS)], pa.timestamp("us", "UTC")),
            "geometry": pa.array([each if each is None else each.wkb for each in made], pa.binary()),
        }
    )
    return datasets.write(
        table, folder / f"{kind}_{srid}" / "part-0.parquet", types, bbox=None, crs=None
    ).parent


async def built(
    bench: SparkBench, session: asyncpg.Connection, table: Table, builder: OverviewBuilder, summed: Any = ()
) -> Ladder:
    state = await DataVersions(bench.database.owner).of(table, 0)
    assert await builder.build(session, table, state, summed)
    row = await OverviewStore(bench.database.owner).row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    return row.ladder


def on_spark(bench: SparkBench, cluster: LocalCluster, folder: Path) -> OverviewBuilder:
    from server.gis.spark.cells import CellsOnSpark
    from server.gis.spark.client import SparkClient

    cells = CellsOnSpark(
        bench.database.owner,
        SparkClient(cluster.url),
        bench.spark.options.folder,
        SECONDS,
        LakeStorage([folder]),
    )
    return OverviewBuilder(OverviewStore(bench.database.owner), 0.9, MANY, cells)


@pytest.mark.parametrize(
    ("kind", "srid"), [("point", 4326), ("line", 3857), ("polygon", 4326), ("polygon", 32632)]
)
async def test_the_cells_are_those_that_postgis_makes_of_the_same_rows(
    bench: SparkBench,
    cluster: LocalCluster,
    lake_folder: Path,
    session: asyncpg.Connection,
    kind: str,
    srid: int,
) -> None:
    root = written(lake_folder, kind, srid)
    sampled, all_rows = (
        Lake(bench.database.owner, LakeStorage([lake_folder]), rows) for rows in (ROWS // 2, ROWS)
    )
    report = await sampled.add(f"{kind}_{srid}_files", str(root), srid=srid)
    whole = await all_rows.add(f"{kind}_{srid}_rows", str(root), srid=srid)
    await session.execute("DELETE FROM geoagent_lake.dataset WHERE relation = $1::regclass", whole.table)
    await bench.registry.refresh(patience=5)
    in_files, in_rows = bench.registry.get(report.table), bench.registry.get(whole.table)
    summed = [
        Summary(column="value"),
        Summary(column="value", filter='{"op": ">", "args": [{"property": "value"}, 50]}'),
    ]
    one = await built(bench, session, in_files, on_spark(bench, cluster, lake_folder), summed)
    two = await built(
        bench, session, in_rows, OverviewBuilder(OverviewStore(bench.database.owner), 0.9, MANY), summed
    )
    assert one.rows + one.unplaced == ROWS
    assert (one.rows, one.unplaced) == (two.rows, two.unplaced)
    assert set(two.columns) - set(one.columns) == {"fid"}
    for band in one.bands:
        weights, is_drawn = await session.fetchrow(
            f'SELECT sum("{WEIGHT}")::bigint, bool_and(NOT ST_IsEmpty(geometry)) FROM {SCHEMA}.{band.name}'
        )
        assert (weights, is_drawn) == (one.rows, True)
    cells = f"""SELECT "@x", "@y", "{WEIGHT}", "@n0", round("@sum0"), "@min0", "@max0", "@n1", round("@sum1"),
      round(ST_Area(geometry) / 1e8) FROM {SCHEMA}.%s ORDER BY 1, 2"""
    assert await session.fetch(cells % one.band(0).name) == await session.fetch(cells % two.band(0).name)
    assert one.cells_of(0) == two.cells_of(0)
    name, at, value = await session.fetchrow(
        f"SELECT name, at, value FROM {SCHEMA}.{one.bands[-1].name} WHERE value BETWEEN 50 AND 90 LIMIT 1"
    )
    found = await session.fetchrow(f"SELECT at, value FROM {whole.table} WHERE name = $1", name)
    assert tuple(found) == (at, value)


async def test_a_map_shows_all_rows_of_the_files_once_spark_has_counted_them(
    bench: SparkBench, cluster: LocalCluster, lake_folder: Path, samples_url: str, session: asyncpg.Connection
) -> None:
    lake = Lake(bench.database.owner, LakeStorage([lake_folder]), sample_rows=500)
    await lake.add("tracks", str(datasets.hive(lake_folder / "tracks", ROWS)))
    there = 2 * ROWS - 2  # one row of each file has no shape
    settings = {
        "spark": cluster.url,
        "spark_folder": bench.spark.options.folder,
        "lake_paths": (lake_folder,),
        "tile_points": 1000,
    }
    async with local_server(samples_url, overview_rows=1000, **settings) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.tracks", style={"kind": "single"})
        points = (await one.hears("layer_added"))["layer"]
        assert points["legend"]["note"].startswith("Drawn from a sample of ")
        cells = {"kind": "grid", "column": "value", "statistic": "max"}
        await one.ask("layer_add", table="data.tracks", style=cells)
        grid = (await one.hears("layer_added", 2))["layer"]
        above = {"op": ">", "args": [{"property": "value"}, 100]}
        await one.ask("layer_add", table="data.tracks", style={"kind": "single"}, filter=above)
        some = (await one.hears("layer_added", 3))["layer"]

        def note_of(layer: dict[str, Any]) -> str:
            """Of the legend as it was last changed."""
            changed = [
                each["layer"] for each in one.named("layer_updated") if each["layer"]["id"] == layer["id"]
            ]
            return str(changed[-1]["legend"]["note"]) if changed else "as a sample"

        async def drawn(layer: dict[str, Any]) -> dict[str, list[Any]]:
            (*_, last) = [
                each["layer"] for each in one.named("layer_updated") if each["layer"]["id"] == layer["id"]
            ]
            address = f"{server.url}{last['tiles'].replace('{z}/{x}/{y}', '0/0/0')}"
            async with ClientSession() as web, web.get(address) as answer:
                assert answer.headers["Cache-Control"].endswith("immutable")
                return decoded(await answer.read())

        await until(lambda: not any("sample" in note_of(each) for each in (points, grid, some)))
        tile = await drawn(points)
        assert sum(each.properties["@weight"] for each in tile["features"]) == there
        (note,) = (each.properties for each in tile["_meta"])
        assert (note["total"], note["overview"], "sample" in note) == (there, True, False)
        # A click can only show what the tile has.
        assert tile["features"][0].properties.keys() >= {"id", "kind", "at"}
        values = [
            value or -1.0  # of the missing ones
            for west, seed in ((5.0, 1), (15.0, 2))
            for value in datasets.pings(ROWS, west, seed)["value"].to_pylist()[1:]
        ]
        # A sample would miss the greatest value.
        tile = await drawn(grid)
        assert sum(each.properties["count"] for each in tile["features"]) == there
        assert max(each.properties["max of value"] for each in tile["features"]) == pytest.approx(max(values))
        # Rows that pass a filter have representatives of their own.
        tile = await drawn(some)
        assert sum(each.properties["@weight"] for each in tile["features"]) == sum(
            value > 100 for value in values
        )

        bands = "SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename LIKE $2"
        relid = await session.fetchval("SELECT 'data.tracks'::regclass::oid")
        assert await session.fetchval(bands, SCHEMA, f"o{relid}\\_%") > 0
        await lake.remove("tracks")

        async def is_gone() -> bool:
            return await session.fetchval(bands, SCHEMA, f"_{relid}\\_%") == 0

        await until(is_gone)


async def test_work_in_the_background_makes_way_for_a_step(
    bench: SparkBench, cluster: LocalCluster, tmp_path: Path
) -> None:
    from server.gis.spark.client import SparkClient
    from server.gis.spark.errors import SparkNeeded

    spark = SparkClient(cluster.url)
    endless = "SELECT count(*) AS n FROM range(100000000000) WHERE id % 7 = 3"
    short = "SELECT 1 AS n"
    background = asyncio.create_task(
        spark.write_in_background({}, endless, str(tmp_path / "endless"), SECONDS)
    )
    await asyncio.sleep(1)
    assert not background.done()
    await spark.write({}, short, str(tmp_path / "short"), SECONDS, lambda _share: None)
    with pytest.raises(SparkNeeded):
        await background
    await spark.write_in_background({}, short, str(tmp_path / "later"), SECONDS)
    assert (tmp_path / "later" / "_SUCCESS").exists()
