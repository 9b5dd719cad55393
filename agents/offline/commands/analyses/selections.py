"""Selections by location with a second step: rows in areas that are selected first, the first of a ranking among those
that are selected, rows that are counted near or in each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.groups import by_own_column
from agents.offline.commands.analyses.rules import Build, Context, Steps, rule
from agents.offline.language.words import name_words, singular
from agents.offline.meaning.conditions import MOST_FIRST, ColumnMention, Compare, OneOf
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import AnalysisStep, LateCondition, Ranking, count_in_areas, step, top_step

_RELATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("[<are>] <closer> {distance:length} <away> {other:any}", {"predicate": "within_distance"}),
    (
        "[<are>] <farther> {distance:length} <away> {other:any}",
        {"predicate": "within_distance", "invert": True},
    ),
    (
        "(without|with no|that have no|that has no) [any] {other:bare} <closer> {distance:length}",
        {"predicate": "within_distance", "invert": True},
    ),
    (
        "(without|with no|that have no|that has no) [any] {other:meant}",
        {"predicate": "shares_interior", "invert": True},
    ),
    (
        "(with|containing|that (have|has|contain|contains)) [any] {other:meant}",
        {"predicate": "shares_interior"},
    ),
    ("[that|which] [are] <bordering> {other:shapes}", {"predicate": "touches"}),
    ("[that|which] (border|borders|touch|touches) [on] {other:shapes}", {"predicate": "touches"}),
)
"""The words of a relation to other rows, and the arguments of the selection by it."""
_COMPARED = {
    "more than": ">", "over": ">", "above": ">", "fewer than": "<", "less than": "<", "under": "<", "below": "<",
    "at least": ">=", "at most": "<=", "exactly": "=",
}  # fmt: skip


def _in_selected(relation: Mapping[str, Any]) -> Build:
    """`airports in countries that border France`."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        rows, areas = bindings["source"], bindings["areas"]
        found = _selected(areas, bindings, relation, context)
        if found is None or not rows.named or context.table(rows) == context.table(areas):
            return None
        title = f"{rows.heading} in {bindings['meant']}"
        inside = step("select_by_location", rows, ("other", _THEM), title=title, predicate="shares_interior")
        return (found, inside)

    return built


def _first_in_some(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the largest parcel in districts with more than 10,000 residents`: in some areas, by what they are like. A name
    may as well be the value of a column."""
    if bindings["other"].where is None or isinstance(bindings["other"].where, OneOf):
        return None
    return _first_of_selected({"predicate": "shares_interior"})(bindings, context)


def _first_in_selected(relation: Mapping[str, Any]) -> Build:
    """`the highest airport in countries that border France`."""
    inside = _in_selected(relation)

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        found = inside(bindings, context)
        if found is None:
            return None
        return (*found, _first(bindings, f"{bindings['source'].noun} in {bindings['meant']}"))

    return built


def _first(bindings: Mapping[str, Any], what: str) -> AnalysisStep:
    top, noun = bindings["top"], bindings["source"].noun.lower()
    several = top.limit == 1 and singular(noun) != noun
    limit = MOST_FIRST if several else top.limit
    few = f"{limit} " if limit > 1 else ""
    by = bindings.get("by") or Ranking(top)
    title = f"The {few}{top.word} {what}"
    return top_step(RESULT, by, limit, smallest=not top.descending, title=title, ties=True)


def _first_of_selected(relation: Mapping[str, Any]) -> Build:
    """`the largest city without an airport within 50 km`."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        found = _selected(bindings["source"], bindings, relation, context)
        return None if found is None else (found, _first(bindings, bindings["meant"]))

    return built


def _selected(
    rows: Features, bindings: Mapping[str, Any], relation: Mapping[str, Any], context: Context
) -> AnalysisStep | None:
    other: Features = bindings["other"]
    if not rows.named or other.guessed or (other.unless_column and context.has_column(rows, other.text)):
        return None
    far = {"distance": bindings["distance"]} if "distance" in bindings else {}
    title = bindings["meant"][:1].upper() + bindings["meant"][1:]
    return step("select_by_location", rows, ("other", other), title=title, **relation, **far)


def _with_many_near(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`cities with more than 3 airports within 50 km`."""
    rows, others = bindings["source"], bindings["other"]
    if not (rows.named and others.named):
        return None
    far = bindings["distance"]
    title = f"{others.heading} within {far.text} of each of {rows.noun}"
    joined = step(
        "spatial_join", rows, ("other", others), title=title, predicate="within_distance", distance=far
    )
    kept = f"{rows.heading} with {bindings['than']} {bindings['amount'].text} {others.noun} within {far.text}"
    return (joined, _kept(bindings, kept))


def _groups_with_many(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`streets with more than 5 crashes`, by a column of the crashes."""
    rows: Features = bindings["source"]
    if not rows.named or context.vocabulary.is_named(name_words(bindings["by"].text)):
        return None
    found = by_own_column(bindings, context)
    title = f"{bindings['by'].text} with {bindings['than']} {bindings['amount'].text} {rows.noun}"
    return (*found, _kept(bindings, title[:1].upper() + title[1:])) if found is not None else None


def _kept(bindings: Mapping[str, Any], title: str) -> AnalysisStep:
    count = Compare(_COMPARED[bindings["than"]], bindings["amount"], ColumnMention("count"))
    return step("filter", RESULT, title=title, filter=LateCondition(count))


def _more_of_one(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which countries have more cities than airports`: both counted in each area."""
    areas, one, other = bindings["areas"], bindings["one"], bindings["other"]
    tables = [context.table(each) for each in (areas, one, other)]
    if not (areas.named and one.named and other.named) or not _counts_apart(tables):
        return None
    names = [f"number_of_{table.name}" for table in tables[1:] if table is not None]
    counted = [
        replace(
            count_in_areas(source, rows, title=f"{areas.heading} with their {rows.noun}"),
            arguments=_count_as(name),
        )
        for source, rows, name in zip((areas, RESULT), (one, other), names, strict=True)
    ]
    op = ">" if bindings["how"] == "more" else "<"
    more, less = (ColumnMention(name.replace("_", " "), (name,)) for name in names)
    title = f"{areas.heading} with {bindings['how']} {one.noun} than {other.noun}"
    return (*counted, step("filter", RESULT, title=title, filter=LateCondition(Compare(op, less, more))))


def _counts_apart(tables: list[Table | None]) -> bool:
    """Whether these are three tables, the counts of which have names that the first one does not use."""
    known = [table for table in tables if table is not None]
    return (
        len({table.id for table in known}) == len(tables) == len({table.name for table in known})
        and known[0].geometry_family == "polygon"
        and not any(known[0].column(f"number_of_{table.name}") for table in known)
    )


def _count_as(name: str) -> tuple[tuple[str, Any], ...]:
    return (("predicate", "shares_interior"), ("aggregates", [{"function": "count", "name": name}]))


_THEM = Features(text="them", previous=True)
_THAN = f"than=({'|'.join(_COMPARED)})"
_HAVING = (
    "(with|that have|having|have|has|that had|had|contain|contains|that contain|containing|hold|holding)"
)
RULES = (
    *(
        rule(f"<ask> {{source:bare}} [<are>] (in|inside|within) meant=([the|all] {{areas:bare}} {words})",
             _in_selected(relation), -2.5)
        for words, relation in _RELATIONS
    ),
    *(
        rule(f"[<ask>|<what>] [is|are] [the] {{top:top}} {{source:bare}} [<are>] (in|inside|within)"
             f" meant=([the|all] {{areas:bare}} {words}) [by {{by:column}}]", _first_in_selected(relation), -2.5)
        for words, relation in _RELATIONS
    ),
    rule("[<ask>|<what>] [is|are] [the] {top:top}"
         " meant=({source:bare} [<are>] (in|inside|within) [any|all] {other:areas}) [by {by:column}]",
         _first_in_some, -1.0),
    *(
        rule(f"[<ask>|<what>] [is|are] [the] {{top:top}} meant=({{source:bare}} {words}) [by {{by:column}}]",
             _first_of_selected(relation), -2.5)
        for words, relation in _RELATIONS
    ),
    rule(
        f"<ask> {{source:bare}} {_HAVING} {_THAN} {{amount:number}} {{other:bare}}"
        " (within|less than) {distance:length}",
        _with_many_near,
    ),
    rule(f"<ask> {{by:column}} {_HAVING} {_THAN} {{amount:number}} {{source:rows}}", _groups_with_many, 1.0),
    rule(
        "<ask> {areas:bare} (have|with|that have|having|has) how=(more|fewer) {one:bare} than {other:bare}",
        _more_of_one,
    ),
)  # fmt: skip
