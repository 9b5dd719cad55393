"""Hot spots of rows without a column: of how many there are in the cells of a grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.meaning.conditions import Quantity
from agents.offline.meaning.features import RESULT
from agents.offline.meaning.steps import ColumnWords, step
from agents.units import UNITS

USUAL_KM = 200.0
FINER_KM = 50.0
"""The cells' size where rows of one place are meant; the title of the step says it."""


def _hot_spots(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    rows = bindings["source"]
    table = context.table(rows)
    if table is None or table.geometry_family != "point" or rows.guessed:
        return None
    size = Quantity(FINER_KM if rows.where is not None else USUAL_KM, UNITS["km"])
    title = f"{rows.text[:1].upper()}{rows.text[1:]} in {size.value:.0f} km hexagons"
    return (
        step("grid", rows, title=title, size=size, shape="hexagon"),
        step("hot_spots", RESULT, title=f"Hot spots of {rows.text}", column=ColumnWords("count"), k=8),
    )


RULES = (rule("<open> (hot spots|hotspots|hot and cold spots) of {source:rows}", _hot_spots),)
