"""`How many pings per zone, on average per hour`, asked on a map: of a lake table on Spark, and of PostGIS."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import shapely
from aiohttp import ClientSession
from sqlalchemy import text

from server.app import Server
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from server.spark.cluster import LocalCluster
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.forking import ran as geoagent
from tests.support.looking import until
from tests.support.server import Client, client, local_server

ROWS, SAMPLE = 6000, 300
HOURS = timedelta(minutes=ROWS - 1) / timedelta(hours=1)
"""There is a ping a minute."""
QUESTION = "how many pings per zone, on average per hour"
ZONES = {"west": (6.0, 46.0, 8.0, 54.0), "middle": (9.0, 45.5, 10.0, 50.0), "empty": (30.0, 45.0, 31.0, 46.0)}


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with temporary_folder("question") as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, cluster: LocalCluster, folder: Path) -> AsyncIterator[Server]:
    """`pings` is a lake table of which PostGIS has a sample, `kept_pings` has the same rows in PostGIS."""
    files = folder / "lake"
    datasets.write(datasets.pings(ROWS), files / "pings.parquet")
    settings: dict[str, Any] = {"spark": cluster.url, "spark_folder": folder / "rows", "lake_paths": (files,)}
    async with local_server(samples_url, **settings) as server:
        owner, paths = server.database.owner, LakeStorage([files])
        await Lake(owner, paths).add("kept_pings", str(files))
        async with owner.begin() as connection:
            await connection.execute(text("DELETE FROM geoagent_lake.dataset"))
            await connection.execute(
                text("CREATE TABLE data.zones (name text, geom geometry(Polygon, 4326))")
            )
            await connection.execute(
                text("INSERT INTO data.zones VALUES (:name, ST_MakeEnvelope(:a, :b, :c, :d, 4326))"),
                [{"name": name, **dict(zip("abcd", box, strict=True))} for name, box in ZONES.items()],
            )
        lake = Lake(owner, paths, sample_rows=SAMPLE)
        await lake.add("pings", str(files))
        await server.registry.refresh(patience=5)
        yield server


def expected() -> dict[str, int]:
    """How many pings lie in each zone."""
    points = shapely.from_wkb(datasets.pings(ROWS)["geometry"].to_numpy())
    return {name: int(shapely.intersects(shapely.box(*box), points).sum()) for name, box in ZONES.items()}


async def rows_of(server: Server, one: Client, layer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    url = f"{server.url}/api/maps/{one.map_id}/layers/{layer['id']}/rows"
    async with ClientSession() as session, session.get(url) as answer:
        return {row["name"]: row for row in (await answer.json())["rows"]}


async def test_it_runs_on_spark_with_progress_is_stopped_and_asked_again(
    server: Server, cluster: LocalCluster, folder: Path, record_property: Callable[[str, object], None]
) -> None:
    async with client(server) as one:
        await one.ask("join")
        await one.says("show pings")
        await one.ask("chat", text=QUESTION)
        await until(lambda: [each for each in one.named("analysis_progress") if each["phase"] == "computing"])
        asked = time.monotonic()
        await one.ask("cancel")
        failed = await one.hears("analysis_failed")
        record_property("seconds_to_stop", round(time.monotonic() - asked, 2))
        assert failed["reason"] == "Stopped."
        assert (await one.hears("turn_finished", 2))["status"] == "cancelled"
        assert [each["layer"]["table"] for each in one.named("layer_added")] == ["data.pings"]
        assert list((folder / "rows").iterdir()) == []

        one.events.clear()
        assert (await one.says(QUESTION))["status"] == "done"
        computing = [each for each in one.named("analysis_progress") if each["phase"] == "computing"]
        assert {each["engine"] for each in computing} == {"Apache Spark"}
        assert any(0 < each["percent"] < 100 for each in computing if each["percent"] is not None)
        assert [step["engine"] for step in one.named("analysis_planned")[-1]["plan"]] == ["Apache Spark"]
        await check_answer(server, one, "pings", "Apache Spark 3.5.5, Apache Sedona 1.7.1")
        (done,) = one.named("analysis_finished")
        environment = {
            "DATABASE_URL": server.database.url,
            "GEOAGENT_SPARK": cluster.url,
            "GEOAGENT_SPARK_FOLDER": str(folder / "rows"),
            "GEOAGENT_LAKE_PATHS": str(folder / "lake"),
        }
        again = await geoagent("analysis", "rerun", done["analysis_id"], env={**os.environ, **environment})
        assert again.status == 0, again
        assert "3 rows by Apache Spark 3.5.5, Apache Sedona 1.7.1" in again.out
        assert f"All rows are those of {done['table']}" in again.out
        assert "rows read" in again.out


async def test_the_same_rows_in_postgis_give_the_same_numbers(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        assert (await one.says(QUESTION.replace("pings", "kept pings")))["status"] == "done"
        assert [step["engine"] for step in one.named("analysis_started")[-1]["plan"]] == [None]
        assert one.named("analysis_planned") == []
        await check_answer(server, one, "kept_pings", "PostGIS")


@pytest.mark.parametrize(
    ("asked", "engine"), [("on Spark", "Apache Spark"), ("on both engines", "PostGIS and Apache Spark")]
)
async def test_a_plan_names_the_engine_that_was_asked_for(server: Server, asked: str, engine: str) -> None:
    async with client(server) as one:
        await one.ask("join")
        assert (await one.says(f"{QUESTION.replace('pings', 'kept pings')} {asked}"))["status"] == "done"
        assert [step["engine"] for step in one.named("analysis_started")[-1]["plan"]] == [engine]


async def test_rows_are_grouped_by_a_column_of_the_files_in_a_table(server: Server) -> None:
    """And not united to one shape for each value, which would be as large as the dataset."""
    async with client(server) as one:
        await one.ask("join")
        assert (await one.says("how many pings per kind, on average per hour"))["status"] == "done"
        (step,) = one.named("analysis_finished")[-1]["receipt"]["steps"]
        assert step["operation"] == "summarise"
        assert "Apache Sedona" in step["engine"]
        answer = one.named("ai_response")[-1]
        assert f"boat | {ROWS / len(datasets.KINDS) / HOURS:,.3g}" in answer["message"]
        assert all(figure["source"] is not None for figure in answer["figures"])


async def check_answer(server: Server, one: Client, table: str, engine: str) -> None:
    """A layer that is coloured by the rate, the rates of all rows, and an answer whose numbers are all traced."""
    (added,) = one.named("layer_added")
    layer = added["layer"]
    style = layer["style"]
    assert (style["kind"], style["column"]) == ("graduated", "per_hour")
    (done,) = one.named("analysis_finished")
    (step,) = done["receipt"]["steps"]
    assert (step["engine"], step["operation"], layer["table"]) == (engine, "spatial_join", done["table"])
    assert any(f"first and last at of data.{table}" in note for note in step["notes"])
    rows, counts = await rows_of(server, one, layer), expected()
    assert {name: row["count"] for name, row in rows.items()} == counts
    assert counts["west"] > SAMPLE
    for name, count in counts.items():
        assert rows[name]["per_hour"] == pytest.approx(count / HOURS)
    answer = one.named("ai_response")[-1]
    assert f"west has the greatest, {counts['west'] / HOURS:,.3g}" in answer["message"]
    assert answer["figures"]
    assert all(figure["source"] is not None for figure in answer["figures"])
