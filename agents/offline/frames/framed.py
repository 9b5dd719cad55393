"""Requests with remarks written around them, read without these; only where they cannot be read as written."""

from __future__ import annotations

from agents.domain import Table
from agents.offline.commands.assembly.fitting import are_values
from agents.offline.commands.assembly.questions import has_doubts
from agents.offline.frames.remarks import without_remarks
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import OneOf, parts_of
from agents.offline.meaning.intents import TooMuch
from agents.offline.parser import is_unread, parse


def framed(text: str, vocabulary: Vocabulary, default: Table | None) -> tuple[str, tuple[str, ...]]:
    """The request of a message, and the remarks that were written with it. `default`: the table spoken of."""
    asked, remarks = without_remarks(text, vocabulary)
    if not remarks or (doubts := _doubts(text, vocabulary, default)) == (0, 0):
        return text, ()
    least = _doubts(asked, vocabulary, default)
    return (asked, remarks) if least < doubts and not least[0] else (text, ())


def _doubts(text: str, vocabulary: Vocabulary, default: Table | None) -> tuple[int, int]:
    """How little is known of a request: zeros if it is understood and all values that it names are known; 2 if it is
    not understood, 1 if words were taken for values; and how many words were taken for values unknown yet."""
    meant = [each.intent for each in parse(text, vocabulary, default)]
    if any(is_unread(each) or isinstance(each, TooMuch) for each in meant):
        return 2, 0
    values = [part.text for each in meant for part in parts_of(each) if isinstance(part, OneOf)]
    unknown = sum(len(each.split()) for each in values if not are_values(each, vocabulary))
    return int(any(has_doubts(each, vocabulary) for each in meant)), unknown
