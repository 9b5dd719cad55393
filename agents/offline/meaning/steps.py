"""One operation of an analysis, before its input tables exist: its inputs and arguments.

Arguments that depend on the columns of a table made by an earlier step stay in words (`ColumnWords`,
`Ranking`, `LateCondition`, `NameColumn`, `AddedColumn`) until that table exists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.language.words import name_words, plural
from agents.offline.meaning.conditions import Condition, Mention, Top
from agents.offline.meaning.features import RESULT, Features
from agents.units import Unit

ANY_TIME = "the time"
"""The words for a date that a request does not name, of a table with several."""


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """Words for a column of the table given as input `of`."""

    text: str
    of: str = "source"

    @property
    def meaning(self) -> tuple[str, ...]:
        """The same value for all spellings of the words."""
        return (*name_words(self.text), self.of)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The column that a superlative means; for counted `rows`, the column of their number."""

    top: Top
    of: str = "source"
    rows: Mention | None = None


@dataclass(frozen=True, slots=True)
class LateCondition:
    """A condition on the columns of a table that may not exist yet."""

    condition: Condition
    of: str = "source"


@dataclass(frozen=True, slots=True)
class NameColumn:
    """The column with the names of an input's rows."""

    of: str = "source"


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """The column that the previous operation added under this name, with a number appended if the name was taken."""

    name: str
    of: str = "source"


@dataclass(frozen=True, slots=True)
class AddedInUnit:
    """An added column converted to another unit, which is `factor` times its own."""

    column: AddedColumn
    factor: float
    of: str = "source"


Inputs = tuple[tuple[str, Features], ...]
Arguments = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class AnalysisStep:
    """An operation with its inputs by argument; several inputs of one name form a list."""

    operation: str
    inputs: Inputs
    arguments: Arguments = ()
    text: str = ""
    """The words of the request for this step."""
    title: str = ""
    """Title of the result, if it differs from `text`."""
    unit: Unit | None = None
    """The unit of the distance in the answer, if the request names one."""


PEOPLE_THERE = "people there"
"""Placeholder for the total of the people of the previous step's rows."""
VALUES_NAMED = ""
"""Placeholder for the column of which the condition names several values."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """A figure per value of the rows' own column `by`; `aggregate` is in the form that operations take."""

    source: Features
    by: str
    aggregate: dict[str, Any]
    text: str = ""
    """The words of the request for this step."""
    title: str = ""
    part: Condition | None = None
    """Compute the percentage of each group's rows that pass this condition; `aggregate` is then a count."""
    of_all: bool = False
    """Compute each group's percentage of the total; `aggregate` is then a count or sum."""
    shapes: bool = True
    """Whether groups get the combined geometry of their rows."""
    names: tuple[str, ...] = ()
    """Further columns of which each group has one value: the name behind a key."""


def quoted(column: str) -> str:
    """A column's name quoted for expressions: `"2010"`, where bare digits would be a number."""
    doubled = column.replace('"', '""')
    return f'"{doubled}"'


def inputs_of(part: AnalysisStep | Grouped) -> tuple[Features, ...]:
    """The direct inputs of a step."""
    return (part.source,) if isinstance(part, Grouped) else tuple(features for _, features in part.inputs)


def steps_within(part: AnalysisStep | Grouped) -> Iterator[AnalysisStep | Grouped]:
    """The nested steps that produce a step's inputs, then the step itself."""
    for features in inputs_of(part):
        for inner in features.made:
            yield from steps_within(inner)
    yield part


def features_of(part: AnalysisStep | Grouped) -> Iterator[Features]:
    """All features that a step and its nested steps read from elsewhere."""
    for features in inputs_of(part):
        if not features.made:
            yield features
        for at, inner in enumerate(features.made):
            yield from (each for each in features_of(inner) if not (at and each.previous))


def rows_of(part: AnalysisStep | Grouped) -> Mention | None:
    """The first rows that a step names."""
    return next((each.mention for each in features_of(part) if each.mention is not None), None)


def others_of(part: AnalysisStep | Grouped, features: Features) -> list[Mention]:
    """The rows that a step reads besides `features`."""
    return [each.mention for each in inputs_of(part) if each is not features and each.mention is not None]


def related_to_all(part: AnalysisStep | Grouped) -> Features | None:
    """The features of `near all airports`, where a step would only find rows near any of them; else None."""
    if not isinstance(part, AnalysisStep) or part.operation != "select_by_location":
        return None
    other = dict(part.inputs)["other"]
    is_wanted = not dict(part.arguments).get("invert") and not other.place and other.text.startswith("all ")
    return other if is_wanted else None


def are_related(part: AnalysisStep) -> bool:
    """Whether rows are chosen by the key of others: `stops of suspended routes`. Where they have others, or none
    (`sectors without cleanups`), these may lie in them, too."""
    other = dict(part.inputs).get("other")
    by_place = part.operation == "select_by_location" and other is not None and other.unless_column
    by_key = part.operation in ("select_by_attribute", "join_by_attribute") and "key" not in dict(
        part.arguments
    )
    return by_place or by_key


def words_of(value: Any) -> Iterator[ColumnWords]:
    """The column words in arguments."""
    if isinstance(value, ColumnWords):
        yield value
    elif isinstance(value, Mapping):
        yield from words_of(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for each in value:
            yield from words_of(each)


def with_columns(value: Any, of: str, called: Callable[[str], Sequence[str]]) -> Any:
    """Arguments with column words of input `of` replaced by the column's name if only one matches.

    Tables made by a step do not keep the comments by which the words would be found later.
    """
    if isinstance(value, ColumnWords):
        names = called(value.text) if value.of == of else ()
        return ColumnWords(names[0], of) if len(names) == 1 else value
    if isinstance(value, Mapping):
        return {name: with_columns(each, of, called) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [with_columns(each, of, called) for each in value]
    return value


_LEAST = frozenset(("fewest", "bottom", "quietest", "least", "lowest", "smallest", "shortest", "narrowest"))
_OPENING = re.compile(
    r"^(?:what is the|what are the|what is|show me|show|keep only|keep|list|find|give me|make(?! the column)"
    r"|draw|create|compute|calculate|how far (?:away )?(?:is it|is|are))\s+",
    re.IGNORECASE,
)
"""The start of a request that is left out of a title."""


def title_of(part: AnalysisStep | Grouped) -> str:
    """The title of a step's result: `Airports within 50 km of Berlin`."""
    text = part.title or _OPENING.sub("", part.text)
    return text[:1].upper() + text[1:]


def title_behind(title: str, part: AnalysisStep | Grouped) -> str:
    """The title of a step's result, after the title of the previous step."""
    own = title_of(part)
    return f"{title}, {own[:1].lower()}{own[1:]}" if title and goes_on(part) else own


def goes_on(part: AnalysisStep | Grouped) -> bool:
    """Whether the result's title continues that of the previous step: it is only ranked, sorted or filtered."""
    if not isinstance(part, AnalysisStep) or inputs_of(part)[0] != RESULT:
        return False
    names_nothing = part.operation == "select_by_location" or part.title[:1].islower()
    return names_nothing or (not part.title and part.operation in ("filter", "sort", "top"))


def are_groups(step: AnalysisStep | Grouped) -> bool:
    """Whether a step gives figures of groups, or of the rows in areas."""
    return isinstance(step, Grouped) or step.operation == "spatial_join"


def step(
    operation: str, source: Features, *more: tuple[str, Features], title: str = "", **arguments: Any
) -> AnalysisStep:
    """An operation with its inputs and other arguments."""
    return AnalysisStep(operation, (("source", source), *more), tuple(arguments.items()), title=title)


def top_step(
    source: Features, by: Any, n: int, *, smallest: bool = False, title: str = "", **arguments: Any
) -> AnalysisStep:
    """The first `n` rows by a column, or those after the first ones (`skip`)."""
    way = {"smallest": True} if smallest else {}
    return step("top", source, title=title, by=by, n=n, **arguments, **way)


EXACT_TIMES = ("days", "hours", "minutes", "seconds")
"""Units for the time between two dates; years are whole numbers, too coarse to average."""


def time_between(rows: Features, dates: tuple[str, str], unit: Unit, name: str, title: str) -> AnalysisStep:
    """The rows with an added column: the time from one date to the other."""
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
    """The first or last of the previous step's groups: `The 3 countries with the most airports`. `by`: the
    added column's name, or words for it."""
    groups = groups.removeprefix("the ")
    title = f"The {f'{n} {plural(groups)}' if n > 1 else groups} with the {how} {what}"
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
    """Rows within a distance of others; with `spatial_join`, the number of others near each row."""
    return step(
        operation, rows, ("other", other), title=title, predicate="within_distance", distance=distance, **arguments
    )  # fmt: skip


def sum_of(column: str | ColumnWords) -> dict[str, Any]:
    """An aggregate: the total of a column."""
    return {"function": "sum", "column": ColumnWords(column) if isinstance(column, str) else column}


def is_least(how: str) -> bool:
    """Whether the words ask for the least: `fewest`, `smallest number of`."""
    return how.split()[0] in _LEAST


def counted(*figures: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The figures preceded by a count of rows; empty without figures, because operations count by default."""
    return [{"function": "count"}, *figures] if figures else []


def summary(
    rows: Features, by: Sequence[Any], figure: Mapping[str, Any] | None, title: str = ""
) -> AnalysisStep:
    """A step that counts the rows of each group, or all rows, with an optional figure."""
    given = {"by": by} if by else {}
    wanted = {"aggregates": counted(figure)} if figure is not None else {}
    return step("summarise", rows, title=title, **given, **wanted)


def count_in_areas(
    areas: Features, rows: Features, figure: Mapping[str, Any] | None = None, title: str = ""
) -> AnalysisStep:
    """A step that counts the rows in each area, with an optional figure."""
    wanted = {}
    if figure is not None:
        wanted = {"aggregates": counted({**figure, "column": ColumnWords(figure["column"].text, "other")})}
    return step("spatial_join", areas, ("other", rows), title=title, predicate="shares_interior", **wanted)


def step_in_full(part: AnalysisStep | Grouped) -> str:
    """A step in words that distinguish it from other readings of the same request: `plots not within 300 ft
    of taps`."""
    if isinstance(part, Grouped):
        return f"{part.aggregate['function']} of {part.source.noun} by {part.by}"
    arguments, inputs = dict(part.arguments), [(name, rows.noun or "them") for name, rows in part.inputs]
    words = [part.operation, *(f"{name} {noun}" for name, noun in inputs)]
    if part.operation == "select_by_location":
        words = _location_words(dict(inputs), arguments)
    words += [text for name, value in arguments.items() for text in _texts(value, f"{name} ")]
    return " ".join(" ".join(re.findall(r"\w+", each)) for each in words).replace("_", " ")


def _location_words(rows: Mapping[str, str], arguments: dict[str, Any]) -> list[str]:
    """The words of a spatial relation, removing its arguments from `arguments`."""
    relation, invert = arguments.pop("predicate", "intersects"), arguments.pop("invert", False)
    if relation == "within_distance" and "distance" in arguments:
        relation = f"within {' '.join(_texts(arguments.pop('distance')))} of"
    return [rows["source"], *(["not"] if invert else []), relation, rows["other"]]


def _texts(value: Any, name: str = "") -> Iterator[str]:
    """The words of an argument; nested values without their names."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for each in value:
            yield from _texts(each)
    else:
        yield f"{name}{getattr(value, 'text', value)}"
