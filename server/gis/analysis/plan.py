"""A plan is data: what was asked, the steps, their arguments. It can be shown, kept as a recipe (recipes.py) and run
again."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import StringConstraints, model_validator

from agents.domain import StyleSpec, Value

StepId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]


class PlannedStep(Value):
    """One operation. `id` is how later steps name its result; `title` becomes the name of the result's table."""

    id: StepId
    operation: str
    arguments: dict[str, Any]
    title: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, given: Any) -> Any:
        """Reads plans that were saved when `merge` was still called `union`, which is now an overlay of two tables."""
        if (
            isinstance(given, dict)
            and given.get("operation") == "union"
            and "sources" in (given.get("arguments") or {})
        ):
            return {**given, "operation": "merge"}
        return given


class Plan(Value):
    """Steps in the order in which they run; the last one's table is the result, and `style` how it was drawn."""

    goal: str
    steps: tuple[PlannedStep, ...] = ()
    style: StyleSpec | None = None
    outputs: tuple[StepId, ...] = ()
    """Further steps whose tables are results, too."""

    def then(self, step: PlannedStep) -> Plan:
        """The plan with one more step at its end."""
        return self.model_copy(update={"steps": (*self.steps, step)})
