"""What the tools of a conversation gave, as numbers with their sources; from the newest turn and from earlier ones.

The best evidence is a receipt: the value of a query, with its SQL. Then come other numbers in results, and last those
in texts of results. What a model wrote itself (the words of another agent, a reason for a refusal) proves nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.domain import Cql2, QueryReceipt
from agents.figures.numerals import values_in

VALUE, CELL, CONTENT, TEXT = range(4)
"""Ranks of evidence, the best first; that of earlier turns comes after all of this one."""
EARLIER = 4
MOST_FACTS = 20_000
_NO_RESULT = frozenset(
    {"filter", "filters", "filter_words", "style", "reason", "alternative", "text", "goal", "sort"}
)
"""Parts of results that only repeat what the call said."""
_PROSE = frozenset({"detail", "note", "notes", "drawn", "legend", "comment", "summary", "what", "title"})
"""Parts whose texts say numbers; other texts are names."""
_IDENTIFIER = re.compile(r"(?:.*_)?(?:id|fid|gid|oid|code|srid|version|order|iso_numeric)$", re.IGNORECASE)
_DATA = re.compile(r"<data>\n(.*)\n</data>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """Where numbers come from: a call, and the query in it if it is known. `rows` of `table` stand behind it."""

    call_id: str
    tool: str
    summary: str = ""
    sql: str | None = None
    table: str | None = None
    filter: Cql2 | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A number that a result holds. `row` is the value of the source's key column, if it is of one row."""

    value: float
    rank: int
    source: Source
    name: str = ""
    row: Any = None


@dataclass(slots=True)
class Evidence:
    """All facts; `said` the numbers of the newest message, `known` others that claim nothing: those of earlier
    messages, of the calls, and identifiers in results.
    """

    facts: list[Fact] = field(default_factory=list)
    said: set[float] = field(default_factory=set)
    known: set[float] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Texts of results with digits in them: names, labels."""


def evidence(messages: Sequence[Message], written: Collection[str] = ()) -> Evidence:
    """Of a conversation whose last turn is not answered yet. `written`: tools whose content a model wrote."""
    found = Evidence()
    begin = max((index for index, it in enumerate(messages) if isinstance(it, UserMessage)), default=0)
    calls: dict[str, ToolCall] = {}
    for index, message in enumerate(messages):
        if isinstance(message, UserMessage):
            (found.said if index >= begin else found.known).update(values_in(message.text))
        elif isinstance(message, AssistantMessage):
            calls.update((call.id, call) for call in message.calls)
        elif isinstance(message, ToolMessage):
            for result in message.results:
                _add(found, result, calls.get(result.call_id), EARLIER * (index < begin), written)
    return found


def _add(
    found: Evidence, result: ToolResult, call: ToolCall | None, later: int, written: Collection[str]
) -> None:
    given = set(_numbers_of(_parsed(call.arguments))) if call is not None else set()
    found.known |= given
    receipts = list(_receipts(result))
    for receipt in receipts:
        found.facts += _of_receipt(receipt, result, later)
        found.known.update(
            value for _, cells in receipt.cells for name, value in cells.items() if _IDENTIFIER.match(name)
        )
    if result.name in written or len(found.facts) > MOST_FACTS:
        return
    content = _DATA.search(result.content)
    value = None if content is None else _parsed(content[1])
    text = "" if value is not None else result.content
    source = _content_source(result, receipts, value)
    for name, number, is_length in _walk(value):
        if _IDENTIFIER.match(name):
            found.known.add(number)
        elif number not in given:
            found.facts.append(Fact(number, (TEXT if is_length else CONTENT) + later, source, name))
    words = list(_words(value))
    found.names.update(each for key, each in words if key not in _PROSE and _has_digit(each))
    for prose in (text, *(each for key, each in words if key in _PROSE)):
        found.facts += [Fact(one, TEXT + later, source) for one in values_in(prose) if one not in given]


def _receipts(result: ToolResult) -> Iterator[QueryReceipt]:
    for kept in result.receipts:
        try:
            yield QueryReceipt.model_validate(kept)
        except ValidationError:
            continue  # another kind of receipt, of a tool of the host's own


def _of_receipt(receipt: QueryReceipt, result: ToolResult, later: int) -> Iterator[Fact]:
    source = Source(
        result.call_id, result.name, result.summary, receipt.sql, receipt.table, receipt.filter, receipt.key
    )
    for name, value in receipt.values.items():
        yield Fact(value, VALUE + later, source, name)
    for row, cells in receipt.cells:
        for name, value in cells.items():
            if not _IDENTIFIER.match(name):
                yield Fact(value, CELL + later, source, name, row)
    if receipt.cells:
        yield Fact(float(len(receipt.cells)), CELL + later, source)
    for note in receipt.notes:
        yield from (Fact(value, TEXT + later, source) for value in values_in(note))


def _content_source(result: ToolResult, receipts: Sequence[QueryReceipt], value: Any) -> Source:
    """The call, with its query where it made only one, else with the rows that it says it is about."""
    if len(receipts) == 1:
        one = receipts[0]
        return Source(result.call_id, result.name, result.summary, one.sql, one.table, one.filter, one.key)
    facts: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    table, filter = facts.get("table"), facts.get("filter")
    return Source(
        result.call_id, result.name, result.summary,
        table=table if isinstance(table, str) else None,
        filter=filter if isinstance(filter, dict) else None,
    )  # fmt: skip


def _walk(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, float, bool]]:
    """The numbers of a JSON value, and of each list how long it is."""
    if depth > 12:
        return
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield name, float(value), False
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _NO_RESULT:
                yield from _walk(item, str(key), depth + 1)
    elif isinstance(value, list):
        yield name, float(len(value)), True
        for item in value:
            yield from _walk(item, name, depth + 1)


def _words(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts of a JSON value, each with the key that it stands under."""
    if depth > 12:
        return
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in _NO_RESULT:
                yield from _words(item, str(key), depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _words(item, name, depth + 1)


def _numbers_of(value: Any) -> Iterator[float]:
    """All numbers in a call's arguments, those in its texts, too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, str):
        yield from values_in(value)
    elif isinstance(value, Mapping | list):
        items: Iterable[Any] = value.values() if isinstance(value, Mapping) else value
        for item in items:
            yield from _numbers_of(item)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _has_digit(text: str) -> bool:
    return (
        1 < len(text) <= 80 and any(sign.isdigit() for sign in text) and any(sign.isalpha() for sign in text)
    )
