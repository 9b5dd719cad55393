"""Splits a request into tokens: words, numbers, quoted strings, signs. Called by the parser.

Never fails: unknown characters become a `sign`. Tokens keep their position in the text, so that an answer can
quote what was and was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.offline.language.lexicon import ARTICLES, STARTS
from agents.units import MAGNITUDES

TokenKind = Literal["word", "number", "string", "sign"]

_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "`": "`", "‘": "’"}
_SIGNS = (">=", "<=", "<>", "!=", "==", "≥", "≤", "≠", ">", "<", "=")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]*[\w/]")
_SPACES = " \u00a0\u202f\u2009"
"""Spaces between thousands; the last three do not break a line."""
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.000)+")
"""Thousands as much of Europe writes them: `30.000`. Nobody means 30 by it."""
_GRADE = re.compile(r"[A-Z][A-Za-z0-9]{0,3}[*+]{1,3}(?=[\s,.;:?!)]|$)")
_INSIDE_WORD = "'’-._&/"
_SHORT_TITLES = frozenset(("st", "ste", "mt", "ft", "dr", "prof", "mr", "mrs"))
"""Abbreviations whose full stop belongs to a name: `St. Bernard`."""
_CONTRACTIONS = {
    each.replace("'", ""): each
    for each in [
        "aren't",
        "isn't",
        "wasn't",
        "weren't",
        "don't",
        "doesn't",
        "didn't",
        "can't",
        "haven't",
        "hasn't",
        "what's",
        "where's",
        "who's",
    ]
}
"""Contractions by their spelling without an apostrophe."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `text` as written, `lower` for comparisons, `start` and `end` in the request.

    Numbers have a `value` (with sign and separators applied). `glued`: no space precedes.
    """

    kind: TokenKind
    text: str
    lower: str
    start: int
    end: int
    value: float = 0.0
    glued: bool = False


def tokenize(text: str) -> tuple[Token, ...]:
    """Split a message into words, numbers, quoted texts and signs."""
    tokens: list[Token] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        token = (
            _string(text, place)
            or _address(text, place)
            or _graded(text, place)
            or _number(text, place)
            or _word(text, place)
            or _sign(text, place)
        )
        glued = bool(tokens) and tokens[-1].end == token.start
        tokens.append(Token(token.kind, token.text, token.lower, token.start, token.end, token.value, glued))
        place = token.end
    return tuple(tokens)


def words_of(tokens: Sequence[Token]) -> str:
    """The tokens as one text, with single spaces where there was space."""
    text = ""
    for token in tokens:
        text += token.text if token.glued or not text else f" {token.text}"
    return text


def _string(text: str, place: int) -> Token | None:
    closers = _QUOTES.get(text[place])
    if closers is None:
        return _single_quoted(text, place) if text[place] == "'" else None
    for end in range(place + 1, len(text)):
        if text[end] in closers:
            return _token("string", text, place, end + 1, text[place + 1 : end])
    return None


def _single_quoted(text: str, place: int) -> Token | None:
    """A text in single quotes, but not the apostrophe of a word."""
    for end in range(place + 1, len(text)):
        if text[end] == "'" and (end + 1 == len(text) or not text[end + 1].isalnum()):
            return _token("string", text, place, end + 1, text[place + 1 : end])
    return None


def _address(text: str, place: int) -> Token | None:
    """`https://data.example.org/pings.parquet`, without the sign that ends a sentence."""
    found = _ADDRESS.match(text, place)
    return None if found is None else _token("string", text, place, found.end(), found[0])


def _graded(text: str, place: int) -> Token | None:
    """A value that ends with a sign: grade `II*`, class `A++`."""
    found = _GRADE.match(text, place) if not text[place - 1 : place].isalnum() else None
    return None if found is None else _token("string", text, place, found.end(), found[0])


def _number(text: str, place: int) -> Token | None:
    end = place
    if text[end] in "+-−" and end + 1 < len(text) and text[end + 1].isdigit():
        if end and text[end - 1].isalnum():
            return None
        end += 1
    if end == len(text) or not (
        _digit(text[end]) or (text[end] == "." and end + 1 < len(text) and _digit(text[end + 1]))
    ):
        return None
    if _is_name(text, end):
        return None
    end = _digits_end(text, end)
    digits = re.sub(rf"[,_'{_SPACES}]", "", text[place:end]).replace("−", "-")
    if _DOTTED.fullmatch(digits):
        digits = digits.replace(".", "")
    exponent = _exponent_end(text, end)
    if exponent > end:
        digits += text[end:exponent]
        end = exponent
    try:
        number = float(digits)
    except ValueError:
        return None
    if number in (float("inf"), float("-inf")):
        return _token("word", text, place, end, text[place:end])
    end, factor = _suffix(text, end)
    return Token("number", text[place:end], text[place:end].lower(), place, end, number * factor)


def _is_name(text: str, place: int) -> bool:
    """Whether digits begin a name: `2024_results`."""
    while place < len(text) and _digit(text[place]):
        place += 1
    return text[place : place + 1] == "_" and text[place + 1 : place + 2].isalpha()


def _digit(char: str) -> bool:
    return "0" <= char <= "9"


def _digits_end(text: str, place: int) -> int:
    """The end of digits, thousands separators (before exactly three digits; a space only before zeros: `10 000`) and
    one decimal point."""
    end, point = place, False
    while end < len(text):
        char = text[end]
        following = text[end + 1 : end + 4]
        if _digit(char) or (
            (char in ",_'" or (char in _SPACES and following == "000"))
            and not point
            and len(following) == 3
            and all(map(_digit, following))
            and not _digit(text[end + 4 : end + 5] or "x")
        ):
            end += 1
        elif char == "." and not point and following[:1] and _digit(following[0]):
            point = True
            end += 1
        else:
            break
    return end


def _exponent_end(text: str, place: int) -> int:
    if text[place : place + 1] not in ("e", "E"):
        return place
    end = place + 1
    if text[end : end + 1] in ("+", "-"):
        end += 1
    start = end
    while end < len(text) and _digit(text[end]) and end - start < 3:
        end += 1
    return end if end > start and not text[end : end + 1].isalnum() else place


def _suffix(text: str, place: int) -> tuple[int, float]:
    """A magnitude without a space: `100k`, `1.5M` (upper case; `1.5m` is metres), `2bn`."""
    end = place
    while end < len(text) and text[end].isalpha():
        end += 1
    suffix = text[place:end]
    factor = {"M": 1e6, "B": 1e9}.get(suffix) or MAGNITUDES.get(suffix.lower())
    return (place, 1.0) if factor is None else (end, factor)


def _word(text: str, place: int) -> Token | None:
    if not (text[place].isalpha() or text[place] == "_" or _is_name(text, place)):
        return None
    end = place
    while end < len(text) and (
        text[end].isalnum()
        or text[end] == "_"
        or _combining(text[end])
        or (text[end] in _INSIDE_WORD and text[end + 1 : end + 2].isalnum() and end > place)
    ):
        end += 1
    end += _is_cut_short(text, place, end) or text[place : end + 1].lower() == "w/"
    word = text[place:end]
    return _token("word", text, place, end, _CONTRACTIONS.get(word.lower(), word))


def _is_cut_short(text: str, place: int, end: int) -> bool:
    """Whether the full stop after a word is part of an abbreviation: `C. Wolf`, `E. coli`, `St. Bernard`, `no. of`."""
    word, (following, *_) = text[place:end], (*text[end + 1 :].split(maxsplit=1), "")
    if (word.lower(), following, text[end : end + 2]) == ("no", "of", ". "):
        return True
    if text[end : end + 2] != ". " or not (word[0].isupper() and following[:1].isalpha()):
        return False
    if word.lower() in _SHORT_TITLES:
        return following[0].isupper()
    return len(word) == 1 and following.lower().strip(",;:?!.") not in STARTS | ARTICLES


def _combining(char: str) -> bool:
    """Whether a character is a combining mark, which belongs to the letter before it in many scripts."""
    import unicodedata

    return unicodedata.category(char) in ("Mn", "Mc")


def _sign(text: str, place: int) -> Token:
    for sign in _SIGNS:
        if text.startswith(sign, place):
            return _token("sign", text, place, place + len(sign), sign)
    return _token("sign", text, place, place + 1, text[place])


def _token(kind: TokenKind, text: str, start: int, end: int, content: str) -> Token:
    del text
    return Token(kind, content, content.lower().replace("’", "'"), start, end)
