"""Parsed parts of a request as frozen values: mentions, columns, quantities, days, conditions on rows and rankings.

A mention keeps its words and every table, layer or column that they could mean; if there are several, the planner
asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, TypeGuard

from agents.offline.language.words import is_plural
from agents.units import Unit

# --- mentions and operands --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mention:
    """A table or layer that a request mentions.

    `pronoun`: `it`, `them` or, with tables or layers, `those cities`. `everything`: `all layers`, or all of these.
    """

    text: str
    tables: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    pronoun: bool = False
    everything: bool = False
    guessed: bool = False
    """Read through a typing mistake."""
    of_value: bool = False
    """Named by a value of a column: `oaks`, in a table of trees."""
    number: int = 0
    """The number of rows that the request states: 3 for `these three`."""

    @property
    def of_layer(self) -> bool:
        """Whether it means the rows that the map shows, with the layer's filter."""
        return self.pronoun or bool(self.layers and not self.tables)

    @property
    def is_those(self) -> bool:
        """Whether it names rows of an earlier request again: `those cities`."""
        return self.pronoun and bool(self.tables or self.layers)

    @property
    def known(self) -> bool:
        """Whether it could mean a table or layer."""
        return bool(self.tables or self.layers or self.pronoun or self.everything)


UNNAMED_ROWS = Mention("they", pronoun=True)
"""The rows of `how many are planned?`: the condition replaces the earlier one; `of those` would add to it."""


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """Words that name a column, and the columns that they could mean."""

    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, with its unit if one was written."""

    value: float
    unit: Unit | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A date (`2019-05-01`), month (`2019-05`) or decade (`1980s`) as a whole; `edge`: the start or end of a year."""

    text: str
    edge: Literal["", "start", "end"] = ""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """Another row of the table whose value is the operand: `larger than Germany`."""

    text: str


Operand = Quantity | Day | ColumnMention | NamedRow | str | bool

# --- conditions -----------------------------------------------------------------------------------


IN_FORCE = "in force"
"""The measure of a comparison with the time from the start date to the end date of a row."""


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison; `op` is its CQL2 operator. Without `column`, `measure` or the value's unit determines the column.
    `side`: its word (`below`), which of a depth may tell where something lies, not a number."""

    op: str
    value: Operand
    column: ColumnMention | None = None
    measure: str = ""
    times: float = 1.0
    plus: float = 0.0
    """The compared column is multiplied by `times`, then `plus` is added: `at least 10 more than width`."""
    side: str = ""


@dataclass(frozen=True, slots=True)
class Between:
    """A column between two values, inclusive."""

    low: Quantity | Day
    high: Quantity | Day
    column: ColumnMention | None = None
    measure: str = ""

    @property
    def has_unit(self) -> bool:
        """Whether the upper bound has a unit."""
        return isinstance(self.high, Quantity) and self.high.unit is not None


@dataclass(frozen=True, slots=True)
class Matches:
    """A text column that contains, starts with or ends with a text."""

    how: Literal["contains", "starts", "ends"]
    text: str
    column: ColumnMention | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """A column without a value.

    `said`: a filler word after it (`reported`), ignored unless it is one of the column's values. `unknown`: only NULL
    counts, not 0 or `none`. `calculated`: not part of the request; a figure is calculated from the column. `undone`:
    nothing was done (`not fixed`), of rows that had something to be done.
    """

    column: ColumnMention
    said: str = ""
    unknown: bool = False
    calculated: bool = False
    undone: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value to look up in the data: `in Germany`, `named Ulm`, `large` (airports), `country is France or Spain`."""

    text: str
    column: ColumnMention | None = None
    how: Literal["in", "of", "named", "kind", "is"] = "in"


@dataclass(frozen=True, slots=True)
class InFocus:
    """What the user points at.

    `here`: the selection, else the drawn area, else the view. `area`: the drawn area, else as `here`.
    """

    what: Literal["selected", "here", "area", "view"]
    box: tuple[float, float, float, float] | None = None  # named by its edges instead


@dataclass(frozen=True, slots=True)
class Negation:
    """The opposite of a condition."""

    inner: Condition


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions joined by `and` or `or`."""

    op: Literal["and", "or"]
    parts: tuple[Condition, ...]


Side = Literal["north", "south", "east", "west"]


@dataclass(frozen=True, slots=True)
class OnSide:
    """Features entirely on one side of a parallel or meridian, or of a place; `text` is the original wording."""

    side: Side
    degrees: float
    text: str
    place: str = ""


Order = Literal["", "latitude", "longitude"]


@dataclass(frozen=True, slots=True)
class Spot:
    """Two coordinates in degrees (EPSG:4326) as written; `order`: which of them comes first, if the request
    states it."""

    first: float
    second: float
    order: Order = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class EarthLine:
    """A parallel or meridian, in degrees north or east; south and west are negative."""

    kind: Literal["parallel", "meridian"]
    degrees: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class NearSpot:
    """Features within `metres` of a point or line on the earth, or that intersect it if 0; `text` is the
    original wording."""

    metres: float
    of: Spot | EarthLine
    text: str


@dataclass(frozen=True, slots=True)
class DatePart:
    """Dates and times whose month, weekday (Monday is 1) or hour is one of `numbers`: `on weekends`, `after 10 pm`."""

    part: Literal["month", "weekday", "hour"]
    numbers: tuple[int, ...]
    column: ColumnMention | None = None


@dataclass(frozen=True, slots=True)
class GeometryFact:
    """A property of a geometry: `invalid parcels`, `without geometry`."""

    fact: Literal["valid", "invalid", "empty", "missing"]


Condition = (
    GeometryFact
    | OnSide
    | NearSpot
    | DatePart
    | Compare
    | Between
    | Matches
    | Empty
    | OneOf
    | InFocus
    | Negation
    | Group
)


def joined(op: str, parts: list[Condition]) -> Condition:
    """The conditions as one: the only one itself, or a group."""
    return parts[0] if len(parts) == 1 else Group("or" if op == "or" else "and", tuple(parts))


def all_of(*parts: Condition | None) -> Condition | None:
    """The conditions joined by `and`; None if all of them are None."""
    known = [each for each in parts if each is not None]
    return joined("and", known) if known else None


MOST_FIRST = 10
"""Number of rows in a ranking when the request has a plural but no number."""


@dataclass(frozen=True, slots=True)
class Top:
    """The first `limit` rows, ranked by a column or by the measure of a superlative."""

    limit: int
    descending: bool = True
    column: ColumnMention | None = None
    measure: str = ""
    word: str = "top"
    unit: Unit | None = None
    """The unit of the answer, if the request names one."""
    place: int = 1
    """Only this place in the ranking: 2 for `the second largest`."""

    def of_several(self, noun: str) -> Top:
        """The ranking of a plural (`the biggest cities`): the first ten, unless a number or column is given."""
        one = self.limit == self.place == 1 and self.column is None
        return replace(self, limit=MOST_FIRST) if one and is_plural(noun.lower()) else self


def split_off_places(where: Condition | None) -> tuple[Condition | None, Condition | None]:
    """Split a condition into (other conditions, locations): the part and the whole of a share."""
    if where is None:
        return None, None
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    places = [each for each in parts if lies_in_place(each)]
    others = [each for each in parts if each not in places]
    return all_of(*others), all_of(*places)


def filled_columns(where: Condition | None) -> tuple[tuple[str, ...], Condition | None]:
    """The columns that must have a value because a figure is calculated from them, and the other conditions."""
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    filled = {each: each.inner.column.columns for each in parts
              if isinstance(each, Negation) and isinstance(each.inner, Empty) and each.inner.calculated}  # fmt: skip
    names = tuple(name for columns in filled.values() for name in columns)
    return names, all_of(*(each for each in parts if each not in filled))


def is_unclear(where: Condition) -> bool:
    """Whether a share could refer to all rows or to a part of them: `rented flats with a balcony`."""
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    of_some = any(isinstance(each, OneOf) and each.how == "of" for each in parts)
    return len(parts) > 1 and (of_some or sum(not lies_in_place(each) for each in parts) > 1)


def lies_in_place(where: Condition | None) -> bool:
    """Whether the condition restricts rows by location or by what they belong to (`in Ulm`, `of Germany`)."""
    match where:
        case Group(_, parts):
            return any(map(lies_in_place, parts))
        case Negation(inner):
            return lies_in_place(inner)
        case OneOf(how=how):
            return how in ("in", "of")
        case _:
            return False


def parts_of(meant: Any) -> list[Any]:
    """A value and all values nested in it, except `condition_text`, which only names a layer."""
    found: list[Any] = []
    _add_parts(meant, found)
    return found


def _add_parts(meant: Any, found: list[Any]) -> None:
    found.append(meant)
    if names := _fields_with_parts(type(meant)):  # type: ignore[arg-type]  # of Hashable
        for name in names:
            _add_parts(getattr(meant, name), found)
    elif isinstance(meant, Mapping):
        _add_parts(tuple(meant.items()), found)
    elif isinstance(meant, tuple | list | frozenset):
        for item in meant:
            if isinstance(item, str):
                found.append(item)
            else:
                _add_parts(item, found)


@cache
def _fields_with_parts(kind: type) -> tuple[str, ...]:
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else []
    return tuple(name for name in names if name != "condition_text")


_WORDING_FIELDS = frozenset(("title", "condition_text", "wording"))
"""Fields that hold words of the request."""


def without_wording(meant: Any) -> Any:
    """The value in a form that is equal for all wordings of the same meaning."""
    if isinstance(meant, OneOf | Matches):
        return (meant.how, meant.text.lower(), without_wording(meant.column))
    if hasattr(meant, "meaning"):
        return meant.meaning
    if is_dataclass(meant):
        has_more = hasattr(meant, "text") and len(fields(meant)) > 1
        ignored = _WORDING_FIELDS | {"text"} if has_more else _WORDING_FIELDS
        kept = (getattr(meant, each.name) for each in fields(meant) if each.name not in ignored)
        return (type(meant).__name__, *map(without_wording, kept))
    if isinstance(meant, Mapping):
        return tuple((name, without_wording(each)) for name, each in meant.items())
    return tuple(map(without_wording, meant)) if isinstance(meant, tuple | list) else meant


def at_date(condition: Condition, date: ColumnMention) -> Condition:
    """The condition with its unnamed times at this date: `cases per month of onset since 2024`."""
    if isinstance(condition, Group):
        return replace(condition, parts=tuple([at_date(part, date) for part in condition.parts]))
    return replace(condition, column=date) if is_bare_time(condition) else condition


def is_bare_time(condition: Condition) -> TypeGuard[Compare | Between | DatePart]:
    """Whether a condition is a time without a column: `since 2020`, `in May`."""
    is_time = isinstance(condition, DatePart) or getattr(condition, "measure", "") == "time"
    return is_time and getattr(condition, "column", None) is None
