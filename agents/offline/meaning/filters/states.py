"""States that conditions name, and their dates: `refused in 2024`, `granted permits per year`, by “Date of
decision”."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from agents.domain import Column, Table
from agents.offline.language.lexicon import DECIDED, DECISION
from agents.offline.language.names.costs import word_cost
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import OneOf, parts_of


def state_words(where: Any) -> set[str]:
    """The words for states in conditions: `expired`."""
    kinds = (each for each in parts_of(where) if isinstance(each, OneOf) and each.how in ("kind", "is"))
    return {word for each in kinds for word in name_words(each.text) if word.endswith("ed")}


def dates_of_state(table: Table, states: Collection[str]) -> list[Column]:
    """The dates that are called after a state, or after the decision that brings it about: `dec_dt`."""
    words = {*states, *(DECISION if DECIDED.intersection(states) else ())}
    return [
        each
        for each in table.columns
        if each.kind in ("date", "timestamp")
        and any(word_cost(own, word) is not None for own in name_words(each.name) for word in words)
    ]
