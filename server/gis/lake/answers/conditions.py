"""Filters as conditions of Arrow on the columns of files, with the meaning that they have in PostgreSQL.

Conditions that could mean something else here are refused."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from shapely.geometry.base import BaseGeometry

from agents.domain import Cql2
from server.gis.expressions.identifiers import WGS84
from server.gis.filters.spatial import geometry_literal, is_geometry
from server.gis.lake.columns import LakeColumn
from server.gis.lake.dataset import Dataset, LakeFile

MAX_CHOICES = 100

Compare = Callable[[Any, Any], Any]
COMPARISONS: Mapping[str, Compare] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SWAPPED: Mapping[str, str] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
RELATIONS: Mapping[str, Callable[..., Any]] = {
    "s_intersects": shapely.intersects,
    "s_within": shapely.within,
    "s_contains": shapely.contains,
}


class NotInFiles(Exception):
    """A question that the files do not answer with certainty, or not in time."""


@dataclass(frozen=True)
class Condition:
    """A filter in two parts, which must both hold: on shapes, and on other columns of a file."""

    dataset: Dataset
    attributes: Sequence[Cql2]
    places: Sequence[tuple[Callable[..., Any], BaseGeometry]]

    @classmethod
    def read(cls, filter: Cql2, dataset: Dataset, geometry: str | None) -> Condition:
        """The condition of a CQL2 filter. Raises NotInFiles."""
        parts = _conjuncts(filter)
        spatial = [part for part in parts if part.get("op") in RELATIONS]
        return cls(
            dataset,
            [part for part in parts if part not in spatial],
            [_place(part, dataset, geometry) for part in spatial],
        )

    def may_hold(self, file: LakeFile) -> bool:
        """Whether any shape of the file may be where the filter asks."""
        return all(not place.is_empty and file.may_meet(place.bounds) for _, place in self.places)

    def expression(self, file: LakeFile) -> pc.Expression | None:
        """What Arrow can check of it, for a file, whose folders give some columns their values: the attributes, and
        the boxes of rows. Raises NotInFiles."""
        made = [_expression(part, self.dataset, file) for part in self.attributes]
        made += [each for _, place in self.places if (each := _covering(self.dataset, place)) is not None]
        return reduce(operator.and_, made) if made else None

    def holds(self, shapes: np.ndarray) -> np.ndarray:
        """Which shapes are where the filter asks."""
        return reduce(operator.and_, [relation(shapes, place) for relation, place in self.places])

    @property
    def columns(self) -> set[str]:
        """The columns of the files that it reads."""
        names = {name for part in self.attributes for name in _names(part)}
        found = {each.source for each in self.dataset.columns if each.name in names and not each.is_partition}
        if self.places and self.dataset.geometry is not None:
            found |= {
                self.dataset.geometry.name,
                *(path[0] for path in self.dataset.geometry.covering.values()),
            }
        return found


def _names(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("property"), str):
            yield node["property"]
        for each in node.values():
            yield from _names(each)
    elif isinstance(node, list):
        for each in node:
            yield from _names(each)


def _conjuncts(node: Cql2) -> list[Cql2]:
    if node.get("op") != "and":
        return [node]
    return [part for each in node["args"] for part in _conjuncts(each)]


def _place(node: Cql2, dataset: Dataset, geometry: str | None) -> tuple[Callable[..., Any], BaseGeometry]:
    column, literal = node["args"]
    if column != {"property": geometry} or not (isinstance(literal, Mapping) and is_geometry(literal)):
        raise NotInFiles("two shapes of a row are compared")
    if dataset.srid != WGS84 or dataset.geometry is None:
        raise NotInFiles("shapes are in another reference system")
    place = geometry_literal(literal).value
    shapely.prepare(place)
    return RELATIONS[node["op"]], place


def _covering(dataset: Dataset, place: BaseGeometry) -> pc.Expression | None:
    """A condition on the boxes of rows, by whose statistics row groups are left out."""
    covering = dataset.geometry.covering if dataset.geometry is not None else {}
    if not covering:
        return None
    side = {name: pc.field(*path) for name, path in covering.items()}
    west, south, east, north = place.bounds
    beside = (side["xmin"] <= east) & (side["xmax"] >= west)
    across = side["xmin"] > side["xmax"]
    return (beside | across) & (side["ymin"] <= north) & (side["ymax"] >= south)


def _expression(node: Any, dataset: Dataset, file: LakeFile) -> pc.Expression:
    op, args = node.get("op"), node.get("args") or []
    if op in ("and", "or"):
        parts = [_expression(each, dataset, file) for each in args]
        return reduce(operator.and_ if op == "and" else operator.or_, parts)
    if op == "not":
        return ~_expression(args[0], dataset, file)
    if op == "isNull":
        return _field(_column(args[0], dataset), file).is_null()
    if op == "between":
        low, high = (_compared(sign, args[0], args[n], dataset, file) for sign, n in ((">=", 1), ("<=", 2)))
        return low & high
    if op == "in" and len(args[1]) <= MAX_CHOICES:
        return reduce(operator.or_, [_compared("=", args[0], each, dataset, file) for each in args[1]])
    if op in COMPARISONS:
        left, right = args
        if isinstance(right, Mapping) and "property" in right:
            return _compared(SWAPPED.get(op, op), right, left, dataset, file)
        return _compared(op, left, right, dataset, file)
    raise NotInFiles(f"{op} is not known here")


def _compared(op: str, left: Any, right: Any, dataset: Dataset, file: LakeFile) -> pc.Expression:
    column = _column(left, dataset)
    field, value = _field(column, file), _value(column, right)
    if column.sql == "text" and op not in ("=", "<>"):
        raise NotInFiles("texts are ordered by the database")
    made = COMPARISONS[op](field, value)
    if column.sql == "double precision" and op in (">", ">="):
        # PostgreSQL treats NaN as greater than all numbers.
        return made | field.is_nan()
    return made


def _column(node: Any, dataset: Dataset) -> LakeColumn:
    column = dataset.column(node["property"]) if isinstance(node, Mapping) and "property" in node else None
    if column is None or column.is_geometry:
        raise NotInFiles("something else than a column of the files is compared")
    return column


def _field(column: LakeColumn, file: LakeFile) -> pc.Expression:
    if not column.is_partition:
        return pc.field(column.source)
    value = file.parts[column.source]
    kind = {"bigint": pa.int64(), "date": pa.date32()}.get(column.sql, pa.string())
    return pc.scalar(pa.scalar(value, pa.string()).cast(kind))


_FILE_TYPES: Mapping[str, Sequence[str]] = {
    "smallint": ("int8", "uint8", "int16"),
    "integer": ("uint16", "int32"),
    "bigint": ("uint32", "int64"),
    "double precision": ("double",),
    "boolean": ("bool",),
    "text": ("string", "large_string"),
    "date": ("date32[day]",),
}
"""Types in files whose values compare as those of PostgreSQL do."""


def compares_as_in_the_database(column: LakeColumn) -> bool:
    """Whether values of the column are equal and ordered in files as in PostgreSQL, but for texts and NaN."""
    return column.is_partition or _is_in_utc(column) or column.arrow in _FILE_TYPES.get(column.sql, ())


def _is_in_utc(column: LakeColumn) -> bool:
    return (
        column.sql.startswith("timestamp") and column.arrow.endswith("tz=UTC]") and not column.is_nanoseconds
    )


def _value(column: LakeColumn, node: Any) -> pc.Expression:
    """The literal that a column is compared with."""
    kind = column.sql
    in_utc = _is_in_utc(column)
    if not compares_as_in_the_database(column):
        raise NotInFiles(f"values of type {column.arrow} are compared")
    if in_utc and isinstance(node, Mapping) and "timestamp" in node:
        moment = datetime.fromisoformat(str(node["timestamp"]))
        if moment.tzinfo is not None:
            return pc.scalar(pa.scalar(moment, pa.timestamp("us", "UTC")))
    if kind == "date" and isinstance(node, Mapping) and "date" in node:
        return pc.scalar(date.fromisoformat(str(node["date"])))
    is_number = isinstance(node, int | float) and not isinstance(node, bool)
    if is_number and kind in ("smallint", "integer", "bigint", "double precision"):
        return pc.scalar(node)
    if (isinstance(node, bool) and kind == "boolean") or (isinstance(node, str) and kind == "text"):
        return pc.scalar(node)
    raise NotInFiles("a column is compared with a value of another type")
