"""A figure of the rows near something: `total population of cities within 100 km of Paris`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.language.column_names import columns_called, measure_columns
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import name_words
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import ColumnWords, Ranking, step, summary, top_step


def _near(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    rows: Features = bindings["source"]
    if not rows.named:
        return None
    return _figure_near(bindings, rows, bindings["figure"])


def _people(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Of the table that is named, else the one table of points that knows how many people there are; areas would count
    people farther away, too."""
    rows: Features | None = bindings.get("source")
    own = context.table(rows) if rows is not None and rows.named else None
    tables = context.vocabulary.few_tables if rows is None else (own,) if own is not None else ()
    known = _points_with_people(tables)
    if known is None:
        return None
    table, column = known
    rows = rows or Features.of_table(table)
    return _figure_near(bindings, rows, {"function": "sum", "column": ColumnWords(column)})


def _people_inside(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many people live in it`: of the areas themselves where they know, else of the points in them."""
    areas: Features = bindings["areas"]
    if not (areas.previous or areas.drawn):
        return None
    table = context.table(areas)
    # A ring around a city keeps the city's columns, and its people are not those of the ring.
    own = measure_columns(table, "people") if table is not None and not table.is_result else []
    if len(own) > 1:
        return None
    points = _points_with_people(context.vocabulary.few_tables)
    if not own and points is None:
        return None
    if own or points is None:
        return (
            summary(
                areas, (), {"function": "sum", "column": ColumnWords(own[0])}, "Total population of them"
            ),
        )
    known, column = points
    rows = Features.of_table(known)
    inside = step(
        "select_by_location",
        rows,
        ("other", areas),
        title=f"{rows.heading} inside",
        predicate="shares_interior",
    )
    title = f"Total {column.replace('_', ' ')} of the {rows.text} inside"
    return (inside, summary(RESULT, (), {"function": "sum", "column": ColumnWords(column)}, title))


def _points_with_people(tables: Sequence[Table]) -> tuple[Table, str] | None:
    """The one table of points that knows how many people there are, with its column."""
    known = [
        (table, columns[0])
        for table in tables
        if table.geometry_family == "point" and len(columns := measure_columns(table, "people")) == 1
    ]
    return known[0] if len(known) == 1 else None


def _figure_near(bindings: Mapping[str, Any], rows: Features, figure: dict[str, Any]) -> Steps:
    title = f"{rows.text} {bindings['near']} {bindings['other'].text}".removeprefix("the ")
    near = step(
        "select_by_location", rows, ("other", bindings["other"]), title=title[:1].upper() + title[1:],
        predicate="within_distance", distance=bindings["distance"],
    )  # fmt: skip
    return (near, summary(RESULT, (), figure, f"{_figure_name(figure)} of {title}"))


def _figure_name(figure: Mapping[str, Any]) -> str:
    """`Average elevation`."""
    return f"{FIGURE_NAMES[figure['function']]} {figure['column'].text}"


def _of_the_first(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`total population of the 10 largest cities`."""
    rows, top, figure = bindings["source"], bindings["top"], bindings["figure"]
    if not rows.named or top.limit < 2:
        return None
    by = bindings.get("by") or Ranking(top)
    of = f"{top.word} {top.limit} {rows.noun}"
    first = top_step(rows, by, top.limit, smallest=not top.descending, title=f"The {of}")
    return (first, summary(RESULT, (), figure, f"{_figure_name(figure)} of the {of}"))


def _attended(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many pupils go to schools within 1 km of a hospital`: of a column that counts."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    columns = columns_called((table,), name_words(bindings["what"].text)) if table is not None else []
    if table is None or not rows.named or not columns or not are_counts((table,), tuple(columns)):
        return None
    return _figure_near(bindings, rows, {"function": "sum", "column": bindings["what"]})


_NEAR = "[<are>] near=(<closer> {distance:length} <away>) {other:any}"
RULES = (
    rule(
        "<what> {figure:figure} (of|for|in) [the] {top:top} {source:rows} [by {by:column}]",
        _of_the_first,
    ),
    rule(f"<what> {{figure:figure}} (of|for) [all] [the] {{source:rows}} {_NEAR}", _near),
    rule(
        f"how many {{what:column}} (go to|attend|work at|work in|use) [all] [the] {{source:rows}} {_NEAR}",
        _attended,
    ),
    rule(
        "(how many (people|inhabitants|residents|persons) (live|are living|reside)|[what is] [the] [total] population)"
        f" {_NEAR}",
        _people,
    ),
    rule(
        "(how many (people|inhabitants|residents|persons) (live|are living|are|reside)"
        "|[what is] [the] [total] population) (in|inside|within|of) {areas:bare}",
        _people_inside,
    ),
    rule(
        "how many (people|inhabitants|residents|persons) (live|are living|reside) in [the|all] {source:bare}"
        f" {_NEAR}",
        _people,
    ),
)
