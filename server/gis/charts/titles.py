"""Notes about rows that a chart does not show."""

from __future__ import annotations

from agents.domain import LakeSource
from agents.worded import Template, joined

NO_ROW = Template("chart_no_row", "No row passes the filter.")
ONLY = Template("chart_only", "Only {sample}")
CHOSEN = Template("chart_chosen", "{n} of {total} rows, evenly chosen")
NO_VALUE = Template("chart_no_value", "{n} of {total} rows {n|one=has|other=have} no value")


def note_of(rows: int, usable: int, shown: int, lake: LakeSource | None = None) -> str:
    """`usable` rows have all values that a point needs; `shown` of them are drawn."""
    if rows == 0:
        return NO_ROW()
    parts = [ONLY(sample=lake.words)] if lake is not None and lake.is_sampled else []
    if shown < usable:
        parts.append(CHOSEN(n=shown, total=usable))
    if usable < rows:
        parts.append(NO_VALUE(n=rows - usable, total=rows))
    return joined("; ", parts)
