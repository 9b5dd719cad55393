"""The first rows by a column or by distance, and rows whose count passes a condition."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.geo.wording.phrases import number
from agents.offline.commands.analyses.groups import group_columns
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.commands.analyses.selections import kept_by_count
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import fold, is_plural, name_words, place_of
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import OneOf, Top, all_of
from agents.offline.meaning.cql2 import property_of
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.spellings import names_in_list
from agents.offline.meaning.steps import (
    AddedColumn,
    ColumnWords,
    LateCondition,
    NameColumn,
    Ranking,
    count_in_areas,
    is_least,
    step,
    top_step,
)

_USUAL = 10
MIN_LISTED = 3
"""Minimum number of places of a list; the distance of two places is an operation's own phrase."""
_ONE = frozenset(("is", "that is", "lies"))
_FAR = "(farthest|furthest|closest|nearest|most remote)"
_AWAY = "(away from|from|to)"
_ANY = "[(any|their nearest|its nearest|the nearest) [other]]"
_HOW_FAR = "(how far [away] is|<what> distance (to|of)|distance (to|of))"
_ONLY = (
    "(show me only|show only|show just|show me just|only show me|only show|just show me|just show|only keep|keep only"
    "|keep just|keep|display only|only display|only|just|restrict to|limit to|filter to|filter for|filter by|filter)"
)
_ONES = "(the ones|those|ones|the features|features|the rest|rest|the others)"
_WITH = "[with a|with an|with|where|whose|that have|which have|used by|shared by]"
_OF_EACH = "of each|of every|in each|in every|on each|on every|for each|for every"
_EACH = f"link=({_OF_EACH}|per|by)"
_BY_AND_WHERE = "[([by {by:column}] {where:condition}|[{where:condition}] by {by:column})]"
_FIRST_OF_EACH = (
    f"[single] [the] ({{top:top}}|{{top:nth}}) {{source:rows}} {_EACH} [{{of:country}}] {{per:column}}"
    f" {_BY_AND_WHERE}"
)
_MOST = "most|fewest|least|highest|greatest|largest|longest|lowest|smallest|shortest"
_MANY = "said=({many:many})"
_MANY_INSIDE = f"{{areas:named}} <having> {_MANY} {{source:rows}} [<inside>]"
_INSIDE_OF_WHICH = "(in|inside|within) (which|what) {areas:named} (are|were|is|was|lie|do) [there]"
RULES = Rules()
on = RULES.on


@on(
    "<then> [show me|show|keep only|keep|list|take|only|find|give me] {top:top} [of them|ones|one|of those|areas"
    "|features] [by {by:column}]"
)
def _top(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`show the three largest` of the previous step's result."""
    top = bindings["top"]
    by = bindings.get("by") or Ranking(top)
    return (top_step(RESULT, by, top.limit, smallest=not top.descending, ties=True),)


@on(f"(which|what) {{source:rows}} (is|are) [the] {{top:top}} {_EACH} {{per:column}} {_BY_AND_WHERE}")
@on(
    f"[<ask>|<what>] [is|are] [single] {{top:top}} {{source:bare}} by {{by:column}} link=({_OF_EACH}|per)"
    " {per:column}",
    f"[<ask>|<what>] [is|are] [the] {{n:count}} {{source:bare}} <has> [the] how=({_MOST}) {{by:column}}"
    f" link=({_OF_EACH}|per) {{per:column}}",
)
@on(
    f"({_OF_EACH}) {{per:column}} [,] [show|<ask>|<what>] [is|are] [the] ({{top:top}} {{source:rows}}"
    f"|{{n:count}} {{source:bare}} <has> [the] how=({_MOST}) {{by:column}})",
)
@on(f"[<ask>|<what>] [is|are] {_FIRST_OF_EACH}", rows=f"[the] {_FIRST_OF_EACH}")
def _of_each(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`highest airport of each country [in Europe]`: by the rows' own column of that name."""
    rows, by = bindings["source"], bindings["per"]
    top = bindings.get("top") or Top(bindings["n"], not is_least(bindings["how"]), measure="many")
    rows = replace(rows, where=all_of(rows.where, bindings.get("where"), bindings.get("of")))
    table = context.table(rows)
    if table is None or not rows.named:
        return None
    names = group_columns(table, by, context)
    if len(names) != 1 or (bindings.get("link") == "by" and not _names_groups(table, names[0], top)):
        return None
    column = table.column(names[0])
    if (column is not None and column.kind == "number") or are_counts((table,), (*names,)):
        return None  # `the cheapest car park per hour`, for an hourly tariff; `the highest budget per bed`
    ranking = bindings.get("by") or Ranking(top)
    more: dict[str, Any] = {
        "per": [ColumnWords(names[0])],
        "ties": True,
        **({"skip": top.place - 1} if top.place > 1 else {}),
    }
    return (top_step(rows, ranking, max(top.limit, top.place), smallest=not top.descending, **more),)


@on(
    "<what> [the] {what:column} (by|per|of|of each|for each|in each) [all] [the] {source:bare} [,]"
    " how=(top|bottom) {n:count}"
)
def _rows_by_column(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`population by country, top 3`, if each row of the countries has it."""
    rows, what, n = bindings["source"], bindings["what"], bindings["n"]
    table = context.table(rows)
    names = columns_called((table,), name_words(what.text)) if table is not None and not rows.guessed else []
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    if (
        table is None
        or column is None
        or not is_number(column)
        or are_pieces_of(table, name_words(rows.noun))
    ):
        return None
    smallest = bindings["how"] == "bottom"
    title = f"{what.text[:1].upper()}{what.text[1:]} by {rows.noun}, {bindings['how']} {n}"
    return (top_step(rows, ColumnWords(names[0]), n, smallest=smallest, title=title, ties=True),)


@on(
    f"[<ask>|<what>] [is|are] [single] [the] ({{top:top}}|{{top:nth}}) {{source:rows}} {_EACH} {{areas:bare}}",
    cost=1.0,
)
def _of_each_there(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`biggest city in each European country`: the groups within a continent or country."""
    areas, where = bindings["areas"], bindings["areas"].where
    if areas.mention is None or not (isinstance(where, OneOf) and place_of(where.text.lower())):
        return None
    return _of_each({**bindings, "per": ColumnWords(areas.mention.text), "where": where}, context)


def _names_groups(table: Table, name: str, top: Top) -> bool:
    """Whether `by` names groups (`highest airport by country`) or the ranking column (`top 10 cities by
    population`)."""
    column = table.column(name)
    return top.measure != "" and column is not None and column.kind in ("text", "boolean")


@on(
    f"<ask> [{{n:count}}] how=({_FAR}) [{{n:count}}] {{source:rows}} [that are|which are|that is|is|are|lie|lies]"
    f" wording=({_AWAY} {_ANY}) {{target:any}} <far>",
    cost=1.5,
)
@on(
    f"<ask> [{{n:count}}] {{source:rows}} link=([that are|which are|that is|is|are|lie|lies])"
    f" wording=(how=({_FAR}) {_AWAY} {_ANY}) {{target:any}} <far>",
    f"((<ask>|{_HOW_FAR}) how=(nearest|closest) {{source:rows}} wording=(one=(to|for|of|from)) {{target:place}}"
    " <far>|(how far [away] is|<what> distance (from|between)) {target:place} wording=(one=(to|from|and)) [the]"
    " how=(nearest|closest) {source:rows})",
    f"<then> <ask> [{{n:count}}] wording=(how=({_FAR}) {_AWAY} {_ANY}) {{target:any}}",
)
def _extreme(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the 10 cities farthest from any airport`: the nearest of each, then the greatest distances."""
    source, target = bindings.get("source", RESULT), bindings["target"]
    if (source is RESULT and not context.chained) or source.guessed or target.guessed:
        return None
    smallest = bindings["how"].split()[-1] in ("closest", "nearest")
    if smallest and target.text.startswith("all "):
        return None  # the nearest to all is not the nearest to any
    asks_one = "one" in bindings and not is_plural(source.noun.lower())
    of_one = bindings.get("link") in _ONE or asks_one or _is_one(source, context)
    limit = bindings.get("n") or (1 if of_one else _USUAL)
    noun = "those" if source.previous else source.noun
    named = "of them" if source.previous else noun
    wording = "to" if bindings["wording"] in ("from", "and") else bindings["wording"]
    if bindings["how"] not in wording:
        wording = f"{bindings['how']} {wording}"
    title = f"{number(limit)} {named} {wording} {target.text}"
    return (
        step(
            "nearest", source, ("target", target), title=f"Nearest of {target.text} for each of {noun}", k=1
        ),
        top_step(RESULT, AddedColumn("distance_m"), limit, smallest=smallest, title=title),
    )


_PAIR = "(two|[the] two|2|[the] pair of)"
_APART = "[to each other|to one another|together|apart|from each other|away from each other|in the world]"


@on(
    f"<ask> {_PAIR} how=({_FAR}) {{source:rows}} {_APART}",
    f"<ask> {_PAIR} {{source:rows}} [that|which] [are|lie|is] [the] how=({_FAR}) {_APART}",
    f"<ask> [the] how=({_FAR}) (two|pair of) {{source:rows}} {_APART}",
)
def _pair(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the two closest capitals`, `which two airports in Peru are farthest apart`: of all pairs of these rows."""
    rows: Features = bindings["source"]
    if not rows.named:
        return None
    how = bindings["how"]
    if how in ("closest", "nearest"):
        title = f"Nearest of {rows.noun} for each of them"
        pairs = step("nearest", rows, ("target", rows), title=title, k=1)
    else:
        names = {"name": NameColumn(), "other_name": NameColumn("other")}
        pairs = step("distance_matrix", rows, ("other", rows), title=f"Distances of {rows.noun}", **names)
    smallest = pairs.operation == "nearest"
    title = f"The two {how} {rows.noun}"
    return (pairs, top_step(RESULT, AddedColumn("distance_m"), 1, smallest=smallest, title=title))


@on(
    "(<open>|<what>) [pairwise|mutual] (distance|distances|distance matrix) [between|of|from|among|for] {source:place}",
    cost=1.0,
)
def _pairs_of_list(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`distances between Berlin, Paris and Rome`: each pair once."""
    places: Features = bindings["source"]
    if len(names_in_list(places.place)) < MIN_LISTED:
        return None
    names = {"name": NameColumn(), "other_name": NameColumn("other")}
    pairs = step("distance_matrix", places, ("other", places), title=f"Distances of {places.text}", **names)
    once = {"op": "<", "args": [property_of("origin"), property_of("destination")]}
    return (pairs, step("filter", RESULT, title=f"Distances between {places.text}", filter=once))


def _is_one(rows: Features, context: Context) -> bool:
    """Whether the noun is singular, unlike in the table's name or comment: `the airport farthest from any city`."""
    table, noun = context.table(rows), rows.mention.text if rows.mention is not None else ""
    if not noun or table is None or is_plural(noun.lower()):
        return False
    own = name_words(noun)[-1:]
    return is_plural(table.name) or any(
        is_plural(word) and name_words(word) == own for word in re.findall(r"\w+", fold(table.comment or ""))
    )


@on(
    "<then> (sorted|ordered|ranked|sort|order) [them|it|the result] by number of {rows:bare}"
    " [descending|from high to low]"
)
def _by_number(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`…, sorted by number of schools`, after a count."""
    rows: Features = bindings["rows"]
    if not context.chained or not rows.named:
        return None
    by = Ranking(Top(0, True), rows=rows.mention)
    return (step("sort", RESULT, title=f"sorted by number of {rows.noun}", by=by),)


@on(
    "<then> (sorted|ordered|ranked)",
    "<then> [sorted|ordered|ranked] [the] order=(most|highest|largest|greatest|biggest|longest|fewest|least|lowest"
    "|smallest|shortest) [ones|ratio|rate|share|value|number] (first|on top)",
    cost=1.0,
)
def _ordered(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`…, most first`, after a count or measurement."""
    if not context.chained:
        return None
    order = bindings.get("order", "most")
    least = is_least(order)
    way = {"ascending": True} if least else {}
    return (step("sort", RESULT, title=f"{order} first", by=Ranking(Top(0, not least)), **way),)


@on(f"<then> ({_ONLY} [{_ONES}]|(show me|show|list) {_ONES}) {_WITH} {{condition:kept}}")
def _keep(bindings: Mapping[str, Any], _: Context) -> Steps:
    """`keep those with a count above 5`."""
    return (step("filter", RESULT, filter=LateCondition(bindings["condition"])),)


@on(f"{_INSIDE_OF_WHICH} {_MANY} {{source:rows}} [lie|located]")
@on(f"<ask> {_MANY_INSIDE} <counted>", rows=_MANY_INSIDE)
def _with_many(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`countries with more than 100 airports`: counts, then filters."""
    areas, rows = bindings["areas"], bindings["source"]
    if not (areas.named and rows.named):
        return None
    if context.table(areas) == context.table(rows) or context.has_column(areas, rows.text):
        return None
    return (
        count_in_areas(areas, rows, title=f"{rows.heading} in each {areas.text}"),
        kept_by_count({**bindings, "source": areas}, rows.text),
    )


@on("<then> count {source:bare} by {by:column} (inside|within|in them|inside them|there)")
def _inside_by(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`…, then count the airports by country inside`: those inside the result, grouped."""
    rows = bindings["source"]
    if rows.mention is None:
        return None
    them, title = Features(text="them", previous=True), f"{rows.heading} in them"
    found = step("select_by_location", rows, ("other", them), title=title, predicate="shares_interior")
    return (found, step("summarise", RESULT, by=[bindings["by"]]))
