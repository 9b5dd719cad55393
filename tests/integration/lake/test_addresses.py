"""Datasets are registered from addresses of object stores and web servers, and no others are asked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.gis.errors import GisError
from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.register import Lake
from server.gis.lake.remote.copies import Copies, ToCopy
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.remote.ranges import Allowance
from server.gis.lake.storage import LakeStorage
from tests.integration.lake.conftest import LakeBench
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.object_store import ObjectStore, object_store, own_certificate

ROWS = 400


@pytest.fixture(scope="module")
def remote_folder() -> Iterator[Path]:
    with temporary_folder("lake-remote") as folder:
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def store(remote_folder: Path) -> AsyncIterator[ObjectStore]:
    datasets.hive(remote_folder / "bucket" / "pings", ROWS)
    async with object_store(remote_folder / "bucket") as running:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("AWS_ENDPOINT_URL", running.url)
            environment.setenv("STORAGE_EMULATOR_HOST", running.url)
            yield running


@pytest.fixture
def remote(store: ObjectStore) -> RemoteFiles:
    return RemoteFiles(("s3://lake/pings", "gs://lake/pings", f"{store.url}/lake/pings/"))


@pytest.fixture
def lake(lakes: LakeBench, remote: RemoteFiles) -> Lake:
    return Lake(lakes.database.owner, LakeStorage(remote=remote))


async def test_a_folder_of_a_bucket_becomes_a_table_and_follows_its_files(
    lakes: LakeBench, lake: Lake, store: ObjectStore
) -> None:
    report = await lake.add("bucket_pings", "s3://lake/pings")
    assert (report.dataset.rows, len(report.dataset.files)) == (2 * ROWS, 2)
    assert {column.name for column in report.dataset.columns} >= {"id", "zone", "value"}
    file = store.folder / "pings" / "zone=3" / "part-0.parquet"
    datasets.write(datasets.pings(ROWS, 25.0, seed=3), file)
    (store.folder / "pings" / "zone=2" / "part-0.parquet").rename(store.folder / "kept")
    try:
        refreshed = (await lake.refresh("bucket_pings")).dataset
        assert [each.parts["zone"] for each in refreshed.files] == ["1", "3"]
    finally:
        (store.folder / "kept").rename(store.folder / "pings" / "zone=2" / "part-0.parquet")
        file.unlink()
    await lakes.registry.refresh(patience=5)
    assert lakes.registry.get("data.bucket_pings").row_estimate == 2 * ROWS


async def test_a_file_of_a_web_server_becomes_a_table(lake: Lake, store: ObjectStore) -> None:
    report = await lake.add("web_pings", f"{store.url}/lake/pings/zone=1/part-0.parquet")
    assert report.dataset.rows == ROWS
    assert report.dataset.root == f"{store.url}/lake/pings/zone=1/part-0.parquet"


async def test_a_folder_of_google_cloud_storage_becomes_a_table_and_follows_its_files(
    lake: Lake, store: ObjectStore
) -> None:
    report = await lake.add("google_pings", "gs://lake/pings")
    assert (report.dataset.rows, report.dataset.root) == (2 * ROWS, "gs://lake/pings")
    file = datasets.write(
        datasets.pings(ROWS, 25.0, seed=3), store.folder / "pings" / "zone=3" / "part-0.parquet"
    )
    try:
        assert (await lake.refresh("google_pings")).dataset.rows == 3 * ROWS
    finally:
        file.unlink()
    with pytest.raises(NoLakeTable, match="0 Parquet files at gs://lake/pings/none"):
        await lake.add("elsewhere", "gs://lake/pings/none")


async def test_a_bucket_of_an_encrypted_store_is_read_with_the_certificates_of_the_environment(
    remote_folder: Path, samples_url: str
) -> None:
    """By the command, because certificates are read once, when a process starts."""
    certificate = own_certificate(remote_folder)
    async with object_store(remote_folder / "bucket", certificate) as encrypted:
        environment = {
            "DATABASE_URL": samples_url,
            "GEOAGENT_LAKE_ADDRESSES": "s3://lake/pings",
            "AWS_ENDPOINT_URL": encrypted.url,
        }
        add = ("lake", "add", "encrypted_pings", "s3://lake/pings")
        status, output = await _command(*add, **environment)
        assert status != 0
        assert "certificate" in output.lower()
        status, output = await _command(*add, **environment, SSL_CERT_FILE=str(certificate))
        assert (status, f"{2 * ROWS:,} rows" in output) == (0, True), output


async def _command(*arguments: str, **environment: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "server", *arguments,
        env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, output.decode()


@pytest.mark.parametrize(
    "address",
    [
        "s3://lake/pingsandmore/part.parquet",
        "s3://other/pings/part.parquet",
        "gs://lake/pingsandmore/part.parquet",
        "http://169.254.169.254/lake/pings/part.parquet",
        "https://{host}/lake/pings/part.parquet",
        "http://127.0.0.1.example.org/lake/pings/part.parquet",
        "http://{host}/lake/other.parquet",
    ],
)
async def test_other_addresses_are_refused_without_asking_them(
    lake: Lake, store: ObjectStore, address: str
) -> None:
    asked = len(store.asked)
    with pytest.raises(PathRefused, match="GEOAGENT_LAKE_ADDRESSES"):
        await lake.add("elsewhere", address.format(host=store.url.removeprefix("http://")))
    assert store.asked[asked:] == []


@pytest.mark.parametrize(
    "address",
    [
        "{url}/lake/pings/../secret.parquet",
        "{url}/lake/pings/%2e%2e/secret.parquet",
        "{url}/lake/pings//part.parquet",
        "{url}/lake/pings/part.parquet?endpoint_override=10.0.0.1",
        "s3://lake/pings?endpoint_override=10.0.0.1",
        "s3://key:secret@lake/pings",
        "http://someone@{host}/lake/pings/part.parquet",
        "gs://someone@lake/pings",
        "gs://lake/pings?endpoint_override=10.0.0.1",
        "ftp://{host}/lake/pings/part.parquet",
    ],
)
async def test_what_is_not_plainly_an_address_is_refused(
    lake: Lake, store: ObjectStore, address: str
) -> None:
    asked = len(store.asked)
    with pytest.raises(NoLakeTable):
        await lake.add("elsewhere", address.format(url=store.url, host=store.url.removeprefix("http://")))
    assert store.asked[asked:] == []


async def test_redirects_and_missing_files_are_refused(lakes: LakeBench, store: ObjectStore) -> None:
    everywhere = RemoteFiles((store.url, "s3://lake"))
    lake = Lake(lakes.database.owner, LakeStorage(remote=everywhere))
    for address, reason in (
        (f"{store.url}/elsewhere.parquet", "302"),
        (f"{store.url}/lake/pings/missing.parquet", "404"),
        (f"{store.url}/lake/pings", "one file"),
        ("s3://lake/nothing", "0 Parquet files"),
    ):
        with pytest.raises(NoLakeTable, match=reason):
            await lake.add("elsewhere", address)


@pytest.fixture
def whole_files(store: ObjectStore) -> Iterator[str]:
    """The address of a file of a server that gives only whole files."""
    store.has_ranges = False
    yield f"{store.url}/lake/pings/zone=2/part-0.parquet"
    store.has_ranges = True


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _remote(store: ObjectStore, copies: Copies | None) -> RemoteFiles:
    return RemoteFiles((f"{store.url}/lake/pings/",), copies)


async def test_a_server_that_gives_only_whole_files_is_copied_from_where_that_is_allowed(
    lakes: LakeBench, store: ObjectStore, whole_files: str, tmp_path: Path
) -> None:
    owner = lakes.database.owner
    with pytest.raises(NoLakeTable, match=r"gives only whole files.*GEOAGENT_LAKE_COPIES"):
        await Lake(owner, LakeStorage(remote=_remote(store, None))).add("whole_pings", whole_files)
    little = LakeStorage(remote=_remote(store, Copies(tmp_path / "little", 1000)))
    with pytest.raises(NoLakeTable, match="GEOAGENT_LAKE_SPACE"):
        await Lake(owner, little).add("whole_pings", whole_files)
    assert _files(tmp_path) == []

    folder = tmp_path / "copies"
    abandoned = folder / "abandoned"
    abandoned.mkdir(parents=True)
    os.utime(abandoned, (0, 0))
    lake = Lake(owner, LakeStorage(remote=_remote(store, Copies(folder, 10**9))))
    report = await lake.add("whole_pings", whole_files)
    assert (report.dataset.rows, report.dataset.address) == (ROWS, whole_files)
    assert Path(report.dataset.root).is_relative_to(folder)
    assert not abandoned.exists()
    sent = store.sent
    assert (await lake.refresh("whole_pings")).dataset.rows == ROWS
    # Asking whether it has changed is an answer that begins with the file; the copy is not made again.
    assert store.sent - sent <= 2 * report.dataset.bytes


async def test_a_stopped_copy_leaves_nothing(store: ObjectStore, tmp_path: Path) -> None:
    remote = _remote(store, Copies(tmp_path, 10**9))
    location = f"{store.url}/lake/pings/zone=2/part-0.parquet"
    stopped = threading.Event()
    stopped.set()
    file = ToCopy(location, "", await asyncio.to_thread(remote.state, location, Allowance()))
    with pytest.raises(GisError, match="stopped"):
        await asyncio.to_thread(remote.copy, [file], stopped)
    assert _files(tmp_path) == []


async def test_copies_for_steps_make_room_for_others_once_no_step_can_read_them(
    store: ObjectStore, tmp_path: Path
) -> None:
    first, second = (f"{store.url}/lake/pings/zone={zone}/part-0.parquet" for zone in (1, 2))
    states = {
        each: await asyncio.to_thread(_remote(store, None).state, each, Allowance())
        for each in (first, second)
    }
    copies = Copies(tmp_path, int(1.5 * states[first].bytes))
    remote = _remote(store, copies)
    one, two = ToCopy(first, "", states[first]), ToCopy(second, "", states[second])
    assert await asyncio.to_thread(remote.copy, [one], threading.Event()) == states[first].bytes
    assert await asyncio.to_thread(remote.copy, [one], threading.Event()) == 0
    with pytest.raises(NoLakeTable, match="GEOAGENT_LAKE_SPACE"):
        await asyncio.to_thread(remote.copy, [two], threading.Event())
    hours_ago = time.time() - 2 * 3600
    os.utime(copies.root(first), (hours_ago, hours_ago))
    assert await asyncio.to_thread(remote.copy, [two], threading.Event()) == states[second].bytes
    assert (copies.place(one).exists(), copies.place(two).exists()) == (False, True)
