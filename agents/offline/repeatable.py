"""What a later message may ask again: the request for a list, and a question about one place or value."""

from __future__ import annotations

from typing import Any

from agents.offline.commands.analyses.analysis import read_analysis
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import Mention, OneOf, parts_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.intents import Analyse, Command, Count, Rows, Show, Statistic


def rows_listed(command: Command) -> str:
    """The words of a request for rows in no order, to which a condition can be added."""
    meant = command.intent
    is_list = isinstance(meant, Rows) and meant.top is None and not meant.subject.of_layer
    return command.text.rstrip(" ?!.") if is_list else ""


def question_about(command: Command, vocabulary: Vocabulary) -> str:
    """The request with `{}` for the one place or value that it names; empty where it names none or several."""
    meant: Any = command.intent
    if isinstance(meant, Analyse):
        meant = read_analysis(meant.goal, vocabulary, vocabulary.operations)
    elif not isinstance(meant, Count | Statistic | Rows | Show):
        return ""
    parts = parts_of(meant)
    named = [each.text for each in parts if isinstance(each, OneOf) and each.how in ("in", "of")]
    named += [each.text for each in parts if isinstance(each, Mention) and each.of_value]
    named += [each.place for each in parts if isinstance(each, Features) and each.place]
    named = list(dict.fromkeys(named))
    if len(named) != 1 or command.text.count(named[0]) != 1 or "{}" in command.text:
        return ""
    return command.text.rstrip(" ?!.").replace(named[0], "{}")
