"""Follow-ups about what is nearest to a place: `and the 5 nearest with an iata code?` after `nearest airport to Ulm`,
`which is the closest` after `airports within 50 km of Ulm`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.offline.conversation.pieces import ENDS, LENGTHS
from agents.offline.conversation.spoken import COUNTS, Again, Spoken, number_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, singular

_ASKS = r"(?:(?:which|what|where|show(?: me)?|list|find|give me|is|are|the) )*"
_NEAREST_TO = re.compile(
    rf"{_ASKS}(?:(?:{COUNTS}) )?(?:nearest|closest) (?:(?:{COUNTS}) )?(?P<rows>[^?,]+?) to (?P<to>[^?,]+?)\W*",
    re.IGNORECASE,
)
_TO_NEAREST = re.compile(
    rf"{_ASKS}(?:(?:{COUNTS}) )?(?P<rows>[^?,]+?) (?:is |are )?(?:the )?(?:nearest|closest) to (?P<to>[^?,]+?)\W*",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"(?:(?:which|what|show(?: me)?|list|find|give me|how many|all|the) )*(?P<rows>[^?,]+?)"
    r" (?:(?:that|which) )?(?:(?:are|lie|is|located|there) )*(?:within|closer than|less than)"
    rf" \d[\d.,]* ?(?:{LENGTHS})(?: away)? (?:of|to|from) (?!(?:an?|any|each|every|all) )(?P<to>[^?,]+?)\W*",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"(?:(?:and|now|show(?: me)?|list|what about|how about|what are|which are),? )*(?:the )?"
    rf"(?:(?P<n>{COUNTS}) (?:nearest|closest)|(?:nearest|closest)(?: (?P<m>{COUNTS}))?)(?: ones?)?"
    rf"(?P<which> {ENDS}[^?,]*?)?\W*",
    re.IGNORECASE,
)
_WHICH_ONE = re.compile(
    r"(?:and )?(?:(?:which|what)(?: one| of (?:them|these|those))? (?:is|lies) )?(?:the )?(?:nearest|closest)(?: one)?"
    r"(?: to it)?\W*",
    re.IGNORECASE,
)

_HOW_FAR = re.compile(
    r"(?:and )?how far (?:away |off )?(?:is|are) (?:it|that|this|they|those)(?: away)?\W*", re.IGNORECASE
)


def nearest_again(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """The nearest rows, also others or more than before, to the place before; `how far is it?`."""
    before = spoken.memory.question_text
    near, others = (
        _NEAREST_TO.fullmatch(before) or _TO_NEAREST.fullmatch(before),
        _OTHERS.fullmatch(asked_now),
    )
    if near is not None and others is not None and (others["n"] or others["m"] or others["which"]):
        count = number_of(others["n"] or others["m"] or "1")
        rows = _rows(near["rows"], spoken.vocabulary, several=count != "1")
        yield Again(f"{count} nearest {rows}{others['which'] or ''} to {near['to']}")
    if near is not None and _HOW_FAR.fullmatch(asked_now):
        yield Again(f"{before.rstrip(' ?!.')} and how far it is")
    within = _WITHIN.fullmatch(before)
    if within is not None and _WHICH_ONE.fullmatch(asked_now):
        yield Again(f"nearest {_rows(within['rows'], spoken.vocabulary, several=False)} to {within['to']}")


def _rows(rows: str, vocabulary: Vocabulary, *, several: bool) -> str:
    """The rows with their noun in the singular or plural."""
    words = rows.split()
    end = next(
        (at for at, word in enumerate(words) if at and re.fullmatch(ENDS, word, re.IGNORECASE)), len(words)
    )
    noun, found = singular(words[end - 1].lower()), vocabulary.match_table(name_words(words[end - 1]))
    names = [each.name for each in found.found] if found is not None and not found.guessed else []
    many = next((name for name in names if singular(name) == noun), words[end - 1])
    return " ".join((*words[: end - 1], many if several else noun, *words[end:]))
