"""STAC items in GeoParquet are registered as the dataset of the Parquet files that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.register import Lake
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.storage import LakeStorage
from server.gis.spark.views import lake_view
from tests.integration.lake.conftest import LakeBench
from tests.support import lake as datasets
from tests.support.object_store import object_store

ROWS = 400
WEST, EAST = (5.0, 45.0, 15.0, 55.0), (15.0, 45.0, 25.0, 55.0)


def write_parts(folder: Path) -> None:
    """Two files of neighbouring areas, which do not state where their rows lie."""
    for name, west, seed in (("west", 5.0, 1), ("east", 15.0, 2)):
        rows = datasets.pings(ROWS, west, seed=seed).drop_columns(["bbox"])
        datasets.write(rows, folder / f"{name}.parquet", bbox=None)


async def test_files_that_items_name_are_one_table_and_pruned_by_the_boxes_of_the_items(
    lakes: LakeBench, tmp_path: Path
) -> None:
    folder = lakes.folder / "stac"
    write_parts(folder / "parts")
    named = {"../parts/west.parquet": WEST, f"file://{folder}/parts/east.parquet": EAST}
    items = datasets.stac_items(folder / "catalogue" / "items.parquet", named)
    report, table = await lakes.add(items)
    dataset = report.dataset
    assert (dataset.rows, len(dataset.files), table.row_estimate) == (2 * ROWS, 2, 2 * ROWS)
    assert table.bounds == pytest.approx((5, 45, 25, 55))
    assert {column.name for column in dataset.columns} >= {"id", "kind", "value", "geometry"}
    assert list(lake_view(dataset, (6, 46, 7, 47)).files) == [str(folder / "parts" / "west.parquet")]

    storage = LakeStorage([lakes.folder])
    storage.check_present(dataset, table.id)
    datasets.stac_items(items, {"../parts/west.parquet": WEST})
    with pytest.raises(NoLakeTable, match="have changed"):
        storage.check_present(dataset, table.id)
    assert (await lakes.lake.refresh(table.id)).dataset.rows == ROWS

    outside = datasets.write(datasets.pings(10), tmp_path / "outside.parquet")
    for href in (str(outside), f"file://{outside}"):
        with pytest.raises(PathRefused, match="outside of the folders"):
            await lakes.add(datasets.stac_items(folder / "outside.parquet", {href: WEST}))
    with pytest.raises(NoLakeTable, match="There is no file"):
        await lakes.add(datasets.stac_items(folder / "missing.parquet", {"nothing.parquet": WEST}))


async def test_items_of_other_files_are_a_table_of_themselves(lakes: LakeBench) -> None:
    images = datasets.stac_items(lakes.folder / "images.parquet", {"one.tif": WEST}, "image/tiff")
    report, table = await lakes.add(images)
    assert (report.dataset.rows, table.geometry_type) == (1, "POLYGON")


async def test_files_that_items_at_an_address_name_are_read_where_that_is_allowed(
    lakes: LakeBench, tmp_path: Path
) -> None:
    bucket = tmp_path / "bucket"
    write_parts(bucket / "pings" / "parts")
    async with object_store(bucket) as store:
        root = f"{store.url}/lake/pings"
        # Relative to the items, and from the root of the server.
        named = {"parts/west.parquet": WEST, "/lake/pings/parts/east.parquet": EAST}
        datasets.stac_items(bucket / "pings" / "items.parquet", named)
        elsewhere = {f"{store.url}/lake/secret/east.parquet": EAST}
        datasets.stac_items(bucket / "pings" / "elsewhere.parquet", elsewhere)
        storage = LakeStorage(remote=RemoteFiles((f"{root}/",)))
        lake = Lake(lakes.database.owner, storage)
        report = await lake.add("remote_items", f"{root}/items.parquet")
        assert (report.dataset.rows, report.dataset.root) == (2 * ROWS, f"{root}/items.parquet")
        assert [file.box for file in report.dataset.files] in ([WEST, EAST], [EAST, WEST])
        storage.check_present(report.dataset, report.table)
        assert (await lake.refresh("remote_items")).dataset.rows == 2 * ROWS
        with pytest.raises(PathRefused, match="GEOAGENT_LAKE_ADDRESSES"):
            await lake.add("refused", f"{root}/elsewhere.parquet")
        assert not [path for _, path in store.asked if "secret" in path]
