"""Resolves columns and conditions of tables that an analysis makes, once the tables exist."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.answers import refusals
from agents.offline.language.names.columns import columns_called
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import column_called, ranks_descending, top_column
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Group,
    Negation,
    OneOf,
    Quantity,
)
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.intents import Look
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.steps import (
    AddedColumn,
    AddedInUnit,
    ColumnWords,
    LateCondition,
    NameColumn,
    Ranking,
)
from agents.offline.operation_plan import PlannedOperation

Late = ColumnWords | Ranking | LateCondition | NameColumn | AddedColumn | AddedInUnit
"""Arguments that need an existing table."""


async def filled(scene: Scene, operation: PlannedOperation, results: Mapping[str, Table]) -> dict[str, Any]:
    """The final arguments of an operation. `results`: the tables of earlier steps by id, in order. Raises Ask or
    Refuse if words mean no column, or several."""
    steps = list(results)

    def reference(value: Any) -> Any:
        return steps[int(value[1:])] if isinstance(value, str) and value.startswith("$") else value

    async def final(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [await final(each) for each in value]
        if isinstance(value, dict) and "op" in value:
            return value  # filters are passed on as they are: `$0` in one is literal text
        if isinstance(value, dict):
            return {name: await final(each) for name, each in value.items()}
        if isinstance(value, Quantity):
            return _length(value)
        if isinstance(value, Late):
            source = reference(operation.arguments[value.of])
            return await _late(scene, value, results[source] if source in results else scene.table(source))
        return reference(value)

    arguments = {name: await final(value) for name, value in operation.arguments.items()}
    for name, value in operation.arguments.items():
        if isinstance(value, Ranking) and value.top.measure == "old":
            source = reference(operation.arguments[value.of])
            table = results[source] if source in results else scene.table(source)
            column = table.column(arguments[name])  # the oldest rows have the lowest year
            arguments["smallest"] = column is not None and not ranks_descending(value.top, column)
    return arguments


def late_look(table: Table, look: Look) -> Look:
    """The style with its columns looked up in a table made after it was read."""

    def found(mention: ColumnMention) -> ColumnMention:
        return mention if any(map(table.column, mention.columns)) else _called(table, mention)

    return replace(
        look,
        by=found(look.by) if look.by is not None else None,
        height=found(look.height) if look.height is not None else None,
        label=tuple(map(found, look.label)),
    )


async def _late(scene: Scene, words: Late, table: Table) -> Any:
    match words:
        case ColumnWords():
            return column_called(scene, table, words.text)
        case Ranking():
            return top_column(scene, table, words.top).name
        case AddedColumn(name):
            return _added(table, name)
        case AddedInUnit(AddedColumn(name), factor):
            return f"{_added(table, name)} / {factor:.12g}"
        case LateCondition():
            return await to_cql2(scene, table, _renamed(table, words.condition))
        case NameColumn():
            column = name_column(table)
            if column is None:
                raise Refuse(refusals.NO_NAMES(table=table.title))
            return column.name


def _added(table: Table, name: str) -> str:
    """The name of an added column. Operations append columns, and number a name that was taken."""
    numbered = re.compile(rf"{re.escape(name)}(_\d+)?")
    return next((each.name for each in reversed(table.columns) if numbered.fullmatch(each.name)), name)


def _renamed(table: Table, condition: Condition) -> Condition:
    """The condition with its columns looked up in a table made after it was read."""
    match condition:
        case Group(op, parts):
            return Group(op, tuple(_renamed(table, part) for part in parts))
        case Negation(inner):
            return Negation(_renamed(table, inner))
        case Compare() | Between() | OneOf() if condition.column is not None:
            found = _called(table, condition.column)
            if isinstance(condition, Compare) and isinstance(condition.value, ColumnMention):
                return replace(condition, column=found, value=_called(table, condition.value))
            return replace(condition, column=found)
        case _:
            return condition


def _called(table: Table, column: ColumnMention) -> ColumnMention:
    named = columns_called((table,), name_words(column.text))
    return replace(column, columns=tuple(named or filter(table.column, column.columns)))


def _length(distance: Quantity) -> str:
    unit = distance.unit.symbol if distance.unit is not None else "m"
    return f"{distance.value:.15g} {unit}"
