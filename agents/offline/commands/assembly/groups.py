"""Figures per group, as steps of an analysis: by a column of the rows, by the areas they lie in, or by time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.offline.commands.analyses.by_key.grouped import by_referred
from agents.offline.commands.analyses.groups import by_column_of_areas, by_place
from agents.offline.commands.analyses.periods import by_period
from agents.offline.commands.analyses.rules import Context, Steps
from agents.offline.commands.assembly.asked import COUNT, PERCENT, Asked
from agents.offline.commands.assembly.computed import (
    average_compared,
    converted,
    of_times,
    with_size,
    without_dates,
)
from agents.offline.commands.assembly.fitting import is_value
from agents.offline.commands.assembly.order import figure_name, figure_words, in_order, with_enough_rows
from agents.offline.commands.assembly.quotients import (
    can_be_summed,
    divided,
    number,
    rates,
)
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.names.comments import codes_explained, comment_head
from agents.offline.language.names.periods import MOST_YEARS, newest, of_age
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Group,
    OneOf,
    Quantity,
    all_of,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    VALUES_NAMED,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    counted,
    step,
    sum_of,
    summary,
    top_step,
)
from agents.offline.meaning.units import column_unit

_WITH_A_GROUP = ("group", "rows", "condition", "and", "order", "top", "table", "draw", "does", "compare")
"""Pieces allowed in any question with a group."""


def grouped(asked: Asked, context: Context) -> Steps | None:
    """The steps of a question with a group; None if its pieces do not fit."""
    group = asked.one("group")
    are_together = asked.has("compare") and named_several(asked.where, kinds=True)
    if group is None or not asked.does_fit or are_together or (group.has_suffix and asked.has("top")):
        return None
    if asked.has("share"):
        return _shares(asked, context) if _has_only(asked, "share", "part", "column", "unit") else None
    if asked.has("whole"):
        return _of_whole(asked) if _has_only(asked, "whole", "part", "column") else None
    if asked.has("between"):
        return of_times(asked) if _has_only(asked, "between", "figure", "unit") else None
    if asked.has("per"):
        return rates(asked) if _has_only(asked, "per", "column", "figure", "count") else None
    if asked.has("measured"):
        if not asked.has("rows") and not _has_values(asked, context.vocabulary):
            return None  # the rows are those of another table
        asked = with_size(asked)
    when: dict[str, Any] = {}
    if isinstance(group.value, str):
        asked, whens = without_dates(asked)
        if len(whens) > 1:
            return None
        when = {"when": ColumnWords(whens[0].value.text)} if whens else {}
    figure = asked.figure() or average_compared(asked)
    of_rows = ("figure", "column", "count", "amount", "most", "unit", "same", "with share", "kept")
    if figure is None or not asked.only(*_WITH_A_GROUP, *of_rows):
        return None
    if figure == COUNT and not _names_rows(asked, context.vocabulary):
        return None  # the counted rows are not named
    own = asked.table.column(asked.group_column or "")
    if figure == COUNT and asked.has("top") and not asked.has("count") and own is not None and is_number(own):
        return None  # `top 20 cities by population` ranks the cities
    rows, title = asked.rows(asked.where), f"{figure_words(figure)} {asked.called} by {asked.group_words}"
    if asked.has("with share") and not isinstance(group.value, ColumnMention):
        return None
    if isinstance(group.value, str):
        found = by_period({"source": rows, "figure": figure, "period": group.value, **when}, context)
    elif isinstance(group.value, Features):
        found = by_place(
            {"source": rows, "figure": None if figure == COUNT else figure, "areas": group.value}, context
        )
        found = (replace(found[0], title=title),) if found else None
    elif isinstance(group.value, ColumnWords):
        wanted = None if figure == COUNT else figure
        referred = by_referred(rows, group.value.text, wanted, context)
        found = (referred,) if referred is not None else None
        if referred is None and asked.has("rows"):
            found = by_column_of_areas({"source": rows, "figure": wanted, "by": group.value}, context)
        found = (*found[:-1], replace(found[-1], title=title)) if found else None
    else:
        name = asked.group_column
        of_all = asked.has("with share")
        if of_all and (asked.where is not None or (figure not in (COUNT,) and figure["function"] != "sum")):
            return None
        title = f"Percentage of the {title[:1].lower()}{title[1:]}" if of_all else title
        found = (Grouped(rows, name, figure, title=title, of_all=of_all),) if name else None
    return _in_unit(asked, with_enough_rows(asked, found, in_order(asked, found, asked.columns)))


def _names_rows(asked: Asked, vocabulary: Vocabulary) -> bool:
    """Whether rows are named, also by the noun of a value: `compare asphalt and gravel roads`."""
    if asked.has("rows", "condition"):
        return True
    words = name_words(" ".join(each.text for each in asked.pieces if each.where is not None))
    named = [vocabulary.match_table(words[at:]) for at in range(len(words))]
    return any(each is not None and asked.table in each.found and not each.guessed for each in named)


def _has_values(asked: Asked, vocabulary: Vocabulary) -> bool:
    """Whether the conditions name values of the table, which stand for its rows: `hectares of heath by district`."""
    named = [each for each in asked.conditions if isinstance(each, OneOf)]
    return bool(named) and all(is_value(each.text, vocabulary, asked.table) for each in named)


def by_several(asked: Asked, context: Context) -> Steps | None:
    """`incidents by type and year`: a figure per pair of values, or per value and period. Without a figure, counts
    rows, and numbers are no groups."""
    groups, figure = asked.one("groups"), asked.figure()
    kinds = ("groups", "rows", "condition", "and", "table", "compare")
    if groups is None or not asked.only(*kinds, "figure", "column", "count", "amount"):
        return None
    is_named = figure is not None
    if not (is_named or asked.only(*kinds)) or (
        figure in (None, COUNT) and not _names_rows(asked, context.vocabulary)
    ):
        return None
    rows = asked.rows(asked.where)
    dated: Steps = ()
    by: list[ColumnWords] = []
    for each in groups.value:
        if isinstance(each, str):
            found = by_period({"source": rows, "figure": COUNT, "period": each}, context)
            if not found or dated or not isinstance(found[-1], Grouped):
                return None
            dated = found[:-1]
            by.append(ColumnWords(found[-1].by))
        else:
            own = asked.table.column(asked.own_column(each) or "")
            if own is None or (own.kind not in ("text", "boolean") and not is_named):
                return None
            by.append(ColumnWords(own.name))
    if len({each.text for each in by}) < len(by):
        return None
    if figure is not None and figure != COUNT:
        figure = {**figure, "column": ColumnWords(asked.columns[0])}
    figure = None if figure == COUNT else figure
    compared = " and ".join(each if isinstance(each, str) else each.text for each in groups.value)
    words = groups.text if groups.where is None else f"by {compared}"
    title = f"{figure_words(figure or COUNT)} {asked.called} {words}"
    return (*dated, summary(RESULT if dated else rows, by, figure, title))


def _has_only(asked: Asked, *kinds: str) -> bool:
    """Whether there is nothing else, and no superlative but `top` and `bottom`, which rank the groups."""
    top = asked.one("top")
    return asked.only(*_WITH_A_GROUP, *kinds) and (top is None or top.value.word in ("top", "bottom"))


def _in_unit(asked: Asked, found: Steps | None) -> Steps | None:
    unit = asked.one("unit")
    if found is None or unit is None:
        return found
    last = found[-1]
    if asked.has("with share"):
        columns = [asked.table.column(name) for name in asked.columns]
        return found if all(each and column_unit(each) == unit.value for each in columns) else None
    figure = last.aggregate if isinstance(last, Grouped) else asked.figure()
    is_last = len(found) == 1 or (isinstance(last, AnalysisStep) and last.operation == "spatial_join")
    if figure in (None, COUNT) or not is_last:
        return None
    return converted(found, figure, asked.table, unit.value)


# --- shares -------------------------------------------------------------------------------------------------


def _shares(asked: Asked, context: Context) -> Steps | None:
    """Percentage of each group's rows that pass a condition; or each group's percentage of all rows or of a total."""
    by, shared, unit = asked.group_column, asked.share(), asked.one("unit")
    period = group.value if (group := asked.one("group")) is not None and isinstance(group.value, str) else ""
    if not (by or period) or shared is None or (unit is not None and unit.value.dimension != "share"):
        return None
    part, whole = shared
    if asked.has("part"):
        return _of_people(asked, by) if by else None
    share, named = asked.one("share"), asked.all("condition")
    is_rate = share is not None and share.text == "rate" and len(named) == 1  # `fail rate by stage`
    called = f"{asked.noun} with {named[0].text}" if is_rate else asked.called
    title = f"Percentage of {called} by {asked.group_words}"
    if not asked.all("column"):
        if not asked.has("rows") and not is_rate:
            return None
        found: Steps | None = (Grouped(asked.rows(whole), by or "", dict(COUNT)),)
        if period:
            found = by_period({"source": asked.rows(whole), "figure": COUNT, "period": period}, context)
        if not found or not isinstance(last := found[-1], Grouped):
            return None
        shares = replace(last, part=part, of_all=part is None, title=title)
        return in_order(asked, (*found[:-1], shares), ())
    figure = asked.figure()
    if not by or figure is None or figure["function"] != "sum" or part is not None or whole is not None:
        return None
    areas = [each for each in context.vocabulary.few_tables if each.geometry_family == "polygon"]
    are_people = asked.table not in areas and {*asked.columns} <= {*measure_columns(asked.table, "people")}
    if are_people and any(measure_columns(each, "people") for each in areas):
        return None  # of all people, or of those in cities?
    title = f"Percentage of the total {figure['column'].text} of {asked.noun} by {asked.group_words}"
    return in_order(asked, (Grouped(asked.rows(None), by, figure, of_all=True, title=title),), ())


def _of_people(asked: Asked, by: str) -> Steps | None:
    """`what percent of residents is 65 or older in each parish`: the quotient of two totals."""
    part, columns = asked.one("part"), asked.all("column")
    if part is None or len(columns) != 1 or asked.has("order", "top"):
        return None
    whole = [name for name in columns[0].value.columns if name not in part.value.columns]
    people = set(measure_columns(asked.table, "people"))
    if len(whole) != 1 or not {*whole, *part.value.columns} <= people:
        return None
    title = f"Percentage of {whole[0]} that is {part.text} ({part.value.text}) by {asked.group_words}"
    return divided(asked, by, (part.value.columns[0], whole[0]), 100.0, PERCENT, title)


def aged_people(asked: Asked) -> Steps | None:
    """`what share of residents is over 65`: the quotient of two totals; empty if no column holds these people, None if
    no age is said."""
    people, found = {*measure_columns(asked.table, "people")}, asked.conditions
    compared = [each for each in found if isinstance(each, Compare) and each.op not in ("=", "<>")]
    for age in compared:
        names, years = age.column.columns if age.column is not None else (), age.value
        if not names or not people.issuperset(names) or not isinstance(years, Quantity):
            continue
        if years.unit is not None or years.value > MOST_YEARS:
            continue
        parts, wholes = (
            of_age(asked.table, f"{years.value:.0f}", younger=age.op.startswith("<")),
            newest(names),
        )
        rest = replace(asked, pieces=tuple(each for each in asked.pieces if each.value is not age))
        rows = replace(rest.rows(all_of(*(each for each in found if each is not age))), text=rest.called)
        return _part_of_people(rows, parts[0], wholes[0]) if len(parts) == len(wholes) == 1 else ()
    return None


def _part_of_people(rows: Features, part: str, whole: str) -> Steps:
    title, figures = f"Percentage of {part} in {whole} of {rows.noun}", counted(sum_of(part), sum_of(whole))
    totals = step("summarise", rows, title=f"Totals of {rows.noun}", aggregates=figures)
    expression = f"100 * sum_{part} / sum_{whole}"
    return (totals, step("calculate", RESULT, title=title, name=PERCENT, expression=expression))


def _of_whole(asked: Asked) -> Steps | None:
    """`population aged 65 or older as a percentage of total population, by county`: the same for any two columns."""
    by, whole, part, columns = asked.group_column, asked.one("whole"), asked.one("part"), asked.all("column")
    if by is None or whole is None or len(columns) != 1:
        return None
    total = number(asked, whole.value)
    if part is not None:
        people = set(measure_columns(asked.table, "people"))
        own = part.value.columns[0] if {*columns[0].value.columns, *part.value.columns} <= people else None
    else:
        own = number(asked, columns[0].value)
    if total is None or own is None or own == total or not _are_of_one_kind(asked, (own, total)):
        return None
    title = f"{own} as a percentage of {total} by {asked.group_words}"
    return in_order(asked, divided(asked, by, (own, total), 100.0, PERCENT, title), ())


def _are_of_one_kind(asked: Asked, names: tuple[str, str]) -> bool:
    """Whether one total may be a part of the other: both in euros, or both without a unit."""
    columns = [column for each in names if (column := asked.table.column(each)) is not None]
    units = {unit.dimension if (unit := column_unit(each)) is not None else "people" for each in columns}
    return all(can_be_summed(asked, each) for each in names) and len(units) == 1


_WHOSE_KINDS = word_set("whose top most rows condition column figure and does count table")


def first_groups(asked: Asked) -> Steps | None:
    """`which operator runs the most beds`, `on which street is the sum of the leaks the greatest`."""
    by, whose, top, most = asked.group_column, *map(asked.one, ("whose", "top", "most"))
    if by is None or whose is None or not asked.does_fit or not asked.only(*_WHOSE_KINDS):
        return None
    if top is most is None:
        return _groups_having(asked, by)
    if top is not None and most is not None:
        return None
    if top is not None and (top.value.limit != 1 or top.value.measure not in ("big", "high", "")):
        return None
    if asked.one("figure") is None and (most is None or (not asked.all("column") and not asked.has("rows"))):
        return None
    figure = asked.figure()
    if figure is None or (figure == COUNT and not asked.has("rows")):
        return None
    greatest = top.value.descending if top is not None else most is not None and "most" in most.value.split()
    grouped_rows = Grouped(
        asked.rows(asked.where), by, figure, title=f"{figure_words(figure)} {asked.called} by {by}"
    )
    how = ("most" if greatest else "fewest") if figure == COUNT else "highest" if greatest else "lowest"
    what = (
        asked.called
        if figure == COUNT
        else f"{figure_words(figure)[:1].lower()}{figure_words(figure)[1:]} {asked.called}"
    )
    title = f"The {asked.group_words} with the {how} {what}"
    name, count = AddedColumn(figure_name(asked, grouped_rows)), whose.value[1] or 1
    return (grouped_rows, top_step(RESULT, name, count, smallest=not greatest, title=title, ties=True))


def _groups_having(asked: Asked, by: str) -> Steps | None:
    """`which beaches had an advisory in 2024?`: the groups of matching rows, with their counts."""
    whose = asked.one("whose")
    if whose is None or whose.value[1] or not asked.only("whose", "rows", "condition", "and"):
        return None
    own = asked.table.column(by)
    if not asked.all("condition") or own is None or own.kind != "text":
        return None
    words = name_words(asked.group_words)
    explained = {word for code in codes_explained(own.comment) for word in code}
    if not {*name_words(own.name), *comment_head(own.comment)} >= {*words} or not explained.isdisjoint(words):
        return None  # `libraries`, a value that the comment explains
    title = f"Number of {asked.called} by {asked.group_words}"
    if not asked.has("rows"):  # only the table's name stands for them
        conditions = " ".join(each.text for each in asked.all("condition"))
        title = f"{asked.group_words[:1].upper()}{asked.group_words[1:]}: {conditions}"
    return (Grouped(asked.rows(asked.where), by, dict(COUNT), title=title),)


def named_several(where: Condition | None, *, kinds: bool = False) -> bool:
    """Whether the rows have several values side by side: `in Austria and Norway`, not `Austria or Norway`. `kinds`:
    also `oak and maple trees`."""
    match where:
        case Group("and", parts):
            return any(named_several(each, kinds=kinds) for each in parts)
        case OneOf(text, how=how):
            is_value = how in ("in", "of", "is") or (kinds and how == "kind")
            return is_value and " and " in text and '"' not in text
        case _:
            return False


def of_each_value(asked: Asked, figure: dict[str, Any]) -> Steps:
    """`average height of the airports in Austria and Norway`: by the column with these values."""
    title = f"{figure_words(figure)} {asked.called}"
    return (Grouped(asked.rows(asked.where), VALUES_NAMED, figure, title=title),)


def several_figures(asked: Asked) -> Steps | None:
    """`max and min pressure of water mains per material`: per group, or of all rows."""
    figures, by = asked.figures(), asked.group_column
    kinds = ("figure", "column", "count", "and", "rows", "condition", "group", "table", "ask", "draw")
    is_drawn = any(each.value != "show" for each in asked.all("draw"))
    if not figures or is_drawn or not asked.only(*kinds) or (by is None) == asked.has("group"):
        return None
    names = " and ".join(figure_words(each).removesuffix(" of").lower() for each in figures)
    title = f"{names[:1].upper()}{names[1:]} of {asked.called}"
    if by is None:
        return (step("summarise", asked.rows(asked.where), title=title, aggregates=counted(*figures)),)
    aggregates = [*figures, {**COUNT, "name": "count"}]
    title = f"{title} by {asked.group_words}"
    rows = asked.rows(asked.where)
    return (step("dissolve", rows, title=title, by=[ColumnWords(by)], aggregates=aggregates),)
