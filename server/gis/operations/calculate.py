"""A new column from a calculation over others."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import column, func, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import attribute_columns, free_name, geometry_out
from server.gis.operations.support.attributes.expressions import calculation
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    CountedNotes,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.palettes import shaded

CALCULATED_EMPTY = Template(
    "op_calculated_empty",
    "{name} is empty in {rows}: a value is missing there, or the calculation has no result (division by "
    "zero).",
)
CALCULATED = Template("op_calculated", "Calculated: {expression}")


class CalculateArguments(Arguments):
    source: str = table_argument("The table that gets the new column.")
    name: Annotated[str, Field(min_length=1, max_length=60, description="The name of the new column.")]
    expression: Annotated[
        str,
        Field(
            min_length=1,
            max_length=2_000,
            description="Numeric columns, numbers, + - * / ^ % div and round, abs, floor, ceil, sign, sqrt, exp, ln, "
            'log10, coalesce, least, greatest: round(population / "area km2", 1).',
        ),
    ]


class Calculate(Operation[CalculateArguments]):
    """A new column from a calculation over others; geometries stay as they are stored."""

    summary = "Add a column calculated from others; what has no answer (division by zero) is empty."
    traits = frozenset({"tabular"})
    checks_geometries = False
    phrases = (
        "(calculate|compute|add column) {name:name} (=|as) {expression} (for|for each of|of|to|in) {source}",
        "<then> (calculate|compute|add column) {name:name} (=|as) {expression}",
    )

    async def build(self, arguments: CalculateArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        own = attribute_columns(source)
        name = free_name(arguments.name, {GEOMETRY, ROW_ID, *(label.name for label in own)})
        value = calculation(source, arguments.expression)
        return Step.keeping(
            source,
            select(*own, value.label(exact(name)), *geometry_out(source)).select_from(source.rows),
            portion_source=source,
            counted=_without_value(name),
            comments={name: CALCULATED(expression=arguments.expression)},
            style=shaded(name),
        )


def _without_value(name: str) -> CountedNotes:
    """How many rows have no value in the new column."""

    def notes(rows: int) -> list[str]:
        return [CALCULATED_EMPTY(name=name, rows=count_of(rows, "row"))] if rows else []

    return CountedNotes(
        lambda made: select(func.count().filter(column(exact(name)).is_(None))).select_from(made), notes
    )
