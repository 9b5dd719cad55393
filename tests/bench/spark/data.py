"""The same points as GeoParquet and in PostGIS: `pings` around 1,600 zones, in files sorted by place."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely

PIECE = 500_000
"""Rows that are made at once."""
FILE_ROWS = 2_500_000
GROUP_ROWS = 100_000
WEST, SOUTH, SIDE = 5.0, 45.0, 10.0
"""Degrees."""
START = np.datetime64("2026-01-01", "us")
SECONDS = 30 * 86_400
"""The points were recorded in so many seconds from then on."""

ZONES = f"""
CREATE TABLE data.zones AS SELECT x * 40 + y AS id, 'zone ' || (x % 8) AS region,
  ST_MakeEnvelope({WEST} + x * 0.25, {SOUTH} + y * 0.25, {WEST} + (x + 1) * 0.25, {SOUTH} + (y + 1) * 0.25, 4326)
    ::geometry(Polygon, 4326) AS geom
FROM generate_series(0, 39) AS x, generate_series(0, 39) AS y
"""
POINTS = """
CREATE TABLE data.{name} (
  id bigint, at timestamptz, hour integer, value double precision, geom geometry(Point, 4326)
)
"""


WKB = np.dtype([("order", "u1"), ("kind", "<u4"), ("x", "<f8"), ("y", "<f8")])
"""A point as well-known binary."""
COPIED = np.dtype(
    [
        ("fields", ">i2"),
        *[
            each
            for name, kind in (("id", ">i8"), ("at", ">i8"), ("hour", ">i4"), ("value", ">f8"))
            for each in ((f"{name}_size", ">i4"), (name, kind))
        ],
        ("geom_size", ">i4"),
        ("order", "u1"),
        ("kind", "<u4"),
        ("srid", "<u4"),
        ("x", "<f8"),
        ("y", "<f8"),
    ]
)
"""A row of the table in PostgreSQL's binary format of COPY."""
COPY_HEADER, COPY_END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
WITH_SRID = 0x20000000
POSTGRES_EPOCH = np.datetime64("2000-01-01", "us")


def write_pings(
    folder: Path, rows: int, note: int = 0, progress: Callable[[int], None] | None = None
) -> list[Path]:
    """A GeoParquet dataset of `rows` points: their longitudes rise from file to file. `note` adds a column of texts
    with so many random letters. `progress` hears of the rows that were written."""
    folder.mkdir(parents=True)
    files = max(1, -(-rows // FILE_ROWS))

    def write(number: int) -> None:
        first, last = rows * number // files, rows * (number + 1) // files
        share = number / files, (number + 1) / files
        _write(folder / f"part-{number:03}.parquet", first, last, share, note)
        if progress is not None:
            progress(last - first)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(write, range(files)))
    return sorted(folder.iterdir())


def _write(file: Path, first: int, last: int, share: tuple[float, float], note: int) -> None:
    random = np.random.default_rng(first)
    west, east = (WEST + SIDE * each for each in share)
    described = {
        "version": "1.1.0",
        "primary_column": "geometry",
        "columns": {
            "geometry": {
                "encoding": "WKB",
                "geometry_types": ["Point"],
                "bbox": [west, SOUTH, east, SOUTH + SIDE],
            }
        },
    }
    schema = pa.schema(
        {
            "id": pa.int64(),
            "at": pa.timestamp("us", "UTC"),
            "hour": pa.int32(),
            "value": pa.float64(),
            "geometry": pa.binary(),
        },
        {"geo": json.dumps(described)},
    )
    if note:
        schema = schema.insert(4, pa.field("note", pa.string()))
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(first, last, PIECE):
            count = min(PIECE, last - start)
            points = np.empty(count, WKB)
            points["order"], points["kind"] = 1, 1
            points["x"] = random.uniform(west, east, count)
            points["y"] = random.uniform(SOUTH, SOUTH + SIDE, count)
            seconds = random.integers(0, SECONDS, count)
            arrays = [
                np.arange(start, start + count),
                pa.array(START + seconds.astype("timedelta64[s]")).cast(schema.field("at").type),
                (seconds // 3600 % 24).astype(np.int32),
                random.normal(100, 20, count),
                *([_letters(random, count, note)] if note else []),
                _pieces(points.tobytes(), WKB.itemsize, pa.binary()),
            ]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=GROUP_ROWS)


def _letters(random: np.random.Generator, count: int, length: int) -> pa.Array:
    letters = random.integers(ord("a"), ord("z") + 1, count * length, dtype=np.uint8)
    return _pieces(letters.tobytes(), length, pa.string())


def _pieces(content: bytes, size: int, kind: pa.DataType) -> pa.Array:
    """Values of one size, one behind the other."""
    count = len(content) // size
    ends = np.arange(count + 1, dtype=np.int32) * size
    return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(ends), pa.py_buffer(content)])


def write_zones(file: Path) -> None:
    """The zones as GeoJSON, to be uploaded."""
    features = [
        {
            "type": "Feature",
            "properties": {"name": f"zone {x}-{y}", "region": f"region {x % 8}"},
            "geometry": shapely.geometry.mapping(
                shapely.box(WEST + x / 4, SOUTH + y / 4, WEST + (x + 1) / 4, SOUTH + (y + 1) / 4)
            ),
        }
        for x in range(40)
        for y in range(40)
    ]
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))


async def load_pings(
    connection: asyncpg.Connection,
    files: Sequence[Path],
    name: str,
    progress: Callable[[int], None] | None = None,
) -> None:
    """The rows of files as `data.<name>`, with key, index and statistics. `progress` hears of the rows that were
    copied."""
    await connection.execute(POINTS.format(name=name))
    await connection.copy_to_table(name, schema_name="data", source=_copied(files, progress), format="binary")
    await connection.execute("SET maintenance_work_mem = '1GB'")
    await connection.execute(f"ALTER TABLE data.{name} ADD PRIMARY KEY (id)")
    await connection.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
    await connection.execute(f"VACUUM ANALYZE data.{name}")


async def _copied(files: Sequence[Path], progress: Callable[[int], None] | None) -> AsyncIterator[bytes]:
    yield COPY_HEADER
    for file in files:
        with pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(PIECE):
                yield await asyncio.to_thread(lambda batch=batch: _binary_rows(batch).tobytes())
                if progress is not None:
                    progress(batch.num_rows)
    yield COPY_END


def _binary_rows(batch: pa.RecordBatch) -> npt.NDArray[np.void]:
    rows = np.zeros(batch.num_rows, COPIED)
    rows["fields"] = 5
    times = batch.column("at").cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
    since = (times - POSTGRES_EPOCH).astype(np.int64)
    columns = [batch.column(name).to_numpy() for name in ("id", "hour", "value")]
    for name, values in zip(("id", "hour", "value", "at"), (*columns, since), strict=True):
        rows[name], rows[f"{name}_size"] = values, COPIED[name].itemsize
    points = np.frombuffer(b"".join(batch.column("geometry").to_pylist()), WKB)
    rows["geom_size"], rows["order"], rows["kind"], rows["srid"] = WKB.itemsize + 4, 1, WITH_SRID | 1, 4326
    rows["x"], rows["y"] = points["x"], points["y"]
    return rows


def highest(files: Sequence[Path], count: int) -> list[tuple[int, float]]:
    """Hour and value of the highest values of each hour."""
    found: dict[int, list[float]] = {}
    for file in files:
        rows = pq.read_table(file, columns=["hour", "value"])
        for hour in range(24):
            values = rows.filter(pc.field("hour") == hour)["value"].to_numpy()
            best = np.concatenate([found.get(hour, []), values])
            found[hour] = np.sort(best)[-count:].tolist()
    return sorted((hour, value) for hour, values in found.items() for value in values)
