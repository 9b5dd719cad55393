"""A dataset becomes a table by its metadata, and only from where it may be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from sqlalchemy import text

from server.gis.ingest.limits import CannotLoad
from server.gis.lake.errors import LakeTableExists, NoLakeTable, PathRefused
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from tests.integration.lake.conftest import LakeBench
from tests.support import lake


async def test_a_folder_with_partitions_is_described_from_its_metadata(lakes: LakeBench) -> None:
    report, table = await lakes.add(lake.hive(lakes.folder / "hive"))
    assert table.lake is not None
    assert (table.lake.rows, table.lake.sample_rows, table.lake.files) == (10_000, 10_000, 2)
    assert table.row_estimate == 10_000
    assert (table.geometry_column, table.geometry_type, table.srid) == ("geometry", "POINT", 4326)
    types = {column.name: column.sql_type for column in table.columns}
    assert types == {
        "id": "bigint",
        "kind": "text",
        "value": "double precision",
        "size": "smallint",
        "at": "timestamp with time zone",
        "tags": "jsonb",
        "geometry": "geometry(Point,4326)",
        "zone": "bigint",
        "fid": "bigint",
    }
    assert table.bounds is not None
    west, south, east, north = table.bounds
    assert (round(west), round(south), round(east), round(north)) == (5, 45, 25, 55)
    identity = table.column("id")
    assert identity is not None
    assert (identity.minimum, identity.maximum) == (5_000_000, 15_004_999)
    assert any("'lasted' of type duration[s] is left out" in remark for remark in report.remarks)


async def test_a_large_dataset_is_sampled_evenly(lakes: LakeBench) -> None:
    _report, table = await lakes.add(lake.hive(lakes.folder / "sampled"), sample_rows=500)
    assert table.lake is not None
    assert (table.row_estimate, table.lake.rows) == (10_000, 10_000)
    assert table.lake.sample_rows == pytest.approx(500, abs=10)
    async with lakes.database.reader.connect() as connection:
        counts = (
            await connection.execute(
                text(f"SELECT zone, count(*), avg(value) FROM {table.id} GROUP BY 1 ORDER BY 1")
            )
        ).all()
    assert [zone for zone, *_ in counts] == [1, 2]
    assert all(count == pytest.approx(250, abs=10) for _, count, _ in counts)
    assert all(mean == pytest.approx(100, abs=5) for *_, mean in counts)
    # The least and greatest values are those of all rows, which the sample does not have.
    at = table.column("at")
    assert at is not None
    assert str(at.minimum).startswith("2024-01-01 00:00:00")


async def test_lines_and_areas_of_one_and_several_parts_share_a_type(lakes: LakeBench) -> None:
    shapes = [shapely.box(5e5, 5e6, 5e5 + n, 5e6 + n) for n in range(1, 4)]
    shapes.append(shapely.multipolygons([shapes[0], shapely.box(6e5, 5e6, 6e5 + 1, 5e6 + 1)]))
    table = pa.table({"geometry": pa.array(list(shapely.to_wkb(shapes)), pa.binary())})
    crs = {"type": "ProjectedCRS", "id": {"authority": "EPSG", "code": 32632}}
    path = lake.write(table, lakes.folder / "areas.parquet", ("Polygon", "MultiPolygon"), crs=crs)
    _, found = await lakes.add(path)
    assert (found.geometry_type, found.srid) == ("MULTIPOLYGON", 32632)
    assert found.bounds is not None
    assert found.bounds == pytest.approx((9.0, 45.15, 10.28, 45.16), abs=0.01)


async def test_a_system_that_the_files_do_not_name_is_asked_for(lakes: LakeBench) -> None:
    table = pa.table({"geometry": pa.array(list(shapely.to_wkb(shapely.points([[5e5, 5e6]]))), pa.binary())})
    path = lake.write(table, lakes.folder / "unknown.parquet", crs=None)
    with pytest.raises(CannotLoad, match="does not say in which reference system") as refused:
        await lakes.add(path)
    assert "srid" in refused.value.message
    _, found = await lakes.add(path, srid=32632)
    assert found.srid == 32632


async def test_only_files_below_the_allowed_folders_are_read(lakes: LakeBench, tmp_path: Path) -> None:
    outside = lake.write(lake.pings(10), tmp_path / "outside.parquet")
    link = lakes.folder / "link.parquet"
    link.symlink_to(outside)
    linked = lakes.folder / "linked"
    linked.mkdir()
    (linked / "file.parquet").symlink_to(outside)
    for path in (outside, link, linked, lakes.folder / ".." / "x", tmp_path / "nothing", "/etc/passwd"):
        with pytest.raises(PathRefused, match="outside of the folders") as refused:
            await lakes.lake.add("refused", str(path))
        assert path == outside or str(outside) not in refused.value.message
    with pytest.raises(PathRefused, match="Set GEOAGENT_LAKE_PATHS"):
        await Lake(lakes.database.owner, LakeStorage([])).add("refused", str(outside))
    with pytest.raises(PathRefused, match="GEOAGENT_LAKE_ADDRESSES"):
        await lakes.lake.add("refused", "s3://bucket/key")
    with pytest.raises(NoLakeTable, match="not an absolute path"):
        await lakes.lake.add("refused", "pings.parquet")


async def test_datasets_that_are_none_are_refused_with_the_reason(lakes: LakeBench) -> None:
    folder = lakes.folder / "faults"
    lake.write(lake.pings(10), folder / "a.parquet")
    other = lake.pings(10).drop_columns(["value"])
    lake.write(other, folder / "b.parquet")
    with pytest.raises(NoLakeTable, match=r"b\.parquet and a\.parquet differ in their columns: value"):
        await lakes.add(folder)
    (lakes.folder / "text.parquet").write_text("no parquet")
    with pytest.raises(NoLakeTable, match=r"text\.parquet cannot be read as Parquet"):
        await lakes.add(lakes.folder / "text.parquet")
    (lakes.folder / "empty").mkdir()
    with pytest.raises(NoLakeTable, match="There is no Parquet file"):
        await lakes.add(lakes.folder / "empty")
    native = pa.table({"geometry": pa.array([{"x": 1.0, "y": 2.0}])})
    native = native.replace_schema_metadata(
        {"geo": '{"primary_column": "geometry", "columns": {"geometry": {"encoding": "point"}}}'}
    )
    pq.write_table(native, lakes.folder / "native.parquet")
    with pytest.raises(NoLakeTable, match="only WKB is read"):
        await lakes.add(lakes.folder / "native.parquet")


async def test_a_lake_table_is_refreshed_and_removed_and_others_are_left_alone(lakes: LakeBench) -> None:
    path = lake.write(lake.pings(100), lakes.folder / "again" / "a.parquet")
    report, table = await lakes.add(path.parent)
    name = table.name
    with pytest.raises(LakeTableExists, match="geoagent lake refresh"):
        await lakes.lake.add(name, str(path))
    with pytest.raises(LakeTableExists, match="not a lake table"):
        await lakes.lake.add("airports", str(path))
    lake.write(lake.pings(50, west=40.0), path.parent / "b.parquet")
    again = await lakes.lake.refresh(table.id)
    assert (report.dataset.rows, again.dataset.rows) == (100, 150)
    await lakes.registry.refresh(patience=5)
    assert lakes.registry.get(table.id).row_estimate == 150
    with pytest.raises(NoLakeTable, match="There is no lake table 'airports'"):
        await lakes.lake.remove("airports")
    assert await lakes.lake.remove(name) == table.id
    await lakes.registry.refresh()
    assert lakes.registry.find(table.id) is None
    assert path.exists()
    assert name not in {each.table for each in await lakes.lake.tables()}


def test_the_order_of_row_groups_is_even_however_early_it_ends() -> None:
    from server.gis.lake.sample import _spread

    order = list(_spread(100))
    assert sorted(order) == list(range(100))
    first = np.sort(order[:10])
    assert np.diff(first).max() <= 20
