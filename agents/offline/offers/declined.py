"""What a declined request, or a question back, offers to click on, such as the request without the words that cannot be
read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile

from agents.domain import Table
from agents.offline.answers import texts
from agents.offline.answers.wording import plain
from agents.offline.commands.plans.questions import not_understood_words
from agents.offline.coverage import language_words
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, misspelt, nearest, word_set
from agents.offline.meaning.intents import Command, NotUnderstood
from agents.offline.meaning.scene import Ask, Refuse, Scene
from agents.offline.offers.closest import closest
from agents.offline.offers.readable import is_planned, is_read
from agents.offline.offers.suggestions import suggestions_about
from agents.offline.typing_mistakes import corrected
from agents.offline.unknown_words import data_words, holds_any, unknown_words
from agents.worded import joined

MAX_OFFERED = 4
"""Maximum number of requests offered in place of a declined one."""
MAX_OPTIONS = 6
"""Maximum number of meanings offered."""


async def not_understood(
    text: str,
    commands: Sequence[Command],
    unread: NotUnderstood,
    unknown: Sequence[str],
    scene: Scene,
    default: Table | None,
) -> str:
    """What was understood of a request with an unread command, what was not, and the requests closest to it. `unknown`:
    its words that neither the language nor the data has."""
    read = [command.text for command in commands if not isinstance(command.intent, NotUnderstood)]
    if read:
        whole = ", ".join([*read, *([unread.understood] if unread.understood else [])])
        unread = replace(unread, understood=whole)
    # A part with an unknown word was not understood, whatever its grammar.
    if holds_any(unknown, unread.understood):
        unread = replace(unread, understood="", rest=text)
    near = [each for each in await shorter(text, scene, default) if not holds_any(unknown, each)]
    return not_understood_words(scene, unread, [*near, *await closest(text, scene, default)])


async def with_offers(refused: Refuse, text: str, scene: Scene, default: Table | None) -> Refuse:
    """The refusal of a request, unless it offers some, with the closest requests and readable ones about the tables
    that it names."""
    if texts.COULD_SAY() in refused.alternative:
        return refused
    meant = [f'"{name}"' if "," in name else name for name in refused.names if refused.wrong in text]
    respelt = [text.replace(refused.wrong, name, 1) for name in meant]
    near = [plain(each) for each in respelt if await is_planned(each, scene, default)]
    near += map(plain, await closest(text, scene, default))
    for each in suggestions_about(scene.agent.registry, text):
        if each != text and each not in near and await is_read(each, scene.vocabulary, None):
            near.append(each)
    hint = plain(refused.alternative) if refused.names else refused.alternative  # with names from the data
    if not near:
        return Refuse(refused.reason, hint)
    lines = [joined("", ("- ", each)) for each in near[:MAX_OFFERED]]
    offers = joined("\n", (joined("", (texts.COULD_SAY(), "\n")), *lines))
    return Refuse(refused.reason, joined("\n\n", filter(None, (hint, offers))))


async def offered(
    ask: Ask, request: str, meanings: Sequence[str], vocabulary: Vocabulary, default: Table | None
) -> str:
    """The options to click on: the request with the option in place of the ambiguous words, if that is readable."""
    lines = [f"- {plain(each)}" for each in meanings[:MAX_OPTIONS]]
    found = re.search(rf"(?<!\w){re.escape(ask.words)}(?!\w)", request) if ask.words else None
    words = found is not None
    before, after = (request[: found.start()], request[found.end() :]) if found is not None else (request, "")
    before = before.removesuffix("the ")
    for option in ask.options[:MAX_OPTIONS] if not lines else ():
        reworded = f'{before}"{option}"{after}' if "," in option else f"{before}{option}{after}"
        lines.append(
            f"- {plain(reworded if words and await is_read(reworded, vocabulary, default) else option)}"
        )
    return joined("\n", ("\n", texts.COULD_SAY(), *lines))


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
