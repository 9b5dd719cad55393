"""Texts, dates and choices: what a change makes of the values of a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    TIMESTAMP,
    BigInteger,
    Boolean,
    ColumnElement,
    Double,
    Text,
    case,
    cast,
    func,
    literal,
    null,
)
from sqlalchemy.types import TypeEngine

from agents.domain import ColumnKind
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import in_utc
from server.gis.operations.support.tabular.change import ColumnChange, Scalar
from server.gis.operations.support.tabular.sheet import Cell, Sheet

NEEDS_TIMES = Template(
    "op_needs_times",
    "{name} holds {type}, and this needs dates or times. Cast it to date or timestamp first.",
)

Expression = ColumnElement[Any]

_FIELDS: Mapping[str, str] = {"weekday": "isodow", "day_of_year": "doy"}
"""PostgreSQL's names for parts of a date, where they differ: Monday is 1."""
_SECONDS: Mapping[str, float] = {
    "seconds": 1.0,
    "minutes": 60.0,
    "hours": 3600.0,
    "days": 86_400.0,
    "weeks": 604_800.0,
}
_KINDS: Mapping[str, tuple[str, TypeEngine[Any]]] = {
    "boolean": ("boolean", Boolean()),
    "integer": ("bigint", BigInteger()),
    "number": ("double precision", Double()),
    "text": ("text", Text()),
}


def constant(value: Scalar) -> Cell:
    """The same value in each row; an empty one is text."""
    kind = kind_of([value])
    name, declared = _KINDS[kind]
    return Cell(cast(null() if value is None else literal(_as(value, kind), declared), declared), kind, name)


def kind_of(values: Sequence[Scalar]) -> ColumnKind:
    """The one kind that all of these values have: text where they differ."""
    kinds = {_kind(each) for each in values if each is not None}
    if kinds == {"integer", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "text"


def _kind(value: Scalar) -> ColumnKind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    return "number" if isinstance(value, float) else "text"


def _as(value: Scalar, kind: ColumnKind) -> Scalar:
    return value if kind != "text" or isinstance(value, str) or value is None else _written(value)


def _written(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def chosen(cases: Sequence[tuple[ColumnElement[bool], Scalar]], otherwise: Scalar, own: Cell | None) -> Cell:
    """The value of the first case that applies to a row, else `otherwise`, or by default the row's `own` value."""
    values = [value for _condition, value in cases]
    kind = kind_of([*values, otherwise])
    if own is not None:
        alike = own.kind == kind or {own.kind, kind} == {"integer", "number"}
        kind = ("number" if own.kind != kind else kind) if alike else "text"
    name, declared = _KINDS[kind]
    rest = cast(own.value, declared) if own is not None else _typed(otherwise, kind, declared)
    value = case(*((met, _typed(each, kind, declared)) for met, each in cases), else_=rest)
    return Cell(value, kind, name, calculated=True)


def _typed(value: Scalar, kind: ColumnKind, declared: TypeEngine[Any]) -> Expression:
    return cast(null() if value is None else literal(_as(value, kind), declared), declared)


def mapped(sheet: Sheet, change: ColumnChange) -> Cell:
    """New values by old ones, compared as texts."""
    own = sheet.cell(change.column)
    written = sheet.once(sheet.text(change.column))
    cases = [(written == old, new) for old, new in change.values.items()]
    return chosen(cases, change.otherwise, None if "otherwise" in change.model_fields_set else own)


def changed_text(sheet: Sheet, change: ColumnChange) -> Cell:
    """A text made of a text, or of several."""
    return Cell(_made_text(sheet, change), "text", "text", calculated=True)


def _made_text(sheet: Sheet, change: ColumnChange) -> Expression:
    if change.function == "concatenate":
        parts = [sheet.text(name) for name in change.columns]
        return func.concat_ws(change.separator, *parts, type_=Text())
    value = sheet.text(change.column)
    match change.function:
        case "trim":
            return func.regexp_replace(value, r"^\s+|\s+$", "", "g", type_=Text())
        case "upper" | "lower":
            return func.upper(value, type_=Text()) if change.function == "upper" else func.lower(value)
        case "title":
            return func.initcap(value, type_=Text())
        case "replace":
            put = "" if change.value is None else _written(change.value)
            if change.pattern:
                return func.regexp_replace(value, change.find, put, "g", type_=Text())
            return func.replace(value, change.find, put, type_=Text())
        case "extract":
            return func.substring(value, change.find, type_=Text())
        case "split":
            place = change.part if isinstance(change.part, int) else 1
            return func.nullif(func.split_part(value, change.separator, place), "", type_=Text())
    return _padded(value, change)


def _padded(value: Expression, change: ColumnChange) -> Expression:
    """Longer texts stay as they are: PostgreSQL would cut them."""
    sign = "0" if change.value is None else _written(change.value)
    pad = func.lpad if change.side == "left" else func.rpad
    return case(
        (func.length(value) >= change.length, value), else_=pad(value, change.length, sign, type_=Text())
    )


def date_part(sheet: Sheet, change: ColumnChange) -> Cell:
    """A part of a date or time as a whole number; of a time with a zone as the clock shows in UTC."""
    moment = _moment(sheet, change.column)
    field = _FIELDS.get(str(change.part), str(change.part))
    part = func.floor(func.date_part(field, moment))
    value = case((func.isfinite(moment), cast(part, BigInteger())))
    return Cell(
        value, "integer", "bigint", f"{str(change.part).capitalize()} of {change.column}.", calculated=True
    )


def date_difference(sheet: Sheet, change: ColumnChange) -> Cell:
    """The time from `column` to `other`: exact in seconds to weeks, in complete months and years."""
    before, after = _moment(sheet, change.column), _moment(sheet, change.other)
    finite = func.isfinite(before) & func.isfinite(after)
    if change.unit in _SECONDS:
        seconds = func.date_part("epoch", after - before)
        value = case((finite, cast(seconds / _SECONDS[change.unit], Double())))
        kind: ColumnKind = "number"
    else:
        age = func.age(after, before)
        months = func.date_part("year", age) * 12 + func.date_part("month", age)
        value = case((finite, cast(func.trunc(months / (12 if change.unit == "years" else 1)), BigInteger())))
        kind = "integer"
    about = f"{change.unit.capitalize()} from {change.column} to {change.other}."
    return Cell(value, kind, _KINDS[kind][0], about, calculated=True)


def _moment(sheet: Sheet, name: str) -> Expression:
    found = sheet.cell(name)
    if found.kind not in ("date", "timestamp"):
        raise InvalidQuestion(NEEDS_TIMES(name=repr(name), type=found.sql_type))
    return cast(in_utc(found.value, found.sql_type), TIMESTAMP())
