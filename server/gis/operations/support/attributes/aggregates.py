"""Aggregate functions that several operations offer: what they are called, and their SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from sqlalchemy import ColumnElement, Float, Label, cast, distinct, func, literal, null, select

from agents.worded import Template
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import (
    attribute,
    comparable,
    free_name,
    holds_nan,
    joined_name,
    number,
    ranged,
    real,
)
from server.gis.operations.support.base import Source, Workspace, column_argument

NAN = Template(
    "op_nan", "Values of {table} that are not numbers (NaN) are ignored like empty ones: {counts}."
)

Function = Literal[
    "count", "sum", "mean", "median", "min", "max", "stddev", "p10", "p25", "p75", "p90", "distinct",
    "per_hour", "per_day", "per_year",
]  # fmt: skip

PERCENTILES: dict[str, float] = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}
PERIODS: dict[str, float] = {"per_hour": 3_600.0, "per_day": 86_400.0, "per_year": 365.25 * 86_400.0}
"""Functions that count rows in a time, on average over the time that all rows span, in seconds."""
ZERO_WITHOUT_ROWS = frozenset(("count", "distinct", *PERIODS))
"""Functions that give 0 of no rows, and not null."""
_NUMERIC = {"sum", "mean", "stddev", *PERCENTILES}


class Aggregate(BaseModel):
    """One aggregated column. `count` needs no column; the name is made of function and column unless given.

    `per_hour` and the like count rows with a date or time in the column, on average from the first to the last."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    function: Function = "count"
    column: str | None = column_argument("The column that is aggregated.", default=None)
    name: Annotated[str, Field(min_length=1, max_length=60)] | None = None

    @model_validator(mode="after")
    def _has_column(self) -> Aggregate:
        if self.column is None and self.function != "count":
            raise ValueError(f"{self.function} needs a column")
        return self

    def label(self) -> str:
        """The name of the column of the result."""
        if self.function in PERIODS:
            return self.name or self.function
        return self.name or ("count" if self.column is None else f"{self.function}_{self.column}")


class Rate(Aggregate):
    """A function of `PERIODS` with what it divides by, which `rates.with_rates` finds out."""

    periods: float
    """How many hours, days or years the rows span; 0 if all are at one time."""
    ends: tuple[str, str]
    """The first and the last time."""


COUNT_ONLY = (Aggregate(),)


def aggregated(
    aggregates: Sequence[Aggregate],
    source: Source,
    taken: set[str],
    rows: ColumnElement[Any],
    values: Mapping[str, ColumnElement[Any]] | None = None,
) -> list[Label[Any]]:
    """The aggregates as named columns. `rows` is not null in each row that counts (an outer join has others).

    `values` replaces columns of the source by expressions, for sources in a subquery. NaN is ignored like null;
    `ignored` counts it."""
    labels = []
    others = frozenset(taken)
    for aggregate in aggregates:
        name = free_name(joined_name(aggregate.label(), source, others), taken)
        taken.add(name)
        labels.append(_expression(aggregate, source, rows, values or {}).label(exact(name)))
    return labels


async def ignored(aggregates: Sequence[Aggregate], source: Source, workspace: Workspace) -> tuple[str, ...]:
    """A note with how many values of the aggregated columns are NaN; none where all are numbers or empty."""
    names = dict.fromkeys(each.column for each in aggregates if each.column is not None)
    columns = [known for known in (attribute(source, name) for name in names) if holds_nan(known)]
    if not columns:
        return ()
    values = [(source.column(known.name), known) for known in columns]
    counts = [func.count(value) - func.count(real(value, known)) for value, known in values]
    found = await workspace.row(select(*counts).select_from(source.rows))
    ignored = [f"{count:,} of {known.name}" for count, known in zip(found, columns, strict=True) if count]
    if not ignored:
        return ()
    return (NAN(table=source.table.id, counts=", ".join(ignored)),)


def _expression(
    aggregate: Aggregate, source: Source, rows: ColumnElement[Any], values: Mapping[str, ColumnElement[Any]]
) -> ColumnElement[Any]:
    if aggregate.column is None:
        return func.count(rows)
    if aggregate.function in _NUMERIC:
        number(source, aggregate.column)
    known = attribute(source, aggregate.column)
    if aggregate.function in ("min", "max") and known.kind != "boolean":
        ranged(source, aggregate.column)
    if aggregate.function == "distinct":
        comparable(source, aggregate.column)
    name = known.name
    column = real(values.get(name, source.column(name)), known)
    if isinstance(aggregate, Rate):
        periods = literal(aggregate.periods, Float()) if aggregate.periods else cast(null(), Float())
        return cast(func.count(column), Float()) / periods
    if aggregate.function in PERCENTILES:
        return func.percentile_cont(PERCENTILES[aggregate.function]).within_group(cast(column, Float()))
    simple: dict[str, ColumnElement[Any]] = {
        "count": func.count(column),
        "distinct": func.count(distinct(column)),
        "sum": func.sum(column),
        "mean": func.avg(cast(column, Float())),
        "min": func.bool_and(column) if known.kind == "boolean" else func.min(column),
        "max": func.bool_or(column) if known.kind == "boolean" else func.max(column),
        "stddev": func.stddev_samp(cast(column, Float())),
    }
    return simple[aggregate.function]
