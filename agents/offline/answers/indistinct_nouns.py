"""Nouns for only some rows of a table: of its comment, where no column distinguishes these rows from the others, and of
its name, where a column says that others are of another kind."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agents.core.messages import ToolCall
from agents.domain import Column, Cql2, Table
from agents.offline.answers import texts
from agents.offline.language.names.columns import contains as contains_words
from agents.offline.language.names.comments import second_noun
from agents.offline.language.names.rows import names_rows
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words
from agents.offline.meaning.cql2 import contains, disjunction
from agents.offline.meaning.row_names import text_columns
from agents.offline.meaning.scene import Scene, unless_failed


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
        condition: Cql2 = disjunction(having)
        distinct = await unless_failed(scene.data.count(table.id, condition)) if having else 0
        if distinct:
            scene.vocabulary.partial_nouns.add(word)


def other_kinds(text: str, calls: Sequence[ToolCall], vocabulary: Vocabulary) -> list[str]:
    """Notes that all rows were taken for `localities`, in a table of that name with rows of the `area_type`
    “Municipality”, unless the calls or the text tell them apart."""
    asked, called = name_words(text), " ".join(each.arguments for each in calls)
    analysed = any(each.name == "run_analysis" for each in calls)
    return [
        texts.ROWS_OF_OTHER_KINDS(noun=noun, table=table.title, column=column.name, value=kind)
        for noun, table, column, kind in _kinds_named(text, vocabulary)
        if (analysed or table.id in called)
        and f'"{column.name}"' not in called
        and not any(
            contains_words(asked, name_words(each)) for each in (column.name, *column.samples) if each != kind
        )
    ]


def _kinds_named(text: str, vocabulary: Vocabulary) -> Iterator[tuple[str, Table, Column, str]]:
    """The plurals, and the nouns of groups, that name a table and are one of several kinds of its rows, each with the
    column and its value."""
    groups = {found[1] for found in _OF_GROUPS.finditer(text)}
    for written in dict.fromkeys(re.findall(r"\w+", text)):
        words = name_words(written)
        may_be_several = words != (fold(written),) or written in groups
        match = vocabulary.match_table(words) if len(words) == 1 and may_be_several else None
        if match is None or match.guessed or len(match.found) != 1:
            continue
        (table,) = match.found
        for column in text_columns(table):
            kind = next((each for each in column.samples if name_words(each) == words), None)
            if kind is not None and len(column.samples) > 1 and names_rows(table, column.name, kind):
                yield written, table, column, kind


_OF_GROUPS = re.compile(r"(?i)\b(?:by|per|each|every|which) (\w+)")


def _second_nouns(text: str, vocabulary: Vocabulary) -> Iterator[tuple[str, Table]]:
    """The words that are such nouns, with their tables."""
    for written in dict.fromkeys(text.strip(" ?!.").lower().split()):
        words = name_words(written)
        match = vocabulary.match_table(words) if len(words) == 1 else None
        if match is None or len(match.found) != 1 or words[0] in name_words(match.found[0].name):
            continue
        if second_noun(match.found[0].comment) == words[0]:
            yield written.strip(",;:()"), match.found[0]
