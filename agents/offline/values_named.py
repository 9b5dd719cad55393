"""Looks up values of the data that a request names by otherwise unknown words: `fens` of habitat sites.

The registry only knows the most common values of a column; others are queried if such a word occurs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from agents.domain import Table
from agents.offline.commands.analyses.analysis import language_of
from agents.offline.coverage import language_words
from agents.offline.language.names.rows import names_rows
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Value, Vocabulary
from agents.offline.language.words import fold, is_numbered, name_words, singular, word_set
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import MapAgent, Scene, unless_failed
from agents.offline.meaning.spellings import is_short_code, spellings
from agents.offline.meaning.stored_values import plain, wanted_values
from agents.text_search import TextSearch

log = logging.getLogger("agents.offline")
MAX_TABLES = 40
MAX_ROWS = 200_000
"""Maximum number of rows of a table that is searched."""
SECONDS = 5.0
"""Time limit for all tables of a request."""
_COLOURS_AND_NAMES = frozenset(("peru",))
"""Colours of CSS that are rather names: `the airports in peru`."""
_AGAINST = word_set("vs versus against")
_found: WeakKeyDictionary[MapAgent, dict[str, list[Value]]] = WeakKeyDictionary()
"""Per agent, the values of the latest message by its text, as written and as it was understood."""


async def values_named(scene: Scene, text: str, *, again: bool) -> list[Value]:
    """The tables, columns and values that otherwise unknown words of a request name, as far as found within SECONDS.
    `again`: keep the values found earlier in the turn."""
    known = _found.get(scene.agent, {}) if again else {}
    if text not in known:
        found: list[Value] = []
        try:
            async with asyncio.timeout(SECONDS):
                await _look_up(scene, text, found)
        except TimeoutError:
            log.info("looking up the words of a request took more than %s s", SECONDS)
        known = {**known, text: found}
        _found[scene.agent] = known
    return known[text]


async def _look_up(scene: Scene, text: str, found: list[Value]) -> None:
    """Append the values that are found."""
    vocabulary = scene.vocabulary
    written = text.lower() if text.isupper() else text
    words = [token.text for token in tokenize(written) if token.kind == "word"]
    unknown = _unknown(words, vocabulary)
    forms = _forms(words, unknown)
    tables = [each for each in vocabulary.few_tables if _is_small(each)]
    if not forms or len(tables) > MAX_TABLES:
        return
    wanted, spelt = set(map(plain, forms)), spellings(forms)
    nouns = {singular(fold(words[at])) for at in unknown}
    columns = {each.id: text_columns(each) for each in tables}
    search = TextSearch(
        {table: [each.name for each in those] for table, those in columns.items() if those},
        spelt,
        {each.id: [one.name for one in columns[each.id] if names_rows(each, one.name)] for each in tables},
        [f" {noun}" for noun in sorted(nouns)],
    )
    rows = await unless_failed(scene.data.find_texts(search)) or {}
    found += [
        (table, column, value)
        for table in tables
        for column, stored in wanted_values(rows.get(table.id, ()), columns[table.id], wanted, nouns).items()
        for value in stored
        if is_numbered(value) or not is_short_code(value)
    ]


def _is_small(table: Table) -> bool:
    return table.lake is None and table.row_estimate <= MAX_ROWS


def _unknown(words: Sequence[str], vocabulary: Vocabulary) -> list[int]:
    """The positions of words that are otherwise unknown."""
    known = language_words(), language_of(vocabulary.operations).limits, _names(vocabulary.few_tables)

    def is_known(word: str) -> bool:
        return word not in _COLOURS_AND_NAMES and any(word in each for each in known)

    return [
        at
        for at, word in enumerate(words)
        if (word[1:].islower() if at == 0 else word.islower())
        and len(one := singular(fold(word))) > 2
        and not (is_known(fold(word)) or is_known(one))
        and not vocabulary.values_called((one,))
    ]


def _forms(words: Sequence[str], unknown: Sequence[int]) -> Sequence[str]:
    """Forms of the unknown words: `fen` of `fens`, `alder carr` of `alder carrs`; with and without accents."""
    forms = [word for word in words if is_numbered(word) and not word[0].isdigit()]
    for at in unknown:
        word = words[at]
        for own in dict.fromkeys((singular(fold(word)), singular(word), fold(word).removesuffix("s"))):
            forms += [own, *(f"{before.lower()} {own}" for before in words[max(at - 1, 0) : at])]
        forms += [f"{word} {singular(after.lower())}" for after in words[at + 1 : at + 2]]
    for at in (at for at, word in enumerate(words) if word.lower() in _AGAINST):
        beside = [words[max(at - n, 0) : at] for n in (2, 3)] + [words[at + 1 : at + 1 + n] for n in (2, 3)]
        forms += [" ".join(each).lower() for each in beside if len(each) > 1]  # `lake view vs west town`
    return list(dict.fromkeys(forms))


def _names(tables: Sequence[Table]) -> frozenset[str]:
    """The words in names of tables and columns."""
    names = (each for table in tables for each in (table.name, *(column.name for column in table.columns)))
    return frozenset(word for name in names for word in name_words(name))
