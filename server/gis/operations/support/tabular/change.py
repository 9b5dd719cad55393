"""One change of a table's columns as it is asked for: a function and the fields that it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    model_validator,
)

from agents.domain import Cql2
from server.gis.operations.support.base import column_argument

Scalar = StrictBool | StrictInt | StrictFloat | StrictStr | None
Fact = Literal[
    "x", "y", "lon", "lat", "xmin", "ymin", "xmax", "ymax", "wkt", "type", "parts", "points", "is_empty", "is_valid",
    "invalid_reason", "area_m2", "length_m", "perimeter_m",
]  # fmt: skip
Part = Literal[
    "year", "quarter", "month", "week", "day", "weekday", "day_of_year", "hour", "minute", "second"
]
Unit = Literal["seconds", "minutes", "hours", "days", "weeks", "months", "years"]
Target = Literal["text", "integer", "number", "boolean", "date", "timestamp"]
Function = Literal[
    "keep", "drop", "order", "rename", "constant", "fill", "map", "case", "cast",
    "trim", "upper", "lower", "title", "replace", "extract", "split", "concatenate", "pad",
    "date_part", "date_difference", "rank", "number_rows", "geometry",
]  # fmt: skip

_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "keep": ("columns",),
    "drop": ("columns",),
    "order": ("columns",),
    "rename": ("column", "name"),
    "constant": ("name",),
    "fill": ("column",),
    "map": ("column", "values"),
    "case": ("name", "cases"),
    "cast": ("column", "to"),
    "trim": ("column",),
    "upper": ("column",),
    "lower": ("column",),
    "title": ("column",),
    "replace": ("column", "find"),
    "extract": ("column", "find", "name"),
    "split": ("column", "separator"),
    "concatenate": ("columns", "name"),
    "pad": ("column", "length"),
    "date_part": ("column", "part", "name"),
    "date_difference": ("column", "other", "name"),
    "rank": ("name", "columns"),
    "number_rows": ("name",),
    "geometry": ("fact",),
}


_NULLABLE = ("value", "otherwise")


class Case(BaseModel):
    """A condition on the columns of the source, and the value of the rows that meet it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: Cql2 | str
    then: Scalar


class ColumnChange(BaseModel):
    """One change. What is not a field of its function is not read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    function: Function
    column: str = column_argument("The column that is changed or read.", default="")
    columns: tuple[str, ...] = column_argument("Several columns, in order.", default=())
    name: Annotated[str, Field(max_length=60)] = ""
    """The new column; without it the column itself changes."""
    value: Scalar = None
    """The constant, what is filled in, the replacement, or the character that pads."""
    values: dict[str, Scalar] = Field(default_factory=dict)
    """map: new values by old ones."""
    cases: tuple[Case, ...] = ()
    """case: the first that a row meets counts."""
    otherwise: Scalar = None
    """map, case: the value of all other rows; map without it keeps their own."""
    to: Target = "text"
    format: Annotated[str, Field(max_length=60)] | None = None
    """cast: of dates and times, like DD.MM.YYYY HH24:MI; of numbers the decimal sign, a comma or a point."""
    unreadable: Literal["null", "drop", "refuse"] = "null"
    """cast: empty the values that cannot be read, drop their rows, or refuse."""
    find: Annotated[str, Field(max_length=300)] = ""
    """replace: a text, with pattern=true a regular expression; extract: a regular expression."""
    pattern: bool = False
    separator: Annotated[str, Field(max_length=20)] = " "
    part: int | Part | None = None
    """split: which part, from 1 or from the end (-1), without it all; date_part: year, month ..."""
    length: Annotated[int, Field(ge=0, le=1000)] = 0
    side: Literal["left", "right"] = "left"
    other: str = column_argument("date_difference: the later one; fill: where values come from.", default="")
    unit: Unit = "days"
    descending: bool = False
    within: tuple[str, ...] = column_argument("rank, number_rows: starts again for each value.", default=())
    fact: Fact = "x"
    srid: Annotated[int, Field(ge=1, le=998_999)] | None = None
    """geometry: the EPSG code of coordinates, if not the table's own."""

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        """Models write null for what they leave out; only values may be null."""
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if value is not None or name in _NULLABLE}

    @model_validator(mode="after")
    def _is_complete(self) -> ColumnChange:
        needed = _REQUIRED[self.function]
        missing = [name for name in needed if name not in self.model_fields_set or not getattr(self, name)]
        if missing:
            raise ValueError(f"{self.function} needs {' and '.join(missing)}")
        whole = self.part is None or isinstance(self.part, int)
        if self.function == "split" and (not whole or self.part == 0):
            raise ValueError("split takes part as a number from 1, or from -1 to count from the end")
        if self.function == "date_part" and whole:
            raise ValueError(f"date_part takes one of {', '.join(get_args(Part))}")
        if self.function == "fill" and self.value is None and not self.other:
            raise ValueError("fill needs value or other")
        return self
