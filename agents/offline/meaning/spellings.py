"""The ways in which a value that a request names may be written in a table; countries by their other names and
adjectives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence, Set
from typing import Any

from agents.geo.place_names import other_names
from agents.offline.language.words import fold, name_words, place_of, singular, word_set

_CURRENCIES = {
    "euro": "EUR", "us dollar": "USD", "dollar": "USD", "pound": "GBP", "pound sterling": "GBP", "yen": "JPY",
    "swiss franc": "CHF", "yuan": "CNY", "renminbi": "CNY", "rupee": "INR", "indian rupee": "INR", "ruble": "RUB",
    "australian dollar": "AUD", "canadian dollar": "CAD", "danish krone": "DKK", "norwegian krone": "NOK",
    "swedish krona": "SEK", "zloty": "PLN", "cfa franc": "XOF",
}  # fmt: skip
"""The codes of currencies by their names."""


def unquoted(text: str) -> str:
    """The text without the double quotes around it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def place_forms(text: str) -> list[str]:
    """The text, and what else that place is called."""
    text = unquoted(text)
    bare = text[4:] if text.lower().startswith("the ") else text
    return [bare, *other_names(bare)]


def without_noun(text: str, nouns: Collection[str]) -> list[str]:
    """`Ulm` of `the gauge Ulm` and of `Ulm gauge`; nothing where no such noun is said."""
    words = text.removeprefix("the ").split()
    ways = ((words[:1], words[1:]), (words[-1:], words[:-1]))
    return [" ".join(rest) for noun, rest in ways if rest and singular(fold(noun[0])) in nouns]


def adjective_forms(text: str) -> list[str]:
    """`large`, what an adjective of a place comes from (European -> Europe), and the singular (oaks -> oak)."""
    word = unquoted(text)
    lowered = word.lower()
    before, _, last = lowered.rpartition(" ")
    one = f"{before} {singular(last)}".strip()
    said = (lowered, one) if word.isupper() or len(word) > 2 else ()  # `us` is no country
    places = [place_of(each) or each for each in said]
    forms = [word, one, *(form for place in places for form in place_forms(place)), _CURRENCIES.get(one, "")]
    if lowered.endswith("an") and len(word) > 4:
        forms += [word[:-1], word[:-2], f"{word}y"]
    return [form for index, form in enumerate(forms) if form and form not in forms[:index]]


def spellings(forms: Sequence[str]) -> list[str]:
    """How a value is usually written: such rows are found without folding every row of the table."""
    joined = (joiner.join(re.split(r"[\s_-]+", form)) for form in forms for joiner in (" ", "-", "_"))
    spelt = [
        way
        for form in (*forms, *joined)
        for way in (form, form.title(), form.capitalize(), form.lower(), form.upper())
    ]
    return list(dict.fromkeys(spelt))


_MAX_CODE = 4
"""Letters of a code such as that of an airport."""
_OF_COUNTRIES = word_set("country iso nation province region state territory")


Stored = dict[str, list[Any]]
"""Values by the names of their columns."""


def without_codes(stored: Stored, text: str, kept: Set[str]) -> Stored:
    """Without codes: `big` is not the airport `BIG`. A column called by a `kept` word may hold short words in
    capitals."""
    return _without_code(stored, text, lambda words: not words & kept)


def without_country_codes(stored: Stored, text: str) -> Stored:
    """Without the code of a country or state that is written in small letters: `la` is not Laos."""
    return _without_code(stored, text, lambda words: "code" in words and bool(words & _OF_COUNTRIES))


def _without_code(stored: Stored, text: str, is_of_codes: Callable[[set[str]], bool]) -> Stored:
    left = {
        name: [each for each in own if not (is_code(each) and fold(each) == fold(text))]
        if is_of_codes(set(name_words(name)))
        else own
        for name, own in stored.items()
    }
    return {name: own for name, own in left.items() if own}


def is_code(value: str) -> bool:
    """Whether a value is a few capitals, which no noun is."""
    return value.isupper() and len(value) <= _MAX_CODE


def split_values(text: str) -> list[str]:
    """`Germany`, `France` and `Peru` of `Germany, France or Peru`."""
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
