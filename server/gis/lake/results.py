"""Results of Spark that are too many rows for PostGIS stay GeoParquet; the table of such a result holds a sample.

Each result has its own folder, named after its table. Folders of dropped tables are removed by `sweep`."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.worded import Template
from server.database.engines import driver_of
from server.database.quoting import quoted
from server.gis.errors import TooExpensive
from server.gis.expressions.identifiers import base_type
from server.gis.lake import store
from server.gis.lake.bounds import lonlat_bounds
from server.gis.lake.dataset import Dataset
from server.gis.lake.sample import Sampled, sample
from server.gis.lake.storage import LakeStorage
from server.gis.reading.copy_rows import copy_rows

NO_SPACE = Template(
    "lake_no_space",
    "The result is too large for PostGIS, and there is no space left for it in the lake (GEOAGENT_LAKE_SPACE). Filter"
    " the inputs, aggregate first, or drop results that are not needed.",
)


log = structlog.get_logger(__name__)

BATCH_ROWS = 100_000
UNDER_WAY_S = 6 * 3600.0
"""Time for which a folder without a table may belong to a step that is not finished."""


@dataclass(frozen=True)
class LakeResults:
    """`folder` holds them all, at most `space` bytes of them."""

    folder: Path
    space: int

    async def keep(
        self,
        connection: AsyncConnection,
        written: Path,
        schema: str,
        name: str,
        types: Mapping[str, str],
        shape: tuple[str, int] | None,
    ) -> int:
        """Keep what Spark wrote as the rows of a table that is there, empty; returns how many. `types` are declared by
        the table, `shape` is the type and SRID of its geometry. In the transaction that makes the table. Raises
        TooExpensive where there is no space."""
        target = self.folder / name
        try:
            await asyncio.to_thread(self._convert, written, target, types, shape)
            storage = LakeStorage([self.folder])
            dataset = await asyncio.to_thread(lambda: storage.dataset(storage.find(str(target))))
            if shape is not None:
                dataset = dataset.model_copy(update={"geometry_type": shape[0].upper(), "srid": shape[1]})
            sampled = Sampled()
            batches = await asyncio.to_thread(lambda: list(sample(storage.reader(dataset), sampled)))
            driver = await driver_of(connection)
            await driver.copy_to_table(
                name,
                schema_name=schema,
                columns=[column.name for column in dataset.columns],
                source=_pieces(dataset, batches),
                format="csv",
            )
            bounds = None if shape is None else await lonlat_bounds(driver, dataset)
            await store.keep(connection, quoted(schema, name), dataset, sampled.rows, bounds)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, target, ignore_errors=True))
            raise
        return dataset.rows

    async def forget(self, name: str) -> None:
        """Remove the files of a result whose table was dropped."""
        await asyncio.to_thread(shutil.rmtree, self.folder / name, ignore_errors=True)

    async def sweep(self, owner: AsyncEngine, schema: str) -> None:
        """Remove folders whose tables are gone."""
        if not self.folder.is_dir():
            return
        folders = [
            each for each in await asyncio.to_thread(lambda: list(self.folder.iterdir())) if each.is_dir()
        ]
        async with owner.connect() as connection:
            found = await connection.execute(
                text("SELECT relname FROM pg_class WHERE relnamespace = CAST(:schema AS regnamespace)"),
                {"schema": quoted(schema)},
            )
            there = set(found.scalars())
        for folder in folders:
            if folder.name not in there and folder.stat().st_mtime < time.time() - UNDER_WAY_S:
                log.info("the files of a dropped result are removed", result=folder.name)
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    def _convert(
        self, written: Path, target: Path, types: Mapping[str, str], shape: tuple[str, int] | None
    ) -> None:
        """Spark wrote geometries as EWKB in hexadecimal digits and times as texts, for COPY."""
        parts = sorted(written.glob("part-*.parquet"))
        used = (
            sum(file.stat().st_size for file in self.folder.rglob("*.parquet")) if self.folder.is_dir() else 0
        )
        if used + sum(file.stat().st_size for file in parts) > self.space:
            raise TooExpensive(NO_SPACE())
        target.mkdir(parents=True)
        for number, part in enumerate(parts):
            if pq.read_metadata(part).num_rows:
                _write(part, target / f"part-{number:05}.parquet", types, shape)


def _write(part: Path, file: Path, types: Mapping[str, str], shape: tuple[str, int] | None) -> None:
    geometry = next((name for name, declared in types.items() if base_type(declared) == "geometry"), None)
    writer: pq.ParquetWriter | None = None
    box: list[float] | None = None
    with pq.ParquetFile(part) as opened:
        for batch in opened.iter_batches(BATCH_ROWS):
            arrays = []
            for name, declared in types.items():
                column = batch.column(batch.schema.get_field_index(name))
                if name == geometry:
                    column, here = _shapes(column)
                    box = here if box is None else _around(box, here)
                else:
                    column = _typed(column, base_type(declared))
                arrays.append(column)
            made = pa.table(arrays, names=list(types))
            writer = writer or pq.ParquetWriter(file, made.schema, compression="zstd")
            writer.write_table(made)
    if writer is not None:
        if geometry is not None and shape is not None:
            writer.add_key_value_metadata({"geo": _described(geometry, shape, box)})
        writer.close()


def _shapes(column: pa.Array) -> tuple[pa.Array, list[float] | None]:
    shapes = shapely.from_wkb(column.to_numpy(zero_copy_only=False))
    bounds = [float(side) for side in shapely.total_bounds(shapes)]
    wkb = pa.array(shapely.to_wkb(shapes, include_srid=False), pa.binary())
    return wkb, None if np.isnan(bounds).any() else bounds


def _typed(column: pa.Array, kind: str) -> pa.Array:
    if kind == "date":
        return column.cast(pa.date32())
    if kind.startswith("timestamp"):
        moments = column.cast(pa.timestamp("us"))
        return pc.assume_timezone(moments, "UTC") if kind.endswith("with time zone") else moments
    return column


def _around(one: Sequence[float], other: Sequence[float] | None) -> list[float]:
    if other is None:
        return list(one)
    return [min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])]


def _described(geometry: str, shape: tuple[str, int], box: Sequence[float] | None) -> str:
    kinds = {
        "POINT": ["Point"],
        "MULTIPOINT": ["MultiPoint"],
        "LINESTRING": ["LineString"],
        "MULTILINESTRING": ["MultiLineString"],
        "POLYGON": ["Polygon"],
        "MULTIPOLYGON": ["MultiPolygon"],
    }
    column: dict[str, Any] = {"encoding": "WKB", "geometry_types": kinds.get(shape[0].upper(), [])}
    if shape[1] != 4326:
        import pyproj  # opens a database file, which few results need

        try:
            column["crs"] = pyproj.CRS.from_epsg(shape[1]).to_json_dict()
        except pyproj.exceptions.CRSError:
            column["crs"] = None  # A system of this database's own; the registry knows it.
    if box is not None:
        column["bbox"] = list(box)
    return json.dumps({"version": "1.1.0", "primary_column": geometry, "columns": {geometry: column}})


async def _pieces(dataset: Dataset, batches: Sequence[pa.RecordBatch]) -> AsyncIterator[bytes]:
    place = next((n for n, column in enumerate(dataset.columns) if column.is_geometry), None)
    for batch in batches:
        arrays = list(batch.columns)
        if place is not None:
            shapes = shapely.from_wkb(arrays[place].to_numpy(zero_copy_only=False))
            with_system = shapely.to_wkb(shapely.set_srid(shapes, dataset.srid), include_srid=True)
            arrays[place] = pa.array(with_system, pa.binary())
        made = pa.record_batch(arrays, names=[str(number) for number in range(len(arrays))])
        piece, _ = await asyncio.to_thread(copy_rows, made, place)
        yield piece
