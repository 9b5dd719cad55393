"""What Spark reads under a name: a table that was copied for a step, or the Parquet files of a lake table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from server.gis.lake.columns import spark_value
from server.gis.lake.dataset import KEY, Dataset, LakeFile, plain_type
from server.gis.lake.ranges import Box
from server.gis.spark.names import ROW, backticked


@dataclass(frozen=True)
class FilesView:
    """Columns (SQL expressions) of Parquet files; rows that do not meet `condition` may be left out."""

    files: Sequence[str]
    root: str | None
    """The folder from which on the names of folders are columns."""
    columns: Sequence[str]
    condition: str | None
    rows: int
    """In these files, before the condition."""
    schema: str | None = None
    """The columns of the files with their types, where they are known: Spark then reads no file to learn them, which
    takes two jobs for each view."""
    copied: int | None = None
    """Bytes that were copied for the step, of files at addresses."""


def needed_files(dataset: Dataset, box: Box | None = None) -> Sequence[LakeFile]:
    """The files that may have a shape in the box (in the dataset's reference system); at least one, from which
    Spark learns the columns."""
    chosen = [file for file in dataset.files if file.rows and (box is None or file.may_meet(box))]
    return chosen or [max(dataset.files, key=lambda file: file.rows)]


def lake_view(dataset: Dataset, box: Box | None = None) -> FilesView:
    """All columns of a dataset as its table has them; with `box` (in its reference system), only files and row groups
    that may have a shape there."""
    chosen = needed_files(dataset, box)
    columns = [
        f"{_shape(dataset) if column.is_geometry else spark_value(column, backticked(column.source))}"
        f" AS {backticked(column.name)}"
        for column in dataset.columns
    ]
    # The file and the place in it, whatever order and how many tasks the files are read in.
    columns.append(f"struct(xxhash64(_metadata.file_path) AS file, _metadata.row_index AS place) AS {ROW}")
    # The key of the sample has no meaning for other rows; here it only puts rows of equal rank in an order.
    columns.append(f"xxhash64(_metadata.file_path, _metadata.row_index) AS {KEY}")
    is_partitioned = any(column.is_partition for column in dataset.columns)
    return FilesView(
        [as_pattern(dataset.location_of(file)) for file in chosen],
        dataset.root if is_partitioned else None,
        columns,
        None if box is None else _covering(dataset, box),
        sum(file.rows for file in chosen),
    )


def _shape(dataset: Dataset) -> str:
    facts = dataset.geometry
    assert facts is not None  # noqa: S101 - the column is a geometry
    shape = f"ST_GeomFromWKB({backticked(facts.name)})"
    if not facts.types or any(plain_type(name)[1] for name in facts.types):
        shape = f"ST_Force_2D({shape})"
    if (dataset.geometry_type or "").startswith("MULTI"):
        shape = f"ST_Multi({shape})"
    return f"ST_SetSRID({shape}, {dataset.srid})"


def _covering(dataset: Dataset, box: Box) -> str | None:
    """A condition on the boxes of rows, by which Spark leaves out whole row groups."""
    covering = dataset.geometry.covering if dataset.geometry is not None else {}
    if not covering:
        return None
    sides = {side: ".".join(map(backticked, path)) for side, path in covering.items()}
    west, south, east, north = (f"{float(side)!r}D" for side in box)
    across = f"{sides['xmin']} > {sides['xmax']}"
    beside = f"({sides['xmin']} <= {east} AND {sides['xmax']} >= {west})"
    if box[0] > box[2]:
        beside = "true"
    return f"({beside} OR {across}) AND {sides['ymin']} <= {north} AND {sides['ymax']} >= {south}"


def as_pattern(path: str) -> str:
    """A path as Spark takes it, for which a path is a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)
