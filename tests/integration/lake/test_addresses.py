"""Datasets are registered from addresses of object stores and web servers, and no others are asked."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from server.gis.errors import GisError
from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.paths import LakePaths
from server.gis.lake.register import Lake
from server.gis.lake.remote import RemoteDatasets
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
def remote(store: ObjectStore, remote_folder: Path) -> RemoteDatasets:
    addresses = ("s3://lake/pings", "gs://lake/pings", f"{store.url}/lake/pings/")
    return RemoteDatasets(addresses, remote_folder / "copies", 10**9)


@pytest.fixture
def lake(lakes: LakeBench, remote: RemoteDatasets, remote_folder: Path) -> Lake:
    return Lake(lakes.database.owner, LakePaths([remote_folder / "copies"]), remote=remote)


async def test_a_folder_of_a_bucket_becomes_a_table_and_follows_its_files(
    lakes: LakeBench, lake: Lake, store: ObjectStore
) -> None:
    report = await lake.add("bucket_pings", "s3://lake/pings")
    assert (report.dataset.rows, len(report.dataset.files)) == (2 * ROWS, 2)
    assert {column.name for column in report.dataset.columns} >= {"id", "zone", "value"}
    asked = len(store.asked)
    assert (await lake.refresh("bucket_pings")).dataset.rows == 2 * ROWS
    assert not [path for method, path in store.asked[asked:] if method == "GET" and path.endswith(".parquet")]
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
    assert report.dataset.address == f"{store.url}/lake/pings/zone=1/part-0.parquet"


async def test_a_folder_of_google_cloud_storage_becomes_a_table_and_follows_its_files(
    lake: Lake, store: ObjectStore
) -> None:
    report = await lake.add("google_pings", "gs://lake/pings")
    assert (report.dataset.rows, report.dataset.address) == (2 * ROWS, "gs://lake/pings")
    asked = len(store.asked)
    file = datasets.write(
        datasets.pings(ROWS, 25.0, seed=3), store.folder / "pings" / "zone=3" / "part-0.parquet"
    )
    try:
        assert (await lake.refresh("google_pings")).dataset.rows == 3 * ROWS
    finally:
        file.unlink()
    read = [
        path for method, path in store.asked[asked:] if method == "GET" and path.endswith("part-0.parquet")
    ]
    assert {path.partition("zone=")[2] for path in read} == {"3/part-0.parquet"}
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
            "GEOAGENT_LAKE_COPIES": str(remote_folder / "copies"),
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


async def test_redirects_missing_files_and_too_large_datasets_are_refused(
    lakes: LakeBench, store: ObjectStore, remote_folder: Path
) -> None:
    copies = remote_folder / "few"
    everywhere = RemoteDatasets((store.url, "s3://lake"), copies, 1000)
    lake = Lake(lakes.database.owner, LakePaths([copies]), remote=everywhere)
    for address, reason in (
        (f"{store.url}/elsewhere.parquet", "302"),
        (f"{store.url}/lake/pings/missing.parquet", "404"),
        (f"{store.url}/lake/pings", "one file"),
        ("s3://lake/nothing", "0 Parquet files"),
        ("s3://lake/pings", "GEOAGENT_LAKE_SPACE"),
    ):
        with pytest.raises(NoLakeTable, match=reason):
            await lake.add("elsewhere", address)
    assert not list(copies.rglob("*.parquet"))


async def test_a_stopped_copy_leaves_nothing(
    remote: RemoteDatasets, remote_folder: Path, store: ObjectStore
) -> None:
    stopped = threading.Event()
    stopped.set()
    with pytest.raises(GisError, match="stopped"):
        await asyncio.to_thread(remote.fetch, f"{store.url}/lake/pings/zone=2/part-0.parquet", [], stopped)
    assert _unfinished(remote_folder) == []


def _unfinished(folder: Path) -> list[Path]:
    return list(folder.rglob("_part*"))


async def test_copies_without_a_table_are_removed_after_a_day(
    lake: Lake, remote: RemoteDatasets, remote_folder: Path
) -> None:
    abandoned = remote_folder / "copies" / "abandoned"
    (abandoned / "sub").mkdir(parents=True)
    os.utime(abandoned, (0, 0))
    await lake.add("bucket_pings_2", "s3://lake/pings")
    assert not abandoned.exists()
    assert (await lake.refresh("bucket_pings")).dataset.rows == 2 * ROWS
