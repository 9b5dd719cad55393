"""Analyses whose result is requested as a map: `map of complaints per district`, `…, as a choropleth`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.offline.language.cursor import cursor_of
from agents.offline.language.words import Phrases
from agents.offline.meaning.intents import Analyse, Command

MAP_OF = Phrases("""
    [show [me]|make [me]|draw [me]|create|give me|i want|i need] [a|the] [choropleth|thematic|shaded] (map|choropleth)
    (of|showing|with) [the]
""")
AS_MAP = Phrases("(as|in|on) [a] (choropleth [map]|(shaded|thematic) map)")


def mapped_analysis(text: str, start: int, read: Callable[[str], Sequence[Command]]) -> Command | None:
    """The analysis that a map is requested of, as one command from `start` to the end of the text; None for other
    requests. Results of analyses are shown on the map anyway. `read`: reads a request."""
    cursor = cursor_of(text)
    while (token := cursor.token()) is not None and token.start < start:
        cursor.at += 1
    is_map, begin, end = cursor.take(MAP_OF) is not None, cursor.at, cursor.end
    for at in range(begin + 1, cursor.end):
        cursor.at = at
        cursor.take(",")
        if cursor.take(AS_MAP) and cursor.done:
            is_map, end = True, at
            break
    if not is_map or begin == cursor.end:
        return None
    commands = read(text[cursor.tokens[begin].start : cursor.tokens[end - 1].end])
    if len(commands) != 1 or not isinstance(commands[0].intent, Analyse):
        return None
    return replace(commands[0], start=start, end=len(text), text=text[start:])
