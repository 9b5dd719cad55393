"""Datasets at addresses are read where they are: of their bytes only those that a question needs."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from agents.domain import Table
from server.gis.lake.answers import answer_queue, pages
from server.gis.lake.answers.counting import LakeCounter
from server.gis.lake.answers.pages import LakePages, Page
from server.gis.lake.detail import DetailLimits, LakeDetail
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.register import Lake, LakeReport
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.storage import LakeStorage
from tests.integration.lake.conftest import LakeBench
from tests.support import lake as datasets
from tests.support.object_store import ObjectStore, object_store

ROWS = 30_000
SAMPLE_BYTES = 100_000
BOX = (10.00, 45.0, 10.05, 55.0)
"""Narrow: rows are sorted from west to east."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def store(lake_folder: Path) -> AsyncIterator[ObjectStore]:
    datasets.write(datasets.pings(ROWS, 5.0), lake_folder / "bucket" / "far" / "pings.parquet")
    async with object_store(lake_folder / "bucket") as running:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("AWS_ENDPOINT_URL", running.url)
            environment.setenv("STORAGE_EMULATOR_HOST", running.url)
            yield running


@pytest.fixture
def file(store: ObjectStore) -> Path:
    return store.folder / "far" / "pings.parquet"


def storage(store: ObjectStore) -> LakeStorage:
    """A new one, which has read nothing yet."""
    return LakeStorage(remote=RemoteFiles(("s3://lake/far", "gs://lake/far", f"{store.url}/lake/far")))


async def registered(
    lakes: LakeBench, storage: LakeStorage, name: str, address: str
) -> tuple[LakeReport, Table]:
    lake = Lake(lakes.database.owner, storage, sample_rows=1000, remote_bytes=SAMPLE_BYTES)
    report = await lake.add(name, address, replace=True)
    await lakes.registry.refresh(patience=5)
    return report, lakes.registry.get(report.table)


@pytest.mark.parametrize("scheme", ["http", "s3", "gs"])
async def test_a_dataset_is_registered_drawn_listed_and_counted_from_a_small_share_of_its_bytes(
    lakes: LakeBench, store: ObjectStore, file: Path, scheme: str
) -> None:
    size = os.stat(file).st_size
    root = f"{store.url}/lake/far/pings.parquet" if scheme == "http" else f"{scheme}://lake/far"
    here, sent = storage(store), store.sent
    report, table = await registered(lakes, here, f"{scheme}_far", root)
    assert (report.dataset.rows, report.dataset.root, table.row_estimate) == (ROWS, root, ROWS)
    assert table.bounds == pytest.approx((5, 45, 15, 55), abs=0.01)
    assert 500 < report.sample_rows <= 1000
    assert any("30,000 rows" in remark for remark in report.remarks)
    # The client of Google Cloud Storage begins to read a whole file before it reads a part, and breaks that off.
    assert scheme == "gs" or store.sent - sent < size / 10

    owner, sent = lakes.database.owner, store.sent
    drawn = await LakeDetail(owner, here).within(table, BOX)
    assert drawn.table is not None
    assert len(drawn.table) >= 100
    assert scheme == "gs" or 0 < store.sent - sent < size / 10
    sent = store.sent
    again = await LakeDetail(owner, here).within(table, BOX)
    assert again.table == drawn.table
    assert scheme == "gs" or store.sent == sent

    page = await LakePages(owner, here).page(table, Page(None, None, False, 20, 15_000))
    assert page is not None
    assert page.rows["id"].to_pylist() == list(range(5_015_000, 5_015_020))
    condition = {"op": ">=", "args": [{"property": "id"}, 5_000_000 + ROWS - 500]}
    assert await LakeCounter(owner, here).count(table, condition) == 500
    assert scheme == "gs" or store.sent - sent < size / 5


async def test_what_is_too_much_to_read_from_an_address_is_left_to_the_sample(
    lakes: LakeBench, store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = storage(store)
    _, table = await registered(lakes, here, "much_far", "s3://lake/far")
    sent = store.sent
    detail = LakeDetail(lakes.database.owner, here, DetailLimits(remote_bytes=100_000))
    found = await detail.within(table, (5.0, 45.0, 10.0, 55.0))
    assert (found.table, found.is_final) == (None, True)
    assert store.sent - sent < 200_000

    for module in (answer_queue, pages):
        monkeypatch.setattr(module, "REMOTE_BYTES", 100_000)
    counter, above = (
        LakeCounter(lakes.database.owner, here),
        {"op": ">", "args": [{"property": "value"}, 100]},
    )
    assert await counter.count(table, above) is None
    sent = store.sent
    assert await counter.count(table, above) is None
    assert await LakePages(lakes.database.owner, here).page(table, Page(above, "value", False, 20, 0)) is None
    assert store.sent == sent


async def test_a_file_that_changed_is_not_read_any_more(
    lakes: LakeBench, store: ObjectStore, file: Path
) -> None:
    for address in (f"{store.url}/lake/far/pings.parquet", "s3://lake/far"):
        _, table = await registered(lakes, storage(store), "changed_far", address)
        kept = os.stat(file)
        os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns + 5 * 10**9))
        try:
            found = await LakeDetail(lakes.database.owner, storage(store)).within(table, BOX)
            assert (found.table, found.is_final) == (None, False)
            listing = LakePages(lakes.database.owner, storage(store))
            assert await listing.page(table, Page(None, None, False, 20, 0)) is None
        finally:
            os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))


@pytest.mark.parametrize("scheme", ["http", "s3"])
async def test_a_file_that_changes_while_it_is_registered_is_refused(
    lakes: LakeBench, store: ObjectStore, file: Path, scheme: str
) -> None:
    root = f"{store.url}/lake/far/pings.parquet" if scheme == "http" else "s3://lake/far"
    kept, asked = os.stat(file), len(store.asked)

    def touch() -> None:
        if len(store.asked) == asked + 4:
            os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns + 5 * 10**9))

    store.before = touch
    try:
        with pytest.raises(NoLakeTable, match="changed"):
            await registered(lakes, storage(store), "changing_far", root)
    finally:
        store.before = lambda: None
        os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))


async def test_a_busy_server_is_asked_again_and_not_for_ever(lakes: LakeBench, store: ObjectStore) -> None:
    address = f"{store.url}/lake/far/pings.parquet"
    store.busy = 2
    report, _ = await registered(lakes, storage(store), "busy_far", address)
    assert (report.dataset.rows, store.busy) == (ROWS, 0)
    store.busy = 10
    with pytest.raises(NoLakeTable, match="503"):
        await registered(lakes, storage(store), "busy_far", address)
    assert store.busy == 7
    store.busy = 0


async def test_a_slow_server_costs_a_tile_its_time_and_no_more(lakes: LakeBench, store: ObjectStore) -> None:
    address = f"{store.url}/lake/far/pings.parquet"
    _, table = await registered(lakes, storage(store), "slow_far", address)
    store.delay = 1.5
    try:
        detail = LakeDetail(lakes.database.owner, storage(store), DetailLimits(seconds=0.5))
        asked = len(store.asked)
        found = await detail.within(table, BOX)
        assert (found.table, found.is_final) == (None, False)
        assert len(store.asked) - asked <= 2
    finally:
        store.delay = 0.0
