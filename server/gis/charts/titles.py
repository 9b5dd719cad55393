"""Titles of charts, and notes about rows that a chart does not show. Pure functions."""

from __future__ import annotations

from agents.charts import ChartData
from agents.domain import LakeSource
from server.gis.charts.question import Question

UNITS = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "ft", "mi", "ha", "kg")},
    "m2": "m²",
    "km2": "km²",
    "m3": "m³",
    "pct": "%",
    "percent": "%",
}
"""By the last word of a column's name; `web/src/data/titles.ts` has the same."""
HOW = {"sum": "Total", "mean": "Mean", "median": "Median", "minimum": "Least", "maximum": "Greatest"}


def title_of(asked: Question, data: ChartData) -> str:
    """`Mean elevation (m) by continent`, `Airports by elevation (m)`."""
    of = asked.table.name.replace("_", " ")
    x, y = (column_title(column.name) if column else "" for column in (asked.x, asked.y))
    match asked.kind:
        case "bar" | "line":
            what = f"{HOW[asked.aggregate]} {y}" if asked.aggregate in HOW else f"Number of {of}"
            title = f"{what} by {x}"
        case "histogram":
            title = f"{of.capitalize()} by {x}"
        case "scatter":
            title = f"{y.capitalize()} against {x}"
        case _:
            title = f"{y.capitalize()} by {x}" if x else y.capitalize()
    return f"{title}, by {column_title(asked.color.name)}" if asked.color else title


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


def column_title(name: str) -> str:
    """The name of a column as words, with the unit that it ends with: `elevation (m)` for `elevation_m`."""
    *words, ending = name.split("_")
    unit = UNITS.get(ending.lower()) if words else None
    return name.replace("_", " ") if unit is None else f"{' '.join(words)} ({unit})"
