"""Questions about a fact of one row: what it uses or lies in, whether it is so, what was done to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.requests import Commands
from agents.offline.language.conditions.flags import is_flag, is_flag_named
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.intents import Intent, Lookup

COMMANDS = Commands()
on = COMMANDS.on


@on(
    "(which|what) {what:words} (does|do|did) {whose:value} (use|have|belong to|lie in)",
    "(which|what) {what:words} (do (they|people|you)|does one) (use|have|pay with|pay in) in {whose:value}",
)
@on("(which|what) {what:words} (is|are|was|were) {whose:value} (in|on|at|from|under)", cost=1.0)
def _fact_of(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which aquifer is W-12 in?`: the value of the column with that name."""
    known = any(vocabulary.columns_called((table,), bound["what"]) for table in vocabulary.few_tables)
    return Lookup(bound["what"], bound["whose"]) if known else None


@on("(does|did|has) {whose:value} (have|had|got) [a|an|any] {what:words}", cost=1.0)
@on(
    "(is|was|does|has|did) {whose:words} [still|currently] [on|in|at|by|from|of] [the|a|an] {what:words}",
    cost=2.0,
)
def _asserted(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`is W-12 sealed?`, `is Ascó active?`, `does the pier have a railing?`, `is it in poor condition?`: by the
    boolean column with that name, or the only column with such a value."""
    words, before = name_words(bound["what"]), bound["whose"].split()[-1]
    if before in _LINKS:
        return None
    flags = {
        column.name
        for table in vocabulary.few_tables
        for column in table.columns
        if is_flag(column)
        and (
            column.name in vocabulary.columns_called((table,), bound["what"]) or is_flag_named(column, words)
        )
    }
    if not flags and bound["what"].split()[0] in _LINKS:
        return None
    values = {
        column
        for table, column, _ in vocabulary.values_called(words)
        if column not in vocabulary.columns_called((table,), before)  # `grade I` as a whole
    }
    named = {(name, bound["what"]) for name in flags or values}
    for at in range(1, len(words)) if not named else ():
        for text, value in ((words[:at], words[at:]), (words[at:], words[:at])):
            for table, column, _ in vocabulary.values_called(value):
                if column in vocabulary.columns_called((table,), " ".join(text)):
                    named.add((column, " ".join(value)))
    found = named.pop() if len(named) == 1 else None
    return Lookup(found[0], bound["whose"], value=found[1]) if found is not None else None


@on("(what is|what was|what's) {whose:value} {what:words} (for|by|of|from|with)", cost=1.0)
def _done_to(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what is W-12 used for?`: by a column `use`."""
    words = _MADE_OF.get(bound["what"], bound["what"])
    return _fact_of({**bound, "what": words}, vocabulary)


_LINKS = word_set("on in at by from of the a an still currently")
_MADE_OF = {"made": "material", "built": "material", "called": "name"}
