"""The result of registering a dataset as a lake table."""

from __future__ import annotations

from agents.domain import Bounds, Value


class LakeAdded(Value):
    """A table whose rows remain in Parquet files; PostGIS has a sample of them."""

    table: str
    rows: int
    files: int
    sample_rows: int
    geometry: str | None = None
    srid: int | None = None
    columns: tuple[str, ...] = ()
    bounds: Bounds | None = None
    """Longitude and latitude."""
    remarks: tuple[str, ...] = ()
