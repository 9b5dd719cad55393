"""Arguments for any operation, made from its schema: so a new operation is tried without a word here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from agents.domain import Table
from server.gis.operations.support.base import Operation
from server.gis.operations.support.tabular.change import Fact, Target

LENGTH = "20 km"
Arguments = dict[str, Any]


def variants(
    operation: Operation[Any], table: Table, partner: Table, *, thorough: bool, step: int, turn: int
) -> Iterator[Arguments]:
    """The plainest arguments, then each choice and each optional argument on its own.

    `thorough` tries every column in every place that takes one. Of all that only every `step`-th is tried, another
    one for each `turn`, so that several tables and operations together meet them all."""
    schema = _schema(operation.arguments)
    seen: set[str] = set()
    for number, arguments in enumerate(_Shaper(schema, table, partner, thorough).all()):
        mark = json.dumps(arguments, sort_keys=True)
        if mark not in seen and (number == 0 or (number + turn) % step == 0):
            seen.add(mark)
            yield arguments


@cache
def _schema(arguments: type[BaseModel]) -> Mapping[str, Any]:
    return arguments.model_json_schema()


class _Shaper:
    def __init__(self, schema: Mapping[str, Any], table: Table, partner: Table, thorough: bool) -> None:
        self._definitions = schema.get("$defs", {})
        self._properties: Mapping[str, Mapping[str, Any]] = schema["properties"]
        self._required = set(schema.get("required", ()))
        self._tables = {"source": table, "sources": table}
        self._first, self._partner, self._thorough = table, partner, thorough

    def all(self) -> Iterator[Arguments]:
        bare = {name: self._values(name)[0] for name in self._properties if name in self._required}
        # Many operations take either a distance or something else.
        plain = {**bare, "distance": LENGTH} if self._is_length("distance") else bare
        yield plain
        yield bare
        for name in self._properties:
            for value in self._values(name):
                yield {**plain, name: value}
                if bare != plain and not self._thorough:
                    yield {**bare, name: value}

    def _is_length(self, name: str) -> bool:
        return name in self._properties and bool(
            self._resolved(self._properties[name]) & {"number", "string"}
        )

    def _resolved(self, field: Mapping[str, Any]) -> set[str]:
        kinds = {str(field["type"])} if "type" in field else set()
        for each in field.get("anyOf", ()):
            kinds |= self._resolved(each)
        if "$ref" in field:
            kinds |= {"object"}
        return kinds

    def _values(self, name: str) -> list[Any]:
        """What an argument may be, the most usual first."""
        field = self._properties[name]
        refers = _within(field, "x-refers-to")
        kinds = self._resolved(field)
        if refers == "table":
            return self._named_tables(name, many="array" in kinds)
        if refers == "column":
            names = self._columns(str(_within(field, "x-of") or "source"))
            return [[names[0]], names[:20], *([each] for each in names[1:])] if "array" in kinds else names
        if choices := _within(field, "enum"):
            return list(choices)
        if name == "filter":
            return self._filters()
        if name == "expression":
            return [self._quoted(each) + " + 1" for each in self._columns("source")]
        if "array" in kinds:
            return self._lists(field)
        if "boolean" in kinds:
            return [True, False]
        if kinds >= {"number", "string"}:
            return [LENGTH]
        return self._scalars(name, field, kinds)

    def _scalars(self, name: str, field: Mapping[str, Any], kinds: set[str]) -> list[Any]:
        if name == "srid":
            return [4326, 3857]
        if "integer" in kinds:
            return [max(2, int(_within(field, "minimum") or 2))]
        if "number" in kinds:
            return [0.5]
        return ["result"]

    def _named_tables(self, name: str, *, many: bool) -> list[Any]:
        if many:
            return [[self._first.id, self._partner.id], [self._partner.id, self._first.id]]
        return [self._first.id] if name == "source" else [self._partner.id, self._first.id]

    def _columns(self, of: str) -> list[str]:
        table = self._tables.get(of, self._partner)
        numbers = [
            each.name for each in table.columns if each.kind in ("number", "integer") and each.name != "id"
        ]
        others = [each.name for each in table.columns if each.name not in numbers]
        return [*numbers, *others] if self._thorough else [*numbers[:1], "t"]

    def _lists(self, field: Mapping[str, Any]) -> list[Any]:
        """Lists of choices, or of objects such as aggregates with a function and a column."""
        items = _within(field, "items") or {}
        if choices := _within(items, "enum"):
            return [list(choices)]
        if self._resolved(items) >= {"number", "string"}:
            return [["10 km", LENGTH]]
        reference = items.get("$ref", "").rpartition("/")[2]
        if reference == "ColumnChange":
            return self._changes()
        functions = (
            self._definitions.get(reference, {}).get("properties", {}).get("function", {}).get("enum", [])
        )
        table = "other" if "other" in self._properties else "source"
        columns = self._columns(table)
        made = [[{"function": each, "column": columns[0]} for each in functions]]
        for column in columns[1:]:
            made += [[{"function": each, "column": column}] for each in ("min", "max", "distinct")]
        return made

    def _changes(self) -> list[Any]:
        """Lists of one change, for each function with the fields that it takes; some go on with what one made."""
        names = self._columns("source")
        rest = [name for name in ("n", "t") if name not in names]
        made: list[Any] = [[{"function": "keep", "columns": names}]]
        for name in [*names, *rest]:
            made += [[{"function": function, **fields}] for function, fields in _fields(name)]
        made += [[{"function": "geometry", "fact": each, "name": "fact"}] for each in get_args(Fact)]
        made += [[{"function": "geometry", "fact": each, "srid": 3035}] for each in ("x", "ymax", "wkt")]
        made.append([*({"function": each, "column": "t"} for each in ("trim", "upper", "cast", "title"))])
        return made

    def _filters(self) -> list[Any]:
        made: list[Any] = [f"{self._quoted(each)} IS NOT NULL" for each in self._columns("source")]
        if self._first.geometry_column:
            box = {"bbox": [0, 49, 3, 52]}
            made.append({"op": "s_intersects", "args": [{"property": self._first.geometry_column}, box]})
        return made

    @staticmethod
    def _quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'


def _fields(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The functions that read one column, each with its fields."""
    one = {"column": name}
    yield from ((function, {"columns": [name]}) for function in ("keep", "drop", "order"))
    yield from ((function, one) for function in ("trim", "upper", "lower", "title"))
    for target in get_args(Target):
        yield "cast", {**one, "to": target, "unreadable": "drop"}
    yield "cast", {**one, "to": "date", "format": "DD.MM.YYYY"}
    yield "rename", {**one, "name": "fid"}
    yield "constant", {"name": "always", "value": 1.5}
    yield "fill", {**one, "value": 0}
    yield "fill", {**one, "value": "?"}
    yield "map", {**one, "values": {"1": 2, "a": None}, "name": "mapped"}
    yield "case", {"name": "sized", "cases": [{"when": "id > 1", "then": "big"}], "otherwise": "small"}
    yield "replace", {**one, "find": "[a-z]", "value": "-", "pattern": True}
    yield "extract", {**one, "find": "(.)$", "name": "last"}
    yield "split", {**one, "separator": " ", "part": -1, "name": "last"}
    yield "concatenate", {"columns": [name, "t"], "separator": ", ", "name": "both"}
    yield "pad", {**one, "length": 8, "value": "0"}
    yield "date_part", {**one, "part": "week", "name": "week"}
    yield "date_difference", {**one, "other": name, "unit": "months", "name": "age"}
    yield "rank", {"columns": [name], "name": "rank", "descending": True}
    yield "number_rows", {"name": "number", "within": [name]}


def _within(field: Mapping[str, Any], key: str) -> Any:
    """A key of the field, or of one of its alternatives."""
    if key in field:
        return field[key]
    for each in field.get("anyOf", ()):
        if (found := _within(each, key)) is not None:
            return found
    return _within(field["items"], key) if key == "x-refers-to" and "items" in field else None
