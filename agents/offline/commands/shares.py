"""Questions for a share: of rows that pass a condition in all rows, or of what they add up to in the total."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import OneOf, is_unclear, split_off_places
from agents.offline.meaning.intents import Count, Intent


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


def _share_of(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`percentage of dead trees in Riverside`: of those that lie there."""
    rows = bound["rows"]
    if rows.where is None or rows.top is not None or is_unclear(rows.where):
        return None
    where, among = split_off_places(rows.where)
    if where is None:
        return Count(rows.mention, among, share=True)
    return Count(rows.mention, where, share=True, among=among)


_SHARE = "[what is|what|which] (share|percentage|percent|proportion|fraction) of"
COMMANDS = (
    command(f"{_SHARE} {{rows:selection}} (is|are|have|has|had|were|was|lies|lie) {{where:where}}", _share),
    command(f"{_SHARE} {{rows:selection}} (is|are|were|was) {{value:value}}", _share, 1.0),
    command(f"{_SHARE} {{rows:selection}}", _share_of, 5.0),
)
