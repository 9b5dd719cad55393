"""Groups with the most or least: `which country has the most airports?`, `in which district are most trees?`

The figures are those of groups.py, followed by a step that keeps the first groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.by_key.grouped import by_key_of
from agents.offline.commands.analyses.groups import (
    BY_PLACE,
    OF,
    by_column_of_areas,
    by_own_column,
    by_place,
    in_one,
    own_figure,
    share,
    share_of_sum,
)
from agents.offline.commands.analyses.rules import Build, Context, Rules, Steps, are_times, rule
from agents.offline.language.figures import adds_along
from agents.offline.language.lexicon import OBSERVED
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import doers_of, english, name_words, singular
from agents.offline.meaning.conditions import Condition, OneOf, Top, all_of
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.row_names import PEOPLE, text_columns
from agents.offline.meaning.steps import (
    AnalysisStep,
    ColumnWords,
    Grouped,
    count_in_areas,
    first_groups_step,
    is_least,
    step,
    sum_of,
    top_step,
)
from agents.offline.meaning.units import column_unit, in_one_unit

COUNT = {"function": "count"}
_SIZES = ("big", "high", "long", "fast")
_WHICH = "(<ask>|[and] (in|on|at|for|of|with|within) (which|what)) [top] [{n:count}]"
_PER = "(per)"
_GREATEST = "how=(highest|largest|greatest|longest|biggest|lowest|smallest|shortest)"
_MOST = "how=(most|fewest|least|(highest|largest|greatest|lowest|smallest) (number|count) of)"
_MOST_OF = "how=(most|fewest|least|highest|largest|biggest|greatest|longest|lowest|smallest|shortest)"
_ALSO = "[(in|within) (it|them)] [[,] and how many [are there|(does|do) (it|they) have]]"
_IN_PERCENT = "[[,] in percent]"
_IN_TOTAL = "[found|seen|recorded|counted|observed] [in total|altogether|overall|combined]"
_FIGURE_OF_ALL = "[<what>|how many|show [me]|map] [the] {counted:counted} [are there|were there|do we have]"
_FIGURE_OF_SOME = "({counted:counted}|{counted:kinds})"
_KINDS = "[<what>|how many|count [of]|show [me]|map] [the] [number of] [the] {counted:kinds} [are|are there|were there]"
RULES = Rules()
on = RULES.on


def _limit(bindings: Mapping[str, Any], words: str) -> int:
    """The number of groups: as requested, ten for a plural without a number, else one."""
    noun = words.lower().rpartition(" ")[2]
    return int(bindings.get("n") or (10 if singular(noun) != noun else 1))


def _figure_name(figure: Mapping[str, Any]) -> str:
    """The figure in a title such as `The country with the most different currencies`."""
    return "different" if figure["function"] == "distinct" else FIGURE_NAMES[figure["function"]].lower()


@on("<ask> how=(top|bottom) [{n:count}] {by:column} (for|with) {source:rows}")
@on("<ask> how=(top|bottom) [{n:count}] {by:column} by (number|count) of {source:rows}")
@on(f"{_WHICH} {{by:column}} <has> [the] {_MOST} {{source:rows}} {_ALSO}")
@on(f"{_WHICH} {{by:column}} (is|are) (used|shared) by [the] how=(most|fewest) {{source:rows}}")
@on(f"{_WHICH} {{by:column}} (do|does) [the] how=(most|fewest) {{source:rows}} (use|have|share)")
def _count(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which country has the most airports`, by the rows' own column.

    Not for the fewest if its values are names of areas: an area without rows has no value there.
    """
    rows: Features = bindings["source"]
    by: ColumnWords = bindings["by"]
    is_own = context.has_column(rows, by.text)  # else that of the rows they refer to
    match = context.vocabulary.match_table(name_words(by.text))
    is_table = match is not None and match.length >= len(name_words(by.text))
    if not rows.named or (not is_own and (is_table or is_least(bindings["how"]))):
        return None
    if is_least(bindings["how"]) and match is not None:
        return None
    groups = match.found if match is not None and is_table and rows.where is None else ()
    if any(context.vocabulary.columns_called((each,), rows.noun) for each in groups):
        return None  # `which school has the most pupils`, with a column `n_pup` of the schools
    if is_least(bindings["how"]) and rows.where is not None:
        return _fewest(bindings, context)
    found = by_own_column({**bindings, "figure": COUNT}, context)
    if not found or not isinstance(found[0], Grouped):
        return None
    return (replace(found[0], shapes=False), _ranked(bindings, by.text))


@on(f"{_WHICH} {{by:column}} <has> [the] {_MOST} {{source:rows}}", cost=4.0)
def _count_in_merged_areas(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which district has the most stations`, of neighbourhoods with a column of districts."""
    rows: Features = bindings["source"]
    if not rows.named or context.has_column(rows, bindings["by"].text):
        return None
    found = by_column_of_areas(bindings, context)
    return (*found, _ranked(bindings, bindings["by"].text)) if found else None


def _fewest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which district has the fewest dead trees`: of all groups, including those without any."""
    found = share(bindings, context)
    if not found or not isinstance(found[0], Grouped) or found[0].part is None:
        return None
    return (*found, _ranked(bindings, bindings["by"].text, "passing"))


@on("<ask> how=(top|bottom) [{n:count}] {areas:bare} by [the] (number|count) of {source:rows}", cost=BY_PLACE)
@on(f"{_WHICH} {{areas:bare}} <has> [the] {_MOST} {{source:rows}} {_ALSO}", cost=BY_PLACE)
def _count_in_areas(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The same by location, if the rows have no such column and the areas no such count. The noun may mean a column
    of the rows, such as `pzone`."""
    rows, areas = bindings["source"], bindings["areas"]
    table, own = context.table(areas), context.table(rows)
    if not (rows.named and areas.named) or table is None:
        return None
    is_kind = rows.mention is not None and rows.mention.of_value
    if (rows.where is None or is_kind) and context.has_column(areas, rows.noun):
        return None  # `deer`, with a column `deer_cnt_2025` of the areas
    if table.geometry_family != "polygon":
        grouped = by_key_of(areas, rows, COUNT, context) if not is_least(bindings["how"]) else None
        if grouped is None:
            return None
        if areas.where is not None:  # `which restaurants got the most complaints`
            title = f"{rows.heading} of {areas.noun}"
            kept = step("select_by_attribute", rows, ("other", areas), title=title)
            grouped = replace(grouped, source=replace(rows, where=None, made=(kept, *grouped.source.made)))
        return (replace(grouped, shapes=False), _ranked(bindings, areas.text))
    texts = (
        text_columns(own) if own is not None and areas.where is None and not is_least(bindings["how"]) else []
    )
    meant = columns_called((own,), name_words(areas.noun), texts.__contains__) if own is not None else []
    if len(meant) == 1:
        return (Grouped(rows, meant[0], COUNT, shapes=False), _ranked(bindings, meant[0]))
    return (count_in_areas(areas, rows), _ranked(bindings, areas.text))


@on(
    f"(who|who has|who's|(which|what) {{by:column}}) {{does:name}} [the] {_MOST} {{source:rows}}",
    f"who (has|have|had|got) [the] {_MOST} {{source:rows}}",
    cost=1.0,
)
def _done_by(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`who owns the most zones`, `which company operates the fewest lines`, `who logged the most sightings`: by a
    column such as `owner` or `observer`."""
    rows: Features = bindings["source"]
    does = bindings.get("does", "has").lower()
    doers = _OBSERVERS if does in OBSERVED else PEOPLE if does in _ACTING else frozenset[str]()
    doers = doers or doers_of(english().irregular.get(does, does.removesuffix("s")))
    known = [
        (table.id, each.name)
        for table in context.tables_of(rows.mention)
        for each in table.columns
        if doers & set(name_words(each.name))
    ]
    if len(known) != 1 or not rows.named or rows.mention is None:
        return None
    ((table_id, name),) = known
    rows = replace(rows, mention=replace(rows.mention, tables=(table_id,)))
    by = bindings.get("by")
    if by is not None and not context.has_column(rows, by.text) and by.text.lower() not in _COMPANIES:
        return None
    return (Grouped(rows, name, COUNT, shapes=False), _ranked(bindings, name))


_NUMBER = ColumnWords("count")
_OBSERVERS = frozenset(("observer", "recorder", "reporter", "surveyor", "spotter", "sighter"))
_ACTING = frozenset(("did", "made", "does", "makes", "performed", "conducted", "handled", "got", "has"))
"""Verbs for any work."""
_COMPANIES = frozenset(("company", "companies", "organisation", "organization", "institution", "authority"))


def _ranked(bindings: Mapping[str, Any], words: str, by: str | ColumnWords = _NUMBER) -> AnalysisStep:
    most = "fewest" if is_least(bindings["how"]) else "most"
    return first_groups_step(words, most, bindings["source"].noun, by, _limit(bindings, words))


@on(f"{_WHICH} {{by:column}} <has> [the] {_GREATEST} {{figure:figure}} {OF} {{source:rows}}")
@on(f"{_WHICH} {{by:column}} <has> [the] {_GREATEST} {{figure:figure}} per={_PER} {{source:bare}}")
def _figure(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which species has the largest average height`: of the named rows, or of a table with both columns."""
    if "per" in bindings and bindings["figure"]["function"] != "mean":
        return None
    found = (by_own_column if "source" in bindings else own_figure)(bindings, context)
    if not found:
        return None
    first = found[0]  # else the rows lie in areas
    rows, figure = (first.source, first.aggregate) if isinstance(first, Grouped) else bindings["counted"]
    tables = context.tables_of(rows.mention)
    named = context.vocabulary.columns_called(tables, figure["column"].text)
    if not named:
        return None
    columns = in_one_unit([each for table in tables for each in table.columns if each.name in named])
    name = _figure_name(figure)
    how = {"top": "highest", "bottom": "lowest"}.get(bindings["how"], bindings["how"])
    # `people`, for a column `population`, is not part of the figure's name.
    added = f"{figure['function']}_{columns[0].name}"
    by = added if len(columns) == 1 else ColumnWords(f"{figure['function']} {figure['column'].text}")
    groups, words = bindings["by"].text, f"{name} {figure['column'].text}"
    return (*found, first_groups_step(groups, how, words, by, _limit(bindings, groups)))


@on(f"{_WHICH} {{by:column}} <has> [the] {_MOST_OF} {_FIGURE_OF_SOME} {_IN_TOTAL}")
@on("<ask> how=(top|bottom) [{n:count}] {by:column} (by|for) [total] {counted:counted}", cost=0.5)
def _sum(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which continent has the most people`, `… the largest area`.

    If the rows have the same noun as the groups, a single row is meant, unless rows are pieces: `which street has the
    most crashes`, for segments.
    """
    called = name_words(bindings["by"].text)
    own = context.vocabulary.match_table(called)
    is_table = own is not None and own.length == len(called)
    rows = own.found if own and is_table else context.vocabulary.index.by_flag.get(" ".join(called), ())
    words = bindings["counted"][1]["column"].text
    having = {each: columns_called((each,), name_words(words)) for each in rows}
    if any(
        names and not (are_pieces_of(table, called) and adds_along(table, names, words))
        for table, names in having.items()
    ):
        return None
    return _figure(bindings, context)


@on(
    "<ask> how=(top|bottom) [{n:count}] {by:column} by [number of] {what:column} (in|of|from|on) {source:rows}"
)
def _sum_of_rows(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`top 5 districts by number of new dwellings in permits issued since 2020`: the sum of a count."""
    rows, what = bindings["source"], bindings["what"]
    table = context.table(rows)
    names = columns_called((table,), name_words(what.text)) if table is not None and rows.named else []
    if table is None or len(names) != 1 or not are_counts((table,), tuple(names)):
        return None
    return _figure({**bindings, "figure": sum_of(what)}, context)


@on(f"{_WHICH} {{by:column}} <has> [the] ({{top:top}}|{_MOST_OF}) {{counted:averaged}} on average", cost=-0.5)
def _mean(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which district has the slowest response on average`: slow means a long time or a low speed."""
    top: Top | None = bindings.get("top")
    rows, words = bindings["counted"]
    figure = {**words, "function": "mean"}
    found = own_figure({**bindings, "counted": (rows, figure)}, context)
    if top is None or not found or not isinstance(found[0], Grouped):
        return _figure({**bindings, "counted": (rows, figure)}, context) if found else None
    table = context.table(found[0].source)
    names = columns_called((table,), name_words(figure["column"].text)) if table is not None else []
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    unit = column_unit(column) if column is not None else None
    is_time = unit is not None and unit.dimension == "time"
    if top.limit != 1 or top.measure not in _SIZES or (top.measure == "fast" and unit is None):
        return None
    descending = top.descending != (is_time and top.measure == "fast")
    how = "highest" if descending else "lowest"
    return _figure({**bindings, "counted": (rows, figure), "how": how}, context)


@on(
    f"{_WHICH} {{areas:bare}} <has> [the] {_MOST_OF} {_FIGURE_OF_SOME} {_IN_TOTAL}",
    cost=BY_PLACE,
)
@on(f"{_KINDS} (<for_each>|<in_each>) [of] {{areas:bare}}", cost=3.0)
@on(f"{_FIGURE_OF_ALL} (<for_each>|<in_each>) [of] {{areas:bare}}", cost=3.0)
def _figure_in_areas(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`average rent per district`: over rows inside, if the areas have no such column, nor points one for the areas."""
    areas: Features = bindings["areas"]
    rows, figure = bindings["counted"]
    table, words = context.table(areas), figure["column"].text
    columns = context.vocabulary.columns_called(context.tables_of(rows.mention), words)
    if table is None or not areas.named or len(rows.mention.tables) != 1 or len(columns) != 1:
        return None
    if table.geometry_family != "polygon" or columns_called((table,), name_words(words)):
        return None
    what, column = f"{FIGURE_NAMES[figure['function']]} {words}", f"{figure['function']}_{columns[0]}"
    title = f"{what} in {areas.noun}" if rows.where is None or "how" in bindings else ""
    counted = count_in_areas(areas, rows, figure, title=title)
    if "how" not in bindings:
        own = context.table(rows)
        is_inside = own is not None and own.geometry_family == "point"
        return (counted,) if is_inside and not context.has_column(rows, areas.noun) else None
    limit, what = _limit(bindings, areas.text), f"{_figure_name(figure)} {words}"
    return (counted, first_groups_step(areas.noun, bindings["how"], what, column, limit))


def _narrowed(build: Build) -> Build:
    """The same with a condition after the areas: on times of the rows (`crashes per district in 2020`), or on a column
    that only the areas have (`in the north sector`)."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        areas, counted, more = bindings["areas"], bindings.get("counted"), bindings["more"]
        rows: Features = bindings["source"] if counted is None else counted[0]
        if rows.made:
            return None
        if are_times(more):
            rows = replace(rows, where=all_of(rows.where, more))
        elif _is_of(areas, more, context) and not _is_of(rows, more, context):
            areas = replace(areas, where=all_of(areas.where, more))
        else:
            return None
        narrowed = {"source": rows} if counted is None else {"counted": (rows, counted[1])}
        return build({**bindings, **narrowed, "areas": areas}, context)

    return built


def _is_of(rows: Features, condition: Condition, context: Context) -> bool:
    """Whether a condition names a column of the rows."""
    named = condition.column if isinstance(condition, OneOf) else None
    return named is not None and context.has_column(rows, named.text)


@on(f"{_WHICH} {{by:column}} <has> [the] {_GREATEST} <share> of [the] {{source:rows}}")
def _share(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which district has the highest share of dead trees?`"""
    found = share(bindings, context)
    if found is None or bindings["source"].where is None:
        return None
    what = f"percentage of {bindings['source'].noun}"
    return (*found, first_groups_step(bindings["by"].text, bindings["how"], what, "percent"))


@on(
    f"{_WHICH} {{by:column}} <has> [the] {_GREATEST} <share> of [the] [total] {{counted:counted}} {_IN_PERCENT}",
    cost=0.5,
)
def _share_of_sum(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which fuel has the largest share of the capacity?`"""
    found = share_of_sum(bindings, context)
    what = f"share of the {bindings['counted'][0].text}"
    return (
        (*found, first_groups_step(bindings["by"].text, bindings["how"], what, "percent")) if found else None
    )


def _first_groups(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`rank countries by number of airports, first 20`."""
    found, n = by_own_column(bindings, context), bindings["n"]
    if not found:
        return None
    title = f"The first {n} {bindings['by'].text} by number of {bindings['source'].noun}"
    return (*found, top_step(RESULT, _NUMBER, n, title=title, ties=True))


_RANK = "rank [all] [the] [{more:country}]"
_AREAS = "(<for_each>|<in_each>) [of] {areas:bare} [are|are there|were there|do we have] [,] {more:condition}"
RULES += (
    rule(f"{_KINDS} (by|<for_each>|<in_each>) {{by:column}}", own_figure),
    rule(f"{_FIGURE_OF_ALL} {_AREAS}", _narrowed(_figure_in_areas), 3.0),
    rule(f"{_RANK} {{by:column}} by [the] [number of] {{source:rows}}", by_own_column),
    rule(
        f"{_RANK} {{by:column}} by [the] [number of] {{source:rows}} [,] [the] first {{n:count}}",
        _first_groups,
    ),
    rule("rank [all] {areas:bare} by [number of] {source:bare}", by_place, BY_PLACE),
    rule(
        f"{_FIGURE_OF_ALL} (by|<for_each>|<in_each>) {{by:column}}",
        in_one(by_column_of_areas, "counted"),
        4.0,
    ),
    rule(f"[<how_many>|show [me]|map] [the] {{source:rows}} {_AREAS}", _narrowed(by_place), 1.0 + BY_PLACE),
    rule(f"<what> {{figure:figure}} {OF} {{source:rows}} {_AREAS}", _narrowed(by_place), BY_PLACE),
)
