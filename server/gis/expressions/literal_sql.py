"""Statements as text that runs in psql unchanged: every name quoted, every value a literal.

For DDL, in which PostgreSQL accepts no parameters, and for receipts."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import ClauseElement
from sqlalchemy.dialects.postgresql.base import PGCompiler
from sqlalchemy.engine import Dialect, make_url
from sqlalchemy.types import TypeEngine


class _LiteralCompiler(PGCompiler):
    """Writes binary values (the geometries of filters) as literals, too, which SQLAlchemy does not."""

    def render_literal_value(self, value: Any, type_: TypeEngine[Any]) -> str:
        if isinstance(value, bytes | memoryview):
            return f"'\\x{bytes(value).hex()}'::bytea"
        rendered: str = super().render_literal_value(value, type_)  # type: ignore[no-untyped-call]
        return rendered


_dialect: Dialect = make_url("postgresql+asyncpg://").get_dialect()()
_dialect.statement_compiler = _LiteralCompiler


_written: WeakKeyDictionary[ClauseElement, str] = WeakKeyDictionary()
"""The text of a step is needed to price it, to run it and for its receipt."""


def literal_sql(statement: ClauseElement) -> str:
    """The statement as text with all values as literals; written once for each statement while it exists."""
    text = _written.get(statement)
    if text is None:
        text = str(statement.compile(dialect=_dialect, compile_kwargs={"literal_binds": True}))
        _written[statement] = text
    return text
