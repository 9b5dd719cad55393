"""Leave out rows that repeat another one, by key columns or by their geometry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    and_,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    table,
)

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import (
    attribute_columns,
    comparable,
    free_name,
    geometry_out,
)
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    CountedNotes,
    Operation,
    Prepared,
    Source,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, geography, geometry, lonlat
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.matching.pairs import pairs_within

REPEATED = Template(
    "op_repeated",
    "{n|one=# row|other=# rows}, repeating the {what} of another, {n|one=was|other=were} left out; "
    "the {keep} one stays.",
)
WITHOUT_VALUE = Template(
    "op_without_value", "{n|one=# row|other=# rows} without a value of {what} {n|one=was|other=were} kept."
)
NEAR_ANOTHER = Template("op_near_another", "{rows} left out: an earlier row is within {distance}.")

TOLERANCE_RANGE = Template(
    "op_tolerance_range", "The tolerance is a distance from 0 to 100 km, such as '1 m'."
)
COLUMNS_OR_TOLERANCE = Template(
    "op_columns_or_tolerance", "Give columns that must agree or a tolerance of geometries, not both."
)
COMPARED_BY = Template(
    "op_compared_by",
    "Points are compared by their distance, lines and areas by the corner that is farthest from the "
    "other shape.",
)

MAX_TOLERANCE_M = 100_000.0


class DeduplicateArguments(Arguments):
    source: str = table_argument("The table whose repeated rows are left out.")
    by: tuple[str, ...] = column_argument(
        "Rows that agree in all of these columns repeat each other; none: rows with the same geometry.",
        default=(),
    )
    tolerance: Length = 0.0
    """Without columns: geometries whose corners all lie within this distance repeat each other, too."""
    keep: Literal["first", "last"] = "first"
    """Which of the rows that repeat each other stays."""
    order: str | None = column_argument(
        "The column that says which row is first; else the key.", default=None
    )


class Deduplicate(Operation[DeduplicateArguments]):
    """One row of each set that agrees in columns or in shape; `tolerance` in metres, at most 100 km."""

    summary = "Remove duplicates: rows that repeat a key, or the geometry of another row within a tolerance."
    traits = frozenset({"keeps_geometry", "tabular"})
    phrases = (
        (
            "(drop|remove|delete|find and remove) [the] duplicate[s] [rows|features|geometries|shapes] "
            "(of|in|from) {source}"
        ),
        (
            "(drop|remove|delete) [the] duplicate[s] [rows|features] (of|in|from) {source} (within|closer than)"
            " {tolerance}"
        ),
        "(drop|remove|delete) [the] duplicate[s] [rows|features] (of|in|from) {source} (by|with the same) {by}",
        "deduplicate {source} [by {by}]",
    )

    async def build(self, arguments: DeduplicateArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        if not 0 <= arguments.tolerance <= MAX_TOLERANCE_M:
            raise InvalidQuestion(TOLERANCE_RANGE())
        if arguments.by and arguments.tolerance:
            raise InvalidQuestion(COLUMNS_OR_TOLERANCE())
        order = _order(arguments, source)
        if arguments.tolerance:
            return _apart(arguments.tolerance, order, source, workspace.source(arguments.source), workspace)
        own = [source.column(comparable(source, name).name) for name in arguments.by]
        alike = own or [func.md5(func.ST_AsBinary(func.ST_Normalize(geometry(source))))]
        place = func.row_number().over(partition_by=alike, order_by=order or None)
        unknown = or_(*(value.is_(None) for value in alike))
        repeated, missing = await _repeated(alike, source, workspace)
        labels = [*attribute_columns(source), *geometry_out(source)]
        name = free_name("place", {label.name for label in labels})
        ranked = (
            select(*labels, case((unknown, 1), else_=place).label(exact(name)))
            .select_from(source.rows)
            .subquery("ranked")
        )
        kept = select(*(ranked.c[label.name] for label in labels)).where(ranked.c[name] == 1)
        what = ", ".join(arguments.by) or "geometry"
        notes = (
            REPEATED(n=repeated, what=what, keep=arguments.keep),
            *([WITHOUT_VALUE(n=missing, what=what)] if missing else []),
        )
        if source.table.geometry_column is None:
            return Step(kept, notes=notes)
        return Step.keeping(source, kept, notes=notes)


async def _repeated(
    alike: Sequence[ColumnElement[Any]], source: Source, workspace: Workspace
) -> tuple[int, int]:
    """How many rows repeat the values of another one, and how many lack a value."""
    keys = [value.label(f"k{number}") for number, value in enumerate(alike)]
    sets = (
        select(*keys, func.count().label("rows")).select_from(source.rows).group_by(*alike).subquery("sets")
    )
    unknown = or_(*(sets.c[key.name].is_(None) for key in keys))
    counts = (func.sum(sets.c.rows - 1).filter(~unknown), func.sum(sets.c.rows).filter(unknown))
    repeated, missing = await workspace.row(select(*counts))
    return int(repeated or 0), int(missing or 0)


def _dropped(tolerance: float, name: str) -> CountedNotes:
    """How many of the rows in a temporary table are not in the result."""
    before = select(func.count()).select_from(table(name)).scalar_subquery()

    def notes(kept: int, all_rows: int) -> list[str]:
        dropped = all_rows - kept
        return [NEAR_ANOTHER(rows=count_of(dropped, "row"), distance=length_text(tolerance))]

    return CountedNotes(
        lambda made: select(func.count(), before).select_from(made), notes, compares_rows=True
    )


def _order(arguments: DeduplicateArguments, source: Source) -> list[ColumnElement[Any]]:
    """The order by the named column, then by the key or the address of the row, so that the same rows stay every
    time."""
    named = [source.column(comparable(source, arguments.order).name)] if arguments.order else []
    keys = [source.column(name) for name in source.table.key if source.table.column(name)]
    address = source.address
    last = keys or ([] if address is None else [source.home, address])
    each = [*named, *last]
    return [(one.desc() if arguments.keep == "last" else one.asc()).nulls_last() for one in each]


def _apart(
    tolerance: float, order: Sequence[ColumnElement[Any]], source: Source, other: Source, workspace: Workspace
) -> Step:
    """The rows that have no row before them within the tolerance."""
    shape = lonlat(source)
    labels = [*attribute_columns(source), geometry(source).label(GEOMETRY)]
    taken = {ROW_ID, *(label.name for label in labels)}
    number, flat, geog = (free_name(name, taken) for name in ("number", "flat", "geog"))
    statement = select(
        *labels,
        func.row_number().over(order_by=list(order) or None).label(number),
        shape.label(flat),
        geography(shape).label(geog),
    ).select_from(source.rows)
    prepared = Prepared(workspace.temporary("rows"), statement, (("gist", geog),))
    rows, before = prepared.rows.alias("r"), prepared.rows.alias("b")
    is_point = and_(*(func.GeometryType(each.c[flat]) == "POINT" for each in (rows, before)))
    same = and_(
        func.ST_Dimension(rows.c[flat]) == func.ST_Dimension(before.c[flat]),
        func.ST_HausdorffDistance(rows.c[flat], before.c[flat]) * LONGEST_DEGREE_M <= tolerance,
    )
    earlier = exists().where(
        before.c[number] < rows.c[number],
        func.ST_DWithin(before.c[geog], rows.c[geog], literal(tolerance)),
        case((is_point, literal(True)), else_=same),
    )
    return Step.keeping(
        source,
        select(*(rows.c[label.name].label(exact(label.name)) for label in labels)).where(~earlier),
        prepare=(prepared,),
        pairs=pairs_within(source, other, tolerance),
        notes=(COMPARED_BY(),),
        counted=_dropped(tolerance, prepared.name),
    )
