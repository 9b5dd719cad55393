"""Charts of the previous answer, and the previous chart or figures drawn in another way: `make it a bar chart`, `split
by severity`, `colour the wards by that`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.domain import Table
from agents.offline.conversation.pieces import FIGURE_WORDS, GROUP, message
from agents.offline.conversation.spoken import Again, Spoken, message_about_rows
from agents.offline.language.figures import adds_up
from agents.offline.language.phrasebook import TAIL
from agents.offline.language.words import name_words

CHART = r"(?:bar |line |pie )?(?:chart|graph)"
_IT = r"(?:it|that|this|them|those|these)"
CHART_OF_THEM = re.compile(
    rf"(?:and |now |please )*(?:(?:make|draw|show|give|plot|create)(?: me)? )?(?:an? |the )?(?P<form>{CHART}),?"
    rf"(?: (?:of|for|with|showing))?(?: {_IT})?(?: (?:how many|(?:the )?(?:number|count)))?(?: of {_IT})?"
    r" (?P<piece>(?:by|per|for|in each|over)\b.+?)(?: please)?\W*",
    re.IGNORECASE,
)
_CHARTED = re.compile(
    r"(?:and |now |ok |okay |please )*(?:(?:show|make|draw|plot|turn|give me)(?: me)? )?"
    r"(?:(?:it|them|that|this|those|these) )?(?:into )?(?:(?:as )?an? )?"
    r"(?P<kind>(?:(?:bar|pie|line) )?(?:chart|graph)|line)"
    r"(?:,? (?:please|pls))?\W*"
    r"|(?:and |now )?(?:chart|graph) (?:it|them|that|this|those|these)(?:,? (?:please|pls))?\W*",
    re.IGNORECASE,
)
_FIRST_CHARTED = re.compile(
    r"(?:(?:and|now|just|only|show|me),? )*(?:the )?(?:(?:top|first|highest|largest) (?P<n>\d+)"
    r"|(?P<m>\d+) (?:highest|largest|greatest|biggest))(?: (?:of (?:them|those|these)|ones))?"
    r",? (?P<form>(?:as|in|on) an? (?:bar |pie )?(?:chart|graph))(?:,? (?:please|pls))?\W*",
    re.IGNORECASE,
)
_GREATEST_FIRST = re.compile(r",? (?:highest|largest|greatest|biggest|most) first$", re.IGNORECASE)
_BY_PERIOD = re.compile(r"\b(?:per|by|each|every) (?:month|year)$", re.IGNORECASE)
_OTHER_CHART = re.compile(
    r"(?:and |now )?(?:make|turn) (?:it|that|this) (?:into )?an? (?P<kind>pie|bar)(?: chart| graph)? (?:of|by) "
    r"(?P<by>[^?]+?)(?: instead)?\W*",
    re.IGNORECASE,
)


def chart_named(text: str) -> str:
    """`bar chart` where the message asks for nothing else; else empty."""
    asked = _CHARTED.fullmatch(text)
    return (asked["kind"] or "chart") if asked is not None else ""


def chart_again(spoken: Spoken, asked_now: str) -> str | None:
    """The request for a chart of the previous answer, or for the previous chart or colours drawn in another way."""
    return (
        _chart_split(spoken, asked_now)
        or _chart_of_figure(spoken, asked_now)
        or _rows_charted(spoken, asked_now)
        or _answer_charted(spoken, asked_now)
        or _coloured_per_area(spoken, asked_now)
    )


def _rows_charted(spoken: Spoken, asked_now: str) -> str | None:
    """`bar chart by cause`, `chart of how many per year` after rows or a question about them."""
    asked = CHART_OF_THEM.fullmatch(asked_now)
    if asked is None or re.search(GROUP, spoken.memory.question_text, re.IGNORECASE):
        return None
    is_group = re.match(GROUP, asked["piece"], re.IGNORECASE) is not None
    return f"{asked['form']} of them {asked['piece']}" if is_group else None


@message(
    r"(?:and |now )?(?:(?:(?:split|break|colou?r|stack)(?: (?:it|that|this|them))?(?: (?:down|up))?|broken down) by"
    r"|(?:with )?(?:one|a) (?:line|series|colou?r) (?:per|for each)) (?:the |their )?(?P<by>[^?,]+?)(?: please)?"
)
def _chart_split(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`split by severity` after a chart: the chart with a series for each value."""
    rows, table = spoken.memory.rows, spoken.table
    if rows is None or not rows.charted:
        return None
    is_own = table is not None and spoken.vocabulary.columns_called((table,), asked["by"])
    return f"split the chart by {asked['by']}" if is_own else None


@message(
    r"(?:(?:and|now|but|ok|okay|please|do|show|the|same|chart|thing|again),? )*(?:(?:but|with|for|of|by|use|take) )*"
    rf"(?:the )?(?P<figure>(?:{FIGURE_WORDS}) (?:of )?)?(?P<what>[^?,]+?)"
    r" (?:instead(?: of (?:the )?(?:number|count)s?\b[^?,]*)?|rather than (?:the )?(?:number|count)s?\b[^?,]*)"
)
def _chart_of_figure(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`same but burnt ha instead of the number` after a chart of numbers of rows: the chart of that figure."""
    made = [each.arguments for each in spoken.last_calls if each.call.name == "make_chart" and each.result.ok]
    if len(made) != 1 or not made[0].keys() <= {"kind", "data", "x", "filters"} or "x" not in made[0]:
        return None
    table = spoken.vocabulary.table(str(made[0]["data"]))
    if table is None or not spoken.vocabulary.columns_called((table,), asked["what"]):
        return None
    figure = f"{asked['figure'] or 'total '}{asked['what']}"
    return f'{made[0].get("kind", "bar")} chart of {figure} of them by "{made[0]["x"]}"'


@message_about_rows(
    r"(?:and |now |but )*(?:(?:do |plot |show )?(?:the )?same (?:thing |chart |plot )?(?:for|of|with|but) |and |now )"
    r"(?:the )?(?P<what>[^?,]+?)(?: instead)?"
)
def same_chart(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`same for discharge` after `plot stage over time for 540045`: the same chart of another column."""
    rows, words = spoken.memory.rows, name_words(asked["what"])
    if rows is None or not rows.charted or spoken.vocabulary.values_called(words):
        return
    if spoken.vocabulary.columns_called((table,), asked["what"]):
        yield Again(f"the same chart of {asked['what']}", rows, only=True)


def charted_rows(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`bar chart` after rows were compared by a number: a bar for each of them. A ranking is asked again as a chart."""
    kind, rows, is_ranking = chart_named(asked_now), spoken.memory.rows, bool(spoken.memory.ranking)
    if kind and rows is not None and rows.sort and rows.number > 1 and not (rows.charted or is_ranking):
        yield Again(f'{kind} of them by "{rows.sort}"', rows)


CHARTED = (charted_rows, same_chart)


def _answer_charted(spoken: Spoken, asked_now: str) -> str | None:
    """`make it a bar chart` after `top 5 stores by revenue`; `make it a pie of brands` after a chart of stores;
    `as a line chart` after `crashes per month`."""
    memory = spoken.memory
    asked, rows = _CHARTED.fullmatch(asked_now), memory.rows
    first, question = _FIRST_CHARTED.fullmatch(asked_now), _GREATEST_FIRST.sub("", memory.question_text)
    if first is not None and re.search(GROUP, question, re.IGNORECASE):
        return f"{question}, top {first['n'] or first['m']}, {first['form']}"
    other = _OTHER_CHART.fullmatch(asked_now)
    if other is not None and rows is not None and rows.charted and rows.filter is None:
        table = spoken.vocabulary.table(rows.table)
        return f"{other['kind']} chart of {table.name.replace('_', ' ')} by {other['by']}" if table else None
    if asked is not None and _BY_PERIOD.search(memory.question_text):
        kind = re.sub(r" ?(?:chart|graph)$", "", asked["kind"] or "", flags=re.IGNORECASE)
        return f"{memory.question_text} as a {kind} chart".replace("  ", " ")
    if asked is not None and (asked["kind"] or "").lower().startswith("line"):
        return None
    if asked is None or rows is None or not rows.sort or not memory.question_text:
        return None
    question = next(
        (
            memory.question_text[: -len(each)]
            for each in TAIL
            if memory.question_text.lower().endswith(f" {each}")
        ),
        memory.question_text,
    )
    return f"{question.strip()} as a {asked['kind'] or 'chart'}"


@message_about_rows(
    r"(?:(?:and|now|but|then|rather|make it) )*(?P<per>per (?:km2|km²|sq km|square \w+|hectare|ha|acre))"
    r"(?:,? (?:please|pls|instead))*"
)
def _coloured_per_area(spoken: Spoken, asked: re.Match[str], table: Table) -> str | None:
    """`per km2` after areas were coloured by a number of things in them: that number per area."""
    layer = spoken.layer
    if layer is None or layer.style.kind != "graduated" or not layer.style.column or table.is_result:
        return None
    name, is_part = layer.style.column, layer.filter is not None or table.geometry_family != "polygon"
    rows = table.name.replace("_", " ")
    words = f"{name.replace('_', ' ')} {asked['per']} of {rows}"
    return words if not is_part and adds_up(table, (name,), name) else None


@message(
    r"(?:and |now )?(?P<verb>colou?r|shade) (?:them|(?:the )?(?P<what>[a-z]+)) by (?:that|it|this|those)"
    r"(?: (?:rate|figure|number|value))?"
)
def coloured_by_figure(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`colour the wards by that` after figures of wards: the layer of the result by its figure."""
    layer = spoken.layer_of_figures
    if layer is None or not {*name_words(asked["what"] or "")} <= {*name_words(layer.name)}:
        return None
    return f'{asked["verb"]} `{layer.name}` by "{layer.style.column}"'
