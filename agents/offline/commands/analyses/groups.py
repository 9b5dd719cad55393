"""Figures per group: `average elevation of airports per country`, `number of trees by species`.

Groups are the values of the rows' own column with that name, else the areas of another table around the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.by_key.grouped import by_key_of, by_referred, referred_figure, refers_to
from agents.offline.commands.analyses.rules import Build, Context, Steps, rule
from agents.offline.commands.requests import row_column
from agents.offline.language.conditions.times.in_force import times_lasting
from agents.offline.language.lexicon import MEASURE_OF_NOUN
from agents.offline.language.names.columns import KIND_NOUNS, columns_called
from agents.offline.language.names.costs import UNIT_WORDS
from agents.offline.language.names.keys import shared_key
from agents.offline.language.names.rows import are_pieces_of, names_each_row
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, is_singular_of, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import Group, Mention, all_of, split_off_places
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.row_names import is_code
from agents.offline.meaning.steps import (
    VALUES_NAMED,
    ColumnWords,
    Grouped,
    count_in_areas,
    step,
    summary,
)

AFTER_IN_EACH = 2.0
"""Cost of reading `in each country` as a column of the rows, not as areas of a table."""
BY_PLACE, NO_ROWS = 1.0, 2.0
"""Cost of reading groups as places, and a figure without named rows."""


def by_own_column(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The `figure` of the rows `source`, or their count, for each value of their column `by`."""
    rows = replace(bindings["source"], where=all_of(bindings["source"].where, bindings.get("more")))
    table = context.table(rows)
    if table is None or rows.guessed:
        return None
    names, figure = group_columns(table, bindings["by"], context), bindings.get("figure")
    of = figure.get("column") if figure is not None else None
    is_between = of is not None and name_words(of.text) == ("duration",) and times_lasting(table)  # two dates
    if is_between or (of is not None and any(map(is_code, columns_called((table,), name_words(of.text))))):
        return None
    if not names and (referred := by_referred(rows, bindings["by"].text, figure, context)) is not None:
        return (referred,)
    if len(names) != 1 or (
        _is_number(table, names[0]) and is_singular_of(bindings["by"].text, names[0])  # `budget per bed`
    ):
        return None
    title = "" if figure or bindings.get("more") else f"Number of {rows.noun} by {bindings['by'].text}"
    return (Grouped(rows, names[0], figure or {"function": "count"}, title=title),)


def in_one(build: Build, slot: str = "owned") -> Build:
    """The same with the rows and column in one phrase: `hospital beds`."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        rows, figure = bindings[slot]
        return build({**bindings, "source": rows, "figure": figure}, context)

    return built


def _own_columns(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`number of trees by district and condition`."""
    rows: Features = bindings["source"]
    by: tuple[ColumnWords, ...] = bindings["by"]
    if not rows.named or len(by) < 2 or not all(context.has_column(rows, each.text) for each in by):
        return None
    return (summary(rows, list(by), bindings.get("figure")),)


def _table_of_texts(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`crashes by weather and severity` without a figure, for columns that hold no numbers."""
    table = context.table(bindings["source"])
    words = [name_words(by.text) for by in bindings["by"]] if table is not None else []
    if table is None or any(_is_number(table, name) for by in words for name in columns_called((table,), by)):
        return None
    return _own_columns(bindings, context)


def _is_number(table: Table, name: str) -> bool:
    column = table.column(name)
    return column is not None and is_number(column)


def own_figure(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`number of pupils per district`, `dwellings approved in 2021 per district`: of a table with both columns,
    unless a layer shows a part of it. If there are several, the user is asked."""
    (counted, figure), by = bindings["counted"], bindings["by"]
    if figure["function"] == "sum" and row_column(context.vocabulary, by.text, figure["column"].text):
        return None  # rows of `by` hold the figure themselves
    having = [
        table
        for table in context.vocabulary.tables(counted.mention.tables)
        if len(group_columns(table, by, context)) == 1
        and not (figure["function"] == "mean" and names_each_row(table, by.text))
    ]
    is_people = (
        figure["function"] == "sum" and MEASURE_OF_NOUN.get(name_words(figure["column"].text)[-1]) == "people"
    )
    if is_people and ("how" in bindings or len(having) > 1):
        having = [table for table in having if table.geometry_family == "polygon"]  # all people live in areas
    if not having:
        return _figure_elsewhere(counted, figure, by, context)
    names = {group_columns(table, by, context)[0] for table in having}
    ids = tuple(table.id for table in having)
    if len(names) != 1 or context.vocabulary.show_part(ids):
        return None
    name = having[0].name.replace("_", " ") if len(having) == 1 else ""
    rows = Features(Mention(name or figure["column"].text, ids), counted.where, text=name)
    of = f" of {name}" if name and not counted.where else ""
    words = figure["column"].text if counted.where is None else counted.text
    title = f"{FIGURE_NAMES[figure['function']]} {words}{of} by {bindings['by'].text}"
    return (Grouped(rows, names.pop(), figure, title=title),)


def _figure_elsewhere(
    counted: Features, figure: Mapping[str, Any], by: ColumnWords, context: Context
) -> Steps | None:
    """The figure by a column of what the rows refer to, else of the areas that they lie in: `average pH per block`."""
    referred = referred_figure(counted, figure, by.text, context)
    tables = context.vocabulary.tables(counted.mention.tables) if counted.mention is not None else ()
    rows = [replace(Features.of_table(table), where=counted.where) for table in tables]
    inside = [by_column_of_areas({"source": each, "figure": figure, "by": by}, context) for each in rows]
    found = [each for each in inside if each is not None and figure["function"] != "sum"]
    return (referred,) if referred is not None else found[0] if len(found) == 1 else None


def _records(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`number of records by species`: of the table with such a text column, unless a layer shows a part of it. Not
    for areas, because rows inside them may be meant."""
    found = {
        table.id: names[0]
        for table in context.vocabulary.few_tables
        if len(names := group_columns(table, bindings["by"], context)) == 1
        and not _is_number(table, names[0])
    }
    tables = context.vocabulary.tables(tuple(found))
    has_areas = any(table.geometry_family == "polygon" for table in tables)
    in_part = context.vocabulary.show_part(found)
    if len(set(found.values())) != 1 or in_part or has_areas or context.chained:
        return None
    rows = Features(Mention("records", tuple(found)), text="records")
    of = f" of {tables[0].name.replace('_', ' ')}" if len(tables) == 1 else ""
    title = f"Number of records{of} by {bindings['by'].text}"
    return (Grouped(rows, next(iter(found.values())), {"function": "count"}, title=title),)


def share(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`percentage of dead trees in Riverside by species`: the share of each group's rows in that place that pass the
    condition; without a condition, each group's share of all rows."""
    rows: Features = bindings["source"]
    where, among = split_off_places(rows.where)
    found = by_own_column({**bindings, "source": replace(rows, where=among)}, context)
    if found is None or not isinstance(found[0], Grouped) or rows.made:
        return None
    if isinstance(where, Group) and where.op == "and":
        return None  # it is unclear which conditions belong to the part and which to the whole
    title = f"Percentage of {rows.noun} by {bindings['by'].text}"
    return (replace(found[0], part=where, of_all=where is None, title=title),)


def share_of_sum(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`share of the world population by continent`: each group's share of a column's total."""
    found = own_figure(bindings, context)
    if not found or not isinstance(found[0], Grouped) or found[0].aggregate["function"] != "sum":
        return None
    title = f"Percentage of the {found[0].title[:1].lower()}{found[0].title[1:]}"
    return (replace(found[0], of_all=True, title=title),)


def of_them(build: Build) -> Build:
    """The same for the rows of the layer mentioned last, unless it shows figures of groups itself."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        them = Features(Mention("them", pronoun=True), text="them")
        tables = context.tables_of(them.mention)[:1]
        if context.chained or not tables or (tables[0].is_result and tables[0].column("count") is not None):
            return None
        return build({**bindings, "source": them}, replace(context, tables_of=lambda _: tables))

    return built


def _of_each_named(_: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many are in each of the two?`, after a condition with several values: `in Peru and Bolivia`."""
    title = "Number of them in each"
    of_them = Features(text="them", previous=True)
    return None if context.chained else (Grouped(of_them, VALUES_NAMED, {"function": "count"}, title=title),)


def by_place(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The `figure` of the rows `source` in each of the `areas`, with their count."""
    rows, areas = bindings["source"], bindings.get("areas", RESULT)
    if not rows.named or areas.guessed or (areas is RESULT and not context.chained):
        return None
    if context.size_summed(rows, bindings.get("figure")) is not None:
        return None
    table, own = context.table(areas), context.table(rows)
    families = [each.geometry_family for each in (table, own) if each is not None]
    if families[:1] == ["point"] or {*families} == {"line", "point"}:
        # Nothing lies in points, and no point exactly on a line.
        grouped = by_key_of(areas, rows, bindings.get("figure"), context)
        return (grouped,) if grouped is not None else None
    return (count_in_areas(areas, rows, bindings.get("figure")),)


def _unranked(build: Build) -> Build:
    """The same for rows without a rank: not for `the cheapest site per hour`."""
    return lambda bindings, context: None if bindings["source"].made else build(bindings, context)


def _coloured_by_number(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`colour the districts by how many stops are in them`, unless a column of the districts holds that."""
    areas, rows = bindings["areas"], bindings["source"]
    if context.chained or context.has_column(areas, rows.text) or not (found := by_place(bindings, context)):
        return None
    return (replace(found[0], title=f"Number of {rows.noun} in {areas.noun}"),)


def area_column(
    own: Table | None, words: tuple[str, ...], vocabulary: Vocabulary
) -> tuple[Table, str] | None:
    """The text column that exactly one table of areas has, if the points of `own` lack it. Words that also name a
    table must be the column's whole name: `district` is not a `kind`, “district or municipality”. No values count."""
    if own is None or own.geometry_family != "point" or columns_called((own,), words):
        return None
    of_table = vocabulary.match_table(words)
    whole = of_table is not None and of_table.length >= len(words)
    own_columns = {
        table: columns_named(table, words, whole=True) if whole else columns_called((table,), words)
        for table in vocabulary.few_tables
        if table.geometry_family == "polygon"
    }
    named = [(table, names[0]) for table, names in own_columns.items() if len(names) == 1]
    values = {each[:2] for each in vocabulary.values_called(words)}
    having = [each for each in named if not _is_number(*each) and each not in values]
    return having[0] if len(having) == 1 else None


def has_elsewhere(own: Table, words: tuple[str, ...], vocabulary: Vocabulary) -> bool:
    """Whether the rows of a table have such a column where they lie, or of what they refer to."""
    return area_column(own, words, vocabulary) is not None or refers_to(own, words, vocabulary)


def by_column_of_areas(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`stops per kind of land use`: in the areas of each value (`only` some) of a column that exactly one table of
    areas has."""
    rows, by = bindings["source"], bindings["by"].text
    found = area_column(context.table(rows), name_words(by), context.vocabulary)
    if found is None or rows.guessed or by_referred(rows, by, bindings.get("figure"), context) is not None:
        return None  # what rows refer to is their own
    table, name = found
    areas = replace(Features.of_table(table), where=bindings.get("only"))
    number = {"function": "count", "name": table.name}  # `count` is that of the rows
    merged = step(
        "dissolve", areas, title=f"{areas.heading} by {name}", by=[ColumnWords(name)], aggregates=[number]
    )
    figure, what = bindings.get("figure"), rows.heading
    if figure is not None:
        own = context.table(rows)
        noun = own.name.replace("_", " ") if own and rows.noun == figure["column"].text else rows.noun
        what = f"{FIGURE_NAMES[figure['function']]} {figure['column'].text} of {noun}"
    return (merged, count_in_areas(RESULT, rows, figure, title=f"{what} in {areas.noun} by {by}"))


def _counted_elsewhere(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`defunct wells by block`: the block of what they refer to; by a column of their own they would be drawn."""
    table, by = context.table(bindings["source"]), bindings["by"]
    if table is None or not refers_to(table, name_words(by.text), context.vocabulary):
        return None
    return by_own_column(bindings, context) if not group_columns(table, by, context) else None


def group_columns(table: Table, by: ColumnWords, context: Context) -> list[str]:
    """The columns that these words name; words that also name a table must be the column's whole name: `street`,
    `street_name`, or `st_name`, “Street name”."""
    words = name_words(by.text)
    of_table = context.vocabulary.match_table(words)
    whole = of_table is not None and of_table.length >= len(words)
    found = columns_named(table, words, whole=whole)
    if are_other_groups(table, found, by.text, context.vocabulary):
        return []
    if found or not whole:
        return found
    names = columns_called((table,), (*words, "name"), lambda each: each.kind == "text")
    if of_table is not None and all(each.geometry_family != "polygon" for each in of_table.found):
        # Nothing lies in points.
        names = names or columns_called((table,), words, lambda each: each.kind == "text")
        names = names or shared_key(table, [own for own in of_table.found if not are_pieces_of(own, words)])
    return [each for each in names if name_words(each) != ("name",)]


def are_other_groups(table: Table, names: Sequence[str], text: str, vocabulary: Vocabulary) -> bool:
    """Whether the words mean other groups than these columns: `by issue year` for a column of dates, or `by site
    type` for samples with a `site_cd` if the sites have a `site_typ`."""
    words = name_words(text)
    own = vocabulary.match_table(words) if is_plural(text) else None
    if own is not None and own.length >= len(words) and table in own.found:
        return True  # `customers affected by outages`
    kinds = {column.kind for name in names if (column := table.column(name)) is not None}
    if kinds & {"date", "timestamp"} and not {"year", "quarter", "month"}.isdisjoint(words):
        return True
    if words[-1] not in KIND_NOUNS or any(words[-1] in name_words(name) for name in names):
        return False
    others = [each for each in vocabulary.few_tables if each.id != table.id]
    return bool(names) and set(names).isdisjoint(columns_called((table, *others), words))


def columns_named(table: Table, words: tuple[str, ...], *, whole: bool) -> list[str]:
    """The columns with this name, apart from the table's noun (`road class`); else, unless `whole`, with these words
    in the name."""
    columns = [column.name for column in table.columns if column.kind != "geometry"]
    noun = set(name_words(table.name))
    rest = words[next((at for at, word in enumerate(words) if word not in noun), 0) :]
    exact = [name for name in columns if name_words(name) in (words, rest)]
    if exact or whole or set(words) <= UNIT_WORDS:
        return exact
    held = [name for name in columns if set(words) <= set(name_words(name))]
    return held or columns_called((table,), words)


OF = "(of|for|in|among|on|across|over|at|from)"
_ARE = (
    "[[that] are there|(do|does) (we|you) have|have we got|exist|there are"
    "|[that] (are|lie|are located|are found|fall)]"
)
_AVERAGE = f"<what> {{figure:figure}} {OF} {{source:rows}}"
_NUMBER = f"(<what> (number of|numbers of|count of|counts of) [all]|how many|count) {{source:rows}} {_ARE}"
_FIGURE = f"({_AVERAGE}|{_NUMBER})"
HOW_MANY_OF_THEM = (
    "(how many [of (them|these|those)] [are there|were there|are they|do we have]|count (them|these|those)"
    "|<what> [the] (number|count) of (them|these|those))"
)
_BY_EACH = "[,] (by|per|for each|for every|grouped by|split by|broken down by|by each)"
_OF_EACH = "[,] (of each|of every)"
_BY = f"({_BY_EACH}|{_OF_EACH})"
_SHARE = "(<what>|what|which) <share> of [the] {source:rows}"
_IN_PERCENT = "[[,] (in|as) [a] (percent|%|percentage|percentages)]"
_NAMED = "(them|these|those|[the|these|those] (two|three|four|five|2|3|4|5) [countries|places|values|groups])"
_SHOWN = "[show [me]|map|plot|draw]"
_TOTAL = "(<what>|count|sum|sum up|add up|total up)"
RULES = (
    rule(f"{_FIGURE} {_BY_EACH} {{by:column}} [[,] {{more:condition}} [ones]]", by_own_column),
    rule(f"{_NUMBER} ({_BY}|<in_each>) {{by:column}}", by_column_of_areas, 2.0),
    rule(
        "((colour|color|shade|fill|map [of]) [the] {areas:bare}"
        "|(<ask>|[a] map of) [the] {areas:bare} [,] (coloured|colored|shaded))"
        " (by|according to) (how many|[the] number of) [the] {source:rows}"
        " [there are|are|lie|fall|they have|each has] [in|inside|within] [it|them|each]",
        _coloured_by_number,
    ),
    rule(f"<for_each> {{areas:bare}} [,] {_AVERAGE}", by_place, BY_PLACE),
    rule(
        f"{_SHOWN} {{source:rows}} (per|for each|in each|for every|in every)"
        " ({more:country} {by:column}|{by:column} [[,] {more:condition}])",
        _unranked(by_own_column),
        1.0,
    ),
    rule("{source:bare} (by|per|<in_each>) {by:column}", by_column_of_areas, 3.0),
    rule("<ask> [the] {by:column} (with|and) [their|the] number of {source:rows}", by_own_column, 1.0),
    rule("{source:rows} by {by:column}", _unranked(_counted_elsewhere), 3.0),
    rule("{source:rows} <for_each> [of] {areas:bare}", _unranked(by_place), 1.0 + BY_PLACE),
    rule(f"{_SHOWN} {{source:rows}} <in_each> [of] {{areas:bare}}", _unranked(by_place), 1.0 + BY_PLACE),
    rule(f"{_TOTAL} [the] {{counted:counted}} {_BY} {{by:column}}", own_figure, NO_ROWS),
    rule("{source:bare} (by|per) {by:columns}", _table_of_texts),
    rule(f"(<how_many>|<what>) (records|entries|rows) ({_BY}|<in_each>) {{by:column}}", _records, NO_ROWS),
    rule(
        f"[{_TOTAL}|how much] {{owned:owned}} [is there|are there] ({_BY}|<in_each>) {{by:column}}",
        in_one(by_own_column),
    ),
    rule(f"[{_TOTAL}] {{owned:owned}} <for_each> [of] {{areas:bare}}", in_one(by_place), BY_PLACE),
    rule(f"{_FIGURE} {_BY} {{by:columns}}", _own_columns),
    rule(f"{_SHARE} ({_BY}|in each|in every|each) {{by:column}}", share, -1.0),
    rule(
        f"<what> <share> of [the] [total|overall|world|world's] {{counted:counted}} {_BY} {{by:column}} {_IN_PERCENT}",
        share_of_sum,
        NO_ROWS,
    ),
    rule(
        f"{_NUMBER} [,] (in each|in every|on each|at each|each) {{by:column}}", by_own_column, AFTER_IN_EACH
    ),
    rule(f"how many [of them] (are|are there|lie) (in|of) each of {_NAMED}", _of_each_named),
    rule(f"{HOW_MANY_OF_THEM} {_BY} {{by:column}}", of_them(by_own_column)),
    rule(f"<what> {{figure:figure}} of (them|these|those) {_BY} {{by:column}}", of_them(by_own_column)),
    rule("how many {source:rows} (does|do) (each|every) {by:column} (have|contain|hold)", by_own_column),
    rule(f"{_AVERAGE} <for_each> [of] {{areas:bare}}", by_place, BY_PLACE),
)
