"""Small files that become large when they are read: refused, quickly, and without the server ever holding them."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import geopandas
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
import sqlalchemy as sa

from server.database.engines import Database
from server.gis.errors import GisError
from server.gis.ingest import CannotLoad, IngestLimits, load_file
from server.gis.ingest.limits import MB, FileTooLarge
from server.gis.ingest.process import start_reader
from server.gis.reading.notes import REFUSED
from tests.support.children import ran
from tests.support.looking import PATIENCE, until
from tests.support.server import ROOT

MAX_GROWTH = 150 * MB
"""How much the server's memory may grow for any file."""


def parquet_of_equal_texts(path: Path, rows: int, size: int) -> Path:
    """Some kilobytes, because equal texts are stored once."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * size]))
    table = pa.table({"lon": pa.array([1.0] * rows), "text": texts})
    pq.write_table(table, path, compression="zstd")
    return path


def archive_of_zeros(path: Path, size: int) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("a.csv", "w") as entry:
        entry.write(b"lon,lat,text\n")
        for _ in range(size // MB):
            entry.write(b"0" * MB)
    return path


def geopackage(path: Path, *statements: str) -> Path:
    frame = geopandas.GeoDataFrame({"a": [1]}, geometry=[shapely.Point(1, 2)], crs=4326)
    frame.to_file(path, driver="GPKG", layer="places")
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


BOMB = "SELECT 1 AS fid, hex(zeroblob(400000000)) AS a, geom FROM places"
HOSTILE: dict[str, tuple[Callable[[Path], Path], str]] = {
    "equal texts": (lambda at: parquet_of_equal_texts(at / "a.parquet", 20_000, 90_000), "too large a table"),
    "long texts": (lambda at: parquet_of_equal_texts(at / "b.parquet", 2, 20 * MB), "MB are loaded"),
    "zeros": (lambda at: archive_of_zeros(at / "c.zip", 400 * MB), "unpacks to more"),
    "a view in place of the layer": (
        lambda at: geopackage(
            at / "d.gpkg",
            f"CREATE VIEW v AS {BOMB}",
            "UPDATE gpkg_contents SET table_name = 'v', identifier = 'v'",
            "UPDATE gpkg_geometry_columns SET table_name = 'v'",
        ),
        "is a view",
    ),
    "a view in place of the catalogue": (
        lambda at: geopackage(
            at / "e.gpkg",
            "ALTER TABLE gpkg_contents RENAME TO contents",
            "CREATE VIEW gpkg_contents AS SELECT * FROM contents WHERE length(hex(zeroblob(400000000))) > 0",
        ),
        "computes its own list",
    ),
    "a computed column": (
        lambda at: geopackage(
            at / "f.gpkg", "ALTER TABLE places ADD COLUMN b TEXT AS (hex(zeroblob(400000000))) VIRTUAL"
        ),
        "computed columns",
    ),
}


@pytest.mark.parametrize("kind", HOSTILE)
async def test_small_files_that_explode_are_refused(database: Database, tmp_path: Path, kind: str) -> None:
    make, says = HOSTILE[kind]
    path = make(tmp_path)
    assert path.stat().st_size < MB
    before = psutil.Process().memory_info().rss
    with pytest.raises(CannotLoad, match=says):
        await load_file(database, path, "exploded")
    assert psutil.Process().memory_info().rss - before < MAX_GROWTH
    assert await tables(database) == []


@pytest.mark.parametrize("kind", ["a view in place of the layer", "a computed column"])
async def test_what_a_geopackage_computes_is_refused_without_being_computed(
    tmp_path: Path, kind: str
) -> None:
    """GDAL runs a view to list its columns: the reader took 1.2 GB."""
    make, says = HOSTILE[kind]
    order = {"path": str(make(tmp_path)), "name": "bomb.gpkg", "folder": str(tmp_path), "notes": "notes.json"}
    # Not `ru_maxrss`, which begins at the size of the process that started this one.
    program = (
        "from pathlib import Path\nfrom server.gis.reading import reader\nstatus = reader.main()\n"
        "print(status, Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    )
    order_json = json.dumps({**order, "limits": asdict(IngestLimits())})
    read = await ran(sys.executable, "-c", program, order_json, cwd=ROOT)
    status, kilobytes = read.out.split()[-2:]
    assert int(status) == REFUSED
    assert says in read.err
    assert int(kilobytes) * 1024 < 400 * MB


async def test_views_beside_an_ordinary_layer_are_left_alone(database: Database, tmp_path: Path) -> None:
    path = geopackage(
        tmp_path / "g.gpkg",
        f"CREATE VIEW v AS {BOMB}",
        "INSERT INTO gpkg_contents (table_name, data_type, identifier, srs_id)"
        " VALUES ('v', 'features', 'v', 4326)",
        "INSERT INTO gpkg_geometry_columns VALUES ('v', 'geom', 'POINT', 4326, 0, 0)",
    )
    report = await load_file(database, path, "beside")
    assert report.rows == 1
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("DROP TABLE data.beside")


async def test_a_file_that_needs_too_much_memory_is_refused_with_the_reason(
    database: Database, tmp_path: Path
) -> None:
    path = parquet_of_equal_texts(tmp_path / "m.parquet", 16, 50 * MB)
    limits = IngestLimits(memory=700 * MB, value_bytes=1000 * MB, row_bytes=1000 * MB)
    with pytest.raises(FileTooLarge, match="more memory"):
        await load_file(database, path, "memory", limits=limits)


async def test_a_file_that_takes_too_long_is_refused_with_the_reason(
    database: Database, tmp_path: Path
) -> None:
    path = slow_file(tmp_path)
    with pytest.raises(FileTooLarge, match="takes longer"):
        await load_file(database, path, "slow", limits=IngestLimits(seconds=1))
    assert await tables(database) == []


async def test_a_file_that_needs_too_much_processor_time_is_refused_with_the_reason(
    database: Database, tmp_path: Path
) -> None:
    with pytest.raises(FileTooLarge, match="too long to read"):
        await load_file(database, slow_file(tmp_path), "busy", limits=IngestLimits(processor_seconds=1))
    assert await tables(database) == []


async def test_a_row_of_many_long_texts_is_refused(database: Database, tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    pq.write_table(pa.table({"lon": [1.0], **{f"text_{number}": ["x" * MB] for number in range(3)}}), path)
    with pytest.raises(CannotLoad, match="A row has more than 2 MB"):
        await load_file(database, path, "wide", limits=IngestLimits(row_bytes=2 * MB))
    assert await tables(database) == []


async def test_a_table_that_takes_more_space_than_is_left_is_refused(
    database: Database, tmp_path: Path
) -> None:
    path = tmp_path / "points.csv"
    path.write_text("lon,lat,name\n" + "".join(f"{row / 100},{row / 200},x\n" for row in range(9_000)))
    with pytest.raises(FileTooLarge, match=r"takes 1 MB in the database; 1 MB are left"):
        await load_file(database, path, "points", limits=IngestLimits(space=MB))
    assert await tables(database) == []


async def test_a_reader_that_dies_leaves_nothing(database: Database, tmp_path: Path) -> None:
    loading = asyncio.create_task(load_file(database, slow_file(tmp_path), "reader_died"))
    (await until(lambda: copying_reader())).kill()
    with pytest.raises(CannotLoad):
        await asyncio.wait_for(loading, PATIENCE)
    assert await tables(database) == []


async def test_a_database_session_that_dies_ends_the_loading(database: Database, tmp_path: Path) -> None:
    loading = asyncio.create_task(load_file(database, slow_file(tmp_path), "session_died"))
    await until(lambda: copying_reader())

    async def ended() -> bool:
        async with database.owner.connect() as connection:
            return bool(await connection.scalar(sa.text(
                "SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE usename = geoagent.role_name('loader') AND xact_start IS NOT NULL"
            )))  # fmt: skip

    await until(ended)
    with pytest.raises(GisError):
        await asyncio.wait_for(loading, PATIENCE)
    assert copying_reader() is None
    assert await tables(database) == []


async def test_a_loading_that_is_cancelled_ends_its_reader_and_its_session(
    database: Database, tmp_path: Path
) -> None:
    loading = asyncio.create_task(load_file(database, slow_file(tmp_path), "cancelled"))
    await until(lambda: copying_reader())
    loading.cancel()
    await asyncio.gather(loading, return_exceptions=True)
    assert copying_reader() is None
    assert await tables(database) == []


@pytest.mark.parametrize("later", range(1, 4))
async def test_a_reader_that_is_cancelled_while_it_starts_has_ended(tmp_path: Path, later: int) -> None:
    others = set(psutil.Process().children())
    starting = asyncio.create_task(start_reader({"path": str(slow_file(tmp_path))}, tmp_path, IngestLimits()))
    for _ in range(later):
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251  # the loop is busy, as on a server under load
    assert starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    assert set(psutil.Process().children()) <= others  # nor one that was killed, but has not ended yet


def slow_file(folder: Path) -> Path:
    """Takes some seconds to read."""
    path = folder / "slow.csv"
    path.write_text("lon,lat,a,b,c,d\n" + "1,2,text,4.5,2020-01-01,x\n" * 400_000)
    return path


def copying_reader() -> psutil.Process | None:
    """The process that reads a file for this one."""
    for process in psutil.Process(os.getpid()).children():
        try:
            if "server.gis.reading.reader" in " ".join(process.cmdline()):
                return process
        except psutil.Error:
            continue
    return None


async def tables(database: Database) -> list[str]:
    async with database.owner.connect() as connection:
        found = await connection.execute(sa.text("SELECT tablename FROM pg_tables WHERE schemaname = 'data'"))
        return list(found.scalars())
