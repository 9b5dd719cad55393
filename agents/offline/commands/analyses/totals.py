"""Figures of selected rows: `total population of cities within 100 km of Paris`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.group_rankings import COUNT
from agents.offline.commands.analyses.groups import BY_PLACE, by_own_column, by_place
from agents.offline.commands.analyses.rules import Build, Context, Rules, Steps, rule
from agents.offline.language.conditions.ranks import PERCENTILES, SPREADS
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import name_words
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.individuals import numbers_of_things
from agents.offline.meaning.steps import (
    PEOPLE_THERE,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    counted,
    near_step,
    step,
    sum_of,
    summary,
)
from agents.result_rows import rows_of

_INPUT_COUNTED = {"spatial_join": "other", "summarise": "source"}
"""Operations that count rows unless told otherwise, and the input that they count."""
_PEOPLE = "[tell me] how many (people|inhabitants|residents|persons) (live|are living|reside|are)"
_RESIDENTS = "(how many|[the] [total] number of) (people|inhabitants|residents|persons)"
_SPREADS = {*SPREADS.values(), *PERCENTILES.values()} - {"median"}
"""Functions that no statistic of a table tells."""
_COUNTED = (
    "(how much|how many|what is|what was|give me|tell me) {counted:counted}"
    + " [(was|is|were|are) there|(was|were) recorded] [in total]"
)
_NEAR = (
    "([<are>] near=(<closer> {distance:length} <away>) {other:any}"
    "|near=(in the [{distance:length}] catchment [area] of) {other:any} [[,] (say|of|within) {distance:length}])"
)
RULES = Rules()
on = RULES.on


def in_individuals(steps: Steps, context: Context) -> Steps:
    """The steps with sums of individuals instead of counts of rows: `storks per habitat`."""
    found: list[AnalysisStep | Grouped] = []
    column = ""
    for each in steps:
        numbers = _numbers_of(each, context)
        if column and isinstance(each, AnalysisStep):
            found.append(
                replace(
                    each, arguments=tuple((name, _renamed(value, column)) for name, value in each.arguments)
                )
            )
            continue
        column = f"sum_{numbers[0]}" if numbers else ""
        if numbers and isinstance(each, Grouped):
            found.append(replace(each, aggregate=sum_of(numbers[0])))
        elif numbers and isinstance(each, AnalysisStep):
            figure = sum_of(ColumnWords(numbers[0], _INPUT_COUNTED[each.operation]))
            found.append(replace(each, arguments=(*each.arguments, ("aggregates", counted(figure)))))
        else:
            found.append(each)
    return tuple(found)


def _numbers_of(counting: AnalysisStep | Grouped, context: Context) -> Sequence[str]:
    """The columns with the numbers of things that a step counts; none if it computes something else."""
    if isinstance(counting, Grouped):
        rows = counting.source if counting.aggregate == COUNT and not counting.part else None
    else:
        is_count = not {"aggregates", "rows"} & dict(counting.arguments).keys()
        rows = dict(counting.inputs).get(_INPUT_COUNTED.get(counting.operation, "")) if is_count else None
    mention = rows.mention if rows is not None else None
    return numbers_of_things(context.tables_of(mention), mention) if mention is not None else ()


def _renamed(value: Any, column: str) -> Any:
    return AddedColumn(column) if value in (AddedColumn("count"), ColumnWords("count")) else value


@on("<what> {figure:figure} (of|for|in) [all] [the] {source:rows}")
def _of_made(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`average elevation of airports within 100 km of Berlin`, `total population of the 10 largest cities`."""
    rows, figure = bindings["source"], bindings["figure"]
    inside = bool(rows.made) and ("predicate", "shares_interior") in getattr(rows.made[-1], "arguments", ())
    if not (rows.made or (rows.named and figure["function"] in _SPREADS)) or (
        inside and context.size_summed(rows, figure) is not None
    ):
        return None
    return (summary(rows, (), figure, f"{_figure_name(figure)} of {rows.text}"),)


@on(f"({_PEOPLE}|[what is] [the] [total] population) {_NEAR}")
def _people_near(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Of the only table of points with a population; areas would count people farther away."""
    known = _points_with_people(context.vocabulary.few_tables)
    if known is None or "distance" not in bindings:
        return None
    table, column = known
    rows = Features.of_table(table)
    title = f"{rows.text} within {bindings['distance'].text} of {bindings['other'].text}"
    near = near_step(rows, bindings["other"], bindings["distance"], title)
    return _of_made({"source": replace(rows, text=title, made=(near,)), "figure": sum_of(column)}, context)


@on(f"{_PEOPLE} in [all] [the] {{source:rows}}", f"{_RESIDENTS} (of|in) [all] [the] {{source:rows}}")
def _people_of(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many people live in the cities within 50 km of Ulm`."""
    table = context.table(bindings["source"])
    columns = measure_columns(table, "people") if table is not None else []
    return _of_made({**bindings, "figure": sum_of(columns[0])}, context) if len(columns) == 1 else None


@on(
    "(how many (people|inhabitants|residents|persons) (live|are living|are|reside)"
    "|[what is] [the] [total] population) (in|inside|within|of) {areas:bare}"
)
def _people_inside(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many people live in it`: of the areas themselves if they hold a population, else of points inside."""
    areas: Features = bindings["areas"]
    if not (areas.previous or areas.drawn):
        return None
    table = context.spoken_of if areas.previous else context.table(areas)
    # A ring around a city keeps the city's columns, but not its people.
    own = measure_columns(table, "people") if table is not None and rows_of(table) else []
    if len(own) > 1:
        return None
    points = _points_with_people(context.vocabulary.few_tables)
    has_areas = table is not None and table.geometry_family != "point"
    if not own and (points is None or not has_areas):
        return None
    if own or points is None:
        return (summary(areas, (), sum_of(own[0]), "Total population of them"),)
    known, column = points
    rows = Features.of_table(known)
    inside = step(
        "select_by_location", rows, ("other", areas), title=f"{rows.heading} inside", predicate="shares_interior"
    )  # fmt: skip
    title = f"Total {column.replace('_', ' ')} of the {rows.text} inside"
    return (inside, summary(RESULT, (), sum_of(column), title))


@on(
    "<then> [tell me|give me|say] (how many (people|inhabitants|residents|persons) (live|are living|reside|are)"
    " ([in] there|(in|inside) (them|it))|their [total|combined] population"
    "|[the] (total|combined) population [of them])",
    cost=-1.0,
)
def _people_there(_: Mapping[str, Any], context: Context) -> Steps | None:
    """`…, and how many people live there`, of the rows of the previous step."""
    if not context.chained:
        return None
    return (step("summarise", RESULT, title="Total population of them", aggregates=PEOPLE_THERE),)


def _points_with_people(tables: Sequence[Table]) -> tuple[Table, str] | None:
    """The only table of points with a population, and the column."""
    known = [
        (table, columns[0])
        for table in tables
        if table.geometry_family == "point" and len(columns := measure_columns(table, "people")) == 1
    ]
    return known[0] if len(known) == 1 else None


def _figure_name(figure: Mapping[str, Any]) -> str:
    """`Average elevation`."""
    return f"{FIGURE_NAMES[figure['function']]} {figure['column'].text}"


@on("how many {what:column} (go to|attend|work at|work in|use) [all] [the] {source:rows}")
def _attended(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many pupils go to schools within 1 km of a hospital`: the sum of a count."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    columns = columns_called((table,), name_words(bindings["what"].text)) if table is not None else []
    if table is None or not columns or not are_counts((table,), tuple(columns)):
        return None
    return _of_made({**bindings, "figure": sum_of(bindings["what"])}, context)


@on(
    "how much [money] (was|is|were|has been|have been|did we|do we) {what:column} [in total]"
    " (for|on|by|in|of|to|from) [all] [the] {source:rows}"
)
def _amount_of(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how much was paid for claims in tracts with …`: the sum of a column."""
    rows: Features = bindings["source"]
    if not context.has_column(rows, bindings["what"].text):
        return None
    return _of_made({**bindings, "figure": sum_of(bindings["what"])}, context)


@on(f"{_COUNTED} [<are>] said=(<closer> {{distance:length}} <away>) {{areas:any}}")
@on(f"{_COUNTED} said=(in|within|inside) [all] {{areas:areas}}", cost=3.0)
def _figure_inside(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`total building damage in tracts with …`, without named rows: of those of the only table with such a column,
    inside these areas."""
    areas: Features = bindings["areas"]
    rows, figure = bindings["counted"]
    table = context.table(rows)
    other = context.table(areas)
    if table is None or table == other or (areas.mention is not None and (other is None or areas.guessed)):
        return None
    in_all = areas.mention is not None and areas.where is None and not areas.made
    if in_all and "distance" not in bindings:
        return None
    named = Features.of_table(table)
    rows = replace(named, where=rows.where)
    title = f"{named.heading} {bindings['said']} {areas.noun}"
    near = {"predicate": "within_distance", "distance": bindings.get("distance")}
    how = near if "distance" in bindings else {"predicate": "shares_interior"}
    inside = step("select_by_location", rows, ("other", areas), title=title, **how)
    title = f"{_figure_name(figure)} of {title[:1].lower()}{title[1:]}"
    return (inside, summary(RESULT, (), figure, title))


def _of_each_row(build: Build) -> Build:
    """The same for an average: that of `places per kindergarten` is that of the places of kindergartens."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        return build(bindings, context) if bindings["figure"]["function"] == "mean" else None

    return built


_PER_ROW = "<what> {figure:figure} (per|for each|for every|of each|of every) {source:bare}"
RULES += (
    rule(f"{_PER_ROW} [,] (by|per|for each|grouped by) {{by:column}}", _of_each_row(by_own_column)),
    rule(f"{_PER_ROW} [,] <for_each> [of] {{areas:bare}}", _of_each_row(by_place), BY_PLACE),
)
