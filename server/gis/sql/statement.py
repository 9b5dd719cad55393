"""Turns a model's text into the statement that is run: parsed, checked, and written again from the tree."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from agents.domain import Table
from agents.ports import TableRegistry
from server.gis.sql import dialect, functions, grammar, names
from server.gis.sql.dialect import InvalidSql


@dataclass(frozen=True)
class Statement:
    """`sql` is one SELECT over `tables`, with quoted names and qualified tables."""

    sql: str
    tables: tuple[Table, ...]


def check_statement(text: str, registry: TableRegistry) -> Statement:
    """The checked statement. Raises InvalidSql, UnknownTable or UnknownColumn, each with what to write instead."""
    tree, tables = _read(text, registry)
    sql = dialect.write(tree)
    # The rewritten statement is parsed and checked again, so that a bug in the writer cannot bypass the checks.
    reread, same_tables = _read(sql, registry)
    if dialect.write(reread) != sql or same_tables != tables:
        raise InvalidSql("The statement is read differently after it is rewritten. Write it more plainly.")
    return Statement(sql, tables)


def _read(text: str, registry: TableRegistry) -> tuple[exp.Expr, tuple[Table, ...]]:
    query = grammar.only_query(dialect.read(text))
    grammar.check(query)
    functions.check(query)
    dialect.fold(query)
    return query, names.resolve(query, registry)
