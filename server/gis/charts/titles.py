"""Notes about rows that a chart does not show."""

from __future__ import annotations

from agents.domain import LakeSource


def note_of(rows: int, usable: int, shown: int, lake: LakeSource | None = None) -> str:
    """`usable` rows have all values that a point needs; `shown` of them are drawn."""
    if rows == 0:
        return "No row passes the filter."
    parts = [f"Only {lake.words}"] if lake is not None and lake.is_sampled else []
    if shown < usable:
        parts.append(f"{shown:,} of {usable:,} rows, evenly chosen")
    if usable < rows:
        parts.append(f"{rows - usable:,} of {rows:,} rows have no value")
    return "; ".join(parts)
