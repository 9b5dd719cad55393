"""Nouns in a table's comment for only some of its rows, which no column distinguishes from the others."""

from __future__ import annotations

from collections.abc import Iterator

from agents.domain import Cql2, Table
from agents.offline.answers import texts
from agents.offline.language.names.comments import second_noun
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import Scene, unless_failed
from agents.offline.meaning.stored_values import contains


def indistinct_nouns(text: str, vocabulary: Vocabulary) -> list[str]:
    """Notes that all rows are included for `shelters`, in a table of “Evacuation centres and shelters”."""
    return [
        texts.INDISTINCT_ROWS(table=table.title, noun=noun) for noun, table in _second_nouns(text, vocabulary)
    ]


async def leave_out_distinct(scene: Scene, text: str) -> None:
    """Stop reading such a noun as the table if some rows have it in a text: `Alton Shelter` among centres."""
    for noun, table in list(_second_nouns(text, scene.vocabulary)):
        (word,) = name_words(noun)
        having = [contains(column.name, word) for column in text_columns(table)]
        condition: Cql2 = having[0] if len(having) == 1 else {"op": "or", "args": having}
        distinct = await unless_failed(scene.data.count(table.id, condition)) if having else 0
        if distinct:
            scene.vocabulary.partial_nouns.add(word)


def _second_nouns(text: str, vocabulary: Vocabulary) -> Iterator[tuple[str, Table]]:
    """The words that are such nouns, with their tables."""
    for written in dict.fromkeys(text.strip(" ?!.").lower().split()):
        words = name_words(written)
        match = vocabulary.match_table(words) if len(words) == 1 else None
        if match is None or len(match.found) != 1 or words[0] in name_words(match.found[0].name):
            continue
        if second_noun(match.found[0].comment) == words[0]:
            yield written.strip(",;:()"), match.found[0]
