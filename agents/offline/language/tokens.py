"""Splits a request into tokens: words, numbers, quoted strings, signs. Called by the parser.

Never fails: unknown characters become a `sign`. Tokens keep their position in the text, so that an answer can
quote what was and was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import isinf
from typing import Literal
from unicodedata import category

from agents.offline.language.lexicon import ARTICLES, STARTS
from agents.units import MAGNITUDES

TokenKind = Literal["word", "number", "string", "sign"]

_ALNUM = r"[^\W_]"
_STRING = re.compile(rf"""(["`]).*?\1|“.*?”|„.*?[“”]|«.*?»|‘.*?’|'.*?'(?!{_ALNUM})""", re.DOTALL)
"""A quoted text; the apostrophe of a word closes none."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s\"'<>]*[\w/]")
"""`https://data.example.org/pings.parquet`, without the sign that ends a sentence."""
_GRADE = re.compile(rf"(?<!{_ALNUM})[A-Z][A-Za-z0-9]{{0,3}}[*+]{{1,3}}(?=[\s,.;:?!)]|$)")
"""A value that ends with a sign: grade `II*`, class `A++`."""
_NAME = re.compile(r"[0-9]*_[^\W\d_]")
"""The beginning of a name with digits: `2024_results`."""
_SPACES = " \u00a0\u202f\u2009"
"""Spaces between thousands; the last three do not break a line."""
_NUMBER = re.compile(
    rf"(?P<digits>(?:(?<!{_ALNUM})[+−-](?=[0-9]))?(?=\.?[0-9])(?!{_NAME.pattern})"
    rf"(?:[0-9]|[,_'](?=[0-9]{{3}}(?![0-9]))|[{_SPACES}](?=000(?![0-9])))*(?:\.[0-9]+)?)"
    rf"(?P<exponent>[eE][+-]?[0-9]{{1,3}}(?!{_ALNUM}))?"
)
"""Digits with thousands separators (before exactly three digits; a space only before zeros: `10 000`)."""
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.000)+")
"""Thousands as much of Europe writes them: `30.000`. Nobody means 30 by it."""
_SIGNS = (">=", "<=", "<>", "!=", "==")
_INSIDE_WORD = "'’-._&/"
_SHORT_TITLES = frozenset(("st", "ste", "mt", "ft", "dr", "prof", "mr", "mrs"))
"""Abbreviations whose full stop belongs to a name: `St. Bernard`."""
_NEGATED = ("are", "is", "was", "were", "do", "does", "did", "ca", "have", "has")
_CONTRACTIONS = {f"{each}nt": f"{each}n't" for each in _NEGATED} | {
    f"{each}s": f"{each}'s" for each in ("what", "where", "who")
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
        token = _quoted(text, place) or _number(text, place) or _word(text, place) or _sign(text, place)
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


def _quoted(text: str, place: int) -> Token | None:
    found = _STRING.match(text, place)
    if found is not None:
        return _token("string", found[0][1:-1], place, found.end())
    found = _ADDRESS.match(text, place) or _GRADE.match(text, place)
    return _token("string", found[0], place, found.end()) if found is not None else None


def _number(text: str, place: int) -> Token | None:
    found = _NUMBER.match(text, place)
    if found is None:
        return None
    digits = re.sub(rf"[,_'{_SPACES}]", "", found["digits"]).replace("−", "-")
    if _DOTTED.fullmatch(digits):
        digits = digits.replace(".", "")
    number = float(digits + (found["exponent"] or ""))
    if isinf(number):
        return _token("word", found[0], place, found.end())
    end, factor = _suffix(text, found.end())
    return Token("number", text[place:end], text[place:end].lower(), place, end, number * factor)


def _suffix(text: str, place: int) -> tuple[int, float]:
    """A magnitude without a space: `100k`, `1.5M` (upper case; `1.5m` is metres), `2bn`."""
    suffix = "".join(takewhile(str.isalpha, text[place:]))
    factor = {"M": 1e6, "B": 1e9}.get(suffix) or MAGNITUDES.get(suffix.lower())
    return (place, 1.0) if factor is None else (place + len(suffix), factor)


def _word(text: str, place: int) -> Token | None:
    if not (text[place].isalpha() or text[place] == "_" or _NAME.match(text, place)):
        return None
    end = place
    while (
        end < len(text)
        and (
            text[end].isalnum()
            or text[end] == "_"
            or category(text[end]) in ("Mn", "Mc")  # a combining mark belongs to the letter before it
            or (text[end] in _INSIDE_WORD and text[end + 1 : end + 2].isalnum() and end > place)
        )
    ):
        end += 1
    end += _is_cut_short(text, place, end) or text[place : end + 1].lower() == "w/"
    word = text[place:end]
    return _token("word", _CONTRACTIONS.get(word.lower(), word), place, end)


def _is_cut_short(text: str, place: int, end: int) -> bool:
    """Whether the full stop after a word is part of an abbreviation: `C. Wolf`, `E. coli`, `St. Bernard`, `no. of`."""
    word, (following, *_) = text[place:end], (*text[end + 1 :].split(maxsplit=1), "")
    if (word.lower(), following, text[end : end + 2]) == ("no", "of", ". "):
        return True
    if word.lower() in ("min", "max") and text[end : end + 1] == "." and following[:1].isdigit():
        return True
    if text[end : end + 2] != ". " or not (word[0].isupper() and following[:1].isalpha()):
        return False
    if word.lower() in _SHORT_TITLES:
        return following[0].isupper()
    return len(word) == 1 and following.lower().strip(",;:?!.") not in STARTS | ARTICLES


def _sign(text: str, place: int) -> Token:
    sign = text[place : place + 2]
    sign = sign if sign in _SIGNS else sign[0]
    return _token("sign", sign, place, place + len(sign))


def _token(kind: TokenKind, content: str, start: int, end: int) -> Token:
    return Token(kind, content, content.lower().replace("’", "'"), start, end)


_CLOSING = re.compile(r"(?<=\w)[\s,]+(?:please|pls|plz|thanks|thank you|thx|cheers)[\s.!]*$", re.IGNORECASE)
_COUNTRY = re.compile(
    r"((?:^|\b(?:the|which|what|many|in|all|largest|biggest|highest|smallest|top \d+) ))us\b(?! and (?:them|you)\b)",
    re.IGNORECASE,
)
"""`us` where no pronoun may stand."""
_ALTOGETHER = re.compile(r"\ball together\b", re.IGNORECASE)


_PERSON = (
    r"(?:(?:my|our|the|a|your) )?(?:boss|mayor|manager|director|council|councillors?|client|minister|colleagues?|team"
    r"|press|committee|chief|board|ceo|supervisor)"
)
_FOR_WHOM = re.compile(
    rf"(?:(?:very )?(?:urgent(?:ly)?|asap|quick (?:one|question)|fyi)(?: for {_PERSON})?\s*[-–—:,!.]\W*"
    rf"|for {_PERSON}(?: meeting| report)?\s*[:–—-]\W*"
    rf"|{_PERSON} (?:is|are) (?:on the phone|waiting|asking)\s*[-–—:,!.]\W*"
    rf"|{_PERSON} (?:wants?|wanted|needs?|would like|asks|asked|is asking)(?: me| us)?"
    r"(?: to (?:know|see|have)| about| for){0,2}\s+)+(?=\w)",
    re.IGNORECASE,
)
"""Whom a request is for, at its beginning."""


_RETRACTING = re.compile(
    r"(?:(?:no|nope|nah)(?:\s*[,!]+\s*|\s+(?=(?:sorry|wait|actually|i mean|i meant|only|just|not)\b))"
    r"|(?:sorry|oops|wait|my (?:mistake|bad))(?:\s*[-–—:,.!]+\s*|\s+(?=(?:i|no|only|just|not|make|meant)\b))"
    r"|actually\s*,?\s*)+(?=\w)",
    re.IGNORECASE,
)
"""Words that take the previous request back, at the beginning of another one: `no, only the open ones`."""
_MEANT = re.compile(
    r"(?:i mean|(?:i )?meant)(?: to say)?\s*[:,]?\s+(?P<what>\w.*)", re.IGNORECASE | re.DOTALL
)


def takes_back(text: str) -> bool:
    """Whether a message takes the previous request back: `no, Kotla Branch`."""
    return _RETRACTING.match(text.lstrip()) is not None


_NUMBER_OF = re.compile(r"(?:\b(?:no|nr|num)|#) of\b", re.IGNORECASE)


def normalized(text: str) -> str:
    """A message without whom it is for (`urgent:`, `the mayor wants to know`) and what takes another one back (`no,
    sorry`) at its beginning, without `please` or thanks at its end, which say nothing else, and with `altogether` as
    one word. `I meant 2024` asks the same about 2024, `the us` is the country, and `no of` a number."""
    text = _NUMBER_OF.sub("number of", _COUNTRY.sub(lambda country: f"{country[1]}US", text.lstrip()))
    for opening in (_FOR_WHOM, _RETRACTING):
        begin = opening.match(text)
        text = text[begin.end() :] if begin is not None else text
    if (meant := _MEANT.fullmatch(text)) is not None:
        is_whole = meant["what"].split()[0].lower() in STARTS
        text = meant["what"] if is_whole else f"what about {meant['what']}"
    return _ALTOGETHER.sub("altogether", _CLOSING.sub("", text))
