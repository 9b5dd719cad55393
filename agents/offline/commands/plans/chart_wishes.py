"""What a request wishes of a chart beside its rows: `…, title "Cities"`, `in teal`, `no legend`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor, cursor_of
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.intents import Analyse, Chart, Command


def charted_as_wished(
    text: str,
    start: int,
    vocabulary: Vocabulary,
    default: Table | None,
    read: Callable[..., Sequence[Command]],
) -> list[Command] | None:
    """A chart with wishes at the end of its request, as one command; None for other requests. `read`: reads a
    request, with `default` as the table spoken of."""
    cursor = cursor_of(text)
    if not any(Cursor(cursor.tokens, at).take(p.CHARTS) for at in range(cursor.end)):
        return None
    for at in range(1, cursor.end):
        cursor.at = at
        wishes = _take_wishes(cursor, vocabulary) if cursor.tokens[at].start > start else None
        if wishes is None or not cursor.done:
            continue
        title, unmet = wishes
        commands = read(text[: cursor.tokens[at].start].rstrip(" ,;"), vocabulary, default, start)
        meant = commands[0].intent if len(commands) == 1 else None
        wished: Chart | Analyse
        if isinstance(meant, Chart):
            wished = replace(meant, title=title, unmet=unmet)
        elif isinstance(meant, Analyse) and meant.chart:
            wished = replace(meant, chart_title=title, unmet=unmet)
        else:
            return None
        return [replace(commands[0], intent=wished, end=len(text), text=text[start:])]
    return None


def _take_wishes(cursor: Cursor, vocabulary: Vocabulary) -> tuple[str, tuple[str, ...]] | None:
    """The title, and what charts do not have."""
    title, unmet = "", list[str]()
    while not cursor.done:
        cursor.take(", and", ",", "and", ".")
        begin = cursor.at
        if cursor.take(p.CHART_TITLE) and (quoted := cursor.take_string()):
            title = quoted
        elif cursor.take(p.CHART_VALUES):
            unmet.append("values")
        elif cursor.take(p.NO_LEGEND) is None:
            cursor.at = begin
            opener = cursor.take("in", "with", "using")
            cursor.take(p.BARS_OF, "the", "a")
            token, color = cursor.token(), take_colour(cursor)
            named = cursor.take(p.BARS_OF) or (opener == "in" and token is not None and token.text.islower())
            if color is None or not named or vocabulary.values_called(name_words(color)):
                return None
            unmet.append("colours")
    return title, tuple(dict.fromkeys(unmet))
