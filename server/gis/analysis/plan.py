"""A plan is data: what was asked, the steps, their arguments. It can be shown, kept as a recipe and run again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from agents.domain import Value
from server.gis.errors import InvalidQuestion, listed, nearest

StepId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,40}$")]


class PlannedStep(Value):
    """One operation. `id` is how later steps name its result; `title` becomes the name of the result's table."""

    id: StepId
    operation: str
    arguments: dict[str, Any]
    title: str | None = None


class Plan(Value):
    """Steps in the order in which they run; the last one's table is the result."""

    goal: str
    steps: tuple[PlannedStep, ...] = ()

    def then(self, step: PlannedStep) -> Plan:
        return self.model_copy(update={"steps": (*self.steps, step)})


class Parameter(Value):
    """A place in a recipe that may be given anew: `step` and `argument` say where, `default` what was used."""

    step: StepId
    argument: str
    default: Any
    description: str = ""


class Recipe(Value):
    """A plan that was saved, with the places that may be changed, by name."""

    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    plan: Plan
    parameters: dict[str, Parameter] = Field(default_factory=dict)

    def filled(self, values: Mapping[str, Any]) -> Plan:
        """The plan with these values in their places. Raises InvalidQuestion for a name it does not have."""
        for name in values:
            if name not in self.parameters:
                close = nearest(name, self.parameters)
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise InvalidQuestion(
                    f"The recipe {self.name!r} has no parameter {name!r}.{hint} "
                    f"It has: {listed(list(self.parameters)) or 'none'}."
                )
        steps: Sequence[PlannedStep] = self.plan.steps
        for name, value in values.items():
            place = self.parameters[name]
            steps = [_with(step, place, value) for step in steps]
        return self.plan.model_copy(update={"steps": tuple(steps)})


def _with(step: PlannedStep, place: Parameter, value: Any) -> PlannedStep:
    if step.id != place.step:
        return step
    return step.model_copy(update={"arguments": {**step.arguments, place.argument: value}})
