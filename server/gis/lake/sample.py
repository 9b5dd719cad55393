"""Rows for the table that stands for a dataset in PostGIS: evenly from all row groups, at random within each.

Row groups are visited in an order that covers the dataset evenly however early it ends, so that a dataset that takes
too long to read still has a sample of all its parts. The same dataset gives the same sample.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from server.gis.lake.dataset import Dataset, LakeFile
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.rows import read_rows

SAMPLE_ROWS = 200_000
READ_SECONDS = 600.0
"""A sample without some row groups leaves gaps on the map, where the dataset is sorted by place."""
READERS = 4
BATCH_ROWS = 5_000


@dataclass
class Sampled:
    """How much was read so far."""

    rows: int = 0
    groups: int = 0
    groups_in_all: int = 0

    @property
    def is_complete(self) -> bool:
        return self.groups == self.groups_in_all


@dataclass(frozen=True)
class _Group:
    file: LakeFile
    number: int
    rows: int
    metadata: pq.FileMetaData
    """Of the file: reading it again for each group would take longer than the rows."""


def sample(
    dataset: Dataset, sampled: Sampled, rows: int = SAMPLE_ROWS, seconds: float = READ_SECONDS
) -> Iterator[pa.RecordBatch]:
    """Batches with the dataset's columns in their order, under their names in PostGIS. Raises NoLakeTable."""
    groups = _groups(dataset)
    sampled.groups_in_all = len(groups)
    share = min(1.0, rows / dataset.rows)
    generator = np.random.default_rng(1)
    started = time.monotonic()
    order = _spread(len(groups))
    with ThreadPoolExecutor(READERS) as pool:
        for start in range(0, len(order), READERS):
            if sampled.groups and time.monotonic() - started > seconds:
                return
            wave = [groups[place] for place in order[start : start + READERS]]
            chosen = [_chosen(group.rows, share, generator) for group in wave]
            sampled.groups += len(wave)
            for table in pool.map(_read, [dataset] * len(wave), wave, chosen):
                sampled.rows += len(table)
                yield from table.to_batches(BATCH_ROWS)


def _groups(dataset: Dataset) -> list[_Group]:
    found = []
    for file in dataset.files:
        try:
            metadata = pq.read_metadata(dataset.path_of(file))
        except (pa.ArrowException, OSError) as error:
            raise NoLakeTable(f"{file.path or dataset.root} cannot be read: {str(error)[:200]}") from error
        sizes = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        found += [_Group(file, number, size, metadata) for number, size in enumerate(sizes) if size]
    return found


def _spread(count: int) -> Sequence[int]:
    """All numbers below `count`, each far from those shortly before it: by their reversed bits."""
    bits = max(1, (count - 1).bit_length())
    reversed_bits = (int(f"{number:0{bits}b}"[::-1], 2) for number in range(1 << bits))
    return [number for number in reversed_bits if number < count]


def _chosen(rows: int, share: float, generator: np.random.Generator) -> np.ndarray:
    """Row numbers, one at random from each of equally long stretches."""
    if share >= 1:
        return np.arange(rows)
    exact = rows * share
    count = int(exact) + int(generator.random() < exact - int(exact))
    return np.unique(((np.arange(count) + generator.random(count)) * (rows / max(1, count))).astype(np.int64))


def _read(dataset: Dataset, group: _Group, chosen: np.ndarray) -> pa.Table:
    try:
        return read_rows(dataset, group.file, group.metadata, group.number, chosen)
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(f"{group.file.path or dataset.root} is damaged: {str(error)[:200]}") from error
