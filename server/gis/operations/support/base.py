"""What an operation is: typed arguments in, one SELECT over registry tables out.

An operation never runs SQL and never sees a user's text as SQL: it builds a SQLAlchemy statement from registry
entries (identifiers) and arguments (bound parameters). The runner (`server.gis.analysis.runner`) stores the
rows of `Step.select` as a table of the schema `analysis`, which is then a registry table like any other and may
be the source of the next step."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import (
    ColumnElement,
    FromClause,
    Label,
    Select,
    TableClause,
    column,
    func,
    literal_column,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import OID
from sqlalchemy.types import UserDefinedType

from agents.domain import Column, GeometryFamily, Table
from agents.ports import OperationTrait
from agents.result_rows import rows_of
from server.gis.expressions.geometry_types import Geography as Geography
from server.gis.expressions.geometry_types import Geometry as Geometry

_DECLARED = re.compile(r"geo(?:metry|graphy)\((\w+?)(ZM|Z|M)?(?:,(\d+))?\)")

GEOMETRY = "geom"
"""The geometry column of every result."""

ROW_ID = "fid"
"""The key that the runner adds to every result."""

FREE_ROW_ID = f"source_{ROW_ID}"
"""The name in results of a source's column that is called as their key. It is not a number after the name, so that a
column `fid_2` of the source keeps its name."""

RESULTS = "analysis"
"""The schema of results."""


class Tid(UserDefinedType[Any]):
    """PostgreSQL's address of a row: page and place on it."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """The type's name in SQL."""
        return "tid"


Parts = Literal["as_is", "single", "multi"]
"""Whether results have single-part or multi-part geometries."""


class Arguments(BaseModel):
    """The typed arguments of an operation. Names of tables and columns are checked against the registry later.

    The text below an argument is its description, which models read."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    parts: Parts = "as_is"
    """single: a row for each part of a geometry; multi: only multi-part geometries; as_is: as the operation has them,
    multi where it may make either."""


def table_argument(description: str, **kwargs: Any) -> Any:
    """An argument that names a table or an earlier step; the analyst's tools make it an enum."""
    return Field(description=description, json_schema_extra={"x-refers-to": "table"}, **kwargs)


def column_argument(description: str, of: str = "source", **kwargs: Any) -> Any:
    """An argument that names a column of the table in argument `of`."""
    return Field(description=description, json_schema_extra={"x-refers-to": "column", "x-of": of}, **kwargs)


@dataclass(frozen=True)
class Source:
    """One input of a step: a registry table under a unique alias, so that a table can be joined with itself."""

    table: Table
    rows: FromClause
    alias: str
    is_valid: bool = False
    """Whether all shapes are known to be valid, so that none needs a repair."""

    def column(self, name: str) -> ColumnElement[Any]:
        """A column as SQL. Raises KeyError."""
        return self.rows.c[name]

    @property
    def attributes(self) -> tuple[Column, ...]:
        """All columns but geometries and the key that we gave to an earlier result."""
        is_ours = self.table.schema_name == RESULTS or self.table.lake is not None
        own_key = is_ours and tuple(self.table.key) == (ROW_ID,)
        return tuple(
            column
            for column in self.table.columns
            if column.kind != "geometry" and not (own_key and column.name == ROW_ID)
        )

    @property
    def numbered(self) -> list[Label[Any]]:
        """The attributes as `a0`, `a1` ..., which clash with no other name, for rows between two statements."""
        return [self.column(each.name).label(f"a{n}") for n, each in enumerate(self.attributes)]

    @property
    def declared(self) -> tuple[str, str, int] | None:
        """Kind, dimensions beyond the plane (`Z`, `M`, `ZM` or none) and SRID that the geometry column declares.

        None if it declares nothing: then rows may differ, and the types that were found by sampling are a guess."""
        column = self.table.column(self.table.geometry_column or "")
        found = _DECLARED.fullmatch(column.sql_type) if column is not None else None
        return None if found is None else (found[1], found[2] or "", int(found[3] or 0))

    def declared_type(self, kind: str | None = None) -> str | None:
        """The type of results that keep this geometry's dimensions: the declared one, or another kind of it."""
        if self.table.geometry_column is None:
            return None
        known, dimensions, _srid = self.declared or ("Geometry", "", 0)
        return (kind or known) + dimensions

    @property
    def declared_srid(self) -> int:
        """The SRID of all rows, as declared; 0 where any row may have another."""
        return self.declared[2] if self.declared else 0

    @property
    def address(self) -> ColumnElement[Any] | None:
        """The address of each row (ctid), which identifies rows without a key; None for a view, whose rows have no
        address."""
        if self.table.kind not in ("table", "materialized view"):
            return None
        return address_in(self.alias)

    @property
    def home(self) -> ColumnElement[Any]:
        """The oid of the table that stores each row: addresses repeat between the partitions of a table."""
        return literal_column(f'"{self.alias}".tableoid', OID())

    @property
    def family(self) -> GeometryFamily:
        """Whether the geometries are points, lines or polygons."""
        return self.table.geometry_family


@dataclass(frozen=True)
class Divided:
    """A temporary table from which another one is computed, a range of its rows after another.

    `alias` is its name in that statement. `prefers_few_ranges`: use as few ranges as possible, because combining their
    results is expensive."""

    name: str
    alias: str
    prefers_few_ranges: bool = False

    @property
    def address(self) -> ColumnElement[Any]:
        """Where PostgreSQL stores a row of the source (`ctid`)."""
        return address_in(self.alias)


def address_in(alias: str) -> ColumnElement[Any]:
    """The address (ctid) of each row of a table under an alias."""
    return literal_column(f'"{alias}".ctid', Tid())


@dataclass(frozen=True)
class Prepared:
    """A temporary table made before the step and dropped with its transaction.

    `indexes` are expressions over its columns, each with an index method: `("gist", "geog")`. `divided` is for what
    PostgreSQL would compute in one process: the rows of `select` may be those of each range of that table."""

    name: str
    select: Select[Any]
    indexes: tuple[tuple[str, str], ...] = ()
    divided: Divided | None = None

    @cached_property
    def rows(self) -> TableClause:
        """The table, with the columns of `select`."""
        return table(self.name, *(column(each.name, each.type) for each in self.select.selected_columns))


@dataclass(frozen=True)
class Pairs:
    """What a step is about to compare: features of two sides up to `distance` metres apart, or that meet.

    `estimate` gives one number, cheaply; `most` is how many pairs there are at all, near or far. `kept` says that
    each pair becomes a row, or is cut to shape, instead of being counted only."""

    most: float
    estimate: Select[Any]
    distance: float | None
    kept: bool = False


@dataclass(frozen=True)
class CountedNotes:
    """Notes made from counts that are taken when the rows have been stored.

    `select` gives one row of numbers about the stored result, whose geometry column is `geom`; `notes` makes texts of
    them. `compares_rows`: the numbers compare rows, so they do not hold once parts of geometries are separate rows.
    `temporary_columns` of the step exist to be counted only, and are dropped afterwards."""

    select: Callable[[FromClause], Select[Any]]
    notes: Callable[..., Sequence[str]]
    compares_rows: bool = False
    temporary_columns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """The statement whose rows the runner stores. All columns are named; the geometry column is `geom`, in `srid`;
    with an SRID of 0 the column declares neither type nor SRID.

    `style` shows the finding when the result is the last one, as `agents.geo.styling.styles` reads it: the column that
    was calculated, and its colours.

    `portion_source` is a source of the select whose rows may be computed in portions (by ctid) without changing
    the result: only for steps that compute each row independently. `pairs` is for steps that search by place,
    whose cost the planner cannot know. `method` says which CRS, units and method were chosen and the error to
    expect; `notes` what happened to the data: rows left out, repaired or renamed. `comments` explain result
    columns."""

    select: Select[Any]
    geometry_type: str | None = None
    srid: int = 0
    prepare: tuple[Prepared, ...] = ()
    portion_source: Source | None = None
    pairs: Pairs | None = None
    method: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    counted: CountedNotes | None = None
    comments: Mapping[str, str] = field(default_factory=dict)
    style: Mapping[str, Any] | None = None
    rows_of: str = ""
    """The table of which these are rows, each once and with its stored geometry."""

    @classmethod
    def keeping(cls, source: Source, select: Select[Any], *, once: bool = True, **more: Any) -> Step:
        """A step whose rows have the stored geometry of `source`; `once`: there is one of each row at most."""
        rows = rows_of(source.table) if once else ""
        return cls(
            select, geometry_type=source.declared_type(), srid=source.declared_srid, rows_of=rows, **more
        )

    def without_counting(self) -> Step:
        """The step without what it would count, and without the columns that are there for that only."""
        if self.counted is None:
            return self
        kept = [
            each for each in self.select.selected_columns if each.name not in self.counted.temporary_columns
        ]
        statement = self.select.with_only_columns(*kept, maintain_column_froms=True)
        return replace(
            self, select=statement if self.counted.temporary_columns else self.select, counted=None
        )


class Workspace(Protocol):
    """What an operation may ask while it plans: sources by name, and small facts by a read-only query."""

    def source(self, name: str) -> Source:
        """Raises UnknownTable with the nearest names."""

    def temporary(self, stem: str) -> str:
        """A fresh name for a temporary table."""

    def extent(self, source: Source) -> Sequence[Any] | None:
        """West, south, east and north of all its shapes as they are stored, each None where it has none; where that was
        found out already (`Operation.reads_extent`). Read off a spatial index, it may be much wider: an index still
        contains where rows once were."""

    def is_exact_extent(self, source: Source) -> bool:
        """Whether `extent` was found by reading all shapes."""

    async def row(self, select: Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """The first row of a small aggregate, read-only and under the same guards as a step."""


async def count_rows(rows: FromClause, workspace: Workspace, *conditions: ColumnElement[bool]) -> int:
    """How many rows meet the conditions."""
    (count,) = await workspace.row(select(func.count()).select_from(rows).where(*conditions))
    return int(count)


A = TypeVar("A", bound=Arguments)


class Operation(ABC, Generic[A]):
    """One spatial step. `summary` is the one line that a model reads."""

    name: ClassVar[str]
    """What models and plans call it: the name of the class in snake case."""
    summary: ClassVar[str]
    arguments: ClassVar[type[Arguments]]
    """The class in `Operation[...]`."""
    checks_geometries: ClassVar[bool] = True
    """Whether geometries on which PostGIS crashes are searched for first and left out: not needed where it only copies
    geometries."""
    reads_extent: ClassVar[bool] = False
    """Whether the extent of each table is to be found in the same pass."""
    phrases: ClassVar[tuple[str, ...]] = ()
    """Templates of user requests for it (docs/offline-language.md, "Teach it a command")."""
    keeps_source_crs: ClassVar[bool] = True
    """Whether results are in the CRS of the first table; if not, the step's `srid` names it."""
    traits: ClassVar[frozenset[OperationTrait]] = frozenset()
    """Properties of its result, for the steps that follow (`agents.ports.OperationTrait`)."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        for base in cls.__dict__.get("__orig_bases__", ()):
            (cls.arguments,) = get_args(base)

    def tables(self, arguments: A) -> list[str]:
        """The tables and earlier steps that the arguments name."""
        names: list[str] = []
        for name, each in self.arguments.model_fields.items():
            extra = each.json_schema_extra
            if isinstance(extra, dict) and extra.get("x-refers-to") == "table":
                given = getattr(arguments, name)
                names += [given] if isinstance(given, str) else [*given]
        return names

    @abstractmethod
    async def build(self, arguments: A, workspace: Workspace) -> Step:
        """Raises GisError when the arguments do not fit the sources: what was wrong, expected, and nearest."""
