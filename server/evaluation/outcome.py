"""What a case left behind: the events of its last turn, and the layers with the rows that they really show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.domain import Layer
from server.maps.log.events import Event

MOST_ROWS = 1000


@dataclass(frozen=True)
class ShownLayer:
    """A layer, and what PostgreSQL gives for its table and filter now. `rows` are at most a thousand."""

    layer: Layer
    count: int
    ids: int | None
    """The sum of the column `id`, where there is one."""
    rows: Sequence[Mapping[str, Any]]

    @property
    def is_result(self) -> bool:
        """Of an analysis."""
        return self.layer.table.startswith("analysis.")


@dataclass(frozen=True)
class Outcome:
    """`events` are those of the last turn; `before` the layers when it began."""

    events: Sequence[Event]
    layers: Sequence[ShownLayer] = ()
    before: Sequence[Layer] = ()
    fault: str | None = None
    """Why it came to no end by itself: it took too long, or wanted to be allowed something."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    seconds: float = 0.0
    tools: Sequence[str] = field(default=())

    @property
    def answer(self) -> str:
        said = [event.payload["message"] for event in self.events if event.name == "ai_response"]
        return str(said[-1]) if said else ""

    @property
    def unbacked(self) -> list[str]:
        """Numbers of the answers that were found in no result of a tool."""
        figures = [each for event in self.events for each in event.payload.get("figures", ())]
        return [str(figure["text"]) for figure in figures if figure["source"] is None]

    @property
    def refusals(self) -> list[str]:
        """Reasons and alternatives of `cannot_do`, and of analyses that ended without a result."""
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
        """Whether the last turn left other layers on the map than it found."""
        return [shown.layer for shown in self.layers] != list(self.before)

    @property
    def declined(self) -> bool:
        """Nothing was done, and that was said: it was refused, or not understood, or asked back."""
        worked = any(event.name == "analysis_finished" for event in self.events)
        called = any(event.name == "tool_called" for event in self.events)
        return not (self.changed or worked) and bool(self.refusals or not called) and bool(self.answer)
