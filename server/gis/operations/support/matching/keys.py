"""When a key of one table agrees with a key of another, whatever types the two are declared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import TIMESTAMP, ColumnElement, Numeric, Text, case, cast, func

from agents.domain import Column
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import in_utc, is_zoned
from server.gis.operations.support.attributes.columns import NUMERIC, comparable
from server.gis.operations.support.base import Source

TEXTS_AS_NUMBERS = Template(
    "op_texts_as_numbers", "The texts of {column} were compared as numbers: '007' agrees with 7."
)

KEYS = Template(
    "op_keys",
    "{first} holds {type} and {second} {other}, which never agree. Choose keys of one kind, or compute "
    "one that fits first.",
)
MIDNIGHTS = Template(
    "op_midnights", "Dates were compared as their midnights: they agree with no later time of the day."
)
UTC = Template("op_utc", "Times without a time zone were taken as UTC.")

TIMES = ("date", "timestamp")
_NUMBER = r"^[+-]?\d{1,100}(\.\d{1,100})?$"


@dataclass(frozen=True)
class KeyPair:
    """The two columns, brought to one type: rows agree where these are equal. `notes` say how they were read."""

    mine: ColumnElement[Any]
    theirs: ColumnElement[Any]
    notes: tuple[str, ...] = ()


def key_pair(source: Source, key: str, other: Source, other_key: str) -> KeyPair:
    """Keys of one kind are compared as they are, texts without case and outer spaces, dates as midnights, and texts
    that are to agree with numbers as numbers. Raises InvalidQuestion for kinds that can never agree."""
    known = (comparable(source, key), comparable(other, other_key))
    mine, theirs = columns = (source.column(known[0].name), other.column(known[1].name))
    kinds = {column.kind for column in known}
    if kinds <= {*NUMERIC} or (len(kinds) == 1 and kinds <= {"boolean"}):
        return KeyPair(mine, theirs)
    if kinds <= {*TIMES}:
        return _times(known, *columns)
    if "text" in kinds and kinds & {*NUMERIC}:
        text = next(column.name for column in known if column.kind == "text")
        mine, theirs = (_number(column, each) for column, each in zip(known, columns, strict=True))
        return KeyPair(mine, theirs, (TEXTS_AS_NUMBERS(column=text),))
    if kinds & {*TIMES, *NUMERIC, "boolean"} and "text" not in kinds:
        names = (f"{key!r} of {source.table.id}", f"{other_key!r} of {other.table.id}")
        raise InvalidQuestion(
            KEYS(first=names[0], type=known[0].sql_type, second=names[1], other=known[1].sql_type)
        )
    if known[0].sql_type == known[1].sql_type and "text" not in kinds:
        return KeyPair(mine, theirs)
    return KeyPair(_plain(mine), _plain(theirs))


def _times(known: tuple[Column, Column], mine: ColumnElement[Any], theirs: ColumnElement[Any]) -> KeyPair:
    if known[0].sql_type == known[1].sql_type:
        return KeyPair(mine, theirs)
    notes = []
    if any(column.kind == "date" for column in known):
        notes.append(MIDNIGHTS())
    if is_zoned(known[0].sql_type) != is_zoned(known[1].sql_type):
        notes.append(UTC())
    mine, theirs = (
        cast(in_utc(column, each.sql_type), TIMESTAMP(timezone=False))
        for each, column in zip(known, (mine, theirs), strict=True)
    )
    return KeyPair(mine, theirs, tuple(notes))


def _number(known: Column, column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column as a number by way of its text, which is exact also for floats; null for texts that are not
    numbers."""
    if known.kind != "text":
        return cast(cast(column, Text()), Numeric())
    text = func.btrim(cast(column, Text()), type_=Text())
    return case((text.regexp_match(_NUMBER), cast(text, Numeric())))


def _plain(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.lower(func.btrim(cast(column, Text())))
