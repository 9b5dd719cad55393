"""Finds the words of a request that neither the language nor the data has, to name them in the refusal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.domain import Table
from agents.geo.wording.phrases import listed
from agents.offline.answers import refusals
from agents.offline.commands.analyses.analysis import language_of
from agents.offline.coverage import language_words
from agents.offline.language import lexicon
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.dates import times_of
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words, singular, word_set
from agents.offline.meaning.columns import number_columns
from agents.offline.meaning.row_names import text_columns
from agents.worded import joined

MAX_NAMED = 4
MAX_COLUMNS = 12
_LONGEST_COLUMN = 3
_DRAWN = word_set("""
    colour color coloured colored shade shaded paint painted style styled size sized scale scaled label labelled labeled
    classify classified categorise categorised categorize categorized
""")
_ENDS_OF_COLUMN = word_set(", . ? ! ; and then in with using from as where")
_OF_COLUMNS = lexicon.COUNTED_ALIKE | {"belong", "own"}
"""Words of the language that need a matching column."""


def unknown_reason(words: Sequence[str]) -> str:
    """`“runway” is not a word of this language, nor the name of a table or column that you mention`."""
    named = listed([f"“{word}”" for word in words])
    if len(words) == 1:
        return refusals.UNKNOWN_WORD(words=named)
    return refusals.UNKNOWN_WORDS(words=named)


def column_lacking(text: str, vocabulary: Vocabulary) -> tuple[Table, str] | None:
    """The table and the words for a column that it lacks: `type` in `show airports, coloured by type`; else None."""
    tokens = [token for token in tokenize(text) if token.kind in ("word", "sign")]
    words = [fold(token.text) for token in tokens]
    at = next((at for at, word in enumerate(words) if word == "by"), 0)
    if not _DRAWN.intersection(words[:at]):
        return None
    end = next((each for each in range(at + 1, len(words)) if words[each] in _ENDS_OF_COLUMN), len(words))
    called = name_words(" ".join(words[at + 1 : end]))
    pairs = (
        name_words(" ".join(words[first : first + size])) for size in (2, 1) for first in range(at + 1 - size)
    )
    match = next((found for pair in pairs if (found := vocabulary.match_table(pair)) is not None), None)
    if not called or len(called) > _LONGEST_COLUMN or match is None or len(match.found) != 1:
        return None
    (table,) = match.found
    known = columns_called((table,), called)
    return None if known else (table, text[tokens[at + 1].start : tokens[end - 1].end])


def unread_reason(text: str, unknown: Sequence[str], vocabulary: Vocabulary) -> str:
    """Why a request cannot be carried out, if known; else empty."""
    if _OF_OTHER_TIMES.search(text) and not any(map(_has_times, vocabulary.few_tables)):
        return refusals.NO_OTHER_TIMES()
    lacking = column_lacking(text, vocabulary)
    if lacking is None:
        return unknown_reason(unknown) if unknown else ""
    table, words = lacking
    names = [column.name for column in (*text_columns(table), *number_columns(table))]
    return joined(
        ". ",
        (
            refusals.NO_COLUMN(table=table.title, text=words),
            refusals.IT_HAS(names=listed(names, most=MAX_COLUMNS)),
        ),
    )


_OF_OTHER_TIMES = re.compile(
    r"\b(?:(?:in|since|from|until|before|after|between|year) (?:19|20)\d\d|grow|grew|grown|growth|growing|shrank)\b",
    re.IGNORECASE,
)


def _has_times(table: Table) -> bool:
    """Whether a column holds dates or years, or figures of a year."""
    return bool(times_of(table)) or any(
        _YEAR.search(f"{each.name} {each.comment or ''}") for each in table.columns
    )


_YEAR = re.compile(r"(?:19|20)\d\d|year", re.IGNORECASE)


def unknown_words(text: str, vocabulary: Vocabulary) -> list[str]:
    """The first few unknown words as written. Capitalised words count as names and are left out."""
    data = data_words(text, vocabulary)
    known = language_words() - _OF_COLUMNS | language_of(vocabulary.operations).limits | data
    known |= vocabulary.looked_up | {each for each in _OF_COLUMNS if lexicon.synonyms_of(each) & data}
    found: list[str] = []
    tokens = tokenize(text)
    for at, token in enumerate(tokens):
        word = fold(token.text).removesuffix("'s").removesuffix("’s")
        is_name = (
            token.text[:1].isupper()
            and not token.text.isupper()
            and at > 0
            and tokens[at - 1].text not in ".!?"
        )
        if token.kind != "word" or is_name or len(word) < 3:
            continue
        if (
            not {word, singular(word)} & known
            and not set(name_words(word)) <= known
            and token.text not in found
        ):
            found.append(token.text)
    return found[:MAX_NAMED]


def holds_any(words: Sequence[str], text: str) -> bool:
    """Whether the text contains one of the words."""
    return not {token.text for token in tokenize(text)}.isdisjoint(words)


def data_words(text: str, vocabulary: Vocabulary, *, values: bool = True) -> set[str]:
    """Words in names and comments of tables, layers and columns, and in common `values`."""
    tables = vocabulary.index.by_id.values()
    words = set(name_words(" ".join(token.text for token in tokenize(text) if token.kind == "word")))
    named = [table for table in tables if words & set(name_words(table.name))] or vocabulary.few_tables
    names = [table.name for table in tables] + [layer.name for layer in vocabulary.layers]
    names += [table.comment or "" for table in vocabulary.few_tables]
    measures = {noun for noun in lexicon.MEASURE_OF_NOUN if columns_called(named, (noun,))}
    return measures | {
        word for name in (*names, *_names_in(tuple(named), values=values)) for word in name_words(name)
    }


def _names_in(tables: tuple[Table, ...], *, values: bool) -> Iterator[str]:
    for table in tables:
        yield table.comment or ""
        for column in table.columns:
            yield column.name
            yield column.comment or ""
            yield from column.samples if values else ()
