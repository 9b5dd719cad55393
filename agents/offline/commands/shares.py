"""Shares: of matching rows among all rows, or of a figure in its total."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.commands.requests import Commands
from agents.offline.language.names.columns import fact_columns
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import OneOf, is_unclear, split_off_places
from agents.offline.meaning.intents import Count, Intent, Lookup

_PART = "[the] (share|percentage|percent|proportion|fraction|part|%) of"
_SHARE = f"[what is|what|which] {_PART}"
_SHARE_OF_TOTAL = f"[what is|what|which|how much] {_PART}"
_EVERYBODY = (
    "(humanity|humankind|mankind|[all] [the] (humans|people on earth|people in the world|world's people))"
)
_LIVES = "(lives in|live in|is in|lies in|is|belongs to|comes from|falls on)"
_IN_PERCENT = "[,] (in|as [a|the]) (percent|per cent|%|percentage|share|proportion)"
COMMANDS = Commands()
on = COMMANDS.on


@on(f"{_SHARE} {{rows:selection}} (is|are|were|was) {{value:value}}", cost=1.0)
@on(f"how many [of the] {{rows:selection}} (is|are|have|has|had|were|was|lie) {{where:where}} {_IN_PERCENT}")
@on(f"{_SHARE} {{rows:selection}} (is|are|have|has|had|were|was|lies|lie) {{where:where}}")
def _share(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what share of the schools are primary schools`: a condition, or a value before the noun."""
    rows, among = bound["rows"].mention, bound["rows"].where
    if bound["rows"].top is not None:
        return None
    where = bound.get("where") or OneOf(bound["value"].removeprefix("the "), how="kind")
    if isinstance(where, OneOf) and where.how == "kind":
        value, _, noun = where.text.rpartition(" ")
        if value and name_words(noun) == name_words(rows.text)[-1:]:
            where = OneOf(value, how="kind")
    return Count(rows, where, share=True, among=among) if rows.known and not rows.everything else None


@on(f"how many {{rows:selection}} {_IN_PERCENT}", cost=5.0)
@on(f"{_SHARE} {{rows:selection}}", cost=5.0)
def _share_of(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`percentage of dead trees in Riverside`: of all trees there."""
    rows = bound["rows"]
    if rows.where is None or rows.top is not None or is_unclear(rows.where):
        return None
    where, among = split_off_places(rows.where)
    if where is None:
        return Count(rows.mention, among, share=True)
    return Count(rows.mention, where, share=True, among=among)


@on(f"{_SHARE} {{rows:selection}} (is|are) (that|those|this|these|they|it)", cost=-1.0)
def _share_in_all(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`what percentage of claims is that?`: the rows spoken of, among all."""
    rows = bound["rows"]
    if rows.where is not None or rows.top is not None or not rows.mention.tables:
        return None
    return Count(replace(rows.mention, pronoun=True, layers=()), share=True)


@on(f"{_SHARE_OF_TOTAL} [the] {{what:words}} of {{among:words}} {_LIVES} {{whose:words}}", cost=1.0)
@on(
    f"{_SHARE_OF_TOTAL} [the] {{what:words}} (of|in) {{among:words}} (lives in|live in|living in) {{rows:selection}}"
)
@on(f"{_SHARE_OF_TOTAL} the {{what:words}} {_LIVES} {{whose:words}}", cost=2.0)
@on(
    f"{_SHARE_OF_TOTAL} [the] (world|world's|global|earth's|total) {{what:words}} {_LIVES} {{whose:words}}",
    cost=-3.0,
)
@on(f"{_SHARE_OF_TOTAL} {_EVERYBODY} {_LIVES} {{whose:words}}", cost=-3.0)
def _share_of_total(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what share of the world population lives in India?`"""
    bound = {"what": "population", **bound}
    if not any(fact_columns(table, bound["what"]) for table in vocabulary.few_tables):
        return None
    among, rows = bound.get("among", ""), bound.get("rows")
    if rows is None:
        return Lookup(bound["what"], bound["whose"], share=True, among=among)
    if rows.top is not None or not rows.mention.tables or rows.mention.guessed:
        return None
    mention = rows.mention
    return Lookup(bound["what"], mention.text, share=True, among=among, rows=mention, where=rows.where)


@on(f"{_SHARE_OF_TOTAL} {{what:words}} (lives in|live in) {{rows:selection}}", cost=-1.0)
@on(f"{_SHARE_OF_TOTAL} {{what:words}} ({_LIVES}|in) {{whose:words}}")
def _share_of_an_owner(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`share of Africa's population in Nigeria`"""
    among, _, what = bound["what"].replace("’", "'").partition("'s ")
    return _share_of_total({**bound, "what": what, "among": among}, vocabulary) if what else None
