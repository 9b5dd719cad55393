"""The singular of a noun as it is shown; to compare words, `words.singular` is enough."""

from __future__ import annotations

from functools import cache

from spellchecker import SpellChecker

from agents.offline.language.words import fold, singular


@cache
def english_dictionary() -> SpellChecker:
    """A spell checker; its dictionary takes about 0.2 s to load on first use."""
    return SpellChecker(language="en", distance=1)


def shown_singular(noun: str) -> str:
    """The noun with its last word in the singular. A plural in `es` that is not an English word is left alone:
    `sectores` does not become `sectore`."""
    before, space, last = noun.rpartition(" ")
    if last.endswith("es") and not english_dictionary().known([fold(last)]):
        return noun
    return f"{before}{space}{singular(last)}"
