"""The compiler: one pass over a CQL2 tree gives its canonical JSON and its SQL condition.

It resolves columns of the table, gives literals their types, and raises errors that name the column and the
nearest valid name. Called for every layer, tile, count and query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from agents.core.nearest import nearest
from agents.domain import Cql2, Table
from agents.ports import Filter
from agents.worded import Template
from server.gis.errors import InvalidFilter, did_you_mean, listed, unknown_column
from server.gis.expressions.identifiers import Expression, column_of, geometry_of, split_id, sql_type, srid_of
from server.gis.filters import arithmetic, comparing, date_parts, lists, shape_facts, spatial, temporal, texts
from server.gis.filters.literals import literal
from server.gis.filters.operator_aliases import canonical_operation
from server.gis.filters.reading import read
from server.gis.filters.temporal import Interval
from server.gis.filters.terms import Kind, Term

NO_CONDITION = Template(
    "filter_no_condition", "A filter is made of conditions; {term} is not one, compare it with something."
)
TOO_LARGE = Template(
    "filter_too_large", "The filter is too large: at most {levels} levels and {parts} parts."
)
INTERVAL_USE = Template(
    "filter_interval_use", "An interval can only be compared by temporal operators, as t_during."
)
NOT_CQL2 = Template(
    "filter_not_cql2",
    'This part of the filter is not CQL2: {part}. A condition looks like {"op": ">", "args": '
    '[{"property": "name of a column"}, 5]}.',
)
NEEDS_CONDITIONS = Template("filter_needs_conditions", "{op} needs conditions.")
IN_LIST = Template("filter_in_list", "in takes a column and a list of values, one at least.")
IN_MANY = Template("filter_in_many", "in has {n} values; at most {most} are allowed.")
TWO_NUMBERS = Template("filter_two_numbers", "{op} takes two numbers.")
WHICH_COLUMN = Template(
    "filter_which_column", 'Which of {names} is a column? Write columns as {"property": ...}.'
)
LIST_MANY = Template("filter_list_many", "A list has {n} values; at most {most} are allowed.")
TAKES = Template("filter_takes", "{op} takes {n|one=# argument|other=# arguments}, not {given}.")
NO_OPERATOR = Template("filter_no_operator", "There is no operator {op}.{hint} There are: {operators}.")

MAX_DEPTH = 32
MAX_NODES = 5_000
MAX_CHOICES = 1_000

Condition = sa.ColumnElement[bool]


def compile_filter(table: Table, filter: Filter, source: sa.FromClause | None = None) -> Condition | None:
    """The condition on `relation(table)` or its alias `source`; None without a filter. Raises InvalidFilter."""
    found = _compiled(table, filter, source)
    return None if found is None else found.expression


def compile_normalized(table: Table, filter: Filter) -> tuple[Condition | None, Cql2 | None]:
    """The results of `compile_filter` and `normalize`, of one reading: long lists of values take a while to read."""
    found = _compiled(table, filter, None)
    return (None, None) if found is None else (found.expression, _canonical(found))


def normalize(table: Table, filter: Filter) -> Cql2 | None:
    """The filter as canonical CQL2 JSON, with the table's spelling of columns; None without a filter. Raises
    InvalidFilter."""
    found = _compiled(table, filter, None)
    return None if found is None else _canonical(found)


def both(first: Cql2 | None, second: Cql2 | None) -> Cql2 | None:
    """The filter of rows that pass both filters (CQL2 JSON); None lets all rows pass."""
    if first is None or second is None:
        return second if first is None else first
    return {"op": "and", "args": [first, second]}


def _canonical(found: Term) -> Cql2:
    json: Cql2 = found.json if isinstance(found.json, dict) else {"op": "=", "args": [int(found.json), 1]}
    return json


def _compiled(table: Table, filter: Filter, source: sa.FromClause | None) -> Term | None:
    tree = read(filter, [column.name for column in table.columns])
    if isinstance(tree, list):
        tree = {"op": "and", "args": tree}
    return None if tree is None else _Compiler(table, source).condition(tree)


class _Compiler:
    def __init__(self, table: Table, source: sa.FromClause | None) -> None:
        self._table = table
        self._source = source
        self._depth = 0
        self._nodes = 0

    def condition(self, node: Any) -> Term:
        """A node that must be boolean."""
        term = self.term(node)
        if term.kind == "boolean" and term.is_literal:
            return replace(term, sql=sa.true() if term.value else sa.false())
        if term.kind != "boolean":
            raise InvalidFilter(NO_CONDITION(term=term.label))
        return term

    def term(self, node: Any) -> Term:
        self._depth += 1
        self._nodes += 1
        if self._depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise InvalidFilter(TOO_LARGE(levels=MAX_DEPTH, parts=MAX_NODES))
        try:
            return self._term(node)
        finally:
            self._depth -= 1

    def _term(self, node: Any) -> Term:
        found = literal(node)
        if found is not None:
            return found
        if isinstance(node, Mapping):
            name = node.get("property", node.get("column"))
            if isinstance(name, str) and len(node) == 1:
                return self._property(name)
            if spatial.is_geometry(node):
                return spatial.geometry_literal(node)
            operation = canonical_operation(node)
            if operation is not None:
                return self._operation(*operation)
            if "interval" in node:
                raise InvalidFilter(INTERVAL_USE())
        raise InvalidFilter(NOT_CQL2(part=_shown(node)))

    def _operation(self, name: str, args: list[Any], negated: bool) -> Term:
        term = self._applied(name, args)
        return term.negated if negated else term

    def _applied(self, name: str, args: list[Any]) -> Term:
        if name in ("and", "or"):
            return self._joined(name, args)
        if name in comparing.COMPARISONS or name == "like":
            left, right = self._terms(name, self._guessed(args), 2)
            return comparing.like(left, right) if name == "like" else comparing.comparison(name, left, right)
        if name in arithmetic.ARITHMETIC:
            return self._calculated(name, args)
        if name in spatial.RELATIONS:
            return spatial.spatial_relation(name, *self._terms(name, args, 2))
        if name in temporal.RELATIONS:
            left_time, right_time = (self._interval(each) for each in _counted(name, args, 2))
            return temporal.temporal_relation(name, left_time, right_time)
        if name in lists.ARRAYS:
            one, other = (self._list_or_term(each) for each in _counted(name, args, 2))
            return lists.array_compared(name, one, other)
        special = self._special.get(name)
        if special is not None:
            return special(self, args)
        if name in texts.FOLDS:
            return texts.fold_text(name, self._terms(name, args, 1)[0])
        if name in shape_facts.SHAPE_FACTS:
            return shape_facts.shape_fact(name, self._terms(name, args, 1)[0])
        if name in date_parts.DATE_PARTS:
            return date_parts.date_part(name, self._terms(name, args, 1)[0])
        raise _unknown_operator(name)

    def _joined(self, name: str, args: list[Any]) -> Term:
        if not args:
            raise InvalidFilter(NEEDS_CONDITIONS(op=name))
        terms = [self.condition(each) for each in args]
        if len(terms) == 1:
            return terms[0]
        together = sa.and_ if name == "and" else sa.or_
        json: dict[str, Any] = {"op": name, "args": []}
        for term in terms:
            same = isinstance(term.json, dict) and term.json.get("op") == name
            json["args"] += term.json["args"] if same else [term.json]
        return Term("boolean", json, together(*(term.expression for term in terms)))

    def _negation(self, args: list[Any]) -> Term:
        return self.condition(_counted("not", args, 1)[0]).negated

    def _between(self, args: list[Any]) -> Term:
        value, low, high = self._terms("between", self._guessed(args), 3)
        return comparing.between(value, low, high)

    def _in(self, args: list[Any]) -> Term:
        value, choices = _counted("in", self._guessed(args), 2)
        if not isinstance(choices, list) or not choices:
            raise InvalidFilter(IN_LIST())
        if len(choices) > MAX_CHOICES:
            raise InvalidFilter(IN_MANY(n=len(choices), most=MAX_CHOICES))
        return comparing.is_in(self.term(value), [self.term(each) for each in choices])

    def _is_null(self, args: list[Any]) -> Term:
        return comparing.is_null(self._terms("isNull", self._guessed(args), 1)[0])

    def _near(self, args: list[Any]) -> Term:
        return spatial.within_distance(*self._terms(spatial.DISTANCE, args[:3], 3))

    _special: dict[str, Callable[[_Compiler, list[Any]], Term]] = {
        "not": _negation,
        "between": _between,
        "in": _in,
        "isNull": _is_null,
        spatial.DISTANCE: _near,
    }

    def _calculated(self, name: str, args: list[Any]) -> Term:
        if name == "-" and len(args) == 1:
            args = [0, *args]
        terms = [self.term(each) for each in args]
        if len(terms) < 2 or (len(terms) > 2 and name not in ("+", "*")):
            raise InvalidFilter(TWO_NUMBERS(op=name))
        result = terms[0]
        for each in terms[1:]:
            result = arithmetic.calculation(name, result, each)
        return result

    def _terms(self, name: str, args: list[Any], count: int) -> list[Term]:
        return [self.term(each) for each in _counted(name, args, count)]

    def _interval(self, node: Any) -> Interval:
        if isinstance(node, Mapping) and set(node) == {"interval"}:
            return temporal.interval(node["interval"], self.term)
        return temporal.instant_of(self.term(node))

    def _list_or_term(self, node: Any) -> Term | Sequence[Term]:
        if isinstance(node, list):
            if len(node) > MAX_CHOICES:
                raise InvalidFilter(LIST_MANY(n=len(node), most=MAX_CHOICES))
            return [self.term(each) for each in node]
        term = self.term(node)
        return [term] if term.is_literal else term

    def _guessed(self, args: list[Any]) -> list[Any]:
        """`["name", "x"]`, which models write for a property and a value, if it cannot mean anything else."""
        if not args or not isinstance(args[0], str) or self._table.column(args[0]) is None:
            return args
        others = args[1] if len(args) == 2 and isinstance(args[1], list) else args[1:]
        if any(isinstance(each, Mapping | list) for each in others):
            return args
        if any(isinstance(each, str) and self._table.column(each) is not None for each in others):
            raise InvalidFilter(WHICH_COLUMN(names=listed([str(each) for each in args])))
        return [{"property": args[0]}, *args[1:]]

    def _property(self, name: str) -> Term:
        found = self._resolved(name)
        column = self._table.column(found)
        assert column is not None  # noqa: S101 - _resolved returns names of columns
        kind: Kind = column.kind
        if kind == "geometry":
            geometry = geometry_of(self._table, found, self._source)
            return Term(kind, {"property": found}, geometry, column=column, srid=srid_of(self._table, found))
        sql: Expression = column_of(self._table, found, self._source)
        declared = sql_type(column)
        folds: tuple[str, ...] = ()
        if column.sql_type.endswith("[]"):
            kind = "array"
            if not isinstance(declared, pg.ARRAY):
                declared = pg.ARRAY(sa.Text())
                sql = sa.cast(sql, declared)
        if kind == "text" and not isinstance(declared, sa.Text):
            sql, declared = sa.cast(sql, sa.Text), sa.Text()
        if column.sql_type == "citext":
            sql, folds = sa.func.lower(sql, type_=sa.Text()), ("casei",)
        if kind == "json" and not isinstance(declared, pg.JSONB):
            sql, declared = sa.cast(sql, pg.JSONB), pg.JSONB()
        return Term(kind, {"property": found}, sql, column=column, type=declared, folds=folds)

    def _resolved(self, name: str) -> str:
        """The column's exact name for spellings that can only mean one column. Raises UnknownColumn."""
        if self._table.column(name) is not None:
            return name
        parts = split_id(name)
        if len(parts) > 1 and (parts[-2].lower() in ("properties", self._table.name.lower())):
            return self._resolved(parts[-1])
        alike = [column.name for column in self._table.columns if column.name.lower() == name.lower()]
        if len(alike) == 1:
            return alike[0]
        if not alike and name.lower() in ("geometry", "geom") and self._table.geometry_column:
            return self._table.geometry_column
        raise unknown_column(self._table, name)


def _counted(name: str, args: list[Any], count: int) -> list[Any]:
    if len(args) != count:
        raise InvalidFilter(TAKES(op=name, n=count, given=len(args)))
    return args


SUPPORTED = (
    "and", "or", "not", *comparing.COMPARISONS, "like", "between", "in", "isNull", *texts.FOLDS,
    *arithmetic.ARITHMETIC, *spatial.RELATIONS, spatial.DISTANCE,
    *shape_facts.SHAPE_FACTS, *date_parts.DATE_PARTS, *temporal.RELATIONS, *lists.ARRAYS,
)  # fmt: skip


def _unknown_operator(name: str) -> InvalidFilter:
    close = nearest(name, [each for each in SUPPORTED if len(each) > 3])
    hint = did_you_mean(close[:1])
    return InvalidFilter(NO_OPERATOR(op=repr(name[:40]), hint=hint, operators=listed(SUPPORTED, 64)))


def _shown(node: Any) -> str:
    text = repr(node)
    return text if len(text) <= 80 else text[:77] + "..."
