"""What a request speaks of: mentions, columns, quantities, days, conditions on rows and rankings, as frozen values.

A mention keeps the words it was made from and every table, layer or column that they could mean; more than one means
that the planner has to ask.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal

from agents.offline.language.words import is_plural
from agents.units import Unit

# --- things that are spoken of --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mention:
    """A table or a layer that a request speaks of. `pronoun` for `it`, `them`, and with tables and layers for `those
    cities`; `everything` for `all layers`, or all of these."""

    text: str
    tables: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    pronoun: bool = False
    everything: bool = False
    guessed: bool = False
    """Read through a typing mistake."""
    of_value: bool = False
    """Named by a value of a column: `oaks`, of trees."""
    number: int = 0
    """How many rows were spoken of, where that is said: `these three`."""

    @property
    def of_layer(self) -> bool:
        """Whether what the map shows is meant, with its filter."""
        return self.pronoun or bool(self.layers and not self.tables)

    @property
    def is_those(self) -> bool:
        """Whether rows that were spoken of before are named again: `those cities`."""
        return self.pronoun and bool(self.tables or self.layers)

    @property
    def known(self) -> bool:
        return bool(self.tables or self.layers or self.pronoun or self.everything)


UNNAMED_ROWS = Mention("they", pronoun=True)
"""The rows of `how many are planned?`: a condition takes the place of the one before, unlike that of `of those`."""


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """The words that name a column, and the column names that they may stand for."""

    text: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with the unit that was written, if any."""

    value: float
    unit: Unit | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Day:
    """A date (`2019-05-01`), a month (`2019-05`) or a decade (`1980s`), all of it. `edge`: start or end of a year."""

    text: str
    edge: Literal["", "start", "end"] = ""


@dataclass(frozen=True, slots=True)
class NamedRow:
    """Another row of the table, whose number is compared with: `larger than Germany`."""

    text: str


Operand = Quantity | Day | ColumnMention | NamedRow | str | bool

# --- conditions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Compare:
    """`op` is a CQL2 comparison. Without a column, `measure` or the unit tells which is meant."""

    op: str
    value: Operand
    column: ColumnMention | None = None
    measure: str = ""
    times: float = 1.0
    plus: float = 0.0
    """What another column of numbers is multiplied by, and what is added to it, before it is compared."""


@dataclass(frozen=True, slots=True)
class Between:
    """A column between two values, both included."""

    low: Quantity | Day
    high: Quantity | Day
    column: ColumnMention | None = None
    measure: str = ""

    @property
    def has_unit(self) -> bool:
        return isinstance(self.high, Quantity) and self.high.unit is not None


@dataclass(frozen=True, slots=True)
class Matches:
    """A text column that contains, starts with or ends with a text."""

    how: Literal["contains", "starts", "ends"]
    text: str
    column: ColumnMention | None = None


@dataclass(frozen=True, slots=True)
class Empty:
    """A column without a value. `said`: a word behind it that adds nothing, unless it is one of its values. `unknown`:
    0 and `none` are values, too. `calculated`: added because a
    figure is calculated from the column; the request does not say it."""

    column: ColumnMention
    said: str = ""
    unknown: bool = False
    calculated: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value to be found in a column: `in Germany`, `named Ulm`, `large` (airports), `country is France or Spain`."""

    text: str
    column: ColumnMention | None = None
    how: Literal["in", "of", "named", "kind", "is"] = "in"


@dataclass(frozen=True, slots=True)
class InFocus:
    """What the user points at. `here` is the strongest: what is selected, else the drawn area, else the view.
    `area` is the drawn area where there is one, else as `here`."""

    what: Literal["selected", "here", "area", "view"]


@dataclass(frozen=True, slots=True)
class Negation:
    """What does not fulfil a condition."""

    inner: Condition


@dataclass(frozen=True, slots=True)
class Group:
    """Conditions of which all hold, or at least one."""

    op: Literal["and", "or"]
    parts: tuple[Condition, ...]


Side = Literal["north", "south", "east", "west"]


@dataclass(frozen=True, slots=True)
class OnSide:
    """What lies wholly to this side of a parallel or meridian; `text` is how it was said."""

    side: Side
    degrees: float
    text: str


Order = Literal["", "latitude", "longitude"]


@dataclass(frozen=True, slots=True)
class Spot:
    """Two coordinates in degrees (EPSG:4326) as they were written. `order`: which comes first, where that is said."""

    first: float
    second: float
    order: Order = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class EarthLine:
    """A parallel or meridian by its degrees north or east, negative ones south or west."""

    kind: Literal["parallel", "meridian"]
    degrees: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class NearSpot:
    """What lies within a distance of a spot or line on the earth, or covers it where that is 0; `text` is how it was
    said."""

    metres: float
    of: Spot | EarthLine
    text: str


@dataclass(frozen=True, slots=True)
class DatePart:
    """Dates and times a part of which is one of these numbers: `on weekends`, `in January`, `after 10 pm`. Monday
    is 1."""

    part: Literal["month", "weekday", "hour"]
    numbers: tuple[int, ...]
    column: ColumnMention | None = None


@dataclass(frozen=True, slots=True)
class GeometryFact:
    """What is known of a geometry: `with invalid geometries`, `invalid parcels`, `without geometry`."""

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
    """The conditions as one: themselves, or a group."""
    return parts[0] if len(parts) == 1 else Group("or" if op == "or" else "and", tuple(parts))


def all_of(*parts: Condition | None) -> Condition | None:
    """All given conditions as one; None if every one of them is None."""
    known = [each for each in parts if each is not None]
    return joined("and", known) if known else None


MOST_FIRST = 10
"""Rows of a ranking where several are asked for without a number."""


@dataclass(frozen=True, slots=True)
class Top:
    """The first `limit` by a column, or by the measure of a superlative."""

    limit: int
    descending: bool = True
    column: ColumnMention | None = None
    measure: str = ""
    word: str = "top"
    unit: Unit | None = None
    """What the answer is to be in, where that was said."""
    place: int = 1
    """The only place that is meant: 2 of `the second largest`."""

    def of_several(self, noun: str) -> Top:
        """`the biggest cities`: the first ten, where neither a number nor a column is named."""
        one = self.limit == self.place == 1 and self.column is None
        return replace(self, limit=MOST_FIRST) if one and is_plural(noun.lower()) else self


def parted(where: Condition | None) -> tuple[Condition | None, Condition | None]:
    """The conditions on rows, and where they lie: in a share the first selects the part, the second the whole."""
    if where is None:
        return None, None
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    places = [each for each in parts if lies_in_place(each)]
    others = [each for each in parts if each not in places]
    return all_of(*others), all_of(*places)


def filled_columns(where: Condition | None) -> tuple[tuple[str, ...], Condition | None]:
    """The columns that must have a value because something is calculated from them, and the other conditions."""
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    filled = {each: each.inner.column.columns for each in parts
              if isinstance(each, Negation) and isinstance(each.inner, Empty) and each.inner.calculated}  # fmt: skip
    names = tuple(name for columns in filled.values() for name in columns)
    return names, all_of(*(each for each in parts if each not in filled))


def is_unclear(where: Condition) -> bool:
    """Whether a share of such rows may be of all, or of those that pass a part of it: `rented flats with a balcony`."""
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    of_some = any(isinstance(each, OneOf) and each.how == "of" for each in parts)
    return len(parts) > 1 and (of_some or sum(not lies_in_place(each) for each in parts) > 1)


def lies_in_place(where: Condition | None) -> bool:
    """Whether it says of rows where they lie, or of what they are a part."""
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
    """The value and all values in it, but for the words that become a layer's name as written (`condition_text`)."""
    found = [meant]
    if is_dataclass(meant):
        for each in fields(meant):
            found += parts_of(getattr(meant, each.name)) if each.name != "condition_text" else ()
    elif isinstance(meant, Mapping):
        found += parts_of(tuple(meant.items()))
    elif isinstance(meant, tuple | list | frozenset):
        for item in meant:
            found += (item,) if isinstance(item, str) else parts_of(item)
    return found


_SAYS_HOW = frozenset(("title", "condition_text", "wording"))
"""Fields with words of the request."""


def without_wording(meant: Any) -> Any:
    """The value in a form that is equal for all wordings of the same meaning."""
    if isinstance(meant, OneOf | Matches):
        return (meant.how, meant.text.lower(), without_wording(meant.column))
    if hasattr(meant, "meaning"):
        return meant.meaning
    if is_dataclass(meant):
        said = _SAYS_HOW | {"text"} if hasattr(meant, "text") and len(fields(meant)) > 1 else _SAYS_HOW
        kept = (getattr(meant, each.name) for each in fields(meant) if each.name not in said)
        return (type(meant).__name__, *map(without_wording, kept))
    if isinstance(meant, Mapping):
        return tuple((name, without_wording(each)) for name, each in meant.items())
    return tuple(map(without_wording, meant)) if isinstance(meant, tuple | list) else meant
