"""Translates conditions to CQL2: finds columns, looks up values, converts quantities to the column's unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.contradictions import column_of_two_values
from agents.offline.language.conditions.explained_numbers import denials_of, explains_number
from agents.offline.language.conditions.flags import answers, flag_values, is_flag
from agents.offline.language.conditions.value_text import opposite_of
from agents.offline.language.names.costs import years_in
from agents.offline.language.tokens import tokenize
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import compared_column, is_number, is_point_in_time, named_column
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    DatePart,
    Day,
    Empty,
    GeometryFact,
    Group,
    InFocus,
    Matches,
    NamedRow,
    NearSpot,
    Negation,
    OneOf,
    OnSide,
    Operand,
    Quantity,
    all_of,
)
from agents.offline.meaning.cql2 import (
    columns_in,
    combined,
    contains,
    equals,
    flat,
    is_null,
    negated,
    property_of,
)
from agents.offline.meaning.filters import values
from agents.offline.meaning.filters.alike_columns import or_worse, without, without_or_worse
from agents.offline.meaning.filters.depths import compared_depth
from agents.offline.meaning.filters.flags_in_words import mentions_number
from agents.offline.meaning.filters.geometries import in_focus, near_spot, of_shape, on_side
from agents.offline.meaning.filters.other_tables import inside_of
from agents.offline.meaning.filters.other_words import column_held
from agents.offline.meaning.filters.states import only_begun
from agents.offline.meaning.filters.times import (
    at_edge,
    at_time,
    dates_of_state,
    earlier,
    in_decade,
    in_force,
    in_years,
    of_every_year,
    state_words,
    weekdays_named,
)
from agents.offline.meaning.places import number_of_row
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Refuse, Scene, unless_refused
from agents.offline.meaning.spellings import unquoted
from agents.offline.meaning.stored_values import stored_values, with_change, with_value, without_value
from agents.offline.meaning.units import column_unit, convert, whole
from agents.worded import numeral

_CONVERTED = frozenset(("length", "area", "speed", "mass", "power", "time"))
"""Dimensions with several units: a number without the unit would be ambiguous."""
_KINDS = {
    "boolean": "yes or no",
    "integer": "numbers",
    "number": "numbers",
    "date": "dates",
    "timestamp": "times",
}
"""What columns of each kind hold."""


async def to_cql2(scene: Scene, table: Table, condition: Condition) -> Cql2:
    """The condition as a filter on this table. Raises Ask or Refuse."""
    match condition:
        case Group("and", parts) if len(merged := _in_their_year(parts)) < len(parts):
            return await to_cql2(scene, table, all_of(*merged) or condition)
        case Group(op, parts):
            dated = await _dated_by_state(scene, table, parts) if op == "and" else parts
            args = flat(op, [await to_cql2(scene, table, part) for part in dated])
            if op == "and" and (twice := column_of_two_values(args)) is not None:
                raise Refuse(refusals.TWO_VALUES(table=table.title, column=twice))
            return {"op": op, "args": args}
        case Negation(Compare(op="=", value=bool()) as inner):
            return await to_cql2(scene, table, replace(inner, value=not inner.value))
        case Negation(Compare() as inner):
            return await to_cql2(scene, table, replace(inner, op=opposite_of(inner.op)))
        case Negation(Empty(mention, filler)) if (
            value := await _filler_value(scene, table, mention, filler)
        ) is not None:
            return value
        case Negation(Empty(mention, unknown=False)):
            return await with_value(scene, table, named_column(scene, table, mention))
        case Negation(OneOf(text, None)) if (unset := without(table, text)) is not None:
            return unset
        case Negation(inner):
            return _denied(table, await to_cql2(scene, table, inner))
        case Compare():
            return await _compared(scene, table, condition)
        case Between():
            return _range(scene, table, condition)
        case Matches(how, text, mention):
            column = _text_column(scene, table, mention)
            before, after = ("" if how == "starts" else "%"), ("" if how == "ends" else "%")
            return contains(column.name, unquoted(text), before, after)
        case Empty():
            found = await _empty(scene, table, condition)
            return await only_begun(scene, table, found) if condition.undone else found
        case GeometryFact(fact):
            return of_shape(table, fact)
        case DatePart():
            named = await weekdays_named(scene, table, condition)
            return named if named is not None else of_every_year(scene, table, condition)
        case OnSide():
            return await on_side(scene, table, condition)
        case NearSpot():
            return await near_spot(scene, table, condition)
        case InFocus():
            return await in_focus(scene, table, condition)
        case OneOf():
            found = await _one_of(scene, table, condition)
            return found if condition.column is not None else await only_begun(scene, table, found)


def _denied(table: Table, affirmed: Cql2) -> Cql2:
    """The opposite of a filter: of a column of yes, partly and no, `not accessible` means no, but `not partly` both; of
    a comment that explains it, only that value."""
    own = [column for name in columns_in(affirmed) if (column := table.column(name)) is not None]
    is_yes = affirmed["op"] in ("=", "in") and len(own) == 1 and answers(own[0]) and not is_flag(own[0])
    asked = affirmed["args"][1] if is_yes else []
    said = asked if isinstance(asked, list) else [asked]
    denials: list[Any] = []
    if is_yes and {*flag_values(own[0], True)}.intersection(said):
        denials = flag_values(own[0], False)
    if affirmed["op"] == "=" and len(own) == 1 and not denials:
        denials = denials_of(own[0], affirmed["args"][1])
    return equals(own[0].name, denials) if denials else negated(affirmed)


def _in_their_year(parts: Sequence[Condition]) -> Sequence[Condition]:
    """The conditions with columns of the stated year: `traffic below 1000 in 2019` uses `aadt_2019`, not a date."""
    when = [each for each in parts if isinstance(each, Compare) and each.op == "=" and each.measure == "time"]
    year = when[0].value.text if len(when) == 1 and isinstance(when[0].value, Quantity) else ""
    found: list[Condition] = []
    for each in parts:
        if year and isinstance(each, Compare | Between) and each.column is not None:
            text, names = f"{each.column.text} in {year}", each.column.columns
            if names and all(map(years_in, names)):
                of_year = tuple(name for name in names if year in years_in(name))
                found.append(replace(each, column=ColumnMention(text, of_year)))
                continue
        if each not in when:
            found.append(each)
    return found if set(found) - set(parts) else parts


async def _dated_by_state(scene: Scene, table: Table, parts: Sequence[Condition]) -> Sequence[Condition]:
    """The conditions with the date of the state that they name: `refused in 2024` by `dec_dt`, “Date of decision”."""
    when = [
        each for each in parts if isinstance(each, Compare) and each.measure == "time" and not each.column
    ]
    dates = [each for each in table.columns if is_point_in_time(each)]
    if not when or len(when) == len(parts) or len(dates) < 2:
        return parts
    states = [await to_cql2(scene, table, each) for each in parts if each not in when]
    words = {word for each in states for name in columns_in(each) for word in name_words(name)}
    words |= state_words(tuple(parts))  # `expired in 2024`
    named = dates_of_state(table, words)
    if len(named) != 1:
        return parts
    known = negated(is_null(named[0].name))
    if not await scene.data.count(table.id, {"op": "and", "args": [*states, known]}):
        return parts  # `pending since 2020`: nothing was decided
    column = ColumnMention("the time", (named[0].name,))
    return [replace(each, column=column) if each in when else each for each in parts]


async def _filler_value(scene: Scene, table: Table, mention: ColumnMention, filler: str) -> Cql2 | None:
    """The filter for `with status reported`, if a row has that value."""
    column = named_column(scene, table, mention)
    if not filler or column.kind != "text":
        return None
    values = (await stored_values(scene, table, [column], [filler])).get(column.name)
    return equals(column.name, values) if values else None


async def _empty(scene: Scene, table: Table, condition: Empty) -> Cql2:
    """The filter for `with no result available`. Raises Ask if that word is also a value."""
    column = named_column(scene, table, condition.column)
    value = await _filler_value(scene, table, condition.column, condition.said)
    if value is not None:
        options = [f"{column.name} is empty", f"{column.name} is not {condition.said}"]
        question = refusals.VALUE_WHICH(text=condition.said, first=options[0], second=options[1])
        if scene.choose(options, question) == options[1]:
            return negated(value)
    if condition.unknown:
        return is_null(column.name)
    return await without_value(scene, table, column)


_HINTED = re.compile(r".+ \((?P<hint>[^()]+)\)")  # `vitrified clay (VCP)`: a value in words, and as stored


async def _one_of(scene: Scene, table: Table, condition: OneOf) -> Cql2:
    if (least := without_or_worse(condition.text)) is not None:
        from_here = await _one_of(scene, table, replace(condition, text=least))
        return await or_worse(scene, table, from_here, condition.text)
    try:
        column = named_column(scene, table, condition.column) if condition.column is not None else None
    except Refuse:  # `of those in the Lockyer basin`, of areas with a basin
        there = f"{condition.text} {condition.column.text}" if condition.column is not None else ""
        found = await unless_refused(inside_of(scene, table, there))
        if found is None:
            raise
        return found
    if hinted := _HINTED.fullmatch(condition.text):
        columns = [column] if column is not None else text_columns(table)
        if not await stored_values(scene, table, columns, [condition.text]):
            condition = replace(condition, text=hinted["hint"])
    if column is not None:
        if column.kind == "text" or explains_number(column, condition.text):
            return await values.in_column(scene, table, column, condition.text)
        return _typed(table, column, condition.text)
    if condition.how == "of":
        return await values.in_place_or_named(scene, table, condition.text)
    if condition.how == "named":
        return await values.with_name(scene, table, condition.text)
    if condition.how == "kind":
        try:
            return await values.of_kind(scene, table, condition.text)
        except Refuse:
            if condition.text.lower() in ("invalid", "valid") and table.geometry_column is not None:
                return of_shape(table, condition.text.lower())
            measured = column_held(table, condition.text)
            if measured is None:
                raise
            return await with_value(scene, table, measured)
    return await values.in_place(scene, table, condition.text)


def _typed(table: Table, column: Column, text: str) -> Cql2:
    """A word compared with a column that holds no text. Raises Refuse if it does not fit."""
    if column.kind == "boolean" and text.lower() in ("true", "yes", "false", "no"):
        return {"op": "=", "args": [property_of(column.name), text.lower() in ("true", "yes")]}
    tokens = tokenize(unquoted(text))  # `"4"` of “4 = bad”
    numbers = [whole(token.value, token.text) for token in tokens if token.kind == "number"]
    others = [token for token in tokens if token.kind != "number" and token.lower not in ("or", "and", ",")]
    if is_number(column) and numbers and not others:
        return equals(column.name, numbers)
    raise Refuse(refusals.OTHER_KIND(column=column.name, table=table.title, kind=column.kind, text=text))


def _text_column(scene: Scene, table: Table, mention: ColumnMention | None) -> Column:
    column = named_column(scene, table, mention) if mention is not None else name_column(table)
    if column is None or column.kind != "text":
        raise Refuse(
            refusals.NO_TEXT(column=column.name if column else refusals.VALUE_NO_COLUMN(), table=table.title)
        )
    return column


async def _compared(scene: Scene, table: Table, condition: Compare) -> Cql2:
    """A comparison; a number is looked up in a text column like a word (`felt in 2020` has no value of `felt`)."""
    if (lasting := in_force(table, condition)) is not None:
        return lasting
    column = compared_column(scene, table, condition)
    condition = compared_depth(scene, column, condition)
    value, op = condition.value, condition.op
    if isinstance(value, NamedRow):
        return {
            "op": op,
            "args": [property_of(column.name), await number_of_row(scene, table, column, value)],
        }
    if column.kind == "text" and isinstance(value, Quantity) and op in ("=", "<>"):
        found = await values.in_column(scene, table, column, value.text)
        return found if op == "=" else negated(found)
    return _comparison(scene, table, column, condition)


def _comparison(scene: Scene, table: Table, column: Column, condition: Compare) -> Cql2:
    if condition.measure == "old" and is_point_in_time(column):
        condition = earlier(column, condition)
    op, value = at_edge(column, condition.op, condition.value)
    condition = replace(condition, op=op, value=value)
    if isinstance(condition.value, ColumnMention):
        return with_change(_with_column(scene, table, column, condition.op, condition.value), condition)
    if column.kind in ("date", "timestamp"):
        return at_time(column, condition.op, condition.value)
    if isinstance(condition.value, Day) and condition.value.text.endswith("s"):
        return in_decade(table, column, condition.op, condition.value)
    is_answer = isinstance(condition.value, bool) and answers(column)
    stored = flag_values(column, condition.value is True) if is_answer else []
    if stored and condition.op in ("=", "<>"):
        found = equals(column.name, stored)
        return found if condition.op == "=" else negated(found)
    if column.kind == "text" and isinstance(condition.value, Quantity):
        raise Refuse(refusals.VALUE_NO_NUMBERS(column=column.name, table=table.title))
    return {"op": condition.op, "args": [property_of(column.name), _operand(table, column, condition.value)]}


def _with_column(scene: Scene, table: Table, column: Column, op: str, mention: ColumnMention) -> Cql2:
    """A comparison of two columns of a row. Raises Refuse unless they have the same unit."""
    other = named_column(scene, table, mention)
    if other.name == column.name:
        raise Refuse(refusals.ITSELF(text=mention.text, column=column.name), refusals.TWO_COLUMNS())
    one_unit, other_unit = column_unit(column), column_unit(other)
    if (is_number(column), column.kind == "text") != (is_number(other), other.kind == "text") or (
        not is_number(column) and column.kind != other.kind
    ):
        raise Refuse(
            refusals.NOT_COMPARABLE(
                column=column.name, kind=column.kind, other=other.name, other_kind=other.kind
            )
        )
    if one_unit != other_unit and one_unit is not None and other_unit is not None:
        raise Refuse(
            refusals.UNITS(
                column=column.name, unit=one_unit.symbol, other=other.name, other_unit=other_unit.symbol
            ),
            refusals.CALCULATE(),
        )
    return {"op": op, "args": [property_of(column.name), property_of(other.name)]}


def _range(scene: Scene, table: Table, condition: Between) -> Cql2:
    column = compared_column(scene, table, condition)
    if column.kind in ("date", "timestamp"):
        ends = [at_edge(column, op, end) for op, end in ((">=", condition.low), ("<=", condition.high))]
        first, last = (at_time(column, op, end) for op, end in ends)
        return combined("and", first, last)
    low, high = (_operand(table, column, end) for end in in_years(column, condition))
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        low, high = high, low
    return {"op": "between", "args": [property_of(column.name), low, high]}


def _operand(table: Table, column: Column, value: Operand) -> float | int | str | bool:
    if isinstance(value, Quantity) and mentions_number(column, value.value):
        return True
    if isinstance(value, bool) or column.kind == "boolean":
        raise Refuse(refusals.NO_BOOLEAN(column=column.name, table=table.title, kind=column.kind))
    if isinstance(value, Quantity):
        if column.kind == "text":
            return value.text
        if not is_number(column):
            raise Refuse(refusals.VALUE_NO_NUMBERS(column=column.name, table=table.title))
        own = column_unit(column)
        is_years = value.unit is not None and value.unit.symbol == "years"
        if value.unit is not None and own is None and value.unit.dimension in _CONVERTED and not is_years:
            raise Refuse(
                refusals.VALUE_NO_UNIT(column=column.name, table=table.title),
                refusals.SAY_NUMBER(
                    column=column.name.replace("_", " "), value=numeral(value.value, f"{value.value:g}")
                ),
            )
        if value.unit is None or own is None:
            return whole(value.value, value.text)
        if own.dimension != value.unit.dimension:
            raise Refuse(
                refusals.UNIT_UNLIKE(column=column.name, table=table.title, unit=own.symbol, text=value.text)
            )
        return whole(convert(value.value, value.unit, own))
    if isinstance(value, Day | ColumnMention | NamedRow):
        raise Refuse(refusals.NO_DATES(column=column.name, table=table.title))
    return value
