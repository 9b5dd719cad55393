"""Columns of kinds of living things."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.comments import comment_head
from agents.offline.language.words import Words, name_words, word_set

_SPECIES = word_set("species genus taxon vernacular")
_SCIENTIFIC, _COMMON = word_set("bot botanical latin sci scientific"), word_set("comm common")
_NAMES = (("name",), ("nm",))


def names_species(table: Table, name: str) -> bool:
    """Whether a column holds kinds of living things, which are called in the singular: `knotweed near a river`."""
    column = table.column(name)
    words = spelt_out(name).union(comment_head(column.comment) if column is not None else ())
    return not _SPECIES.isdisjoint(words) and "group" not in words


def has_species(table: Table) -> bool:
    """Whether a column holds the species of the rows."""
    named = any(names_species(table, column.name) for column in table.columns)
    return named or bool(columns_for_species((table,), ("species",)))


def columns_for_species(tables: Sequence[Table], words: Words) -> list[str]:
    """The columns that `species` means where none is called or described so: `BOT_NAME`, else `common_nm`."""
    if words != ("species",) or any(
        names_species(table, column.name) for table in tables for column in table.columns
    ):
        return []
    texts = {
        each.name: name_words(each.name) for table in tables for each in table.columns if each.kind == "text"
    }
    found = (
        [name for name, own in texts.items() if own[0] in kind and own[1:] in _NAMES]
        for kind in (_SCIENTIFIC, _COMMON)
    )
    return next((names for names in found if names), [])
