"""Parses JSON as language models write it, in one pass, without adding anything that is missing.

Beyond JSON it accepts single quotes, bare keys, trailing commas, comments, raw line breaks in strings, and Python's
`True`, `False` and `None`. Anything else is a `ValueError`."""

from __future__ import annotations

import json
from typing import Any

_MAX_DEPTH = 64
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
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
    quote = text[at]
    pieces: list[str] = []
    at += 1
    while at < len(text):
        char = text[at]
        if char == quote:
            return "".join(pieces), at + 1
        if char == "\\" and at + 1 < len(text):
            piece, at = _escape(text, at + 1)
            pieces.append(piece)
            continue
        pieces.append(char)
        at += 1
    raise ValueError("a string is not closed")


def _escape(text: str, at: int) -> tuple[str, int]:
    char = text[at]
    if char != "u":
        return _ESCAPES.get(char, char), at + 1
    code = int(text[at + 1 : at + 5], 16)
    if 0xD800 <= code < 0xDC00 and text[at + 5 : at + 7] == "\\u":
        low = int(text[at + 7 : at + 11], 16)
        if 0xDC00 <= low < 0xE000:
            return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)), at + 11
    return ("\ufffd" if 0xD800 <= code < 0xE000 else chr(code)), at + 5


def _bare_key(text: str, at: int) -> tuple[str, int]:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_-$"):
        end += 1
    if end == at:
        raise ValueError(f"expected a key at {at}")
    return text[at:end], end


def _word(text: str, at: int) -> tuple[Any, int]:
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_+-."):
        end += 1
    word = text[at:end]
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
    """Past white space and comments."""
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text.startswith("//", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text.startswith("/*", at):
            end = text.find("*/", at)
            at = len(text) if end < 0 else end + 2
        else:
            break
    return at
