"""Requests with something added, such as analyses whose result is to be a map or a chart: `map of complaints per
district`, `…, as a choropleth`, `injured per year as a chart`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from agents.domain import Table
from agents.offline.commands.assembly.joined import with_fact_of_it
from agents.offline.commands.charts import kind_named
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span
from agents.offline.language.cursor import Cursor, cursor_of
from agents.offline.language.grammar import Slot
from agents.offline.language.looks.results import ResultLook, ResultLooks
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Phrases, singular, word_set
from agents.offline.meaning.intents import Analyse, Command, Look
from agents.offline.meaning.steps import are_groups

MAP_OF = Phrases("""
    [show [me]|make [me]|draw [me]|create|give me|i want|i need] [a|the] [choropleth|thematic|shaded] (map|choropleth)
    (of|showing|with) [the]
""")


Read = Callable[..., Sequence[Command]]


def read_otherwise(
    text: str, start: int, vocabulary: Vocabulary, default: Table | None, read: Read
) -> Command | None:
    """An unread request as another one with something added: a column of its row, a map, a chart. `read`: reads a
    request, with `default` as the table spoken of."""
    alone, again = (partial(read, vocabulary=vocabulary, default=each) for each in (None, default))
    # What a result of the request is called, which may be shown already, is not meant.
    found = with_fact_of_it(text, start, vocabulary, again)
    return found or shown_analysis(text, start, vocabulary, (alone, again))


def shown_analysis(
    text: str, start: int, vocabulary: Vocabulary, reads: Sequence[Callable[[str], Sequence[Command]]]
) -> Command | None:
    """The analysis that a map, a style of its groups or a chart of bars is requested of, as one command from `start`
    to the end of the text; None for other requests. Results of analyses are shown on the map anyway. `reads`: ways to
    read a request."""
    cursor = cursor_of(text)
    while (token := cursor.token()) is not None and token.start < start:
        cursor.at += 1
    is_map, chart, begin, end = cursor.take(MAP_OF) is not None, "", cursor.at, cursor.end
    look = ResultLook(Look())
    for at in range(begin + 1, cursor.end):
        cursor.at = at
        joined = cursor.take(",", "?", ".", "and") is not None
        if _takes_areas_shaded(cursor) and cursor.done:
            is_map, end = True, at
            break
        cursor.at = at + joined
        if not joined and cursor.word() not in _BEFORE_LOOK:
            continue
        found = ResultLooks(cursor, vocabulary, (), _no_spans, cursor.end.__eq__, grouped=False)
        styled = found.take(joined=joined)
        if styled is not None and cursor.done and (joined or styled.is_map) and "then" not in cursor.words:
            look, end = styled, at
            break
        cursor.at = at
        cursor.take(",")
        chart = (cursor.take(p.CHARTS) or "") if cursor.take("as a", "as", "in a") else ""
        if chart and cursor.done and kind_named(chart) in ("", "bar"):
            end = at
            break
    if (not is_map and end == cursor.end) or begin == cursor.end:
        return None
    for read in reads:
        commands = read(text[cursor.tokens[begin].start : cursor.tokens[end - 1].end])
        meant = commands[0].intent if len(commands) == 1 else None
        is_of_groups = isinstance(meant, Analyse) and bool(meant.steps) and are_groups(meant.steps[-1])
        if not isinstance(meant, Analyse) or not (is_map or look.is_map or is_of_groups):
            continue
        if chart and not is_map:
            meant = replace(meant, look=Look(), chart=chart)
        elif not look.look.empty:
            meant = replace(meant, look=look.of_groups().look)
        return replace(commands[0], intent=meant, start=start, end=len(text), text=text[start:])
    return None


_BEFORE_LOOK = word_set(
    "as in with using coloured colored shaded choropleth thematic graduated graded shades"
)


def _no_spans(_: Slot, __: int) -> Sequence[Span]:
    return ()


def _takes_areas_shaded(cursor: Cursor) -> bool:
    """Read `shade the wards`, of areas that were named before: the result is drawn in shades anyway."""
    before = {singular(each) for each in cursor.words[: cursor.at]}
    if cursor.take(_SHADE) is None or singular(cursor.word()) not in before:
        return False
    cursor.at += 1
    return True


_SHADE = Phrases("[and] (shade|colour|color) [the]")
