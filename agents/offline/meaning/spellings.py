"""Alternative spellings of a value as a table may store it, including other names and adjectives of countries."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence, Set
from typing import Any

from agents.domain import Column
from agents.geo.place_names import other_names
from agents.offline.language.lexicon import nouns_of_riders
from agents.offline.language.words import fold, name_words, place_of, singular, word_set

_CURRENCIES = {
    "euro": "EUR", "us dollar": "USD", "dollar": "USD", "pound": "GBP", "pound sterling": "GBP", "yen": "JPY",
    "swiss franc": "CHF", "yuan": "CNY", "renminbi": "CNY", "rupee": "INR", "indian rupee": "INR", "ruble": "RUB",
    "australian dollar": "AUD", "canadian dollar": "CAD", "danish krone": "DKK", "norwegian krone": "NOK",
    "swedish krona": "SEK", "zloty": "PLN", "cfa franc": "XOF XAF",
}  # fmt: skip
"""Currency codes by name."""


def unquoted(text: str) -> str:
    """The text without surrounding double quotes."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def place_forms(text: str) -> list[str]:
    """The text and other names of the same place."""
    text = unquoted(text)
    bare = text[4:] if text.lower().startswith("the ") else text
    before, _, last = bare.rpartition(" ")
    road = ROADS_IN_SHORT.get(last.lower().rstrip("."), "") if before else ""
    return [bare, *([f"{before} {road}"] if road else ()), *other_names(bare)]


ROADS_IN_SHORT = {
    "av": "avenue", "ave": "avenue", "blvd": "boulevard", "cl": "close", "cres": "crescent", "ct": "court",
    "dr": "drive", "hwy": "highway", "la": "lane", "ln": "lane", "pde": "parade", "pkwy": "parkway", "pl": "place",
    "rd": "road", "sq": "square", "st": "street", "str": "street", "tce": "terrace", "ter": "terrace",
}  # fmt: skip
"""Abbreviations at the end of names of streets: `unley rd`."""


def without_noun(text: str, nouns: Collection[str]) -> list[str]:
    """The text without a noun in `nouns`: `Ulm` for `the gauge Ulm` and `Ulm gauge`; empty if there is none."""
    words = text.removeprefix("the ").split()
    ways = ((words[:1], words[1:]), (words[-1:], words[:-1]))
    return [" ".join(rest) for noun, rest in ways if rest and singular(fold(noun[0])) in nouns]


def adjective_forms(text: str) -> list[str]:
    """Values that an adjective or noun may stand for: `large`, European -> Europe, oaks -> oak, bear -> bears."""
    word = unquoted(text)
    lowered = word.lower()
    before, _, last = lowered.rpartition(" ")
    one = f"{before} {singular(last)}".strip()
    candidates = (lowered, one) if word.isupper() or len(word) > 2 else ()  # `us` is not a country
    places = [place_of(each) or each for each in candidates]
    forms = [
        word,
        one,
        *(form for place in places for form in place_forms(place)),
        *_CURRENCIES.get(one, "").split(),
    ]
    if lowered.endswith("an") and len(word) > 4:
        forms += [word[:-1], word[:-2], f"{word}y"]
    forms += sorted(nouns_of_riders(fold(one)))
    forms += [f"{one}s"] if len(one) > 2 and word.islower() else []  # `bear sightings`, of the group “bears”
    return [form for index, form in enumerate(forms) if form and form not in forms[:index]]


def spellings(forms: Sequence[str]) -> list[str]:
    """Usual ways to write a value, so that rows are found without folding every row of the table."""
    joined = (joiner.join(re.split(r"[\s_-]+", form)) for form in forms for joiner in (" ", "-", "_"))
    spelt = [
        way
        for form in (*forms, *joined)
        for way in (form, form.title(), form.capitalize(), form.lower(), form.upper())
    ]
    return list(dict.fromkeys(spelt))


_MAX_CODE = 4
"""Maximum length of a code such as an airport's."""
_OF_COUNTRIES = word_set("country iso nation province region state territory")


Stored = dict[str, list[Any]]
"""Values by column name."""


def without_codes(stored: Stored, text: str, columns: Sequence[Column], kept: Set[str]) -> Stored:
    """The values except codes: `big` is not the airport `BIG`. Columns whose name has a `kept` word, or that have words
    beside codes (`PVC` and `ductile iron`), are not filtered."""
    mixed = {each.name for each in columns if not all(map(is_short_code, each.samples))}
    return _drop_codes(stored, text, lambda name: name not in mixed and not {*name_words(name)} & kept)


def without_country_codes(stored: Stored, text: str) -> Stored:
    """The values except codes of countries or states that the request has in lower case: `la` is not Laos."""
    return _drop_codes(stored, text, _holds_country_codes)


def _holds_country_codes(name: str) -> bool:
    words = {*name_words(name)}
    return "code" in words and bool(words & _OF_COUNTRIES)


def _drop_codes(stored: Stored, text: str, is_of_codes: Callable[[str], bool]) -> Stored:
    left = {
        name: [each for each in own if not (is_short_code(each) and fold(each) == fold(text))]
        if is_of_codes(name)
        else own
        for name, own in stored.items()
    }
    return {name: own for name, own in left.items() if own}


def is_short_code(value: str) -> bool:
    """Whether a value is a short upper-case code."""
    return value.isupper() and len(value) <= _MAX_CODE


_BETWEEN_NAMES = re.compile(r",\s*(?:and|or)\s+|\s+(?:and|or)\s+|,\s*")


def names_in_list(text: str) -> list[str]:
    """The names of a list: `Belgium, the Netherlands and Luxembourg`, or codes: `JFK LAX ORD`."""
    codes = text.split()
    return codes if all(map(is_short_code, codes)) else _BETWEEN_NAMES.split(text)


def split_values(text: str) -> list[str]:
    """The parts of a list: `Germany, France or Peru` as three."""
    parts: list[str] = []
    word: list[str] = []
    quoted = False
    for piece in text.replace(",", " , ").split():
        if not quoted and piece.lower() in ("or", "and", ",", "&", "in", "from"):
            parts.append(" ".join(word))
            word = []
            continue
        quoted ^= piece.count('"') % 2 == 1
        word.append(piece)
    parts.append(" ".join(word))
    return [unquoted(part) for part in parts if part] or [text]
