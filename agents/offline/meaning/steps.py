"""One operation of an analysis in words, before the tables are there: what it reads, and its arguments.

What depends on the columns of a table that an earlier step makes stays in words (`ColumnWords`, `Ranking`,
`LateCondition`, `NameColumn`, `AddedColumn`) until that table is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import Condition, Mention, Top
from agents.offline.meaning.features import RESULT, Features
from agents.units import Unit


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """A column of the table that the input `of` names."""

    text: str
    of: str = "source"

    @property
    def meaning(self) -> tuple[str, ...]:
        """Equal for all spellings of the words."""
        return (*name_words(self.text), self.of)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The column that a superlative speaks of; of counted `rows` that of their number."""

    top: Top
    of: str = "source"
    rows: Mention | None = None


@dataclass(frozen=True, slots=True)
class LateCondition:
    """A condition on the table's own columns."""

    condition: Condition
    of: str = "source"


@dataclass(frozen=True, slots=True)
class NameColumn:
    """The column that says what the rows of an input are called."""

    of: str = "source"


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """The column that the operation before added under this name, or with a number where the name was taken."""

    name: str
    of: str = "source"


@dataclass(frozen=True, slots=True)
class AddedInUnit:
    """The expression of an added column in a unit that is `factor` of its own."""

    column: AddedColumn
    factor: float
    of: str = "source"


Inputs = tuple[tuple[str, Features], ...]
Arguments = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class AnalysisStep:
    """`inputs` are the operation's tables by argument; several of one name are a list."""

    operation: str
    inputs: Inputs
    arguments: Arguments = ()
    text: str = ""
    """The words that were read."""
    title: str = ""
    """What the result is called, where the words themselves are not."""
    unit: Unit | None = None
    """The unit of the distance in the answer, where the request names one."""


VALUES_NAMED = ""
"""Stands for the column of which the rows' condition names several values."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """A figure of each value of the rows' own column `by`; `aggregate` as the operations take it."""

    source: Features
    by: str
    aggregate: dict[str, Any]
    text: str = ""
    """The words that were read."""
    title: str = ""
    part: Condition | None = None
    """Of these rows it is the share, in percent, of all rows of the group; then `aggregate` counts."""
    of_all: bool = False
    """The share of each group in all rows, in percent; then `aggregate` counts or adds up."""
    shapes: bool = True
    """The groups get the shapes of their rows."""


def quoted(column: str) -> str:
    """A column's name as calculations take every name: `"2010"`, where the bare digits are a number."""
    doubled = column.replace('"', '""')
    return f'"{doubled}"'


def inputs_of(part: AnalysisStep | Grouped) -> tuple[Features, ...]:
    """What a step reads itself."""
    return (part.source,) if isinstance(part, Grouped) else tuple(features for _, features in part.inputs)


def steps_within(part: AnalysisStep | Grouped) -> Iterator[AnalysisStep | Grouped]:
    """The steps that make what a step reads, and the step itself."""
    for features in inputs_of(part):
        for inner in features.made:
            yield from steps_within(inner)
    yield part


def features_of(part: AnalysisStep | Grouped) -> Iterator[Features]:
    """All that a step and the steps within it read from elsewhere."""
    for features in inputs_of(part):
        if not features.made:
            yield features
        for at, inner in enumerate(features.made):
            yield from (each for each in features_of(inner) if not (at and each.previous))


def rows_of(part: AnalysisStep | Grouped) -> Mention | None:
    """The first rows that a step names."""
    return next((each.mention for each in features_of(part) if each.mention is not None), None)


def others_of(part: AnalysisStep | Grouped, features: Features) -> list[Mention]:
    """The rows that a step reads besides these."""
    return [each.mention for each in inputs_of(part) if each is not features and each.mention is not None]


def related_to_all(part: AnalysisStep | Grouped) -> Features | None:
    """`all airports`, to each of which rows are to be near; an analysis finds those that are near any."""
    if not isinstance(part, AnalysisStep) or part.operation != "select_by_location":
        return None
    other = dict(part.inputs)["other"]
    is_wanted = not dict(part.arguments).get("invert") and not other.place and other.text.startswith("all ")
    return other if is_wanted else None


def words_of(value: Any) -> Iterator[ColumnWords]:
    """The columns that arguments name."""
    if isinstance(value, ColumnWords):
        yield value
    elif isinstance(value, Mapping):
        yield from words_of(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from words_of(each)


def with_columns(value: Any, of: str, called: Callable[[str], Sequence[str]]) -> Any:
    """Arguments with the names of the columns that the words of an input mean, where that is only one: what a step
    makes of a table does not keep its comments."""
    if isinstance(value, ColumnWords):
        names = called(value.text) if value.of == of else ()
        return ColumnWords(names[0], of) if len(names) == 1 else value
    if isinstance(value, Mapping):
        return {name: with_columns(each, of, called) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [with_columns(each, of, called) for each in value]
    return value


_LEAST = frozenset(("fewest", "least", "lowest", "smallest", "shortest", "narrowest"))
_OPENING = re.compile(
    r"^(?:what is the|what are the|what is|show me|show|keep only|keep|list|find|give me|make(?! the column)"
    r"|draw|create|compute|calculate|how far (?:away )?(?:is it|is|are))\s+",
    re.IGNORECASE,
)
"""What a request begins with and a title does not."""


def title_of(part: AnalysisStep | Grouped) -> str:
    """What the result is called: `Airports within 50 km of Berlin`."""
    text = part.title or _OPENING.sub("", part.text)
    return text[:1].upper() + text[1:]


def title_behind(title: str, part: AnalysisStep | Grouped) -> str:
    """What the result of a part is called behind one of that title."""
    own = title_of(part)
    return f"{title}, {own[:1].lower()}{own[1:]}" if title and goes_on(part) else own


def goes_on(part: AnalysisStep | Grouped) -> bool:
    """Whether the result is called by that of the part before: what is only ranked, ordered or kept by words that do
    not name it, and `length of each`."""
    if not isinstance(part, AnalysisStep) or inputs_of(part)[0] != RESULT:
        return False
    names_nothing = part.operation == "select_by_location" or part.title[:1].islower()
    return names_nothing or (not part.title and part.operation in ("filter", "sort", "top"))


def step(
    operation: str, source: Features, *more: tuple[str, Features], title: str = "", **arguments: Any
) -> AnalysisStep:
    """A step of an analysis: an operation with its sources by argument, and its other arguments."""
    return AnalysisStep(operation, (("source", source), *more), tuple(arguments.items()), title=title)


def top_step(
    source: Features, by: Any, n: int, *, smallest: bool = False, title: str = "", **arguments: Any
) -> AnalysisStep:
    """The first rows by a column."""
    way = {"smallest": True} if smallest else {}
    return step("top", source, title=title, by=by, n=n, **arguments, **way)


EXACT_TIMES = ("days", "hours", "minutes", "seconds")
"""Units of the time between two dates; years are counted in whole ones, whose averages say little."""


def time_between(rows: Features, dates: tuple[str, str], unit: Unit, name: str, title: str) -> AnalysisStep:
    """Each row with the time from one date to the other."""
    first, last = map(ColumnWords, dates)
    change = {
        "function": "date_difference",
        "column": first,
        "other": last,
        "unit": unit.symbol,
        "name": name,
    }
    return step("columns", rows, title=title, changes=[change])


def first_groups_step(groups: str, how: str, what: str, by: str | ColumnWords, n: int = 1) -> AnalysisStep:
    """Those of the groups before that have the most or the least: `The 3 countries with the most airports`. `by` is the
    column that was added, or the words for it."""
    few = f"{n} " if n > 1 else ""
    title = f"The {few}{groups.removeprefix('the ')} with the {how} {what}"
    column = AddedColumn(by) if isinstance(by, str) else by
    return top_step(RESULT, column, n, smallest=is_least(how), title=title, ties=True)


def near_step(
    rows: Features,
    other: Features,
    distance: Any,
    title: str,
    operation: str = "select_by_location",
    **arguments: Any,
) -> AnalysisStep:
    """Rows within a distance of others, or with `spatial_join` how many of the others there are."""
    return step(
        operation, rows, ("other", other), title=title, predicate="within_distance", distance=distance, **arguments
    )  # fmt: skip


def sum_of(column: str | ColumnWords) -> dict[str, Any]:
    """The total of a column."""
    return {"function": "sum", "column": ColumnWords(column) if isinstance(column, str) else column}


def is_least(how: str) -> bool:
    """Whether `fewest` or `smallest number of` asks for the least."""
    return how.split()[0] in _LEAST


def counted(*figures: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """With the count of rows in front; nothing when nothing else is wanted, for the operations count by themselves."""
    return [{"function": "count"}, *figures] if figures else []


def summary(
    rows: Features, by: Sequence[Any], figure: Mapping[str, Any] | None, title: str = ""
) -> AnalysisStep:
    """The number of rows of each group, or of all, and a figure of them."""
    given = {"by": by} if by else {}
    wanted = {"aggregates": counted(figure)} if figure is not None else {}
    return step("summarise", rows, title=title, **given, **wanted)


def count_in_areas(
    areas: Features, rows: Features, figure: Mapping[str, Any] | None = None, title: str = ""
) -> AnalysisStep:
    """The number of rows in each area, and a figure of them."""
    wanted = {}
    if figure is not None:
        wanted = {"aggregates": counted({**figure, "column": ColumnWords(figure["column"].text, "other")})}
    return step("spatial_join", areas, ("other", rows), title=title, predicate="shares_interior", **wanted)


def step_in_full(part: AnalysisStep | Grouped) -> str:
    """A step in words that set it apart from other readings of the same words: `plots not within 300 ft of taps`."""
    if isinstance(part, Grouped):
        return f"{part.aggregate['function']} of {part.source.noun} by {part.by}"
    arguments, inputs = dict(part.arguments), [(name, rows.noun or "them") for name, rows in part.inputs]
    words = [part.operation, *(f"{name} {noun}" for name, noun in inputs)]
    if part.operation == "select_by_location":
        words = _location_words(dict(inputs), arguments)
    words += [text for name, value in arguments.items() for text in _texts(value, f"{name} ")]
    return " ".join(" ".join(re.findall(r"\w+", each)) for each in words).replace("_", " ")


def _location_words(rows: Mapping[str, str], arguments: dict[str, Any]) -> list[str]:
    """Takes what they say out of the arguments."""
    relation, invert = arguments.pop("predicate", "intersects"), arguments.pop("invert", False)
    if relation == "within_distance" and "distance" in arguments:
        relation = f"within {' '.join(_texts(arguments.pop('distance')))} of"
    return [rows["source"], *(["not"] if invert else []), relation, rows["other"]]


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """The words of an argument; of one with parts, without any names."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)
    else:
        yield f"{name}{getattr(value, 'text', value)}"
