"""Expressions and names as text of a tile's statement."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

_ASYNCPG = sa.make_url("postgresql+asyncpg://").get_dialect()()


def unquoted(identifier: str) -> str:
    """The name of a quoted identifier."""
    return identifier[1:-1].replace('""', '"')


def compiled(expression: sa.ColumnElement[Any]) -> tuple[str, tuple[Any, ...]]:
    """SQL with $1, $2 ... and its values, as asyncpg takes them."""
    result = expression.compile(dialect=_ASYNCPG, compile_kwargs={"render_postcompile": True})
    values = []
    for name in result.positiontup or ():
        value = result.params[name]
        # The third value of an IN list `x` is named `x_3`.
        kind = result.binds[name if name in result.binds else re.sub(r"_\d+$", "", name)].type
        process = kind.dialect_impl(_ASYNCPG).bind_processor(_ASYNCPG)
        values.append(process(value) if process else value)
    return str(result), tuple(values)


def inline(expression: sa.ColumnElement[Any]) -> str:
    """An expression that has no values in it."""
    text, values = compiled(expression)
    if values:
        raise ValueError("an attribute of a tile takes no parameters")
    return text
