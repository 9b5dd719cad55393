"""Rules of an analysis: a template, and the steps that its readings mean.

Rules of operations are made from their phrases: slots are arguments, and an argument's schema determines what fills
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from agents.domain import Column, Table
from agents.offline.answers.step_titles import FINITE_VERBS, titled
from agents.offline.language.grammar import (
    Capture,
    Choice,
    Node,
    Part,
    Sequence_,
    Slot,
    Template,
    compiled,
)
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.keys import Link, links
from agents.offline.language.tags import PLAIN
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import knows_area
from agents.offline.meaning.conditions import Between, Compare, Condition, Day, Group, OneOf, all_of
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import AnalysisStep, ColumnWords, Grouped, NameColumn, counted
from agents.offline.meaning.units import is_year
from agents.ports import OperationInfo
from agents.units import Unit

Steps = tuple[AnalysisStep | Grouped, ...]
OPERATION_COST = 1.0
"""Cost of a reading by an operation's own phrase; dedicated commands are cheaper."""


@dataclass(frozen=True, slots=True)
class Context:
    """What readings are checked against. `chained`: another step precedes, whose result may be meant. `within`: read
    as the rows of another step."""

    vocabulary: Vocabulary
    tables_of: Callable[[Any], tuple[Table, ...]]
    chained: bool = False
    within: bool = False

    def table(self, features: Features) -> Table | None:
        """The only table of the features; else None."""
        found = self.tables_of(features.mention) if features.mention is not None else ()
        return found[0] if len(found) == 1 else None

    @property
    def spoken_of(self) -> Table | None:
        """The table of `them`, if it refers to the conversation, not to the previous step."""
        return next(iter(self.tables_of(None)), None) if not self.chained else None

    def has_column(self, features: Features, words: str) -> bool:
        """Whether all words name a column of the features' table."""
        table = self.table(features)
        return table is not None and bool(self.vocabulary.columns_called((table,), words))

    def size_summed(self, rows: Features, figure: Mapping[str, Any] | None) -> Column | None:
        """The column of lengths or areas that a figure sums; None for points. Shapes across a border have to be
        cut."""
        table = self.table(rows)
        if figure is None or figure["function"] != "sum" or table is None or table.geometry_family == "point":
            return None
        names = self.vocabulary.columns_called((table,), figure["column"].text)
        sizes = {*measure_columns(table, "area"), *measure_columns(table, "long")}
        return table.column(names[0]) if len(names) == 1 and names[0] in sizes else None


Build = Callable[[Mapping[str, Any], Context], Steps | None]
B = TypeVar("B", bound=Build)


@dataclass(frozen=True, slots=True)
class Rule:
    """`build` makes the steps from a reading's bindings; None if they make no sense."""

    template: Template
    build: Build
    cost: float = 0.0
    operation: str = ""
    """The operation that the phrase belongs to."""
    rows: Node | None = None
    """The template for its result as the rows of another step: `airports in Peru within 5 km of …`."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Steps read up to token `end`."""

    end: int
    cost: float
    steps: Steps


def rule(text: str, build: Build, cost: float = 0.0, *, rows: str = "") -> Rule:
    """A rule with a template; higher costs make it less likely. `rows`: the template of its result as rows."""
    return Rule(compiled(text), build, cost, rows=compiled(rows).node if rows else None)


class Rules(list[Rule]):
    """The rules of a module."""

    def on(self, *texts: str, cost: float = 0.0, rows: str = "") -> Callable[[B], B]:
        """Adds a rule with each template, which means the steps that the decorated function builds."""

        def added(build: B) -> B:
            self.extend(rule(text, build, cost, rows=rows) for text in texts)
            return build

        return added


def operation_rules(operations: Sequence[OperationInfo]) -> tuple[Rule, ...]:
    """The rules for the operations' own phrases."""
    return tuple(_operation_rule(each, phrase) for each in operations for phrase in each.phrases)


def _operation_rule(operation: OperationInfo, phrase: str) -> Rule:
    template = compiled(phrase)
    properties: Mapping[str, Any] = operation.schema.get("properties", {})
    kinds = typed(
        template,
        lambda name: _kind(properties.get(name) or properties.get(name.rpartition("_")[0]) or {}, name),
    )

    selects = "keeps_geometry" in operation.traits and _asks_for_rows(kinds.node)
    if selects:
        # What follows such rows belongs to the rows named last.
        kinds = replace(kinds, node=_plain(kinds.node))

    def build(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        return _step(operation, kinds, bindings, context)

    rows = None
    if isinstance(kinds.node, Sequence_) and (selects or kinds.node.items[0] == Part("open")):
        rows = Sequence_(kinds.node.items[1:])
    return Rule(kinds, build, OPERATION_COST, operation.name, rows)


def _asks_for_rows(node: Node) -> bool:
    """Whether a template begins with `<ask> {source}`."""
    match node:
        case Sequence_((Part("ask"), Slot("source"), *_)):
            return True
        case _:
            return False


def _plain(node: Node) -> Node:
    """The template with a source that nested steps cannot fill."""
    assert isinstance(node, Sequence_)  # noqa: S101  checked by the caller; for the type checker
    ask, source, *more = node.items
    assert isinstance(source, Slot)  # noqa: S101  the same
    return Sequence_((ask, Slot(source.name, PLAIN.get(source.kind, source.kind)), *more))


def typed(template: Template, kind_of: Callable[[str], str]) -> Template:
    """The template with kinds for the slots that lack one."""
    return replace(template, node=_typed(template.node, kind_of))


def _typed(node: Node, kind_of: Callable[[str], str]) -> Node:
    match node:
        case Slot(name, ""):
            return Slot(name, kind_of(name))
        case Sequence_(items):
            return Sequence_(tuple(_typed(item, kind_of) for item in items))
        case Choice(options):
            return Choice(tuple(_typed(option, kind_of) for option in options))
        case Capture(name, inner):
            return Capture(name, _typed(inner, kind_of))
        case _:
            return node


def _kind(schema: Mapping[str, Any], name: str) -> str:
    """The kind of slot for an argument, by its schema."""
    if name == "also":
        return "also"
    items = schema.get("items", {})
    types = {each.get("type") for each in (schema, *schema.get("anyOf", ()))}
    if schema.get("x-refers-to") == "table":
        return "rows"
    if schema.get("x-refers-to") == "column":
        return "columns" if types == {"array"} else "column"
    if "Aggregate" in str(items.get("$ref", "")):
        return "figures"
    if {"number", "string"} <= types:
        numbers = [each.get("description") for each in schema.get("anyOf", ())]
        return "surface" if "Square metres." in numbers else "length"
    if {"number", "string"} <= {each.get("type") for each in items.get("anyOf", ())}:
        return "lengths"
    if "enum" in items:
        return "options|" + "|".join(items["enum"])
    return "count" if "integer" in types else "text"


def _step(
    operation: OperationInfo, template: Template, bindings: Mapping[str, Any], context: Context
) -> Steps | None:
    properties: Mapping[str, Any] = operation.schema.get("properties", {})
    inputs: list[tuple[str, Features]] = []
    arguments: dict[str, Any] = {}
    for name, value in sorted(bindings.items()):
        argument = name if name in properties else name.rpartition("_")[0]
        if isinstance(value, Features):
            inputs.append((argument, value))
        elif properties.get(argument, {}).get("x-refers-to") == "table":
            inputs.append((argument, bindings["other"].alike(value)))
        elif argument in properties:
            arguments[argument] = _argument(value, properties[argument])
    given = {name for name, _ in inputs}
    tables = [name for name, each in properties.items() if each.get("x-refers-to") == "table"]
    missing = [name for name in tables if name not in given]
    if missing:
        if not context.chained or len(missing) > 1:
            return None
        inputs.append((missing[0], RESULT))
    inputs.sort(key=lambda each: tables.index(each[0]))
    more = bindings.get("also")
    if more is not None:
        name, source = inputs[0]
        if source.mention is None:
            return None
        inputs[0] = (name, replace(source, where=all_of(source.where, more)))
    for name, constant in template.constants:
        copied = constant[1:-1] if isinstance(constant, str) and constant[:1] == "{" else ""
        arguments.setdefault(name, arguments.get(copied) if copied else constant)
    for name in operation.schema.get("required", ()):
        if name not in arguments and properties[name].get("x-refers-to") == "column":
            arguments[name] = NameColumn()
    ordered = {
        name: _of(value, properties[name].get("x-of", "source"))
        for name, value in arguments.items()
        if name in properties
    }
    if ordered.get("predicate") == "touches" and _touches_others(
        inputs, str(bindings.get("said", "")), context
    ):
        ordered["predicate"] = "intersects"
    unit: Unit | None = bindings.get("unit")
    if not _makes_sense(inputs, context, str(bindings.get("said", ""))) or (
        unit is not None and unit.dimension != "length"
    ):
        return None
    if (
        ordered.get("predicate") == "shares_interior"
        and _families(context, inputs) == {"line", "point"}
        and not (inputs[-1][1].unless_column and _links(context, *(each for _, each in inputs)))
    ):
        return None  # no point lies exactly on a line
    title = titled(template, bindings, inputs)
    return (AnalysisStep(operation.name, tuple(inputs), tuple(ordered.items()), title=title, unit=unit),)


def _touches_others(inputs: Sequence[tuple[str, Features]], wording: str, context: Context) -> bool:
    """Whether `touch` means any intersection: for a buffer (`tracts that touch it`) and for points."""
    (_, rows), (_, other) = inputs[0], inputs[-1]
    tables = [context.table(each) for each in (rows, other)]
    has_points = any(table is not None and table.geometry_family == "point" for table in tables)
    return "touch" in wording and (other.previous or has_points)


def _argument(value: Any, schema: Mapping[str, Any]) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], Mapping):
        return counted(*value)
    return list(value) if isinstance(value, tuple) else value


def _of(value: Any, source: str) -> Any:
    """Column words with the input they belong to."""
    if isinstance(value, ColumnWords | NameColumn):
        return replace(value, of=source)
    if isinstance(value, list):
        return [_of(each, source) for each in value]
    return value


def _makes_sense(inputs: Sequence[tuple[str, Features]], context: Context, wording: str) -> bool:
    """Whether the inputs make sense as a spatial relation: no attributes (`airports with a city`, `wells with active
    status`), and no guessed names beside another input."""
    verb, source = wording.rpartition(" ")[2], inputs[0][1]
    if verb in FINITE_VERBS and context.has_column(source, verb):
        return False
    if any(each.guessed for _, each in inputs):
        return False
    return not any(
        (each.unless_column and (_is_attribute(source, each, context) or _are_apart(context, source, each)))
        or _is_column_value(source, each, context)
        for _, each in inputs[1:]
    )


def _families(context: Context, inputs: Sequence[tuple[str, Features]]) -> set[str]:
    tables = [context.table(each) for _, each in inputs]
    return {each.geometry_family if each is not None else "" for each in tables}


def _are_apart(context: Context, *rows: Features) -> bool:
    """Whether all rows are points, which contain nothing, and no key relates them: `plots without observations`."""
    tables = [context.table(each) for each in rows]
    are_points = all(each is not None and each.geometry_family == "point" for each in tables)
    return are_points and not _links(context, *rows)


def _links(context: Context, *rows: Features) -> Sequence[Link]:
    """The keys by which rows of two tables may belong together."""
    own, other = map(context.table, rows)
    return links(own, other, context.vocabulary.few_tables) if own is not None and other is not None else ()


def _is_column_value(source: Features, other: Features, context: Context) -> bool:
    """Whether `flood zone AE` is a column of the source and its value; `district A` is a district."""
    table, words = context.table(source), other.text.removeprefix("the ").removeprefix("no ").split()
    if table is None or not other.areas or other.mention is None:
        return False
    if isinstance(other.where, OneOf) and other.where.how == "named":
        return knows_area(table, other.mention.text, other.where.text, context.table(other))
    return any(
        (at == len(words) or words[at][:1].isupper())
        and columns_called((table,), name_words(" ".join(words[:at])), lambda each: each.kind == "text")
        for at in range(1 + len(other.mention.text.split()), len(words) + 1)
    )


def _is_attribute(source: Features, other: Features, context: Context) -> bool:
    """Whether the words name a column, a value or the rows of the source: `playgrounds but no inspection`."""
    table = context.table(source) or (context.spoken_of if source.previous else None)
    words = other.text.removeprefix("a ").removeprefix("an ").removeprefix("the ").removeprefix("any ")
    is_column = table is not None and bool(context.vocabulary.columns_called((table,), words))
    return is_column or (table is not None and table == context.table(other))


def are_times(condition: Condition) -> bool:
    """Whether a condition is about times only."""
    if isinstance(condition, Group):
        return all(map(are_times, condition.parts))
    if isinstance(condition, Between):
        bounds = (condition.low, condition.high)
        return all(isinstance(each, Day) or (each.unit is None and is_year(each.value)) for each in bounds)
    return isinstance(condition, Compare) and condition.measure == "time"
