"""An unread request with its typing mistakes corrected, or without the words that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from agents.domain import Table
from agents.offline.coverage import language_words
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, misspelt, nearest, word_set
from agents.offline.meaning.scene import Scene
from agents.offline.offers.readable import is_planned, is_read
from agents.offline.typing_mistakes import corrected
from agents.offline.unknown_words import data_words, unknown_words

MAX_SHORTENED = 6
"""Maximum number of words omitted at the end of an unread request."""
OPEN_ENDS = word_set("""
    a an and are as at be been by can could did do does each every fewest for from got had has have highest i in is
    least less lowest more most of on or per still than the then they to was we were which who will with within
    without you
""")
"""Words that cannot end a request."""
_ASKING = re.compile(
    r" (?:did|do|does|have|had) (?:we|they|you|i)(?= (?:in|since|before|after|last|this)\b|$)", re.IGNORECASE
)
"""Words of a question that are left over without their verb: `nests did we in 2024`."""
JOINERS = word_set("also and but now ok okay or please so then well")
"""First words that only join a request to the conversation: an offer starts after them."""


async def shorter(text: str, scene: Scene, default: Table | None) -> list[str]:
    """The first readable variant: corrected, without unknown words, or without its end; at most one. None that would
    be declined."""
    variants = await _readable_variant(text, scene.vocabulary, default)
    return [each for each in variants if await is_planned(each, scene, default)]


async def _readable_variant(text: str, vocabulary: Vocabulary, default: Table | None) -> list[str]:
    """The first variant of an unread request that is read completely; at most one."""
    words, unknown = text.rstrip(" ?!.").split(), unknown_words(text, vocabulary)
    right = _respell(unknown, data_words(text, vocabulary))
    if right and await is_read(respelt := corrected(text, right), vocabulary, default):
        return [respelt]
    known = [word for word in words if word.strip(",;:") not in unknown]
    ends = range(len(words) - 1, max(len(words) - MAX_SHORTENED, 1) - 1, -1)
    for each in (known, *(words[:end] for end in ends)):
        text_left = _ASKING.sub("", " ".join(each)).rstrip(" ,;:")
        keeps_most = 2 * len(each) >= len(words)
        is_whole = bool(each) and each[-1].lower() not in OPEN_ENDS
        if is_whole and keeps_most and each != words and await is_read(text_left, vocabulary, default):
            alone = _without_joiners(text_left)
            return [alone if await is_read(alone, vocabulary, default) else text_left]
    return []


def _without_joiners(text: str) -> str:
    """The text from its first word that says something."""
    words = text.split()
    return " ".join(dropwhile(lambda word: word.lower().strip(",") in JOINERS, words)) or text


def _respell(words: Sequence[str], names: set[str]) -> dict[str, str]:
    """The word of the data, else of the language, that each clearly misspells; empty if one has none."""
    data, language = sorted(names), sorted(language_words())
    right: dict[str, str] = {}
    for word in words:
        near = nearest(fold(word), data, 1, score=82)
        found = misspelt(fold(word), data if near else language)
        if found is None:
            return {}
        right[word] = found
    return right
