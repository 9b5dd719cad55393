"""Where the rows of one row group lie: read from its covering columns, else from its shapes, without making shapes of
points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import shapely

from server.gis.lake.dataset import GeometryFacts, LakeFile
from server.gis.lake.ranges import Box, meeting
from server.gis.lake.storage import DatasetReader

POINT_BYTES = 21
"""Size of a point in WKB: byte order, type, two coordinates."""
SIDES = ("xmin", "ymin", "xmax", "ymax")


@dataclass(frozen=True)
class Places:
    """`sides` has two columns for points (x, y), else four (west, south, east, north); NaN where nothing is."""

    sides: np.ndarray

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        return int(self.sides.nbytes)

    def within(self, box: Box) -> np.ndarray:
        """Numbers of the rows that may lie in a box."""
        found = meeting(self.sides, box)
        return np.compress(~np.isnan(self.sides[found, 0]), found)


def read_places(reader: DatasetReader, file: LakeFile, group: int, geometry: GeometryFacts) -> Places:
    """The places of the rows of a row group. Raises pyarrow's and shapely's errors where the file is damaged."""
    if set(SIDES) <= geometry.covering.keys():
        paths = [geometry.covering[side] for side in SIDES]
        table = reader.read(file, group, [".".join(path) for path in paths])
        return Places(np.column_stack([_numbers(table, path) for path in paths]))
    column = reader.read(file, group, [geometry.name]).column(0).combine_chunks()
    wkb = column.cast(pa.large_binary())
    points = _points(wkb) if geometry.types == ("Point",) else None
    if points is None:
        points = shapely.bounds(shapely.from_wkb(wkb.to_numpy(zero_copy_only=False)))
    return Places(points)


def _numbers(table: pa.Table, path: tuple[str, ...]) -> np.ndarray:
    values = table.column(path[0]).combine_chunks()
    for name in path[1:]:
        values = pa.compute.struct_field(values, name)
    return np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)


def _points(wkb: pa.LargeBinaryArray) -> np.ndarray | None:
    """Coordinates as they are in WKB; None unless all are plain little-endian points."""
    _, offsets_buffer, data_buffer = wkb.buffers()
    if data_buffer is None:
        return np.full((len(wkb), 2), np.nan)
    offsets = np.frombuffer(offsets_buffer, np.int64)[wkb.offset : wkb.offset + len(wkb) + 1]
    lengths, data = np.diff(offsets), np.frombuffer(data_buffer, np.uint8)
    there = lengths > 0
    if not np.all(lengths[there] == POINT_BYTES):
        return None
    rows = data[offsets[0] : offsets[-1]].reshape(-1, POINT_BYTES)
    if not np.all(rows[:, :5] == (1, 1, 0, 0, 0)):
        return None
    found = np.full((len(wkb), 2), np.nan)
    found[there] = np.ascontiguousarray(rows[:, 5:]).view("<f8")
    return found
