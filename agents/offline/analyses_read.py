"""Readings of commands and analyses, kept for all in a turn who read the same text: the chat, the analyst, what is
asked next."""

from __future__ import annotations

from functools import partial

from agents.domain import Table
from agents.offline.commands.analyses.analysis import Chain, read_analysis
from agents.offline.commands.assembly.joined import with_each_distance, with_or_without
from agents.offline.language.reading import Unhashed, read_once
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Analyse, Command, Intent
from agents.offline.parser import is_unread, parse


async def analysis_read(goal: str, vocabulary: Vocabulary) -> Chain | None:
    """`read_analysis` with all operations of the vocabulary, in the reader thread."""
    key = ("analysis", goal, vocabulary.state)
    return await read_once(
        vocabulary.index, key, lambda: read_analysis(goal, vocabulary, vocabulary.operations)
    )


async def commands_read(
    text: str, start: int, vocabulary: Vocabulary, default: Table | None
) -> list[Command]:
    """The commands of a text from `start` on. `default`: the table that the conversation is about; the analyst does not
    see it, so a goal that only means something with it is read without."""
    commands: list[Command] = []
    for table in (default, None):
        key = (text, start, Unhashed((table and table.id, vocabulary.state, vocabulary.tools)))
        commands = await read_once(vocabulary.index, key, partial(parse, text, vocabulary, table, start))
        if all([await _is_read_alone(each.intent, vocabulary) for each in commands]):
            break
    known = (text, start, Unhashed((default and default.id, vocabulary.state)))
    read = partial(parse, vocabulary=vocabulary, default=default)
    ways = [with_or_without] if len(commands) > 1 else []
    if any(is_unread(each.intent) for each in commands):
        ways = [with_or_without, with_each_distance]
    for several in ways:
        of_each = partial(several, text, start, read)
        commands = await read_once(vocabulary.index, (several.__name__, *known), of_each) or commands
    return commands


async def _is_read_alone(intent: Intent, vocabulary: Vocabulary) -> bool:
    """Whether the analyst reads the goal of an analysis, too."""
    if not isinstance(intent, Analyse) or not (intent.is_read and intent.goal):
        return True
    return await analysis_read(intent.goal, vocabulary) is not None
