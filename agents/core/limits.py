"""Limits of one turn, and the message when a turn reaches one of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

from agents.core.messages import Usage

Bound = TypeVar("Bound", int, float)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn; None means unlimited.

    `steps` are model calls. `seconds` is wall time, without the time that the user takes to approve and that tools
    take as their own (`ToolContext.own_time`). `tokens` and `cost` (US dollars) count everything the turn used; with
    a limit on cost, a model whose price is not known ends the turn (`unknown_cost`). `identical_failures` is how
    often one byte-identical call may fail before the turn stops. `reply_characters` bounds the text and the call
    arguments in one reply of the model, so that an endless reply is cut off."""

    steps: int | None = 25
    seconds: float | None = 300.0
    tokens: int | None = None
    cost: float | None = None
    identical_failures: int | None = 3
    reply_characters: int | None = 200_000
    inherited: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """Names of the bounds that `within` took from the caller's."""

    def reached(self, steps: int, usage: Usage) -> str | None:
        """The name of the limit that forbids another step, or None."""
        if self.steps is not None and steps >= self.steps:
            return "steps"
        if self.tokens is not None and usage.total_tokens >= self.tokens:
            return "tokens"
        if self.cost is None:
            return None
        if usage.cost is None and usage.total_tokens:
            return "unknown_cost"
        return "cost" if (usage.cost or 0.0) >= self.cost else None

    @classmethod
    def unbounded(cls) -> Limits:
        """Limits without any bound."""
        return cls(steps=None, seconds=None, identical_failures=None, reply_characters=None)

    def left(self, usage: Usage) -> Limits:
        """What remains of the bounds on tokens and cost after this usage; all other bounds are None."""
        return replace(
            Limits.unbounded(),
            tokens=None if self.tokens is None else max(self.tokens - usage.total_tokens, 0),
            cost=None if self.cost is None else max(self.cost - (usage.cost or 0.0), 0.0),
        )

    def within(self, other: Limits) -> Limits:
        """These limits, with the smaller of both bounds on tokens and cost."""
        tokens, cost = _least(self.tokens, other.tokens), _least(self.cost, other.cost)
        inherited = {
            name
            for name, most, own in (("tokens", tokens, self.tokens), ("cost", cost, self.cost))
            if most != own
        }
        return replace(self, tokens=tokens, cost=cost, inherited=self.inherited | inherited)

    def message(self, limit: str) -> str:
        """The message for the user when a limit ended the turn."""
        used_up = "what this message may use is used up"
        why = {
            "steps": f"it took {self.steps} steps, which is the limit for one message",
            "seconds": f"it took longer than {self.seconds:g} seconds"
            if self.seconds
            else "it took too long",
            "tokens": used_up
            if "tokens" in self.inherited
            else f"it used {self.tokens} tokens, which is the limit for one message",
            "cost": used_up
            if "cost" in self.inherited or self.cost is None
            else f"it cost {self.cost:g} US dollars, which is the limit for one message",
            "unknown_cost": f"a limit of {self.cost:g} US dollars is set and the price of the model is not known; "
            "give its prices in the providers file, or lift the limit"
            if self.cost is not None
            else "",
            "identical_failures": f"the same tool call failed {self.identical_failures} times",
        }[limit]
        return (
            f"I stopped because {why}. What was done so far stays done; ask again, perhaps for less at once."
        )


def _least(one: Bound | None, other: Bound | None) -> Bound | None:
    return other if one is None else one if other is None else min(one, other)
