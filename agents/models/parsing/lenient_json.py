"""Parses JSON as language models write it, in one pass, without adding anything that is missing.

Beyond JSON it accepts single quotes, bare keys, trailing commas, comments, raw line breaks in strings, and Python's
`True`, `False` and `None`. Anything else is a `ValueError`."""

from __future__ import annotations

import json
import re
from typing import Any

_MAX_DEPTH = 64
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_SKIPPED = re.compile(r"(?:\s|//[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)
"""White space and comments."""
_STRING = re.compile(r"""(["'])((?:(?!\1)[^\\]|\\.)*)\1""", re.DOTALL)
_BARE_KEY = re.compile(r"(?:[^\W_]|[_$-])+")
_BARE_WORD = re.compile(r"(?:[^\W_]|[_+.-])*")
_CLOSING = {"{": "}", "[": "]", "(": ")"}


def loads(text: str) -> Any:
    """The one value that `text` holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    value, end = read(text, 0)
    if _skip(text, end) != len(text):
        raise ValueError(f"something follows the value at {end}")
    return value


def read(text: str, start: int) -> tuple[Any, int]:
    """The value that begins at or after `start`, and where it ends."""
    return _value(text, _skip(text, start), 0)


class Balance:
    """Finds the end of a bracketed block in text that is still growing. Each character is read once."""

    def __init__(self, start: int = 0) -> None:
        self._stack: list[str] = []
        self._quote = ""
        self._escaped = False
        self._before = "("
        self._at = start

    @property
    def characters_read(self) -> int:
        """How far the text has been read."""
        return self._at

    def end(self, text: str) -> int | None:
        """The place behind the bracket that closes the first one, once it has come. -1: it cannot come."""
        while self._at < len(text):
            char = text[self._at]
            self._at += 1
            if self._quote:
                self._in_string(char)
                continue
            # an apostrophe opens a string only where a value may begin
            if char == '"' or (char == "'" and self._before in "{[(,:="):
                self._quote = char
            elif char in _CLOSING:
                self._stack.append(_CLOSING[char])
            elif char in "}])":
                if not self._stack or self._stack.pop() != char:
                    return -1
                if not self._stack:
                    return self._at
            if not char.isspace():
                self._before = char
        return None

    def _in_string(self, char: str) -> None:
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == self._quote:
            self._quote = ""
            self._before = char


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > _MAX_DEPTH:
        raise ValueError("nested too deeply")
    if at >= len(text):
        raise ValueError("the text ends where a value should be")
    char = text[at]
    if char == "{":
        return _object(text, at + 1, depth + 1)
    if char == "[":
        return _list(text, at + 1, depth + 1)
    if char in "\"'":
        return _string(text, at)
    return _word(text, at)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "}":
            return found, at + 1
        if text[at : at + 1] in ('"', "'"):
            key, at = _string(text, at)
        else:
            key, at = _bare_key(text, at)
        at = _expect(text, at, ":")
        found[key], at = _value(text, _skip(text, at), depth)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "}":
            raise ValueError(f"expected , or }} at {at}")


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while True:
        at = _skip(text, at)
        if text[at : at + 1] == "]":
            return found, at + 1
        value, at = _value(text, at, depth)
        found.append(value)
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at += 1
        elif text[at : at + 1] != "]":
            raise ValueError(f"expected , or ] at {at}")


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if found is None:
        raise ValueError("a string is not closed")
    value: str = json.loads(f'"{re.sub(_ESCAPE, _in_json, found[2])}"', strict=False)
    # Half of a surrogate pair is no character.
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), found.end()


_ESCAPE = re.compile(r'\\.|"', re.DOTALL)


def _in_json(escape: re.Match[str]) -> str:
    """A quote or an escape sequence as JSON has it: `\\x` is an x."""
    if escape[0] == '"':
        return '\\"'
    return escape[0] if escape[0][1] in '"\\/bfnrtu' else escape[0][1]


def _bare_key(text: str, at: int) -> tuple[str, int]:
    found = _BARE_KEY.match(text, at)
    if found is None:
        raise ValueError(f"expected a key at {at}")
    return found[0], found.end()


def _word(text: str, at: int) -> tuple[Any, int]:
    found = _BARE_WORD.match(text, at)
    word, end = (found[0], found.end()) if found is not None else ("", at)
    if word in _WORDS:
        return _WORDS[word], end
    if word and (word[0].isdigit() or word[0] in "+-."):
        return json.loads(_number(word)), end
    raise ValueError(f"expected a value at {at}")


def _number(word: str) -> str:
    """`+5` and `.5` are accepted as numbers."""
    word = word.removeprefix("+")
    sign = "-" if word.startswith("-") else ""
    rest = word.removeprefix("-")
    return f"{sign}0{rest}" if rest.startswith(".") else f"{sign}{rest}"


def _expect(text: str, at: int, char: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != char:
        raise ValueError(f"expected {char} at {at}")
    return at + 1


def _skip(text: str, at: int) -> int:
    found = _SKIPPED.match(text, at)
    return found.end() if found is not None else at
