"""Reads filters of models and people into a tree of CQL2 JSON; text is parsed by the `cql2` library.

Text is scanned first: the library's parser recurses without a limit, so 10,000 hostile characters could crash
the process, and it reads integers as floats. The scan prevents both."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

import cql2

from agents.domain import Cql2
from agents.worded import Template
from server.gis.errors import InvalidFilter

LONG = Template("filter_long", "The filter has {n} characters; at most {most} can be read.")
UNREADABLE = Template("filter_unreadable", "The filter is neither CQL2 JSON nor CQL2 text: {why}.")
TOO_DEEP = Template("filter_too_deep", "The filter is nested too deeply.")
TOO_COMPLEX = Template(
    "filter_too_complex", "The filter is too long or nested too deeply. Use fewer conditions, or IN (...)."
)
ILIKE = Template("filter_ilike", "Write ILIKE as casei(column) LIKE casei('pattern').")
NOT_TEXT = Template("filter_not_text", "The filter is not CQL2 text. {example}")
WRONG_NEAR = Template(
    "filter_wrong_near", "The filter is not CQL2 text: something is wrong {where}. {example}"
)
NEAR = Template("filter_near", "near {rest}")
AT_END = Template("filter_at_end", "at its end")

MAX_TEXT = 10_000
MAX_PARENTHESES = 40
MAX_OPERATORS = 800
EXACT_DIGITS = 15

_BEFORE_VALUES = frozenset(("=", "<>", "!=", "<", ">", "<=", ">=", "like", "ilike"))

EXAMPLE = "Write it like: population > 1000000 AND name LIKE 'A%'."

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*') | (?P<name>"(?:[^"]|"")*") | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)
    | (?P<word>[^\W\d]\w*) | (?P<space>\s+) | (?P<operator>==|<>|!=|<=|>=|[-+*/^%=<>]) | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_WORD_OPERATORS = frozenset(("not", "and", "or", "like", "between", "in", "is", "div", "ilike"))


def read(given: Cql2 | str | list[Any] | None, columns: Collection[str] = ()) -> Any:
    """The tree as plain JSON; None without a filter. `columns` distinguishes names from values in double
    quotes. Raises InvalidFilter."""
    if given is None:
        return None
    if isinstance(given, str):
        text = re.sub(r"^where\s|;$", "", given.strip(), flags=re.IGNORECASE).strip()
        if not text:
            return None
        return _from_json(text) if text[0] in "{[" else _from_text(text, columns)
    return given or None


def _from_json(text: str) -> Any:
    try:
        return json.loads(text) or None
    except ValueError as error:
        raise InvalidFilter(UNREADABLE(why=str(error))) from error
    except RecursionError as error:
        raise InvalidFilter(TOO_DEEP()) from error


def _from_text(text: str, columns: Collection[str]) -> Any:
    if len(text) > MAX_TEXT:
        raise InvalidFilter(LONG(n=len(text), most=MAX_TEXT))
    prepared = _prepared(text, {column.lower() for column in columns})
    try:
        tree: Any = cql2.parse_text(prepared).to_json()
    except (cql2.ParseError, ValueError) as error:
        raise InvalidFilter(_where(str(error), prepared)) from error
    return None if tree is True else tree


def _prepared(text: str, columns: Collection[str]) -> str:
    """The text in the form that the library reads correctly. Raises InvalidFilter for what could exhaust its stack."""
    tokens = [(str(found.lastgroup), found.group()) for found in _TOKEN.finditer(text)]
    depth = operators = 0
    for kind, token in tokens:
        depth += {"(": 1, ")": -1}.get(token, 0) if kind == "other" else 0
        operators += kind == "operator" or (kind == "word" and token.lower() in _WORD_OPERATORS)
        if depth > MAX_PARENTHESES or operators > MAX_OPERATORS:
            raise InvalidFilter(TOO_COMPLEX())
    exact = [_exact(kind, token) for kind, token in tokens]
    return "".join(token for _kind, token in _without_ilike(_with_values(exact, columns)))


def _exact(kind: str, token: str) -> tuple[str, str]:
    """Integers that a float cannot represent are passed as text; the column's type makes them numbers again."""
    if kind == "number" and token.isdigit() and len(token) > EXACT_DIGITS:
        return "text", f"'{token}'"
    return (kind, "=") if (kind, token) == ("operator", "==") else (kind, token)


def _with_values(tokens: list[tuple[str, str]], columns: Collection[str]) -> list[tuple[str, str]]:
    """`name = "Zürich"`: double quotes to the right of a comparison that name no column can only be a value."""
    found: list[tuple[str, str]] = []
    before = ""
    for kind, token in tokens:
        name = token[1:-1].replace('""', '"')
        if kind == "name" and before in _BEFORE_VALUES and name.lower() not in columns:
            kind, token = "text", "'" + name.replace("'", "''") + "'"
        found.append((kind, token))
        before = before if kind == "space" else token.lower()
    return found


def _without_ilike(tokens: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """`name ILIKE 'a%'` in the standard's form: `casei(name) LIKE casei('a%')`."""
    places = [
        place for place, (kind, token) in enumerate(tokens) if kind == "word" and token.lower() == "ilike"
    ]
    for place in places:
        before = [each for each in range(place) if tokens[each][0] != "space"]
        if before and tokens[before[-1]][1].lower() == "not":
            before.pop()
        after = next((each for each in range(place + 1, len(tokens)) if tokens[each][0] != "space"), None)
        if not before or after is None or tokens[before[-1]][0] not in ("word", "name"):
            raise InvalidFilter(ILIKE())
        for each in (before[-1], after):
            tokens[each] = ("word", f"casei({tokens[each][1]})")
        tokens[place] = ("word", "LIKE")
    return tokens


def _where(message: str, text: str) -> str:
    found = re.search(r"-->\s*(\d+):(\d+)", message)
    if found is None:
        return NOT_TEXT(example=EXAMPLE)
    line, column = int(found.group(1)) - 1, int(found.group(2)) - 1
    lines = text.splitlines() or [""]
    rest = lines[min(line, len(lines) - 1)][column : column + 30]
    near = NEAR(rest=repr(rest)) if rest.strip() else AT_END()
    return WRONG_NEAR(where=near, example=EXAMPLE)
