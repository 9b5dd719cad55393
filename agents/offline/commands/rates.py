"""How many rows there are in a time, on average: `how many incidents are there on average per day?`"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.intents import Intent, Statistic


def _rate(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """Of rows with the one date or time that their table has."""
    subject, period = bound["rows"], bound["period"]
    tables = vocabulary.tables(subject.mention.tables)
    times = [each.name for table in tables for each in table.columns if each.kind in ("date", "timestamp")]
    if period.dimension != "time" or subject.top is not None or len(tables) != 1 or len(times) != 1:
        return None
    return Statistic("rate", ColumnMention(times[0], tuple(times)), subject.mention, subject.where, period)


_THERE = "[are there|were there|there are|there were|happen|happened|occur|occurred]"
_PER = "(per|a|an|each|every|in a|in an) {period:unit}"
COMMANDS = (
    command(f"how many {{rows:selection}} {_THERE} [,] on average {_PER}", _rate, -2.0),
    command(f"on average [,] how many {{rows:selection}} {_THERE} {_PER}", _rate, -2.0),
    command(f"how many {{rows:selection}} {_THERE} {_PER} [,] on average", _rate, -2.0),
    command(f"<what> [the] (average|mean) number of {{rows:selection}} {_THERE} {_PER}", _rate, -2.0),
    command(f"<what> [number of] {{rows:selection}} {_PER} [,] on average", _rate, -1.0),
    command(f"<what> [number of] {{rows:selection}} [,] on average {_PER}", _rate, -1.0),
)
