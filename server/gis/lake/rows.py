"""Rows of one row group of a dataset, with the columns of its table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from server.gis.lake.dataset import Dataset, LakeFile


def read_rows(
    dataset: Dataset, file: LakeFile, metadata: pq.FileMetaData, group: int, chosen: np.ndarray
) -> pa.Table:
    """Those of the numbers `chosen`: all columns of the dataset in their order, under their names in PostGIS, shapes
    as WKB. Raises pyarrow's errors and OSError."""
    stored = [column.source for column in dataset.columns if not column.is_partition]
    with pq.ParquetFile(dataset.path_of(file), metadata=metadata) as opened:
        table = opened.read_row_group(group, columns=stored).take(pa.array(chosen))
    arrays: list[Any] = []
    for column in dataset.columns:
        if column.is_partition:
            arrays.append(pa.array([file.parts[column.source]] * len(table), pa.string()))
        else:
            values = table.column(column.source)
            arrays.append(values.cast(pa.binary()) if column.is_geometry else values)
    return pa.table(arrays, names=[column.name for column in dataset.columns])
