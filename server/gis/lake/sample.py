"""Rows for the table that represents a dataset in PostGIS: evenly from all row groups, at random within each.

Row groups are visited in an order that covers the dataset evenly however early it ends, so that a dataset that takes
too long to read still has a sample of all its parts. The same dataset gives the same sample."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from agents.worded import Template
from server.gis.lake.dataset import LakeFile
from server.gis.lake.errors import FilesChanged, NoLakeTable, OutOfAllowance
from server.gis.lake.storage import DatasetReader

FILE_UNREADABLE = Template("lake_file_unreadable", "{file} cannot be read: {why}")
NOT_READ = Template("lake_not_read", "{file} was not read to the end: {why}.")
DAMAGED = Template("lake_damaged", "{file} is damaged: {why}")


SAMPLE_ROWS = 200_000
READ_SECONDS = 600.0
"""A sample without some row groups leaves gaps on the map, where the dataset is sorted by place."""
REMOTE_BYTES = 256 * 1024**2
"""Limit for a dataset at an address: some 20 seconds at 100 Mbit/s."""
REMOTE_FILES = 100
"""Files of such a dataset that the sample is from: the metadata of each are another answer to wait for."""
READERS = 4
BATCH_ROWS = 5_000


@dataclass(frozen=True)
class SampleLimits:
    """How many rows are wanted, and what reading them may take."""

    rows: int = SAMPLE_ROWS
    seconds: float = READ_SECONDS
    remote_bytes: int = REMOTE_BYTES
    """Limit for a dataset at an address."""


@dataclass
class Sampled:
    """How much was read so far."""

    rows: int = 0
    read: int = 0
    """Rows of the row groups that the sample is from."""


@dataclass(frozen=True)
class _Group:
    file: LakeFile
    number: int
    rows: int


def sample(
    reader: DatasetReader, sampled: Sampled, limits: SampleLimits | None = None
) -> Iterator[pa.RecordBatch]:
    """Batches with the dataset's columns in their order, under their names in PostGIS. Raises NoLakeTable."""
    limits = limits or SampleLimits()
    groups = _remote_groups(reader, limits.remote_bytes) if reader.is_remote else _groups(reader)
    share = min(1.0, limits.rows / max(1, sum(group.rows for group in groups)))
    generator = np.random.default_rng(1)
    started = time.monotonic()
    with ThreadPoolExecutor(READERS) as pool:
        for start in range(0, len(groups), READERS):
            if sampled.read and time.monotonic() - started > limits.seconds:
                return
            wave = groups[start : start + READERS]
            chosen = [_chosen(group.rows, share, generator) for group in wave]
            for group, table in zip(wave, pool.map(_read, [reader] * len(wave), wave, chosen), strict=True):
                sampled.read += group.rows
                sampled.rows += len(table)
                yield from table.to_batches(BATCH_ROWS)


def _groups(reader: DatasetReader) -> list[_Group]:
    """All row groups, each far from those shortly before it."""
    found = [group for file in reader.dataset.files for group in _groups_of(reader, file)]
    return [found[place] for place in _spread(len(found))]


def _remote_groups(reader: DatasetReader, size: int) -> list[_Group]:
    """Some row groups, from all parts of the dataset, that take at most so many bytes, but one at least."""
    files = [file for file in reader.dataset.files if file.rows]
    some = [files[place] for place in _spread(len(files))[:REMOTE_FILES]]
    groups = [group for file in some for group in _groups_of(reader, file)]
    columns = set(reader.dataset.stored)
    found: list[_Group] = []
    for place in _spread(len(groups)):
        size -= reader.bytes_of(groups[place].file, groups[place].number, columns)
        if size < 0 and found:
            break
        found.append(groups[place])
    return found


def _groups_of(reader: DatasetReader, file: LakeFile) -> Iterator[_Group]:
    try:
        metadata = reader.footer(file)
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(FILE_UNREADABLE(file=_name(reader, file), why=str(error)[:200])) from error
    for number in range(metadata.num_row_groups):
        if rows := metadata.row_group(number).num_rows:
            yield _Group(file, number, rows)


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


def _read(reader: DatasetReader, group: _Group, chosen: np.ndarray) -> pa.Table:
    try:
        return reader.rows(group.file, group.number, chosen)
    except (FilesChanged, OutOfAllowance) as error:
        raise NoLakeTable(NOT_READ(file=_name(reader, group.file), why=str(error))) from error
    except (pa.ArrowException, OSError) as error:
        raise NoLakeTable(DAMAGED(file=_name(reader, group.file), why=str(error)[:200])) from error


def _name(reader: DatasetReader, file: LakeFile) -> str:
    return file.path or reader.dataset.root
