"""Steps over lake tables read all rows from the Parquet files, and give what PostGIS gives of the same rows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import pytest_asyncio
import shapely
from geopandas import GeoDataFrame
from sqlalchemy import text

from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.errors import InvalidQuestion, NotStarted, TooExpensive
from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.register import Lake
from server.gis.lake.results import LakeResults
from server.gis.lake.storage import LakeStorage
from tests.integration.spark.conftest import SparkBench
from tests.support import lake as datasets
from tests.support.children import temporary_folder

ROWS = 4000


async def _silent(_progress: Progress) -> None:
    pass


@dataclass
class Lakes:
    """`pings` is a lake table with a small sample, `whole` holds the same rows in PostGIS."""

    bench: SparkBench
    folder: Path
    pings: str
    whole: str

    async def both(self, operation: str, **arguments: Any) -> tuple[GeoDataFrame, GeoDataFrame, Any]:
        """`pings` in the arguments stands for either table."""
        there = {name: self.whole if value == "pings" else value for name, value in arguments.items()}
        lake = {name: self.pings if value == "pings" else value for name, value in arguments.items()}
        one = await self.bench.run(operation, **there)
        two = await self.bench.run_on_spark(operation, **lake)
        return one.rows, two.rows, two.receipt


@pytest.fixture(scope="module")
def lake_folder() -> Iterator[Path]:
    with temporary_folder("lake") as folder:
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lakes(bench: SparkBench, lake_folder: Path) -> AsyncIterator[Lakes]:
    root = datasets.hive(lake_folder / "pings", ROWS)
    whole = await Lake(bench.database.owner, LakeStorage([lake_folder])).add("whole_pings", str(root))
    async with bench.database.owner.begin() as connection:
        await connection.execute(text("DELETE FROM geoagent_lake.dataset"))
        await connection.execute(text("ALTER TABLE data.whole_pings DROP COLUMN fid"))
    small = Lake(bench.database.owner, LakeStorage([lake_folder]), sample_rows=300)
    lake = await small.add("lake_pings", str(root))
    await bench.make(
        "CREATE TABLE data.lake_zones AS SELECT n AS zone, ST_Buffer(ST_SetSRID(ST_MakePoint(5.5 + n, 50), 4326), 0.7)"
        " AS geom FROM generate_series(1, 6) AS n"
    )
    yield Lakes(bench, lake_folder, lake.table, whole.table)
    async with bench.database.owner.begin() as connection:
        for name in ("whole_pings", "lake_pings", "lake_zones"):
            await connection.exec_driver_sql(f"DROP TABLE data.{name}")


async def test_points_in_zones_are_counted_over_all_rows_of_the_files_that_matter(lakes: Lakes) -> None:
    aggregates = [{"function": "count"}, {"function": "mean", "column": "value"}]
    one, two, receipt = await lakes.both(
        "spatial_join", source="data.lake_zones", other="pings", aggregates=aggregates
    )
    one, two = one.sort_values("zone"), two.sort_values("zone")
    assert list(one["count"]) == list(two["count"])
    assert sum(two["count"]) > 300
    assert list(one["mean_value"]) == pytest.approx(list(two["mean_value"]))
    # The zones lie in the first of both files.
    assert any("1 of 2 files with 4,000 of 8,000 rows" in note for note in receipt.notes)
    used = next(each for each in receipt.inputs if each.table == lakes.pings)
    assert (used.rows, used.exact) == (8000, True)


@pytest.mark.parametrize(
    "where",
    [
        "zone = 2 AND value > 110",
        "kind = 'it''s a \\ \"plane\"' AND at < TIMESTAMP('2024-01-02T00:00:00Z')",
        "value IS NULL",
    ],
)
async def test_all_types_arrive_as_postgis_has_them(lakes: Lakes, where: str) -> None:
    one, two, _ = await lakes.both("filter", source="pings", filter=where)
    assert len(one) > 20
    one, two = one.sort_values("id"), two.sort_values("id")
    assert list(one.columns) == list(two.columns)
    for name in one.columns:
        if name == "fid":
            continue
        if name == "geom":
            assert [shape and shape.wkb for shape in one[name]] == [
                shape and shape.wkb for shape in two[name]
            ]
            continue
        assert [v if v == v else None for v in one[name]] == [v if v == v else None for v in two[name]]


async def test_spatial_filters_read_only_files_in_the_area(lakes: Lakes) -> None:
    near = "S_INTERSECTS(geometry, POLYGON((6 46, 9 46, 9 50, 6 50, 6 46)))"
    for where, files in (
        (near, 1),
        (f"{near} AND value > 100 AND S_WITHIN(geometry, BBOX(5, 40, 8, 60))", 1),
        (f"{near} OR value > 140", 2),
        (f"NOT {near}", 2),
    ):
        one, two, receipt = await lakes.both("filter", source="pings", filter=where)
        assert len(one) > 20
        assert sorted(one["id"]) == sorted(two["id"])
        assert any(f"{files} of 2 files" in note for note in receipt.notes), where


async def test_selections_and_clips_read_only_files_near_the_other_table(lakes: Lakes) -> None:
    for operation, other in (("select_by_location", "other"), ("clip", "mask")):
        one, two, receipt = await lakes.both(operation, source="pings", **{other: "data.lake_zones"})
        assert sorted(one["id"]) == sorted(two["id"])
        assert any("1 of 2 files" in note for note in receipt.notes)
    one, two, receipt = await lakes.both(
        "select_by_location", source="pings", other="data.lake_zones", invert=True
    )
    assert sorted(one["id"]) == sorted(two["id"])
    assert any("2 of 2 files" in note for note in receipt.notes)


async def test_a_step_over_a_lake_table_never_computes_with_its_sample(lakes: Lakes) -> None:
    bench = lakes.bench
    postgis = StepRunner(bench.database.writer, bench.registry, Budget())
    step = PlannedStep(
        id="step_1", operation="summarise", arguments={"source": lakes.pings, "by": ["kind"]}, title="Kinds"
    )
    with pytest.raises(NotStarted, match=r"PostGIS holds only a sample of 300 of 8,000 rows .* Spark"):
        await Engines(postgis).run(step, {}, "lake_kinds_alone", _silent)
    made = await Engines(postgis, bench.spark).run(step, {}, "lake_kinds", _silent)
    rows = await bench.rows(made.table.id)
    assert sum(rows["count"]) == 8000
    hull = PlannedStep(
        id="step_1", operation="hull", arguments={"source": lakes.pings}, title="Hull of the pings"
    )
    with pytest.raises(NotStarted, match="PostGIS holds only a sample"):
        await Engines(postgis, bench.spark).run(hull, {}, "lake_hull", _silent)


async def test_a_result_of_too_many_rows_stays_in_the_lake_and_is_a_source_of_the_next_step(
    lakes: Lakes,
) -> None:
    from server.gis.spark.runner import SparkOptions, SparkRunner

    bench, few = lakes.bench, Budget(rows=2000)
    folder = lakes.folder / "results"
    options = bench.spark.options
    kept = SparkOptions(options.url, options.folder, 120.0, options.lake, LakeResults(folder, 10**9))
    runner = SparkRunner(bench.database.writer, bench.registry, few, kept)
    step = PlannedStep(
        id="step_1",
        operation="filter",
        arguments={"source": lakes.pings, "filter": "value > 90"},
        title="Fast ones",
    )
    with pytest.raises(TooExpensive, match="more than 2,000 rows"):
        await SparkRunner(bench.database.writer, bench.registry, few, options).run(
            step, {}, "refused", _silent
        )
    made = await runner.run(step, {}, "lake_result", _silent)
    whole = await bench.run("filter", source=lakes.whole, filter="value > 90")
    assert made.rows == len(whole.rows) > 2000
    assert made.table.is_result
    assert made.table.lake is not None
    assert (made.table.lake.rows, made.table.srid, made.table.geometry_type) == (made.rows, 4326, "POINT")
    assert made.table.bounds == pytest.approx((5, 45, 25, 55), abs=0.1)
    assert any("stays in GeoParquet files" in note for note in made.receipt.notes)
    geo = json.loads(pq.read_metadata(next(folder.rglob("*.parquet"))).metadata[b"geo"])
    assert geo["columns"]["geom"]["geometry_types"] == ["Point"]
    counted = PlannedStep(
        id="step_2",
        operation="summarise",
        arguments={"source": "step_1", "by": ["kind", "at"]},
        title="Kinds",
    )
    rows = await bench.rows(
        (await runner.run(counted, {"step_1": made.table}, "of_result", _silent)).table.id
    )
    expected = whole.rows.groupby(["kind", "at"]).size()
    assert sorted(rows["count"]) == sorted(expected)
    assert set(rows["at"]) == set(whole.rows["at"])
    full = SparkOptions(options.url, options.folder, 120.0, options.lake, LakeResults(folder, 1000))
    with pytest.raises(TooExpensive, match="GEOAGENT_LAKE_SPACE"):
        await SparkRunner(bench.database.writer, bench.registry, few, full).run(step, {}, "no_space", _silent)
    assert {each.name for each in folder.iterdir()} == {"lake_result", "of_result"}


async def test_files_that_changed_or_may_not_be_read_end_a_step(lakes: Lakes) -> None:
    step = {"source": lakes.pings, "by": ["kind"]}
    part = lakes.folder / "pings" / "zone=1" / "part-0.parquet"
    content = part.read_bytes()
    more = datasets.write(datasets.pings(10), part.with_name("part-1.parquet"))
    with pytest.raises(NoLakeTable, match=r"have changed .* geoagent lake refresh"):
        await lakes.bench.run_on_spark("summarise", **step)
    more.unlink()
    await lakes.bench.run_on_spark("summarise", **step)
    elsewhere = lakes.bench.spark_with("sc://127.0.0.1:1", lakes.folder)
    planned = PlannedStep(id="step_1", operation="summarise", arguments=step, title="Kinds")
    with pytest.raises(PathRefused, match="may not be read any more"):
        await elsewhere.run(planned, {}, "lake_refused", _silent)
    part.write_bytes(content)
    with pytest.raises(NoLakeTable, match="have changed"):
        await lakes.bench.run_on_spark("summarise", **step)


async def test_shapes_that_reach_the_antimeridian_are_not_reprojected_to_run_around_the_world(
    lakes: Lakes,
) -> None:
    """PostGIS cuts them there, which Sedona does not do. A lake table's sample may lack them."""

    def pacific(name: str, longitudes: Sequence[float]) -> Path:
        boxes = [shapely.box(x * 1e5, -1e6, x * 1e5 + 9e4, 1e6) for x in longitudes]
        table = pa.table({"id": list(range(len(boxes))), "geometry": [box.wkb for box in boxes]})
        return datasets.write(table, lakes.folder / name / "part-0.parquet", ("Polygon",), crs=None).parent

    lake = Lake(lakes.bench.database.owner, LakeStorage([lakes.folder]), sample_rows=10)
    # EPSG:3832 has its middle at 150 degrees east; the antimeridian is at 3,339,585 m.
    near, across = [*range(-20, 32)] * 10, [*range(-20, 32)] * 10 + [33]
    for name, places in (("near_line", near), ("across_line", across)):
        await lake.add(name, str(pacific(name, places)), srid=3832)
    await lakes.bench.registry.refresh(patience=5)
    made = await lakes.bench.run_on_spark("reproject", source="data.near_line", srid=4326)
    assert len(made.rows) == len(near)
    assert max(shape.bounds[2] for shape in made.rows.geom) < 180
    with pytest.raises(InvalidQuestion, match="A shape reaches the antimeridian"):
        await lakes.bench.run_on_spark("reproject", source="data.across_line", srid=4326)
    await lakes.bench.make(
        "CREATE TABLE data.across_rows AS SELECT 1 AS id,"
        " ST_MakeEnvelope(33e5, -1e6, 34e5, 1e6, 3832)::geometry(Polygon, 3832) AS geom"
    )
    with pytest.raises(InvalidQuestion, match="shapes that reach the antimeridian are cut there"):
        await lakes.bench.run_on_spark("reproject", source="data.across_rows", srid=4326)
    for name in ("near_line", "across_line"):
        await lake.remove(name)
