"""Default titles of charts: what is drawn, with columns as words. Pure functions."""

from __future__ import annotations

from agents.charts import Chart
from agents.worded import Template, Worded

UNITS = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "ft", "mi", "ha", "kg")},
    "m2": "m²",
    "km2": "km²",
    "m3": "m³",
    "pct": "%",
    "percent": "%",
}
"""Units by the last word of a column's name; `web/src/data/titles.ts` has the same."""
FIGURE_BY = {
    code: Template(f"chart_{code}_by", f"{word} {{y}} by {{x}}")
    for code, word in (
        ("sum", "Total"), ("mean", "Mean"), ("median", "Median"), ("minimum", "Least"), ("maximum", "Greatest"),
    )
}  # fmt: skip
COUNT_BY = Template("chart_count_by", "Number of {rows} by {x}")
ROWS_BY = Template("chart_rows_by", "{rows} by {x}")
AGAINST = Template("chart_against", "{y} against {x}")
VALUES_BY = Template("chart_values_by", "{y} by {x}")
COLOURED = Template("chart_coloured", "{title}, by {color}")


def chart_title(chart: Chart) -> str:
    """The title that was chosen, else `Mean elevation (m) by continent`, `Airports by elevation (m)`."""
    if chart.titled:
        return chart.title
    rows = chart.table.rpartition(".")[2].replace("_", " ")
    x, y = (column_title(column) if column else "" for column in (chart.x, chart.y))
    match chart.kind:
        case "bar" | "line" if chart.aggregate in FIGURE_BY:
            title = FIGURE_BY[chart.aggregate](y=y, x=x)
        case "bar" | "line":
            title = COUNT_BY(rows=rows, x=x)
        case "histogram":
            title = ROWS_BY(rows=rows.capitalize(), x=x)
        case "scatter":
            title = AGAINST(y=y.capitalize(), x=x)
        case _:
            title = VALUES_BY(y=y.capitalize(), x=x) if x else Worded(y.capitalize())
    return COLOURED(title=title, color=column_title(chart.color)) if chart.color else title


def column_title(name: str) -> str:
    """The name of a column as words, with the unit that it ends with: `elevation (m)` for `elevation_m`."""
    *words, ending = name.split("_")
    unit = UNITS.get(ending.lower()) if words else None
    return name.replace("_", " ") if unit is None else f"{' '.join(words)} ({unit})"
