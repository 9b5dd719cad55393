"""The effect of a case: the events of its last turn, and the layers with their actual rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.domain import Layer
from server.maps.log.events import Event

MAX_ROWS = 1000


@dataclass(frozen=True)
class ShownLayer:
    """A layer, and the rows that PostgreSQL returns for its table and filter: all counted, at most `MAX_ROWS` read."""

    layer: Layer
    count: int
    ids: int | None
    """The sum of the column `id`, where there is one."""
    rows: Sequence[Mapping[str, Any]]

    @property
    def is_result(self) -> bool:
        """Whether the table is the result of an analysis."""
        return self.layer.table.startswith("analysis.")


@dataclass(frozen=True)
class Outcome:
    """`events` are those of the last turn; `before` the layers when it began."""

    events: Sequence[Event]
    layers: Sequence[ShownLayer] = ()
    before: Sequence[Layer] = ()
    fault: str | None = None
    """Why the turn was stopped: a time-out, or a request for approval."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    seconds: float = 0.0
    tools: Sequence[str] = field(default=())

    @property
    def answer(self) -> str:
        """The last answer to the user; empty if there was none."""
        answers = [event.payload["message"] for event in self.events if event.name == "ai_response"]
        return str(answers[-1]) if answers else ""

    @property
    def unbacked(self) -> list[str]:
        """Numbers in the answers that were found in no tool result."""
        figures = [each for event in self.events for each in event.payload.get("figures", ())]
        return [str(figure["text"]) for figure in figures if figure["source"] is None]

    @property
    def refusals(self) -> list[str]:
        """Reasons and alternatives given to `cannot_do`, and by analyses that failed."""
        words = []
        for event in self.events:
            given = event.payload
            if event.name == "tool_called" and given["name"] == "cannot_do":
                words.append(" ".join(str(part) for part in given["arguments"].values()))
            elif event.name == "analysis_failed":
                words.append(f"{given['reason']} {given['advice']}")
        return words

    @property
    def changed(self) -> bool:
        """Whether the last turn changed the layers."""
        return [shown.layer for shown in self.layers] != list(self.before)

    @property
    def asked(self) -> bool:
        """Whether nothing was done and the answer is a question: by the memory of models that keep one, else by its
        question mark."""
        memories = [event.payload.get("memory") or {} for event in self.events if event.name == "ai_response"]
        endings = [kept.get("outcome") for kept in memories[-1].values()] if memories else []
        is_question = "asked" in endings if endings else self.answer.rstrip().endswith("?")
        return self.declined and not self.refusals and is_question

    @property
    def declined(self) -> bool:
        """Whether nothing was done and the answer says so: a refusal, a question, or text without a tool call."""
        worked = any(event.name == "analysis_finished" for event in self.events)
        called = any(event.name == "tool_called" for event in self.events)
        return not (self.changed or worked) and bool(self.refusals or not called) and bool(self.answer)
