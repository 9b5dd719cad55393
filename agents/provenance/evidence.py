"""The numbers in the tool results of a conversation, with their sources, from the newest turn and earlier ones.

The best evidence is a receipt: the value of a query, with its SQL. Other numbers in results come next, and those inside
texts of results last. Text written by a model (another agent's answer, the reason for a refusal) is not evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import ValidationError

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.domain import Cql2, QueryReceipt
from agents.provenance.numerals import numerals, values_in

VALUE, CELL, CONTENT, TEXT = range(4)
"""Ranks of evidence, best first; evidence of earlier turns ranks after all of this turn."""
EARLIER_TURN_RANK = 4
MAX_FACTS = 20_000
_NO_RESULT = frozenset(
    {"filter", "filters", "filter_words", "style", "reason", "alternative", "text", "goal", "sort"}
)
"""Parts of results that only repeat the call's arguments."""
_PROSE = frozenset({"detail", "note", "notes", "drawn", "legend", "comment", "summary", "what", "title"})
"""Parts whose texts contain numbers as evidence; other texts are names."""
_TEXT_ARGUMENTS = frozenset({"summary", "reason", "alternative"})
"""Arguments with text for the user, whose numbers are checked as well."""
_NOT_LABELS = _NO_RESULT | _PROSE | {"table", "column", "kind", "type", "geometry", "id"}
_MAX_LABEL_CHARS = 80
_MAX_QUOTED_CHARS = 2_000
_WORDS = re.compile(r"[^\W\d_]{4,}")
"""Words next to a number that say what it counts or measures. Shorter ones occur in any text."""
COUNTS = frozenset({"count", "rows", "total", "nulls", "distinct", "not_finite", "found"})
"""Names of row counts in results."""
_NOTES = frozenset({"note", "notes"})
NOTE = "note"
"""Name of the numbers in the notes of a query: rows that were left out, repaired or converted."""
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|2[01]\d{2})(?!\d)")
_IDENTIFIER = re.compile(r"(?:.*_)?(?:id|fid|gid|oid|code|srid|version|order|iso_numeric)$", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\w.,:/-])\d+(?!\w|[.,:/-]\w)")
"""Whole numbers of a request, also within what is a name in an answer: `top 3`."""
_NUMBER_OF_VALUES = re.compile(r"\bone of (\d+) values\b")
"""How many values a filter names, which is not in its words otherwise."""
_CODE = re.compile(r"0\d+|\d+(?:[-/:]\d+)+|\d+(?:\.\d+){2,}")
_FIGURE = re.compile(r"\s*[-+]?[$£€¥]?\s?\d[\d.,'\u00a0\u202f ]*(?:[$£€¥%])?\s*")
"""A text that is nothing but a number: `1,250.50`, `€ 99`, `12 %`."""
_DATA = re.compile(r"<data>\n(.*)\n</data>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Source:
    """The source of numbers: a tool call, and its query if known, over rows of `table`."""

    call_id: str
    tool: str
    summary: str = ""
    sql: str | None = None
    table: str | None = None
    filter: Cql2 | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A number in a result. `row` is the value of the source's key column, if the number is of one row.

    `column` is the column of a statistic, `labels` are the texts of the fact's own row, `group` identifies the list
    of rows, and `is_count` marks counts of rows or items. `beside` are the words next to a number in the text of a
    row, one of which an answer must have, too: `31 rooms`."""

    value: float
    rank: int
    source: Source
    name: str = ""
    row: Any = None
    column: str = ""
    labels: tuple[str, ...] = ()
    group: str = ""
    is_count: bool = False
    beside: frozenset[str] = frozenset()


@dataclass(slots=True)
class Evidence:
    """All facts. `user_numbers` are those of the newest user message; `known` are numbers that claim nothing:
    those of earlier messages and of calls, and identifiers in results."""

    facts: list[Fact] = field(default_factory=list)
    user_numbers: set[float] = field(default_factory=set)
    known: set[float] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Texts of results that contain digits: names, labels."""
    years: set[float] = field(default_factory=set)
    """Possible years in texts of results: dates, comments, notes."""


def evidence(messages: Sequence[Message], written: Collection[str] = ()) -> Evidence:
    """The evidence of a conversation whose last turn has no answer yet. `written` are the names of tools whose
    results a model wrote."""
    found = Evidence()
    begin = max((index for index, it in enumerate(messages) if isinstance(it, UserMessage)), default=0)
    calls: dict[str, ToolCall] = {}
    for index, message in enumerate(messages):
        if isinstance(message, UserMessage):
            given = {*values_in(message.text), *map(float, _DIGITS.findall(message.text))}
            (found.user_numbers if index >= begin else found.known).update(given)
        elif isinstance(message, AssistantMessage):
            calls.update((call.id, call) for call in message.calls)
        elif isinstance(message, ToolMessage):
            for result in message.results:
                _add(found, result, calls.get(result.call_id), EARLIER_TURN_RANK * (index < begin), written)
    return found


def _add(
    found: Evidence, result: ToolResult, call: ToolCall | None, later: int, written: Collection[str]
) -> None:
    given = set(_numbers_of(_parsed(call.arguments))) if call is not None else set()
    found.known |= given
    receipts = list(_receipts(result))
    # Of equal numbers the first fact counts: the last table is the result, and its first statement made it.
    last_use = {receipt.table: place for place, receipt in enumerate(receipts)}
    for place, receipt in sorted(enumerate(receipts), key=lambda each: -last_use[each[1].table]):
        found.names.update(each for texts in receipt.texts for each in texts if is_name(each))
        found.facts += _of_receipt(receipt, result, later, f"{result.call_id} {place}")
        found.years.update(years_in(" ".join(receipt.notes)))
        found.known.update(
            value for _, cells in receipt.cells for name, value in cells.items() if _IDENTIFIER.match(name)
        )
    if result.name in written or len(found.facts) > MAX_FACTS:
        return
    found.years.update(years_in(result.content))
    content = _DATA.search(result.content)
    value = None if content is None else _parsed(content[1])
    text = "" if value is not None else result.content
    source = _content_source(result, receipts, value)
    if isinstance(value, Mapping):
        found.known.update(map(float, _NUMBER_OF_VALUES.findall(str(value.get("filter_words", "")))))
    column = value.get("column") if isinstance(value, Mapping) else None
    for item in _walk(value):
        if _IDENTIFIER.match(item.name):
            found.known.add(item.value)
        elif item.value not in given:
            found.facts.append(
                Fact(
                    item.value, (TEXT if item.is_length else CONTENT) + later, source, item.name,
                    column=column if isinstance(column, str) and item.name not in COUNTS else "",
                    labels=item.labels, group=f"{result.call_id} {item.name}",
                    is_count=item.is_length or item.name in COUNTS,
                )
            )  # fmt: skip
    words = list(_words(value))
    found.names.update(
        each
        for key, each in words
        if key not in _PROSE and 1 < len(each) <= _MAX_LABEL_CHARS and is_name(each)
    )
    styled = next((one for one in receipts if one.column), None)
    of_legend = source if styled is None else _source(result, styled)
    for key, prose in (("", text), *((key, each) for key, each in words if key in _PROSE)):
        source_of_text = of_legend if key == "legend" else source
        name = NOTE if key in _NOTES else ""
        found.facts += [
            Fact(one, TEXT + later, source_of_text, name) for one in values_in(prose) if one not in given
        ]
    quoted = (each for key, each in words if key not in _PROSE)
    found.facts += [
        Fact(one, TEXT + later, source, beside=beside)
        for each in quoted
        for one, beside in quotable(each)
        if one not in given
    ]


def _source(result: ToolResult, receipt: QueryReceipt) -> Source:
    return Source(
        result.call_id,
        result.name,
        result.summary,
        receipt.sql or None,
        receipt.table,
        receipt.filter,
        receipt.key,
    )


def _receipts(result: ToolResult) -> Iterator[QueryReceipt]:
    for kept in result.receipts:
        try:
            yield QueryReceipt.model_validate(kept, extra="ignore")
        except ValidationError:
            continue  # another kind of receipt, from a tool of the host


def _of_receipt(receipt: QueryReceipt, result: ToolResult, later: int, group: str) -> Iterator[Fact]:
    source = _source(result, receipt)
    for name, value in receipt.values.items():
        counts = name in COUNTS
        column = "" if counts else receipt.column or ""
        yield Fact(value, VALUE + later, source, name, column=column, is_count=counts)
    unnamed: tuple[tuple[str, ...], ...] = ((),) * (len(receipt.cells) - len(receipt.texts))
    for (row, cells), texts in zip(receipt.cells, (*receipt.texts, *unnamed), strict=False):
        for name, value in cells.items():
            if not _IDENTIFIER.match(name):
                yield Fact(value, CELL + later, source, name, row, labels=texts, group=group)
    if receipt.cells:
        yield Fact(float(len(receipt.cells)), CELL + later, source, is_count=True)
    for (row, _), texts in zip(receipt.cells, receipt.texts, strict=False):
        for value, beside in (each for text in texts for each in quotable(text)):
            yield Fact(value, TEXT + later, source, row=row, beside=beside)
    for note in receipt.notes:
        yield from (Fact(value, TEXT + later, source, NOTE) for value in values_in(note))


def _content_source(result: ToolResult, receipts: Sequence[QueryReceipt], value: Any) -> Source:
    """The call, with its query if it made exactly one, else with the table and filter that the result names."""
    if len(receipts) == 1:
        return _source(result, receipts[0])
    facts: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    table, filter = facts.get("table"), facts.get("filter")
    return Source(
        result.call_id, result.name, result.summary,
        table=table if isinstance(table, str) else None,
        filter=filter if isinstance(filter, dict) else None,
    )  # fmt: skip


class _Item(NamedTuple):
    """A number in a JSON value, or the length of a list; `labels` are the short texts of its object or row."""

    name: str
    value: float
    is_length: bool = False
    labels: tuple[str, ...] = ()


def _walk(value: Any, name: str = "", labels: tuple[str, ...] = (), depth: int = 0) -> Iterator[_Item]:
    if depth > 12:
        return
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield _Item(name, float(value), labels=labels)
    elif isinstance(value, str) and _FIGURE.fullmatch(value) and not is_name(value):
        yield from (_Item(name, each, labels=labels) for each in values_in(value))
    elif isinstance(value, Mapping):
        beside = tuple(
            each
            for key, each in value.items()
            if isinstance(each, str) and 2 < len(each) <= _MAX_LABEL_CHARS and key not in _NOT_LABELS
        )
        for key, item in value.items():
            if key not in _NO_RESULT:
                yield from _walk(item, str(key), beside, depth + 1)
    elif isinstance(value, list):
        yield _Item(name, float(len(value)), is_length=True)
        texts = (each for each in value if isinstance(each, str))
        cells = tuple(each for each in texts if 2 < len(each) <= _MAX_LABEL_CHARS) or labels
        is_row = any(isinstance(each, int | float) for each in value)
        for item in value:
            yield from _walk(item, name, cells if is_row else labels, depth + 1)


def _words(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The texts in a JSON value, each with its key."""
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
    """All numbers in a call's arguments, including those in texts."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)
    elif isinstance(value, str):
        yield from values_in(value)
    elif isinstance(value, Mapping | list):
        given = value
        if isinstance(value, Mapping):
            given = [item for name, item in value.items() if name not in _TEXT_ARGUMENTS]
        for item in given:
            yield from _numbers_of(item)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def years_in(text: str) -> Iterator[float]:
    """Numbers in a text that may be years, also inside dates."""
    yield from map(float, _YEAR.findall(text))


def is_name(text: str) -> bool:
    """Whether digits of a text are not a figure: those of a name (`Area 51`) or a code (`08425-1036`, `007`)."""
    if any(sign.isalpha() for sign in text):
        return any(sign.isdigit() for sign in text)
    return _CODE.fullmatch(text) is not None


def quotable(text: str) -> Iterator[tuple[float, frozenset[str]]]:
    """The numbers within a text of a row, each with the words before and after it."""
    if len(text) > _MAX_QUOTED_CHARS or not any(sign.isdigit() for sign in text):
        return
    for numeral in numerals(text):
        before, after = _WORDS.findall(text[: numeral.start])[-1:], _WORDS.findall(text[numeral.end :])[:1]
        beside = frozenset(word.lower() for word in (*before, *after))
        if beside:
            yield from ((each.value, beside) for each in numeral.readings if not each.converted)
