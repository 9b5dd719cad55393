"""What the offline model keeps with an answer for the turns after it, as data of the answer's message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from agents.core.messages import AssistantMessage, Message
from agents.domain import Cql2

KEY = "offline"
MAX_LAYERS = 8

Outcome = Literal["done", "asked", "refused", "failed", "unread"]
_OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True, slots=True)
class Question:
    """A question that waits for its answer: `request` is what is left to do, `answers` those to earlier questions.

    `requests` are what is left to do by option, where the options are meanings of its words.
    """

    request: str
    options: tuple[str, ...]
    answers: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table, all of them without a filter."""

    table: str
    filter: Cql2 | None = None
    charted: bool = False
    """Those of the chart that was made last."""
    single: bool = False
    """The first one of a ranking: `it`, and not `them`."""
    sort: str = ""
    """The column of a ranking, of which these are the first rows."""
    descending: bool = False
    number: int = 0
    """How many rows there are, if that is known."""


@dataclass(frozen=True, slots=True)
class Memory:
    """`layers` were spoken of, the latest first."""

    layers: tuple[str, ...] = ()
    question: Question | None = None
    outcome: Outcome = "done"
    listed: str = ""
    """The request for rows that was answered by a list: `which of these …?`"""
    asked_of: str = ""
    """The question that was answered, with `{}` in place of the place or value it was about: `and in Spain?`"""
    rows: Rows | None = None
    """The rows that the question was about: `show them on the map`."""
    question_text: str = ""
    """The question that was answered, as it was asked: `and the median?`"""
    alike: tuple[Rows, ...] = ()
    """The rows that the same question was about before, for other places or values: `show both on the map`."""

    def stored(self) -> dict[str, Any]:
        return {KEY: asdict(replace(self, layers=self.layers[:MAX_LAYERS]))}

    @property
    def asked_about(self) -> str:
        """The one place or value that the question was about."""
        start, _, end = self.asked_of.partition("{}")
        return self.question_text.removeprefix(start).removesuffix(end) if self.asked_of else ""

    @property
    def named(self) -> str:
        """The name of the row that answered the question, or of what it was about."""
        row = self.rows
        if row is None or not row.single or row.filter is None:
            return self.asked_about
        return str(row.filter["args"][0]["args"][1])


def recall(messages: Sequence[Message]) -> tuple[Memory, int]:
    """The memory of the latest answer that has one, and how many messages there are up to it."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage) and isinstance(message.memory.get(KEY), Mapping):
            return _load(message.memory[KEY]), index + 1
    return Memory(), 0


def open_question(messages: Sequence[Message]) -> Question | None:
    """The question that the very last answer ended with."""
    memory, end = recall(messages)
    return memory.question if end == len(messages) else None


def _load(stored: Mapping[str, Any]) -> Memory:
    question = stored.get("question")
    lists = ("options", "answers", "requests")
    return Memory(
        _texts(stored.get("layers")),
        Question(str(question.get("request", "")), *(_texts(question.get(name)) for name in lists))
        if isinstance(question, Mapping)
        else None,
        next((known for known in _OUTCOMES if known == stored.get("outcome")), "done"),
        str(stored.get("listed") or ""),
        str(stored.get("asked_of") or ""),
        _rows(stored.get("rows")),
        str(stored.get("question_text") or ""),
        tuple(rows for each in stored.get("alike") or () if (rows := _rows(each)) is not None),
    )  # fmt: skip


def _rows(stored: Any) -> Rows | None:
    if not isinstance(stored, Mapping):
        return None
    kept = stored.get("filter")
    filters = dict(kept) if isinstance(kept, Mapping) else None
    flags = {name: bool(stored.get(name)) for name in ("charted", "single", "descending")}
    number = stored.get("number")
    return Rows(
        str(stored.get("table", "")),
        filters,
        sort=str(stored.get("sort") or ""),
        number=number if isinstance(number, int) else 0,
        **flags,
    )


def _texts(items: Any) -> tuple[str, ...]:
    return (
        tuple(str(item) for item in items)
        if isinstance(items, Sequence) and not isinstance(items, str)
        else ()
    )
