"""Clean geometries row by row: grid, holes, rings, repeated points, heights, parts, the antimeridian."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    SmallInteger,
    and_,
    case,
    cast,
    column,
    func,
    literal,
    null,
    or_,
    select,
    type_coerce,
)

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.geometry_checks import jumps
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.expressions.rings import counterclockwise
from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import area, geometry, in_srid, lonlat
from server.gis.operations.support.earth.units import Area, Spacing, metres
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import kept, multi
from server.gis.operations.support.geometry.shapes import computed_once, reshaped, unpack_dump
from server.gis.operations.support.geometry.validity import has_no_shape, has_shape, sound

TIDIED = Template(
    "op_tidied", "{n} of {total|one=# geometry|other=# geometries} {n|one=was|other=were} changed."
)
BELOW_GRID = Template(
    "op_below_grid",
    "{n|one=# geometry is smaller than the grid; its row has|other=# geometries are smaller than the grid; their rows "
    "have} no geometry now.",
)
STILL_TORN = Template(
    "op_still_torn",
    "Longitudes still jump within {shapes} that cannot be split, as around a pole. Keep it in a polar system, or cut "
    "it there first.",
)


GRID = Template("op_grid", "The grid is larger than 0; got {got}.")
NOT_METRES = Template(
    "op_not_metres",
    "{table} is not stored in metres, so a grid of {grid} would differ from place to place. Reproject "
    "it to a projected system first, or give the grid in the units of the table.",
)
ANTIMERIDIAN = Template(
    "op_antimeridian",
    "Only longitudes and latitudes have an antimeridian. Reproject the table to EPSG:4326 first.",
)
WHAT_TO_TIDY = Template(
    "op_what_to_tidy", "Say what is to be cleaned: grid, holes, repeated, rings, flat, antimeridian or parts."
)

SAME, CHANGED, VANISHED = range(3)
ALL_HOLES_M2 = 600_000_000_000_000
"""More than the surface of the earth."""


class TidyArguments(Arguments):
    source: str = table_argument("The table whose geometries are cleaned.")
    flat: bool = False
    """Drop Z and M; grid, holes and antimeridian do so, too."""
    grid: Spacing | None = None
    """Snap all coordinates to multiples of this."""
    holes: Area | None = None
    """Fill holes with an area below this."""
    repeated: bool = False
    """Remove repeated points."""
    rings: Literal["as_is", "counterclockwise", "clockwise"] = "as_is"
    """Direction of outer rings; GeoJSON wants counterclockwise."""
    antimeridian: bool = False
    """Split what crosses the antimeridian in two; only in EPSG:4326."""


class Tidy(Operation[TidyArguments]):
    """Geometries cleaned row by row, in the stored reference system; holes by area on the spheroid."""

    summary = "Clean geometries: grid, small holes, ring direction, Z and M, repeated points, antimeridian, multi-part."
    traits = frozenset({"keeps_geometry"})
    phrases = (
        "snap {source:bare} to (a|the) grid of {grid}",
        "(fill|remove|close) [the] holes (below|under|smaller than|up to) {holes} (in|of|from) {source:bare}",
        "(fill|remove|close) [the] holes (in|of|from) {source:bare} (below|under|smaller than|up to) {holes}",
        f"(fill|remove|close) [all] [the] holes (in|of|from) {{source:bare}} -> holes={ALL_HOLES_M2}",
        "(drop|remove) [the] (heights|z values|z) (of|in|from) {source:bare} -> flat",
        "(cut|divide) {source:bare} (at|along|on) [the] (antimeridian|date line|dateline) -> antimeridian",
        *(
            f"(orient|force) [the] [outer] ring[s] [orientation] (of|in) {{source:bare}} {way} -> rings={way}"
            for way in ("counterclockwise", "clockwise")
        ),
        "(remove|drop) [the] repeated points (of|in|from) {source} -> repeated",
    )

    async def build(self, arguments: TidyArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        chosen = arguments.model_dump(exclude={"source"}, exclude_defaults=True)
        if not chosen:
            raise InvalidQuestion(WHAT_TO_TIDY())
        tidied = _tidied(geometry(source), arguments, source)
        made = select(tidied.label("after")).offset(0).correlate(source.rows).lateral("made")
        before, after = geometry(source), type_coerce(made.c.after, Geometry())
        became = case(
            (before.is_(None), null()),
            (and_(has_shape(before), has_no_shape(after)), VANISHED),
            (_differs(before, after, arguments, source), CHANGED),
            else_=SAME,
        )
        name = free_name("became", {each.name for each in source.attributes})
        step = reshaped(
            source,
            after,
            _kind(arguments, source),
            source.declared_srid,
            columns=[cast(became, SmallInteger).label(exact(name))],
            beside=made,
        )
        return replace(step, counted=_changes(name, splits=arguments.antimeridian))


def _differs(
    before: ColumnElement[Any], after: ColumnElement[Any], arguments: TidyArguments, source: Source
) -> ColumnElement[bool]:
    """Whether a shape has other coordinates, parts or directions afterwards. Overlays may begin a ring at another
    corner or turn it around, which is not a change unless directions are asked for."""
    same_kind = multi(before, source) if arguments.grid else before
    if arguments.antimeridian:  # Parts are collected again, in a table of several kinds, too.
        same_kind = func.ST_Multi(before, type_=Geometry())
    shapes = [same_kind, after]
    if arguments.rings == "as_is":
        shapes = [func.ST_Normalize(each) for each in shapes]
    other = func.ST_AsBinary(shapes[0]).is_distinct_from(func.ST_AsBinary(shapes[1]))
    return or_(func.ST_Zmflag(before) != func.ST_Zmflag(after), other)


def _changes(name: str, splits: bool) -> CountedNotes:
    """How many shapes were changed, by the temporary column of that name, and could not be split."""
    became: ColumnElement[int] = column(exact(name), SmallInteger())

    def numbers(made: FromClause) -> Select[Any]:
        counts: list[ColumnElement[Any]] = [
            func.count().filter(became > SAME),
            func.count(became),
            func.count().filter(became == VANISHED),
            func.count().filter(jumps(made.c[GEOMETRY])) if splits else literal(0),
        ]
        return select().add_columns(*counts).select_from(made)

    def notes(changed: int, total: int, vanished: int, torn: int) -> list[str]:
        found: list[str] = [TIDIED(n=changed, total=total)]
        if vanished:
            found.append(BELOW_GRID(n=vanished))
        if torn:
            found.append(STILL_TORN(shapes=count_of(torn, "shape")))
        return found

    return CountedNotes(numbers, notes, compares_rows=True, temporary_columns=(name,))


def _kind(arguments: TidyArguments, source: Source) -> str:
    kind = source.declared_type() or "Geometry"
    if arguments.grid or arguments.antimeridian or arguments.parts == "multi":
        kind = source.declared_type(multi_type(source)) or "Geometry"
    return kind.removesuffix("M").removesuffix("Z") if _is_flat(arguments) else kind


def _is_flat(arguments: TidyArguments) -> bool:
    """PostGIS drops measures where it overlays, and would then not fit the column."""
    return arguments.flat or arguments.antimeridian or bool(arguments.grid or arguments.holes)


def _tidied(shape: ColumnElement[Any], arguments: TidyArguments, source: Source) -> ColumnElement[Any]:
    if _is_flat(arguments):
        shape = func.ST_Force2D(shape, type_=Geometry())
    if arguments.repeated:
        shape = func.ST_RemoveRepeatedPoints(shape, type_=Geometry())
    if arguments.holes is not None:
        shape = _without_holes(shape, arguments.holes, source)
    if arguments.grid is not None:
        size = _in_units(arguments.grid, source)
        reduced = kept(func.ST_ReducePrecision(sound(shape), size, type_=Geometry()), source)
        shape = computed_once(reduced, source, lambda each: case((func.ST_IsEmpty(each), None), else_=each))
    if arguments.antimeridian:
        shape = _split(shape, source)
    if arguments.rings != "as_is":
        is_clockwise = arguments.rings == "clockwise"
        shape = func.ST_ForcePolygonCW(shape, type_=Geometry()) if is_clockwise else counterclockwise(shape)
    if arguments.grid or arguments.antimeridian or arguments.parts == "multi":
        shape = computed_once(shape, source, lambda each: multi(each, source))
    return shape


def _in_units(grid: float | str, source: Source) -> float:
    """The size of the grid in units of the table's reference system."""
    size = grid if isinstance(grid, float) else metres(grid)
    if size <= 0:
        raise InvalidQuestion(GRID(got=grid))
    if isinstance(grid, float):
        return size
    unit = metres_per_unit(source.declared_srid)
    if unit is None:
        raise InvalidQuestion(NOT_METRES(table=source.table.id, grid=grid))
    return size / unit


def _without_holes(shape: ColumnElement[Any], smallest: float, source: Source) -> ColumnElement[Any]:
    """The shape with its holes below an area (m2, geodesic) filled: these are added to it."""
    lonlat(source)  # Refuses a table without a reference system, with advice.
    polygon = unpack_dump(func.ST_Dump(shape), "each_part")
    ring = unpack_dump(func.ST_DumpRings(polygon.c["shape"]), "ring")
    inner = ring.c["shape"]
    small = area(in_srid(source, inner, WGS84)) < smallest
    holes = (
        select(func.ST_Collect(inner, type_=Geometry()))
        .select_from(polygon.join(ring, ring.c.part > 0))
        .where(func.ST_Dimension(polygon.c["shape"]) == 2, small)
        .correlate(source.rows)
        .scalar_subquery()
    )
    filling = type_coerce(holes, Geometry())
    filled = func.ST_UnaryUnion(func.ST_Collect(sound(shape), filling), type_=Geometry())
    same_kind = (
        filled
        if source.declared is None or "multi" not in source.declared[0].lower()
        else func.ST_Multi(filled)
    )
    return case((holes.is_(None), shape), else_=same_kind)


def _split(shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """Splits shapes at 180 degrees: those with longitudes beyond it, and parts that seem to span the earth but are
    narrow with longitudes from 0 to 360."""
    if source.table.srid != WGS84:
        raise InvalidQuestion(ANTIMERIDIAN())
    part = unpack_dump(func.ST_Dump(shape), "one_part")
    each = part.c["shape"]
    shifted = func.ST_ShiftLongitude(each)
    crosses = and_(
        func.ST_XMax(each) - func.ST_XMin(each) > 180.0,
        func.ST_XMax(each) <= 180.0,
        func.ST_XMin(each) >= -180.0,
        func.ST_XMax(shifted) - func.ST_XMin(shifted) < 180.0,
    )
    beyond = func.ST_WrapX(func.ST_WrapX(each, 180.0, -360.0), -180.0, 360.0, type_=Geometry())
    cut = case((crosses, func.ST_WrapX(shifted, 180.0, -360.0, type_=Geometry())), else_=beyond)
    pieces = (
        select(func.ST_Collect(cut, type_=Geometry()))
        .select_from(part)
        .correlate(source.rows)
        .scalar_subquery()
    )
    return kept(type_coerce(pieces, Geometry()), source)
