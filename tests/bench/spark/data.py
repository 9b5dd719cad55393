"""The same points as GeoParquet and in PostGIS: `pings` around 1,600 zones, in files sorted by place."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import Path

import asyncpg
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from pyarrow import csv

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


def write_pings(folder: Path, rows: int, note: int = 0) -> list[Path]:
    """A GeoParquet dataset of `rows` points: their longitudes rise from file to file. `note` adds a column of texts
    with so many random letters."""
    folder.mkdir(parents=True)
    files = max(1, -(-rows // FILE_ROWS))
    for number in range(files):
        first, last = rows * number // files, rows * (number + 1) // files
        _write(
            folder / f"part-{number:03}.parquet", first, last, (number / files, (number + 1) / files), note
        )
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
            points = shapely.points(
                random.uniform(west, east, count), random.uniform(SOUTH, SOUTH + SIDE, count)
            )
            seconds = random.integers(0, SECONDS, count)
            arrays = [
                np.arange(start, start + count),
                pa.array(START + seconds.astype("timedelta64[s]")).cast(schema.field("at").type),
                (seconds // 3600 % 24).astype(np.int32),
                random.normal(100, 20, count),
                *([_letters(random, count, note)] if note else []),
                shapely.to_wkb(points),
            ]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=GROUP_ROWS)


def _letters(random: np.random.Generator, count: int, length: int) -> pa.Array:
    letters = random.integers(ord("a"), ord("z") + 1, count * length, dtype=np.uint8)
    ends = np.arange(count + 1, dtype=np.int32) * length
    return pa.StringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(letters))


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


async def load_pings(connection: asyncpg.Connection, files: Sequence[Path], name: str) -> None:
    """The rows of files as `data.<name>`, with key, index and statistics."""
    await connection.execute(POINTS.format(name=name))
    for file in files:
        with pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(PIECE):
                shapes = shapely.from_wkb(batch.column("geometry").to_numpy(zero_copy_only=False))
                hexed = shapely.to_wkb(shapely.set_srid(shapes, 4326), hex=True, include_srid=True)
                rows = pa.table([*batch.columns[:4], pa.array(hexed)], ["id", "at", "hour", "value", "geom"])
                written = BytesIO()
                csv.write_csv(rows, written, csv.WriteOptions(include_header=False))
                await connection.copy_to_table(
                    name,
                    schema_name="data",
                    source=_whole(written.getvalue()),
                    columns=rows.column_names,
                    format="csv",
                )
    await connection.execute(f"ALTER TABLE data.{name} ADD PRIMARY KEY (id)")
    await connection.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
    await connection.execute(f"VACUUM ANALYZE data.{name}")


async def _whole(content: bytes) -> AsyncIterator[bytes]:
    yield content


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
