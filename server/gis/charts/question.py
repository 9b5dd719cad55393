"""A chart draft checked against its table: the role of each column, and the rows that count."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from agents.charts import Aggregate, ChartDraft, ChartKind, Period
from agents.domain import Column, Cql2, Table
from agents.worded import Template
from server.gis.charts.axes import Rows
from server.gis.charts.columns import CATEGORIES, NUMBERS, SPLITS, TIMES, column_named, measured
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import relation
from server.gis.filters import compile_filter

BOX_COLOUR = Template("chart_box_colour", "A box plot has no colour column: give the groups as x.")
ONLY_X = Template("chart_only_x", "A {kind} takes no {role} column, only x.")
NEEDS = Template("chart_needs", "A {kind} chart needs {role}: a column to be {words}.")
NEEDS_Y = Template("chart_needs_y", "{function} needs y: the column of numbers to be summed up.")

NO_PERIODS = Template(
    "chart_no_periods", "Only a histogram or a line of a time has a bin for each year or month."
)


@dataclass(frozen=True)
class Question:
    """A valid request for a chart. `rows` and `usable` are the selections that its statements build on."""

    kind: ChartKind
    table: Table
    filter: Cql2 | None
    x: Column | None
    y: Column | None
    color: Column | None
    aggregate: Aggregate | None
    bins: int | None
    period: Period | None

    @property
    def rows(self) -> Rows:
        """The rows that pass the filter, without columns."""
        passing: Rows = sa.select().select_from(relation(self.table))
        condition = compile_filter(self.table, self.filter)
        return passing if condition is None else passing.where(condition)

    @property
    def usable(self) -> Rows:
        """The rows that also have the numbers that the chart needs."""
        needed = {"scatter": (self.x, self.y), "box": (self.y,)}.get(
            self.kind, (self.y,) if self.aggregate not in (None, "count") else ()
        )
        return self.rows.where(
            *(measured(self.table, each).is_not(None) for each in needed if each is not None)
        )


def question(table: Table, draft: ChartDraft, filter: Cql2 | None) -> Question:
    """The checked draft. Raises InvalidQuestion if a column is missing, superfluous or of the wrong kind."""
    x, y = draft.x, draft.y
    if draft.kind == "histogram" and x is None:
        x, y = y, None
    if draft.kind == "box" and y is None:
        x, y = None, x
    roles = {name: _column(table, draft.kind, name, given) for name, given in (("x", x), ("y", y))}
    color = None
    if draft.color is not None:
        if draft.kind == "box":
            raise InvalidQuestion(BOX_COLOUR())
        color = column_named(table, draft.color, COLOUR_ROLE(), SPLITS)
    aggregate = _aggregate(draft, roles["y"])
    along = roles["x"]
    if draft.period and (draft.kind not in ("histogram", "line") or along is None or along.kind not in TIMES):
        raise InvalidQuestion(NO_PERIODS())
    return Question(draft.kind, table, filter, along, roles["y"], color, aggregate, draft.bins, draft.period)


COLOUR_ROLE = Template("chart_role_colour", "the colour, which needs few values of text")
_ROLES: dict[tuple[str, str], tuple[Template, tuple[str, ...], bool]] = {
    ("bar", "x"): (Template("chart_role_bar_x", "the groups of bars"), CATEGORIES, True),
    ("bar", "y"): (Template("chart_role_bar_y", "summed up in bars: only numbers can"), NUMBERS, False),
    ("line", "x"): (
        Template("chart_role_line_x", "the x of a line, which needs numbers or times (use bars for groups)"),
        (*NUMBERS, *TIMES),
        True,
    ),
    ("line", "y"): (Template("chart_role_line_y", "the y of a line, which needs numbers"), NUMBERS, False),
    ("scatter", "x"): (
        Template("chart_role_scatter_x", "the x of a scatter plot, which needs numbers or times"),
        (*NUMBERS, *TIMES),
        True,
    ),
    ("scatter", "y"): (
        Template("chart_role_scatter_y", "the y of a scatter plot, which needs numbers"),
        NUMBERS,
        True,
    ),
    ("histogram", "x"): (
        Template("chart_role_histogram_x", "a histogram, which needs numbers or times (use bars for groups)"),
        (*NUMBERS, *TIMES),
        True,
    ),
    ("box", "x"): (Template("chart_role_box_x", "the groups of boxes"), CATEGORIES, False),
    ("box", "y"): (Template("chart_role_box_y", "the boxes, which need numbers"), NUMBERS, True),
}


def _column(table: Table, kind: str, role: str, name: str | None) -> Column | None:
    if (kind, role) not in _ROLES:
        if name is not None:
            raise InvalidQuestion(ONLY_X(kind=kind, role=role))
        return None
    called, kinds, needed = _ROLES[kind, role]
    if name is None:
        if needed:
            raise InvalidQuestion(NEEDS(kind=kind, role=role, words=called()))
        return None
    return column_named(table, name, called(), kinds)


def _aggregate(draft: ChartDraft, y: Column | None) -> Aggregate | None:
    if draft.kind not in ("bar", "line"):
        return None
    if y is None:
        if draft.aggregate not in (None, "count"):
            raise InvalidQuestion(NEEDS_Y(function=draft.aggregate))
        return "count"
    return draft.aggregate or "mean"
