"""A column as another type. What cannot be read is empty, and `readable` says which values those are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ARRAY,
    TIMESTAMP,
    BigInteger,
    Boolean,
    ColumnElement,
    Date,
    Double,
    Integer,
    Interval,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    type_coerce,
)
from sqlalchemy.types import TypeEngine

from agents.domain import ColumnKind
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import in_utc
from server.gis.operations.support.tabular.sheet import Cell

NO_CAST = Template(
    "op_no_cast",
    "{column} holds {type}, which cannot become {to}. Texts become anything, numbers integers and "
    "booleans, dates timestamps and back, and everything becomes text.",
)
NUMBER_FORMAT = Template(
    "op_number_format",
    "The format of a number is its decimal sign, a comma or a point, and {form} was given.",
)
TIME_FORMAT = Template(
    "op_time_format",
    "The format {form} cannot be used. It is made of YYYY, YY, MM, Mon, DD, HH24, MI, SS and signs: "
    "DD.MM.YYYY HH24:MI.",
)

Expression = ColumnElement[Any]
Once = Callable[[Expression], Expression]

SQL_TYPES: dict[str, str] = {
    "text": "text",
    "integer": "bigint",
    "number": "double precision",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp without time zone",
}
_TRUE = ("true", "t", "yes", "y", "1", "on")
_FALSE = ("false", "f", "no", "n", "0", "off")
_NUMBER = r"^[+-]?(\d{1,200}\.?\d{0,200}|\.\d{1,200})([eE][+-]?\d{1,2})?$"
_WHOLE = r"^[+-]?\d{1,18}(\.0{0,200})?$"
_ISO = (
    r"^(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,20})?))?\s*(?:Z|([+-]\d{2}):?(\d{2})?)?)?$"
)
_ZONED = r"[+-]\d{2}:?\d{2}$|:\d{2}(\.\d+)?\s*[+-]\d{2}$"
_ISO_FIELDS = ("year", "month", "day", "hour", "minute", "second", "zone_hour", "zone_minute")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_TOKENS = {
    "YYYY": ("year", r"(\d{4})"),
    "YY": ("short_year", r"(\d{2})"),
    "MONTH": ("month_name", r"([A-Za-z]{3,9})"),
    "MON": ("month_name", r"([A-Za-z]{3,9})"),
    "MM": ("month", r"(\d{1,2})"),
    "DD": ("day", r"(\d{1,2})"),
    "HH24": ("hour", r"(\d{1,2})"),
    "HH": ("hour", r"(\d{1,2})"),
    "MI": ("minute", r"(\d{1,2})"),
    "SS": ("second", r"(\d{1,2}(?:\.\d{1,20})?)"),
}
_PERCENT = {
    "Y": "YYYY",
    "y": "YY",
    "m": "MM",
    "d": "DD",
    "H": "HH24",
    "M": "MI",
    "S": "SS",
    "b": "MON",
    "B": "MONTH",
}
_TOKEN = re.compile("|".join(_TOKENS), re.IGNORECASE)


@dataclass(frozen=True)
class Converted:
    """The value as the new type, null where it cannot be read."""

    value: Expression
    moved: Expression | None = None
    """Whether a time with a zone was brought to UTC, where there may be one."""


def converted(cell: Cell, column: str, to: str, form: str | None, once: Once) -> Converted:
    """The column as type `to`. Raises InvalidQuestion for kinds that never become each other, and for a format
    that cannot be used."""
    if to == "text":
        return Converted(_as_text(cell, form))
    value = in_utc(cell.value, cell.sql_type)
    if cell.kind == "text":
        trimmed = once(func.regexp_replace(cast(value, Text()), r"^\s+|\s+$", "", "g"))
        return _from_text(func.nullif(trimmed, "", type_=Text()), to, form, once)
    direct = _DIRECT.get((cell.kind, to))
    if direct is None:
        raise InvalidQuestion(NO_CAST(column=repr(column), type=cell.sql_type, to=to))
    return Converted(direct(value))


def _as_text(cell: Cell, form: str | None) -> Expression:
    value = in_utc(cell.value, cell.sql_type)
    if form is None or cell.kind not in ("date", "timestamp"):
        return cast(value, Text())
    written = "".join(name if is_field else f'"{_escaped(name)}"' for is_field, name in _tokens(form) if name)
    return func.to_char(cast(value, TIMESTAMP()), written, type_=Text())


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _whole(value: Expression) -> Expression:
    """A number without a fraction that an integer can hold, else null: NaN is greater than any bound."""
    number: Expression = cast(value, Double())
    fits = and_(number == func.trunc(number), func.abs(number) < 9.2e18)
    return case((fits, cast(number, BigInteger())))


def _yes_or_no(value: Expression) -> Expression:
    return case((cast(value, Double()) == 1.0, literal(True)), (cast(value, Double()) == 0.0, literal(False)))


def _number_of_boolean(value: Expression) -> Expression:
    return cast(cast(value, Integer()), BigInteger())


_DIRECT: dict[tuple[ColumnKind, str], Callable[[Expression], Expression]] = {
    ("integer", "integer"): lambda value: cast(value, BigInteger()),
    ("integer", "number"): lambda value: cast(value, Double()),
    ("integer", "boolean"): _yes_or_no,
    ("number", "integer"): _whole,
    ("number", "number"): lambda value: cast(value, Double()),
    ("number", "boolean"): _yes_or_no,
    ("boolean", "boolean"): lambda value: value,
    ("boolean", "integer"): _number_of_boolean,
    ("boolean", "number"): lambda value: cast(_number_of_boolean(value), Double()),
    ("date", "date"): lambda value: value,
    ("date", "timestamp"): lambda value: cast(value, TIMESTAMP()),
    ("timestamp", "date"): lambda value: cast(value, Date()),
    ("timestamp", "timestamp"): lambda value: cast(value, TIMESTAMP()),
}


def _from_text(value: Expression, to: str, form: str | None, once: Once) -> Converted:
    if to in ("integer", "number"):
        plain = once(_plain_number(value, form))
        is_whole = to == "integer"
        kind: TypeEngine[Any] = BigInteger() if is_whole else Double()
        digits = func.split_part(plain, ".", 1) if is_whole else plain
        return Converted(case((plain.regexp_match(_WHOLE if is_whole else _NUMBER), cast(digits, kind))))
    if to == "boolean":
        low = func.lower(value)
        return Converted(
            cast(case((low.in_(_TRUE), literal(True)), (low.in_(_FALSE), literal(False))), Boolean())
        )
    pattern, fields = _date_pattern(form)
    instant = _moment(once(func.regexp_match(value, pattern, type_=ARRAY(Text()))), fields, once)
    moved = value.regexp_match(_ZONED) if form is None else None
    return Converted(cast(instant, Date()) if to == "date" else instant, moved)


def _plain_number(value: Expression, form: str | None) -> Expression:
    """Digits with a decimal point, without separators of thousands. Null where a format is given and a separator does
    not precede groups of digits: 3.5 is not a number with a decimal comma, least of all 35."""
    if form is None:
        return value
    if form not in (",", "."):
        raise InvalidQuestion(NUMBER_FORMAT(form=repr(form[:20])))
    separators = rf"[{'.' if form == ',' else ','}\s\u00a0\u202f'’]"
    ending = rf"([{form}]\d*)?([eE][+-]?\d{{1,2}})?$"
    grouped = rf"^[+-]?\d{{1,3}}({separators}\d{{2,3}})*{separators}\d{{3}}{ending}"
    bare = func.replace(func.regexp_replace(value, separators, "", "g"), form, ".", type_=Text())
    plain = rf"^[+-]?\d*{ending}"
    return case((or_(value.regexp_match(plain), value.regexp_match(grouped)), bare))


def _tokens(form: str) -> list[tuple[bool, str]]:
    """The fields of a format (True) and what is between them. Also takes strftime's: %d.%m.%Y."""
    named = re.sub(r"%([a-zA-Z])", lambda found: _PERCENT.get(found[1], found[0]), form)
    made, end = [], 0
    for found in _TOKEN.finditer(named):
        made += [(False, named[end : found.start()]), (True, found[0].upper())]
        end = found.end()
    made.append((False, named[end:]))
    if end == 0 or re.search("[A-SU-Za-su-z%]", "".join(text for is_field, text in made if not is_field)):
        raise InvalidQuestion(TIME_FORMAT(form=repr(form[:40])))
    return made


def _date_pattern(form: str | None) -> tuple[str, tuple[str, ...]]:
    if form is None:
        return _ISO, _ISO_FIELDS
    tokens = _tokens(form)
    pattern = "".join(_TOKENS[text][1] if is_field else re.escape(text) for is_field, text in tokens)
    return f"^{pattern}$", tuple(_TOKENS[text][0] for is_field, text in tokens if is_field)


def _moment(found: Expression, fields: tuple[str, ...], once: Once) -> Expression:
    """The time that the groups of a match name; null where there is no such day or time of day."""
    texts = {name: type_coerce(found, ARRAY(Text()))[place] for place, name in enumerate(fields, 1)}

    def whole(name: str, default: int) -> Expression:
        return func.coalesce(cast(texts[name], Integer()), default) if name in texts else literal(default)

    year = whole("year", 1900)
    if "short_year" in texts:
        short = cast(texts["short_year"], Integer())
        year = short + case((short < 70, 2000), else_=1900)
    month = whole("month", 1)
    if "month_name" in texts:
        names = cast(literal(list(_MONTHS), ARRAY(Text())), ARRAY(Text()))
        month = func.array_position(names, func.lower(func.left(texts["month_name"], 3)), type_=Integer())
    year, month, day = once(year), once(month), whole("day", 1)
    hour, minute = whole("hour", 0), whole("minute", 0)
    second: Expression = (
        func.coalesce(cast(texts["second"], Double()), 0.0) if "second" in texts else literal(0.0, Double())
    )
    last_day = func.date_part(
        "day", func.make_date(year, month, 1) + cast(literal("1 month -1 day", Text()), Interval())
    )
    moment: Expression = func.make_timestamp(year, month, day, hour, minute, second, type_=TIMESTAMP())
    if "zone_hour" in texts:
        zone = func.coalesce(cast(texts["zone_hour"], Integer()), 0)
        sign = case((func.left(texts["zone_hour"], 1) == "-", -1), else_=1)
        moment = moment - func.make_interval(
            0, 0, 0, 0, zone, sign * whole("zone_minute", 0), type_=Interval()
        )
    return case(
        (found.is_(None), null()),
        (and_(year.between(1, 9999), month.between(1, 12)).is_not(True), null()),
        (and_(day >= 1, day <= last_day, hour < 24, minute < 60, second < 60).is_not(True), null()),
        else_=moment,
    )
