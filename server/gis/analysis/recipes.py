"""Recipes: plans that were saved under a name, with values in their arguments that may be changed for a run.

`candidates` finds the places of a plan: numbers, lengths, texts, choices, tables and columns, also the numbers and
texts that a filter compares with. `Recipe.filled` puts values there, checked for what they are; whether they make
sense is for the operations to say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import cql2
from pydantic import Field, StringConstraints

from agents.core.free_names import free_name
from agents.core.nearest import nearest
from agents.domain import Value
from agents.worded import Template
from server.gis.analysis.plan import Plan, PlannedStep, StepId
from server.gis.errors import NONE, InvalidQuestion, did_you_mean, listed
from server.gis.operations import OPERATIONS

NO_PARAMETER = Template(
    "recipe_no_parameter", "The recipe {recipe} has no parameter {name}.{hint} It has: {names}."
)
FINITE = Template("recipe_finite", "{name} is a finite number.")
VALUE_LENGTH = Template("recipe_value_length", "{name} needs a value of 1 to {most} characters.")
BOOLEAN = Template("recipe_boolean", "{name} is yes or no, and {text} was given.")
OPTION = Template("recipe_option", "{name} is one of {options}; {text} was given.")
NO_VALUE = Template(
    "recipe_no_value", "This analysis has no value {value} that could be a parameter. It has: {names}."
)
NUMBER = Template("recipe_number", "{name} is a number, and {text} was given.")

Kind = Literal["number", "length", "text", "choice", "yes_no", "table", "column"]
RecipeName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Path = tuple[str | int, ...]

MAX_VALUE_CHARS = 300
_CONDITIONS = frozenset({"and", "or", "not", "=", "<>", "<", "<=", ">", ">=", "like", "between", "in"})
_STEP = re.compile(r"step_\d+")


class Parameter(Value):
    """A value in a recipe that may be changed: `path` leads to it in the arguments of a step; `default` is the value
    of the saved run."""

    step: StepId
    path: Path
    kind: Kind
    default: Any
    description: str = ""
    options: tuple[str, ...] = ()

    def checked(self, name: str, value: Any) -> Any:
        """The value as this kind of parameter takes it. Raises InvalidQuestion."""
        text = str(value).strip()
        if not text or len(text) > MAX_VALUE_CHARS:
            raise InvalidQuestion(VALUE_LENGTH(name=name, most=MAX_VALUE_CHARS))
        if self.kind == "yes_no":
            if text.lower() in ("yes", "true", "on", "no", "false", "off"):
                return text.lower() in ("yes", "true", "on")
            raise InvalidQuestion(BOOLEAN(name=name, text=repr(text)))
        if self.kind == "choice" and text not in self.options:
            raise InvalidQuestion(OPTION(name=name, options=listed(self.options), text=repr(text)))
        if self.kind == "number":
            return _number(name, value, text)
        return value if self.kind == "length" and isinstance(value, int | float) else text


class Recipe(Value):
    """A saved plan whose `parameters` name values of its steps that can be replaced."""

    name: RecipeName
    plan: Plan
    parameters: dict[str, Parameter] = Field(default_factory=dict)

    def filled(self, values: Mapping[str, Any]) -> Plan:
        """The plan with these values in their places; its titles say so. Raises InvalidQuestion."""
        given = {self._known(name): value for name, value in values.items()}
        checked = {name: self.parameters[name].checked(name, value) for name, value in given.items()}
        changed = {name: value for name, value in checked.items() if value != self.parameters[name].default}
        steps = [self._with(step, changed) for step in self.plan.steps]
        goal = f"{self.name} ({values_text(changed)})" if changed else self.name
        return self.plan.model_copy(update={"goal": goal, "steps": tuple(steps)})

    def _known(self, name: str) -> str:
        wanted = name.strip().lower().replace(" ", "_")
        if wanted in self.parameters:
            return wanted
        close = nearest(wanted, self.parameters)
        hint = did_you_mean([repr(close[0])] if close else [])
        raise InvalidQuestion(
            NO_PARAMETER(
                recipe=repr(self.name),
                name=repr(name),
                hint=hint,
                names=listed(list(self.parameters)) or NONE(),
            )
        )

    def _with(self, step: PlannedStep, changed: Mapping[str, Any]) -> PlannedStep:
        arguments: Any = step.arguments
        title = before = step.title or step.operation
        for name, value in changed.items():
            place = self.parameters[name]
            if place.step == step.id:
                arguments = _put(arguments, place.path, value)
            title = _retitled(title, place.default, value)
        if changed and title == before and step.id == self.plan.steps[-1].id:
            title = f"{title} ({values_text(changed)})"
        return step.model_copy(update={"arguments": arguments, "title": title})


def values_text(values: Mapping[str, Any]) -> str:
    """`distance 3 km, n 5`."""
    return ", ".join(f"{name} {_shown(value)}" for name, value in values.items())


def recipe_of(name: str, plan: Plan, chosen: Sequence[str] | None = None) -> Recipe:
    """The plan as a recipe, with the chosen parameters or all candidates. Raises InvalidQuestion."""
    plan = plan.model_copy(update={"steps": tuple(_readable_filters(step) for step in plan.steps)})
    found = candidates(plan)
    for each in chosen or ():
        if each not in found:
            there = listed(list(found)) or NONE()
            raise InvalidQuestion(NO_VALUE(value=repr(each), names=there))
    kept = found if chosen is None else {each: found[each] for each in dict.fromkeys(chosen)}
    return Recipe(name=name, plan=plan, parameters=kept)


def candidates(plan: Plan) -> dict[str, Parameter]:
    """Every value of a plan that may be changed, each under a unique name."""
    found: dict[str, Parameter] = {}
    for step in plan.steps:
        for wanted, parameter in _places(_readable_filters(step)):
            stem = re.sub(r"\W+", "_", wanted.lower()).strip("_") or "value"
            found[free_name(stem, found)] = parameter
    return found


def _places(step: PlannedStep) -> Iterator[tuple[str, Parameter]]:
    operation = OPERATIONS.get(step.operation)
    properties = operation.arguments.model_json_schema()["properties"] if operation is not None else {}
    for argument, value in step.arguments.items():
        if argument == "filter" and isinstance(value, Mapping):
            for name, path, literal in _literals(value, (argument,)):
                kind: Kind = "number" if isinstance(literal, int | float) else "text"
                about = f"What {name} is compared with in “{step.title or step.operation}”."
                yield (
                    name,
                    Parameter(step=step.id, path=path, kind=kind, default=_plain(literal), description=about),
                )
            continue
        fragment = properties.get(argument, {})
        place = _kind(fragment, value)
        if place is not None:
            known = {
                "description": str(fragment.get("description", "")),
                "options": tuple(fragment.get("enum", ())),
            }
            yield argument, Parameter(step=step.id, path=(argument,), kind=place, default=value, **known)


def _kind(fragment: Mapping[str, Any], value: Any) -> Kind | None:
    """The kind of parameter that an argument can be; None for references to a step and for compound values."""
    if isinstance(value, bool):
        return "yes_no"
    if not isinstance(value, str | int | float):
        return None
    refers = fragment.get("x-refers-to")
    if refers == "table":
        return None if _STEP.fullmatch(str(value)) else "table"
    if refers == "column":
        return "column"
    if "enum" in fragment:
        return "choice"
    kinds = {each.get("type") for each in fragment.get("anyOf", ())}
    if {"number", "string"} <= kinds:
        return "length"
    return "text" if isinstance(value, str) else "number"


def _literals(node: Any, path: Path) -> Iterator[tuple[str, Path, str | int | float]]:
    """The numbers and texts that a CQL2 filter compares with a column: column, path in the filter, value."""
    arguments = node.get("args") if isinstance(node, Mapping) else None
    if not isinstance(arguments, Sequence) or isinstance(arguments, str):
        return
    name = next(filter(None, map(_property, arguments)), "value")
    for place, each in enumerate(arguments):
        here = (*path, "args", place)
        if isinstance(each, str | int | float) and not isinstance(each, bool):
            yield name, here, each
        elif isinstance(each, Mapping) and each.get("op") in _CONDITIONS:
            yield from _literals(each, here)
        elif isinstance(each, Mapping) and each.get("op") in ("casei", "accenti"):
            yield from ((name, where, text) for _, where, text in _literals(each, here))


def _property(node: Any) -> str | None:
    """The column that an argument is, also within `casei`."""
    if isinstance(node, Mapping) and isinstance(node.get("property"), str):
        return str(node["property"])
    if isinstance(node, Mapping) and node.get("op") in ("casei", "accenti"):
        return next(filter(None, map(_property, node.get("args", ()))), None)
    return None


def _readable_filters(step: PlannedStep) -> PlannedStep:
    """A filter that was written as text, as the JSON that places can be named in."""
    written = step.arguments.get("filter")
    if not isinstance(written, str):
        return step
    try:
        parsed = cql2.parse_text(written).to_json()
    except Exception:  # the operation accepted it, so it stays as it is, without parameters
        return step
    return step.model_copy(update={"arguments": {**step.arguments, "filter": parsed}})


def _put(node: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    head, *rest = path
    if isinstance(node, Mapping):
        return {**node, head: _put(node[str(head)], tuple(rest), value)}
    return [_put(each, tuple(rest), value) if place == head else each for place, each in enumerate(node)]


def _retitled(title: str, old: Any, new: Any) -> str:
    """The title with the new value in place of the old one, if the title names it."""
    shown = _shown(new)
    names = [_shown(old), str(old)]
    if isinstance(old, str) and "." in old:
        names.append(old.rpartition(".")[2])
        shown = str(new).rpartition(".")[2]
    for name in dict.fromkeys(names):
        title = re.sub(rf"(?<![\w.,]){re.escape(name)}(?![\w]|[.,]\d)", lambda _: shown, title)
    return title


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _number(name: str, value: Any, text: str) -> int | float:
    try:
        number = float(text.replace(",", "")) if not isinstance(value, int | float) else float(value)
    except ValueError:
        raise InvalidQuestion(NUMBER(name=name, text=repr(text))) from None
    if number != number or abs(number) == float("inf"):
        raise InvalidQuestion(FINITE(name=name))
    return int(_plain(number)) if number.is_integer() else number


def _plain(value: Any) -> Any:
    """A whole number without `.0`."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
