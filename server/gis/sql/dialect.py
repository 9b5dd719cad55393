"""Parses and writes PostgreSQL's SQL without translation.

sqlglot has special nodes for many functions and writes some of them differently from the input. Here every function
without a special syntax remains a call by name, so that checks see the original names."""

from __future__ import annotations

import logging

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError
from sqlglot.parsers.postgres import PostgresParser

from server.gis.errors import InvalidQuestion

# It logs statements that it does not understand; here these are refused with a reason.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

MAX_CHARACTERS = 10_000
MAX_NESTING = 40
"""Levels of brackets; deeper nesting only makes parsers slow."""
MAX_NAME_BYTES = 63
"""PostgreSQL truncates longer names, so that two of them may become equal."""

_OWN_SYNTAX = ("CAST", "EXTRACT", "OVERLAY", "POSITION", "SUBSTRING", "TRIM")


class InvalidSql(InvalidQuestion):
    """A statement that is refused; the message names what is not allowed and what is."""


class _Parser(PostgresParser):
    FUNCTIONS = {}
    FUNCTION_PARSERS = {name: PostgresParser.FUNCTION_PARSERS[name] for name in _OWN_SYNTAX}


class PlainPostgres(Postgres):
    """sqlglot's PostgreSQL dialect with calls kept as written."""

    Parser = _Parser


_dialect = PlainPostgres()


def read(text: str) -> list[exp.Expr]:
    """The statements of a text. Raises InvalidSql if it is too long, nested too deeply, or not SQL."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidSql(
            f"The statement has {len(text):,} characters; at most {MAX_CHARACTERS:,} are allowed."
        )
    if _depth(text) > MAX_NESTING:
        raise InvalidSql(
            f"The statement has brackets more than {MAX_NESTING} deep. Use WITH for its parts instead."
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
    """The tree as one line of SQL with quoted names and no comments. Raises InvalidSql for parts that cannot be
    written."""
    try:
        return _dialect.generate(
            tree, identify=True, comments=False, normalize_functions=False, unsupported_level=ErrorLevel.RAISE
        )
    except (SqlglotError, RecursionError, ValueError) as error:
        raise InvalidSql("The statement has a part that cannot be written as PostgreSQL's SQL.") from error


def fold(tree: exp.Expr) -> None:
    """Fold unquoted names to lower case as PostgreSQL does (ASCII only), so that all can be quoted. Raises
    InvalidSql for names that are too long."""
    for name in tree.find_all(exp.Identifier):
        text = str(name.this)
        if len(text.encode()) > MAX_NAME_BYTES or not text:
            raise InvalidSql(f"A name has at most {MAX_NAME_BYTES} bytes: {text[:MAX_NAME_BYTES]}…")
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
