"""The state of a turn that waits for the user's approval: enough for any server to show its questions and to continue.

`server.maps.turns.queue` stores it in the turn's row as JSON, so it survives servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.core.messages import Message
from agents.core.storage import dump_history, load_history
from server.maps.log.events import Change
from server.protocol import Question, TurnUsage


@dataclass(frozen=True, slots=True)
class PendingApproval:
    """`history` ends with the reply whose calls wait; `questions` are those calls that need an answer."""

    history: Sequence[Message]
    questions: Sequence[Question]
    answers: Mapping[str, bool]
    """By call id, including earlier answers about the same reply."""
    usage: TurnUsage
    """Usage of the turn so far."""

    def open_calls(self) -> list[str]:
        """Ids of calls without an answer."""
        return [question.call_id for question in self.questions if question.call_id not in self.answers]

    def answered(self, call_id: str, approved: bool) -> PendingApproval:
        """A copy with the answer about one call."""
        return replace(self, answers={**self.answers, call_id: approved})

    def requests(self) -> list[Change]:
        """The `approval_requested` events."""
        return [Change("approval_requested", question.model_dump()) for question in self.questions]

    def stored(self) -> dict[str, Any]:
        """The state as JSON values, which `load` reads."""
        return {
            "history": dump_history(self.history),
            "questions": [question.model_dump() for question in self.questions],
            "answers": dict(self.answers),
            "usage": self.usage.model_dump(mode="json"),
        }

    @classmethod
    def load(cls, stored: Mapping[str, Any]) -> PendingApproval:
        """The state from what `stored` gave. Raises ValueError, LookupError, TypeError or AttributeError for
        anything else."""
        return cls(
            load_history(stored["history"]),
            open_questions(stored["questions"], {}),
            stored["answers"],
            TurnUsage.model_validate(stored["usage"]),
        )


def open_questions(questions: Sequence[Mapping[str, Any]], answers: Mapping[str, bool]) -> list[Question]:
    """The stored questions that have no answer yet."""
    return [Question.model_validate(one) for one in questions if one["call_id"] not in answers]


def add_usage(before: TurnUsage, after: TurnUsage) -> TurnUsage:
    """Usage of a turn before and after an approval; the cost is None if any part is unknown."""
    spent = [usage for usage in (before, after) if usage.steps or usage.cost is not None]
    costs = [usage.cost for usage in spent if usage.cost is not None]
    return TurnUsage(
        model=after.model or before.model,
        input_tokens=before.input_tokens + after.input_tokens,
        output_tokens=before.output_tokens + after.output_tokens,
        cost=sum(costs) if costs and len(costs) == len(spent) else None,
        steps=before.steps + after.steps,
        ms=round(before.ms + after.ms, 1),
    )
