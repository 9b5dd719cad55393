"""What a declined request, or a question back, offers to click on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.answers import texts
from agents.offline.answers.wording import plain
from agents.offline.commands.plans.questions import not_understood_words
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Command, NotUnderstood
from agents.offline.meaning.scene import Ask, Refuse, Scene
from agents.offline.offers.closest import closest
from agents.offline.offers.readable import is_read
from agents.offline.offers.shorter import shorter
from agents.offline.offers.suggestions import suggestions_about
from agents.offline.unknown_words import holds_any
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
    near = [*map(plain, await closest(text, scene, default))]
    for each in suggestions_about(scene.agent.registry, text):
        if each != text and each not in near and await is_read(each, scene.vocabulary, None):
            near.append(each)
    if not near:
        return refused
    lines = [joined("", ("- ", each)) for each in near[:MAX_OFFERED]]
    offers = joined("\n", (joined("", (texts.COULD_SAY(), "\n")), *lines))
    return Refuse(refused.reason, joined("\n\n", filter(None, (refused.alternative, offers))))


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
