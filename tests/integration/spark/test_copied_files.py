"""Lake tables from addresses: Spark computes with all rows, of copies that are made for the step that needs them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest

from server.gis.lake.errors import NoLakeTable
from server.gis.lake.register import Lake
from server.gis.lake.remote.copies import Copies
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.storage import LakeStorage
from server.gis.overviews import build
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, WEIGHT, OverviewStore
from server.gis.profiles.versions import DataVersions
from server.spark.cluster import LocalCluster
from tests.integration.operations.conftest import Answer
from tests.integration.spark.conftest import SECONDS, SparkBench
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.object_store import ObjectStore, object_store, own_certificate

ROWS = 600


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with temporary_folder("lake-copied") as made:
        datasets.hive(made / "bucket" / "pings", ROWS)
        yield made


@pytest.fixture(scope="module")
def certificate(folder: Path) -> Path:
    return own_certificate(folder)


def _storage(store: ObjectStore, folder: Path) -> LakeStorage:
    copies = Copies(folder / "copies", 10**9)
    return LakeStorage(remote=RemoteFiles(("s3://lake/pings", f"{store.url}/lake/pings/"), copies))


@contextmanager
def _reading(bench: SparkBench, storage: LakeStorage) -> Iterator[Lake]:
    """Steps on Spark read where it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench.spark, "options", replace(bench.spark.options, lake=storage))
        yield Lake(bench.database.owner, storage, sample_rows=100)


COUNTED = [{"function": "count"}, {"function": "max", "column": "id"}]


def _copied(answer: Answer) -> list[str]:
    return [note for note in answer.receipt.notes if "were copied for it" in note]


async def test_a_file_of_a_web_server_is_copied_for_the_first_step_and_counted_on_spark(
    bench: SparkBench, folder: Path, certificate: Path
) -> None:
    async with object_store(folder / "bucket", certificate) as store:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SSL_CERT_FILE", str(certificate))
            with _reading(bench, _storage(store, folder)) as lake:
                address = f"{store.url}/lake/pings/zone=1/part-0.parquet"
                assert address.startswith("https:")
                report = await lake.add("web_pings", address)
                assert not (folder / "copies").exists()
                await bench.registry.refresh(patience=5)
                wanted = {"source": report.table, "aggregates": COUNTED}
                made = await bench.run_on_spark("summarise", **wanted)
                assert list(made.rows["count"]) == [ROWS]
                assert any(f"1 of 1 files with {ROWS} of {ROWS} rows" in note for note in made.receipt.notes)
                (note,) = _copied(made)
                assert f"{report.dataset.bytes / 1e6:,.1f} MB" in note
                again = await bench.run_on_spark("summarise", **wanted)
                assert "0.0 MB" in _copied(again)[0]
                assert store.url not in made.receipt.model_dump_json()
                await lake.remove("web_pings")


async def test_a_web_server_with_an_unknown_certificate_is_refused(
    bench: SparkBench, folder: Path, certificate: Path
) -> None:
    async with object_store(folder / "bucket", certificate) as store:
        with (
            _reading(bench, _storage(store, folder)) as lake,
            pytest.raises(NoLakeTable, match="certificate"),
        ):
            await lake.add("unknown_pings", f"{store.url}/lake/pings/zone=1/part-0.parquet")
        assert store.asked == []


async def test_only_the_files_of_a_bucket_that_a_step_needs_are_copied(
    bench: SparkBench, folder: Path
) -> None:
    async with object_store(folder / "bucket") as store:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("AWS_ENDPOINT_URL", store.url)
            storage = _storage(store, folder)
            with _reading(bench, storage) as lake:
                report = await lake.add("bucket_pings", "s3://lake/pings")
                await bench.registry.refresh(patience=5)
                west = {"type": "Polygon", "coordinates": [[[6, 46], [9, 46], [9, 54], [6, 54], [6, 46]]]}
                within = {"op": "s_intersects", "args": [{"property": "geometry"}, west]}
                some = await bench.run_on_spark("filter", source=report.table, filter=within)
                assert 0 < len(some.rows) < ROWS
                files = sorted(path.name for path in (folder / "copies").rglob("zone=*"))
                assert files == ["zone=1"]
                made = await bench.run_on_spark(
                    "summarise", source=report.table, by=["zone"], aggregates=COUNTED
                )
                assert dict(zip(made.rows["zone"], made.rows["count"], strict=True)) == {1: ROWS, 2: ROWS}
                without = LakeStorage(remote=RemoteFiles(("s3://lake/pings",)))
                with _reading(bench, without), pytest.raises(NoLakeTable, match="GEOAGENT_LAKE_COPIES"):
                    await bench.run_on_spark("summarise", source=report.table, aggregates=COUNTED)
                await lake.remove("bucket_pings")


async def test_overviews_are_made_of_copies_where_a_quarter_of_the_room_is_enough(
    bench: SparkBench, cluster: LocalCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server.gis.spark.cells import CellsOnSpark
    from server.gis.spark.client import SparkClient

    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))
    async with object_store(folder / "bucket") as store:
        monkeypatch.setenv("AWS_ENDPOINT_URL", store.url)
        lake = Lake(bench.database.owner, _storage(store, folder), sample_rows=100)
        report = await lake.add("far_pings", "s3://lake/pings")
        await bench.registry.refresh(patience=5)
        table = bench.registry.get(report.table)
        state = await DataVersions(bench.database.owner).of(table, 0)
        overviews = OverviewStore(bench.database.owner)

        def builder(copies: Copies | None) -> OverviewBuilder:
            storage = LakeStorage(remote=RemoteFiles(("s3://lake/pings",), copies))
            client, rows = SparkClient(cluster.url), bench.spark.options.folder
            cells = CellsOnSpark(bench.database.owner, client, rows, SECONDS, storage)
            return OverviewBuilder(overviews, 0.9, 10**12, cells)

        size = report.dataset.bytes
        copies = folder / "for-overviews"
        session = await asyncpg.connect(bench.database.url, server_settings=SESSION)
        try:
            for too_small, why in (
                (None, "GEOAGENT_LAKE_COPIES"),
                (Copies(copies, 4 * size - 4), "a quarter"),
            ):
                with pytest.raises(NoLakeTable, match=why):
                    await builder(too_small).build(session, table, state, ())
            assert not copies.exists()
            assert await builder(Copies(copies, 4 * size)).build(session, table, state, ())
            row = await overviews.row(state.relid, fresh=True)
            assert row is not None
            assert row.ladder is not None
            assert row.ladder.rows + row.ladder.unplaced == 2 * ROWS
            for band in row.ladder.bands:
                weights = f'SELECT sum("{WEIGHT}")::bigint FROM {SCHEMA}.{band.name}'
                assert await session.fetchval(weights) == row.ladder.rows
        finally:
            await session.close()
        await lake.remove("far_pings")
