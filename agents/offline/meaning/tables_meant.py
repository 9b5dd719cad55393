"""Which of several tables with the same noun are meant: those that have what is said of their rows.

`stations with pm10 above 30` are of the table that has such a column, `traffic stations` of the one with such a value.
Where several have it, or more than `MAX_READ` may have it, the person is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from agents.domain import Table
from agents.offline.language.column_names import columns_called
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import ColumnMention, Mention, OneOf, parts_of
from agents.offline.meaning.resolver import to_cql2
from agents.offline.meaning.scene import Ask, Refuse, Scene
from agents.offline.meaning.steps import ColumnWords

T = TypeVar("T")
MAX_READ = 16
"""Tables whose values are looked up for one request: each look-up is a query."""
_OF_ROWS = ("kind", "is", "named")
"""Values that rows have themselves. Where they lie tells nothing: no row of the right table may lie there."""


async def tables_meant(scene: Scene, mention: Mention, said: Any) -> Mention:
    """The mention with only those tables that have all columns and values in `said`; unchanged where none has."""
    options = scene.vocabulary.tables(mention.tables)
    if len(options) < 2:
        return mention
    columns = [each for each in parts_of(said) if isinstance(each, ColumnMention | ColumnWords)]
    fitting = [table for table in options if all(_has_column(table, each) for each in columns)]
    values = [each for each in parts_of(said) if isinstance(each, OneOf) and each.how in _OF_ROWS]
    for value in values if 1 < len(fitting) <= MAX_READ else ():
        fitting = [table for table in fitting if await _has_value(scene, table, value)]
    return replace(mention, tables=tuple(table.id for table in fitting)) if fitting else mention


async def with_tables_meant(scene: Scene, intent: T) -> T:
    """The intent about those tables that have what it says of them."""
    subject = getattr(intent, "subject", None)
    if not isinstance(subject, Mention):
        return intent
    meant = await tables_meant(scene, subject, intent)
    return intent if meant is subject else replace(intent, subject=meant)  # type: ignore[type-var]


def _has_column(table: Table, said: ColumnMention | ColumnWords) -> bool:
    if isinstance(said, ColumnWords):
        return bool(columns_called((table,), name_words(said.text)))
    return not said.columns or any(table.column(name) for name in said.columns)


async def _has_value(scene: Scene, table: Table, value: OneOf) -> bool:
    try:
        await to_cql2(scene, table, value)
    except Refuse:
        return False
    except Ask:
        return True
    return True
