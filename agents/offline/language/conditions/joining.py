"""Joins consecutive conditions: `and` binds tighter than `or`, except for alternatives of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.meaning.columns import is_point_in_time
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Day,
    Empty,
    Group,
    Matches,
    Negation,
    OneOf,
    Operand,
    Quantity,
    joined,
)


def all_joined(
    first: Condition, others: Sequence[tuple[str, Condition]], tables: Sequence[Table]
) -> Condition:
    """Join conditions with the words between them.

    `in Peru above 3 km or below 10 m` means both heights in Peru. In `in Peru above 3 km or below 10 m in
    Chile`, two conditions are of the same kind, so `or` separates the two groups; likewise if `and` follows
    alternatives of different kinds.
    """
    groups, joiners, is_either = [[first]], [""], ""
    for joiner, condition in others:
        group = groups[-1]
        each = _of_the_column_before(group[-1], condition, joiner, tables) if joiner else condition
        if joiner == "or":
            is_either = _likeness(group[-1], each, joiners[-1])
            if is_either:
                group[-1] = joined("or", [*_parts(group[-1]), each])
                while joiners[-1] == "," and _are_same_kind(
                    group[-2], each
                ):  # `below 2, above 50 or exactly 10`
                    joiners.pop()
                    last = group.pop()
                    group[-1] = joined("or", [*_parts(group[-1]), *_parts(last)])
            else:
                groups.append([each])
                joiners.append("")
            continue
        says_again = any(_are_same_kind(one, each) for one in group[:-1]) or (is_either == "facts" and joiner)
        if is_either and says_again:
            *earlier, last = _parts(group.pop())
            group.append(joined("or", list(earlier)))
            groups.append([last, each])
        else:
            group.append(each)
        joiners.append(joiner)
        is_either = ""
    return joined("or", [joined("and", group) for group in groups])


def _likeness(one: Condition, other: Condition, joiner: str) -> str:
    """`same` for conditions of the same kind, `facts` for two conditions that are not values, unless `and`
    precedes."""
    if _are_same_kind(one, other):
        return "same"
    are_facts = not any(isinstance(each, OneOf | Group) for each in (*_parts(one), other))
    return "facts" if are_facts and not joiner else ""


def _of_the_column_before(
    before: Condition, each: Condition, joiner: str, tables: Sequence[Table]
) -> Condition:
    """The condition with the column of the previous one: `founded before 1900 or after 2000`.

    After `and`, a number is the other bound: `more than 2 lanes and fewer than 6`.
    """
    last = _parts(before)[-1]
    if not isinstance(last, Compare | Between) or not isinstance(each, Compare | Between):
        return each
    is_bare = each.column is None and all(
        isinstance(value, Day) or (isinstance(value, Quantity) and value.unit is None)
        for value in _values(each)
    )
    if last.column is None or not is_bare:
        return each
    if each.measure:
        is_meant = each.measure == "time" and (
            last.measure == "time" or _are_points_in_time(last.column, tables)
        )
    else:
        is_meant = joiner == "or" or _are_two_ends(last, each, joiner)
    return replace(each, column=last.column, measure=last.measure) if is_meant else each


def _are_points_in_time(mention: ColumnMention, tables: Sequence[Table]) -> bool:
    columns = [each for table in tables for each in table.columns if each.name in mention.columns]
    return bool(columns) and all(map(is_point_in_time, columns))


def _are_two_ends(one: Compare | Between, other: Compare | Between, joiner: str) -> bool:
    """Whether one is a lower and the other an upper bound; within a list (`below 2, above 50 or exactly 10`)
    any two different comparisons count."""
    signs = [each.op[0] if isinstance(each, Compare) else "" for each in (one, other)]
    return set(signs) == {"<", ">"} or (joiner == "," and signs[0] != signs[1])


def _are_same_kind(one: Condition, other: Condition) -> bool:
    """Whether two conditions are of the same kind: on the same measure, on a place, or on an empty column."""
    match _parts(one)[-1], other:
        case (Compare(value=bool()), Compare(value=bool())):
            return True
        case (Compare() | Between() as first, Compare() | Between() as second):
            if first.column is not None or second.column is not None:
                return first.column is not None and first.column == second.column
            dimensions = {value.unit.dimension for value in _numbers(first, second) if value.unit is not None}
            return first.measure == second.measure and len(dimensions) <= 1
        case (OneOf() as first, OneOf() as second):
            return (first.how, first.column) == (second.how, second.column)
        case (Matches() as first, Matches() as second):
            return first.column == second.column
        case (Negation(first), Negation(second)):
            return _are_same_kind(first, second)
        case (first, second):
            return isinstance(first, Empty) and isinstance(second, Empty)


def _parts(condition: Condition) -> tuple[Condition, ...]:
    """The alternatives of a condition, or the condition itself."""
    return condition.parts if isinstance(condition, Group) and condition.op == "or" else (condition,)


def _values(condition: Compare | Between) -> tuple[Operand, ...]:
    return (condition.value,) if isinstance(condition, Compare) else (condition.low, condition.high)


def _numbers(*conditions: Compare | Between) -> list[Quantity]:
    return [value for each in conditions for value in _values(each) if isinstance(value, Quantity)]
