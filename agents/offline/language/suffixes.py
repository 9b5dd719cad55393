"""Groups said with a suffix: `area block wise`, `scheme-wise applications in 2024` are read as `per block` and `per
scheme`."""

from __future__ import annotations

import re

from agents.offline.language.names.periods import PERIODS_OF_ADVERBS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words, word_set

_WISE = re.compile(
    r"(?:\b(?:by|per) )?(?P<words>(?:[^\W\d]\w* ){0,2}[^\W\d]\w*?)[ -]?wise\b(?P<rest>[^?!.]*)"
)
"""In small letters, for Wise is a name."""
_RANKED = re.compile(
    r"\b(?:top|bottom|first|last) \d|(?:high|low|larg|small|great|bigg|long|old|new)est\b", re.IGNORECASE
)
_GOES_ON = re.compile(
    r"\W*$|\W*(?:,|(?:in|since|with|without|of|from|between|and|where|that|before|after|until|for|on|as|during|sorted)\b)",
    re.IGNORECASE,
)
"""What may follow a group."""
_FORM = re.compile(
    r",? (?:as|in|on) (?:an? )?(?:bar |line |pie )?(?:chart|graph|table|map)\b.*$", re.IGNORECASE
)


_NO_NAMES = word_set("of in for the by per and show list map chart count number total average")


def with_groups_named(text: str, vocabulary: Vocabulary) -> str:
    """The request with `per` before such a group, behind what it is of; unchanged if nothing is called so."""
    for found in _WISE.finditer(text) if "wise" in text and not _RANKED.search(text) else ():
        words = found["words"].split()
        size = _size(words, vocabulary)
        if size:
            start = found.start("words") + len(" ".join(words[:-size]))
            before, group, rest = text[:start].rstrip(), f"per {' '.join(words[-size:])}", found["rest"]
            if before and _GOES_ON.match(rest):
                return f"{before} {group}{text[found.start('rest') :]}"
            form = _FORM.search(rest)
            at = form.start() if form is not None else len(rest.rstrip())
            return f"{before} {rest[:at].strip()} {group}{rest[at:]}{text[found.end() :]}".strip()
    return text


def _size(words: list[str], vocabulary: Vocabulary) -> int:
    """How many of the last words are a column, a table or a period; 0 if none are."""
    found: tuple[str, ...] = ()
    size = 0
    for length in range(1, len(words) + 1):
        called = " ".join(words[-length:])
        names, table = vocabulary.columns_called(vocabulary.few_tables, called), _is_table(called, vocabulary)
        first = words[-length]
        are_rows = is_plural(first) and _is_table(first, vocabulary)
        if length > 1 and not table and (are_rows or first.lower() in _NO_NAMES):
            break  # `applications status wise`
        if names or table or (length == 1 and called.lower() in PERIODS_OF_ADVERBS.values()):
            size, found = length, names
        elif found:
            break
    return size


def _is_table(text: str, vocabulary: Vocabulary) -> bool:
    words = name_words(text)
    match = vocabulary.match_table(words)
    return match is not None and match.length == len(words) and not match.guessed
