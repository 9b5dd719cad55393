"""Lake tables from addresses: Spark computes with all rows of the copied files, and asks no address itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.gis.lake.errors import NoLakeTable
from server.gis.lake.paths import LakePaths
from server.gis.lake.register import Lake
from server.gis.lake.remote import RemoteDatasets
from tests.integration.spark.conftest import SparkBench
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


def _lake(bench: SparkBench, store: ObjectStore, folder: Path) -> Lake:
    remote = RemoteDatasets(("s3://lake/pings", f"{store.url}/lake/pings/"), folder / "copies", 10**9)
    return Lake(bench.database.owner, LakePaths([folder / "copies"]), sample_rows=100, remote=remote)


COUNTED = [{"function": "count"}, {"function": "max", "column": "id"}]


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_file_of_a_web_server_is_counted_on_spark(
    bench: SparkBench, folder: Path, certificate: Path, scheme: str
) -> None:
    encrypted = certificate if scheme == "https" else None
    async with object_store(folder / "bucket", encrypted) as store:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("SSL_CERT_FILE", str(certificate))
            address = f"{store.url}/lake/pings/zone=1/part-0.parquet"
            assert address.startswith(f"{scheme}:")
            lake = _lake(bench, store, folder)
            report = await lake.add(f"{scheme}_pings", address)
        asked = len(store.asked)
        await bench.registry.refresh(patience=5)
        made = await bench.run_on_spark("summarise", source=report.table, aggregates=COUNTED)
        assert list(made.rows["count"]) == [ROWS]
        assert any(f"1 of 1 files with {ROWS} of {ROWS} rows" in note for note in made.receipt.notes)
        assert store.asked[asked:] == []
        await lake.remove(f"{scheme}_pings")


async def test_a_web_server_with_an_unknown_certificate_is_refused(
    bench: SparkBench, folder: Path, certificate: Path
) -> None:
    async with object_store(folder / "bucket", certificate) as store:
        with pytest.raises(NoLakeTable, match="certificate"):
            await _lake(bench, store, folder).add(
                "unknown_pings", f"{store.url}/lake/pings/zone=1/part-0.parquet"
            )
        assert store.asked == []


async def test_a_folder_of_a_bucket_is_counted_on_spark(bench: SparkBench, folder: Path) -> None:
    async with object_store(folder / "bucket") as store:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("AWS_ENDPOINT_URL", store.url)
            lake = _lake(bench, store, folder)
            report = await lake.add("bucket_pings", "s3://lake/pings")
        asked = len(store.asked)
        await bench.registry.refresh(patience=5)
        made = await bench.run_on_spark("summarise", source=report.table, by=["zone"], aggregates=COUNTED)
        assert dict(zip(made.rows["zone"], made.rows["count"], strict=True)) == {1: ROWS, 2: ROWS}
        assert store.asked[asked:] == []
        await lake.remove("bucket_pings")
