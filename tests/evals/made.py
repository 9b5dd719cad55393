"""Plain requests made from the tables of `tests.evals.tables`: for each column, the questions that anyone would ask.

The reference of each is computed from the same frames by pandas. No list foresees what people write; these requests
find words of the data that the language takes for its own, in all tables alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

import geopandas as gpd
import pandas as pd

from server.evaluation.cases import Case, ExpectedAnswer, ExpectedLayer
from tests.evals.tables import frames

MAX_VALUES, MAX_ASKED = 25, 4
"""Columns with more values are names; of the others, so many values are asked about."""
_KINDS = re.compile(r"type|kind|class|species|use$")
"""Names of columns whose values name the rows: `how many oaks`."""
_PLAIN = re.compile(r"[A-Za-z][a-z]{2,}( [a-z]+)*")


def made_cases() -> list[Case]:
    """The cases, each with a single request: every third of all, to keep the run short."""
    found = {case.name: case for name, frame in frames().items() for case in _of_table(name, frame)}
    return [*found.values()][::3]


def _of_table(name: str, frame: gpd.GeoDataFrame) -> Iterator[Case]:
    noun = name.replace("_", " ")
    yield _answered(f"how many {noun} are there", len(frame))
    for column in frame.columns.difference(["id", "geom", "name"]):
        values, spoken = frame[column], column.replace("_", " ")
        if pd.api.types.is_bool_dtype(values):
            yield _answered(f"how many {noun} where {spoken} is yes", int(values.sum()))
        elif pd.api.types.is_numeric_dtype(values):
            middle = values.quantile(0.5, interpolation="lower")
            yield _answered(
                f"how many {noun} have {spoken} over {middle:g}", int((values > float(f"{middle:g}")).sum())
            )
            yield _answered(f"average {spoken} of {noun}", values.mean())
            yield _answered(f"highest {spoken} of {noun}", values.max())
        elif values.map(type).eq(str).any() and values.nunique() <= MAX_VALUES:
            yield from _of_values(name, noun, spoken, column, frame)


def _of_values(name: str, noun: str, spoken: str, column: str, frame: gpd.GeoDataFrame) -> Iterator[Case]:
    counts = frame[column].value_counts()
    for value in counts.index[:MAX_ASKED]:
        rows, written = frame[frame[column] == value], value.lower()
        if not _PLAIN.fullmatch(value) or written in ("yes", "no"):
            continue
        if _KINDS.search(column) and "individuals" not in frame.columns:  # else these are counted
            yield _answered(f"how many {_plural(written)} are there", len(rows))
        yield _answered(f"how many {noun} are {written}", len(rows))
        yield _answered(f"how many {noun} are not {written}", int(frame[column].notna().sum()) - len(rows))
        yield _shown(f"show {written} {noun}", name, rows)
        yield _shown(f"{noun} where {spoken} is {value}", name, rows)


def _plural(noun: str) -> str:
    if re.search(r"(s|x|ch|sh)$", noun):
        return f"{noun}es"
    return f"{noun[:-1]}ies" if re.search(r"[^aeiou]y$", noun) else f"{noun}s"


def _answered(request: str, figure: float) -> Case:
    return Case(
        name=f"made: {request}"[:80],
        category="made",
        say=(request,),
        answer=ExpectedAnswer(numbers=(figure,)),
    )


def _shown(request: str, table: str, rows: gpd.GeoDataFrame) -> Case:
    layer = ExpectedLayer(table=f"data.{table}", count=len(rows), ids=int(rows.id.sum()))
    return Case(name=f"made: {request}"[:80], category="made", say=(request,), layers=(layer,))
