"""What the offline model stores with an answer for later turns, as data of the answer's message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from agents.core.messages import AssistantMessage, Message
from agents.domain import Cql2
from agents.offline.language.words import name_words
from agents.offline.meaning.cql2 import conjuncts

KEY = "offline"
MAX_LAYERS = 8
MAX_ALIKE = 3
"""Earlier similar questions kept: enough to notice that `all three of them` are not all."""

Outcome = Literal["done", "asked", "refused", "failed", "unread"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user; `request`: the rest of the request, `answers`: to earlier questions.

    `requests`: the complete requests per option, if the options are meanings of its words.
    """

    request: str
    options: tuple[str, ...]
    answers: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table; all rows without a filter."""

    table: str
    filter: Cql2 | None = None
    charted: bool = False
    """They are the rows of the latest chart."""
    single: bool = False
    """The first row of a ranking: `it`, not `them`."""
    sort: str = ""
    """The ranking column, if these are the first rows of a ranking."""
    descending: bool = False
    number: int = 0
    """The number of rows; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class Memory:
    """The state after an answer; `layers`: mentioned layers, latest first."""

    layers: tuple[str, ...] = ()
    question: Question | None = None
    outcome: Outcome = "done"
    partly: bool = False
    """Without the outcome “done”: whether a part of the request was carried out before."""
    listed: str = ""
    """The request that was answered by a list, for `which of these …?`."""
    asked_of: str = ""
    """The answered question with `{}` for its place or value, for `and in Spain?`."""
    rows: Rows | None = None
    """The rows of the question: `show them on the map`."""
    question_text: str = ""
    """The answered question as written, for `and the median?`."""
    of_rows: Rows | None = None
    """The rows that a pronoun of the question meant, if not those of a layer, for the same question again."""
    rows_text: str = ""
    """The words of a question for its rows, which an analysis can read: `complaints in 2025`."""
    ranking: str = ""
    """The request of a ranking, for the same ranking of fewer rows: `only africa`."""
    first: str = ""
    """The name of the only group with the most or fewest rows of a ranking, for `show those accidents`."""
    alike: tuple[Rows, ...] = ()
    """The rows of earlier questions that differ only in a place or value, for `show both on the map`."""

    def stored(self) -> dict[str, Any]:
        """The memory as data of a message."""
        return {KEY: asdict(replace(self, layers=self.layers[:MAX_LAYERS]))}

    @property
    def all_alike(self) -> tuple[Rows, ...]:
        """The rows of this and of earlier similar questions."""
        return (*self.alike, self.rows)[-MAX_ALIKE:] if self.rows is not None else ()

    @property
    def asked_about(self) -> str:
        """The place or value that the question was about; else empty."""
        start, _, end = self.asked_of.partition("{}")
        return self.question_text.removeprefix(start).removesuffix(end) if self.asked_of else ""

    def columns_of(self, words: Sequence[str]) -> set[tuple[str, str]]:
        """The tables and columns in which the rows of the question have the value of these words."""
        if self.rows is None:
            return set()
        parts = [each["args"] for each in conjuncts(self.rows.filter) if each["op"] == "="]
        return {
            (self.rows.table, str(column["property"]))
            for column, value in parts
            if isinstance(value, str) and name_words(value) == tuple(words) and "property" in column
        }

    @property
    def named(self) -> str:
        """The name of the row that answered the question, or of what it was about."""
        row = self.rows
        if row is None or not row.single or row.filter is None:
            return self.asked_about
        return str(row.filter["args"][0]["args"][1])


def recall(messages: Sequence[Message]) -> tuple[Memory, int]:
    """The latest memory, and the number of messages up to it."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage) and isinstance(message.memory.get(KEY), Mapping):
            return _load(message.memory[KEY]), index + 1
    return Memory(), 0


def last_answer(messages: Sequence[Message]) -> Memory:
    """What the last answer kept, to which a reply to its question refers; empty without a last answer."""
    memory, end = recall(messages)
    return memory if end == len(messages) else Memory()


def _load(stored: Mapping[str, Any]) -> Memory:
    try:
        return _STORED.validate_python(stored)
    except ValidationError:  # of another version
        return Memory()


_STORED = TypeAdapter(Memory)
