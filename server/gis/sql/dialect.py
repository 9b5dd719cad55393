"""PostgreSQL as text and as a tree, without translation: what is written is what was read.

sqlglot knows many functions as nodes of their own and writes some of them differently than they were read. Here
every function but those with a syntax of their own stays a call by its name, so that names are what is judged.
"""

from __future__ import annotations

import logging

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.parsers.postgres import PostgresParser

from server.gis.errors import InvalidQuestion

# It logs statements that it does not understand; here those are refused, and the refusal tells why.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

MOST_CHARACTERS = 10_000
DEEPEST = 40
"""Brackets within brackets; deeper ones only make readers slow."""
LONGEST_NAME = 63
"""Bytes; PostgreSQL cuts longer names, so that two of them may become one."""

_OWN_SYNTAX = ("CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM")


class InvalidSql(InvalidQuestion):
    """A statement that is not run; the message says what is not allowed in it, and what is."""


class _Parser(PostgresParser):
    FUNCTIONS = {}
    FUNCTION_PARSERS = {name: PostgresParser.FUNCTION_PARSERS[name] for name in _OWN_SYNTAX}


class PlainPostgres(Postgres):
    Parser = _Parser


_dialect = PlainPostgres()


def read(text: str) -> list[exp.Expr]:
    """The statements of a text. Raises InvalidSql when it is too long, too deep, or no SQL."""
    if len(text) > MOST_CHARACTERS:
        raise InvalidSql(
            f"The statement has {len(text):,} characters; at most {MOST_CHARACTERS:,} are allowed."
        )
    if _depth(text) > DEEPEST:
        raise InvalidSql(
            f"The statement has brackets more than {DEEPEST} deep. Use WITH for its parts instead."
        )
    if "\x00" in text:
        raise InvalidSql("The statement has a NUL character in it.")
    try:
        return [statement for statement in _dialect.parse(text) if statement is not None]
    except ParseError as error:
        where = error.errors[0] if error.errors else {}
        near = f" at line {where['line']}, near {str(where['highlight'])!r}" if where.get("highlight") else ""
        raise InvalidSql(f"The statement could not be read as PostgreSQL's SQL{near}.") from error
    except (SqlglotError, RecursionError) as error:
        raise InvalidSql("The statement could not be read as PostgreSQL's SQL.") from error


def write(tree: exp.Expr) -> str:
    """The tree as one line of SQL: every name quoted, no comments. Raises InvalidSql for what has no words."""
    try:
        return _dialect.generate(
            tree, identify=True, comments=False, normalize_functions=False, unsupported_level=ErrorLevel.RAISE
        )
    except (SqlglotError, RecursionError, ValueError) as error:
        raise InvalidSql("The statement has a part that cannot be written as PostgreSQL's SQL.") from error


def fold(tree: exp.Expr) -> None:
    """Fold unquoted names to lower case as PostgreSQL does (ASCII only), so that all of them may be quoted."""
    for name in tree.find_all(exp.Identifier):
        text = str(name.this)
        if len(text.encode()) > LONGEST_NAME or not text:
            raise InvalidSql(f"A name has at most {LONGEST_NAME} bytes: {text[:LONGEST_NAME]}…")
        if not name.args.get("quoted"):
            name.set("this", "".join(each.lower() if each.isascii() else each for each in text))
            name.set("quoted", True)


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        if character in "([":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]":
            depth -= 1
    return deepest
