"""From the text that a model wrote to the statement that is run: read, checked, and written anew from the tree."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from agents.domain import Table
from agents.ports import TableRegistry
from server.gis.sql import dialect, functions, grammar, names
from server.gis.sql.dialect import InvalidSql


@dataclass(frozen=True)
class Statement:
    """`sql` is one SELECT over `tables`, all names quoted, tables with their schemas."""

    sql: str
    tables: tuple[Table, ...]


def checked(text: str, registry: TableRegistry) -> Statement:
    """Raises InvalidSql, UnknownTable or UnknownColumn, each saying what to write instead."""
    tree, tables = _read(text, registry)
    sql = dialect.write(tree)
    # What was written is read and checked once more: a slip of the writer must not become a way in.
    again, same = _read(sql, registry)
    if dialect.write(again) != sql or same != tables:
        raise InvalidSql("The statement reads differently when it is written anew. Write it more plainly.")
    return Statement(sql, tables)


def _read(text: str, registry: TableRegistry) -> tuple[exp.Expr, tuple[Table, ...]]:
    query = grammar.only_query(dialect.read(text))
    grammar.check(query)
    functions.check(query)
    dialect.fold(query)
    return query, names.resolve(query, registry)
