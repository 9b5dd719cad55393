"""One Parquet file, whatever it is read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs


@dataclass(frozen=True)
class ParquetSource:
    """A path of this machine or of a file system of Arrow, or a Python file. All raise Arrow's errors and OSError."""

    file: Any
    system: fs.FileSystem | None = None

    def footer(self) -> pq.FileMetaData:
        """The metadata at the end of the file, which are read at the first call."""
        return pq.read_metadata(self.file) if self.system is None else self.fragment.metadata

    def read(
        self, columns: Sequence[str], group: int | None = None, metadata: pq.FileMetaData | None = None
    ) -> pa.Table:
        """Columns of a row group, or of all. For `bbox.xmin`, the result may include the other fields of `bbox`.
        `metadata` are those of the file, if they are known."""
        if self.system is not None:
            fragment = self.fragment if group is None else self.fragment.subset(row_group_ids=[group])
            return fragment.to_table(columns=list(dict.fromkeys(name.partition(".")[0] for name in columns)))
        with pq.ParquetFile(
            self.file, metadata=metadata, pre_buffer=not isinstance(self.file, str)
        ) as opened:
            return opened.read(columns) if group is None else opened.read_row_group(group, columns=columns)

    @cached_property
    def fragment(self) -> Any:
        """The file for Arrow, which leaves out row groups by their statistics and keeps the metadata."""
        from pyarrow import dataset as arrow_dataset  # loads pandas

        format_ = arrow_dataset.ParquetFileFormat()
        if self.system is not None:
            return format_.make_fragment(self.file, filesystem=self.system)
        if isinstance(self.file, str):
            return format_.make_fragment(self.file, filesystem=fs.LocalFileSystem())
        return format_.make_fragment(pa.PythonFile(self.file, mode="r"))
