"""How much one turn may take, and the words for a turn that took it."""

from __future__ import annotations

from dataclasses import dataclass

from agents.core.messages import Usage


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one turn; None is no bound.

    `steps` are model calls. `seconds` is wall time, without the time that the user takes to approve and that tools
    take as their own (`ToolContext.own_time`). `tokens`
    and `cost` (US dollars) count everything the turn used. `identical_failures` is how often one
    byte-identical call may fail before the turn stops.
    """

    steps: int | None = 25
    seconds: float | None = 300.0
    tokens: int | None = None
    cost: float | None = None
    identical_failures: int | None = 3

    def reached(self, steps: int, usage: Usage) -> str | None:
        """The name of the limit that forbids a further step."""
        if self.steps is not None and steps >= self.steps:
            return "steps"
        if self.tokens is not None and usage.total_tokens >= self.tokens:
            return "tokens"
        if self.cost is not None and usage.cost is not None and usage.cost >= self.cost:
            return "cost"
        return None

    def message(self, limit: str) -> str:
        """What the user reads when a limit ended the turn."""
        why = {
            "steps": f"it took {self.steps} steps, which is the limit for one message",
            "seconds": f"it took longer than {self.seconds:g} seconds"
            if self.seconds
            else "it took too long",
            "tokens": f"it used {self.tokens} tokens, which is the limit for one message",
            "cost": f"it cost {self.cost:g} US dollars, which is the limit for one message"
            if self.cost
            else "",
            "identical_failures": f"the same tool call failed {self.identical_failures} times",
        }[limit]
        return (
            f"I stopped because {why}. What was done so far stays done; ask again, perhaps for less at once."
        )
