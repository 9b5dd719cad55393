"""Whether a request can be read and planned: every offer is checked before it is made."""

from __future__ import annotations

import logging

from agents.core.errors import ToolFailed
from agents.domain import Table
from agents.offline.language.reading import read
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import NotUnderstood, TooMuch
from agents.offline.meaning.scene import Ask, Refuse, Say, Scene
from agents.offline.parser import is_unread, parse
from agents.offline.planner import plan

log = logging.getLogger("agents.offline")


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
