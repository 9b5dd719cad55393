"""Alternative wordings of an unread request: typing mistakes corrected, the end omitted, or an option inserted. Each
is used or offered only if it can be read."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import dropwhile

from rapidfuzz import process
from rapidfuzz.distance import OSA
from spellchecker import SpellChecker

from agents.core.errors import ToolFailed
from agents.domain import Table
from agents.offline.answers import texts
from agents.offline.answers.suggestions import suggestions_about
from agents.offline.answers.wording import plain
from agents.offline.commands.analyses.analysis import language_of
from agents.offline.coverage import language_words
from agents.offline.language.reading import read
from agents.offline.language.tokens import tokenize
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, misspelt, nearest, word_set
from agents.offline.meaning.intents import NotUnderstood, TooMuch
from agents.offline.meaning.scene import Ask, MapAgent, Refuse, Say, Scene
from agents.offline.parser import is_unread, parse
from agents.offline.planner import plan
from agents.offline.unknown_words import data_words, unknown_words
from agents.worded import joined

log = logging.getLogger("agents.offline")
MAX_SHORTENED = 6
"""Maximum number of words omitted at the end of an unread request."""
OPEN_ENDS = word_set("""
    a an and are as at be been by can could did do does each every fewest for from had has have highest i in is least
    less lowest more most of on or per still than the then they to was we were which who will with within without you
""")
"""Words that cannot end a request."""
JOINERS = word_set("also and but now ok okay or please so then well")
"""First words that only join a request to the conversation: an offer starts after them."""
MAX_OFFERED = 6
"""Maximum number of options offered as requests to click on; each of them is parsed first."""


MIN_MISTYPED, MIN_MISTYPED_TWICE = 5, 9
"""Minimum word lengths for correcting one mistake, and two."""
MAX_NEAR = 10


@cache
def _english() -> SpellChecker:
    """A spell checker; its dictionary takes about 0.2 s to load on first use."""
    return SpellChecker(language="en", distance=1)


def corrections(text: str, vocabulary: Vocabulary) -> dict[str, str]:
    """The spelling corrections of unknown words; empty unless each is clearly a typing mistake.

    English words are never corrected. Candidates are words of tables, columns and comments, of the language, and
    common values that are English words; other values are names, which are often alike: Granada is not Grenada.
    """
    english = _english()
    unknown = [each for each in unknown_words(text, vocabulary) if not english.known([fold(each)])]
    if not unknown:
        return {}
    names = data_words(text, vocabulary, values=False)
    values = data_words(text, vocabulary)
    names |= {f"{name}s" for name in names}
    values |= {f"{value}s" for value in values}
    known = (names, language_words() | language_of(vocabulary.operations).limits)

    def right_for(word: str) -> str:
        return next(filter(None, (_nearest_choice(word, each) for each in known)), "") or _nearest_choice(
            word, values & (english.candidates(word) or set())
        )

    right = {word: right_for(fold(word)) for word in unknown}
    return {} if "" in right.values() else right


def _nearest_choice(word: str, choices: Collection[str]) -> str:
    """The only choice at the least edit distance with the same first letter; empty if it is too far or not unique."""
    most = 0 if len(word) < MIN_MISTYPED else 1 if len(word) < MIN_MISTYPED_TWICE else 2
    far = process.extract(word, choices, scorer=OSA.distance, score_cutoff=most, limit=MAX_NEAR)
    near = [str(choice) for choice, distance, _ in far if distance == far[0][1] and choice[0] == word[0]]
    return max(near) if len({each.replace("our", "or") for each in near}) == 1 else ""


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


def corrected(text: str, right: Mapping[str, str]) -> str:
    """The text with these words replaced."""
    for token in reversed([token for token in tokenize(text) if token.text in right]):
        text = f"{text[: token.start]}{right[token.text]}{text[token.end :]}"
    return text


async def is_read(text: str, vocabulary: Vocabulary, default: Table | None) -> bool:
    """Whether every command of a request is understood."""
    commands = await read(parse, text, vocabulary, default)
    return not any(isinstance(each.intent, NotUnderstood | TooMuch) for each in commands)


def is_readable(text: str, vocabulary: Vocabulary, default: Table | None) -> bool:
    """Whether every command of a request is understood, with a known noun."""
    commands = parse(text, vocabulary, default)
    return not any(is_unread(each.intent) or isinstance(each.intent, TooMuch) for each in commands)


async def is_planned(text: str, scene: Scene, default: Table | None) -> bool:
    """Whether the first command of a request can be carried out, without a question back."""
    commands = await read(parse, text, scene.vocabulary, default)
    try:
        for command in commands[:1]:
            await plan(scene, command.intent)
    except Say:
        return True
    except (Ask, Refuse, ToolFailed):
        return False
    except Exception:  # an offer must not cost the answer
        log.exception("planning failed for an offered request")
        return False
    return True


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
        text_left = " ".join(each).rstrip(" ,;:")
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


async def with_offers(refused: Refuse, text: str, agent: MapAgent, vocabulary: Vocabulary) -> Refuse:
    """The refusal of a request, with readable requests about the tables that it names unless it offers some."""
    if texts.COULD_SAY() in refused.alternative:
        return refused
    near = suggestions_about(agent.registry, text)
    lines = [
        joined("", ("- ", each)) for each in near if each != text and await is_read(each, vocabulary, None)
    ]
    if not lines:
        return refused
    offers = joined("\n", (joined("", (texts.COULD_SAY(), "\n")), *lines))
    return Refuse(refused.reason, joined("\n\n", filter(None, (refused.alternative, offers))))


async def offered(
    ask: Ask, request: str, meanings: Sequence[str], vocabulary: Vocabulary, default: Table | None
) -> str:
    """The options to click on: the request with the option in place of the ambiguous words, if that is readable."""
    lines = [f"- {plain(each)}" for each in meanings[:MAX_OFFERED]]
    found = re.search(rf"(?<!\w){re.escape(ask.words)}(?!\w)", request) if ask.words else None
    words = found is not None
    before, after = (request[: found.start()], request[found.end() :]) if found is not None else (request, "")
    before = before.removesuffix("the ")
    for option in ask.options[:MAX_OFFERED] if not lines else ():
        reworded = f'{before}"{option}"{after}' if "," in option else f"{before}{option}{after}"
        lines.append(
            f"- {plain(reworded if words and await is_read(reworded, vocabulary, default) else option)}"
        )
    return joined("\n", ("\n", texts.COULD_SAY(), *lines))
