"""Fewer corners, within a tolerance, without tearing neighbours apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, case, cast, func, select

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.attributes.columns import named_attributes
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Prepared,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, lonlat
from server.gis.operations.support.earth.local_projection import transformed
from server.gis.operations.support.earth.own_zones import (
    ERROR,
    from_own_zone,
    in_own_zone,
    is_wider,
    wider_shapes,
)
from server.gis.operations.support.earth.projections import Projection, reach_of, utm_zone
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.coverage import is_area, simplified_areas
from server.gis.operations.support.geometry.shapes import of_family, reshaped
from server.gis.operations.support.geometry.validity import sound

TOLERANCE_MORE = Template("op_tolerance_more", "The tolerance is more than 0 m; got {got}.")


class SimplifyArguments(Arguments):
    source: str = table_argument("The table of lines or areas.")
    tolerance: Length
    """No border or line moves farther than this."""


class Simplify(Operation[SimplifyArguments]):
    """Fewer corners within a tolerance in metres; areas that touch keep touching."""

    summary = "Fewer corners within a tolerance in metres; neighbouring areas keep their shared borders."
    traits = frozenset({"makes_areas"})
    reads_extent = True
    phrases = (
        "(simplify|generalise|generalize) {source:any} [,] (by|to|with a tolerance of|with|every|at) {tolerance}",
        "<open> (simplified|generalised|generalized) [(outline|outlines|border|borders|shape|shapes) [of]] {source:any}"
        " [,] [with|at|by] [tolerance [of]] [about] {tolerance}",
    )

    async def build(self, arguments: SimplifyArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "line", "polygon")
        if arguments.tolerance <= 0:
            raise InvalidQuestion(TOLERANCE_MORE(got=length_text(arguments.tolerance)))
        zone = await utm_zone(source, workspace)
        if zone is None and source.family == "line":
            wider = await wider_shapes(source.rows, lonlat(source), workspace)
            if wider is not None:
                plane = await _wide_plane(source, arguments.tolerance, workspace) if wider else None
                return _in_own_zones(source, arguments.tolerance, plane, wider)
        plane = Plane(zone, arguments.tolerance)
        if zone is None:
            plane = await _wide_plane(source, arguments.tolerance, workspace)
        if source.family == "line":
            kind, note = source.table.geometry_type or "Geometry", methods.SIMPLIFIED_LINES()
            if plane.is_cheap:
                line = of_kind(plane.back(plane.simplified(plane.apply(lonlat(source)))), kind)
                return reshaped(source, line, kind, WGS84, method=[plane.note, note])
        else:
            kind, note = (
                "MultiPolygon" if source.family == "polygon" else "Geometry",
                methods.SIMPLIFIED_COVERAGE(),
            )
        featured, features = _features(source, plane, workspace)
        shape = features.c["shape"]
        new: ColumnElement[Any] = plane.simplified(shape)
        prepared: tuple[Prepared, ...] = ()
        if source.family != "line":
            frame = None if plane.projection else _edge_of_the_world()
            prepared, area = simplified_areas(features, plane.tolerance, frame, workspace)
            is_line = func.GeometryType(shape).in_(("LINESTRING", "MULTILINESTRING"))
            new = case((is_area(shape), area), (is_line, new), else_=shape)
        if plane.is_cheap:
            new, rows = plane.back(new), features
        else:
            kept = [features.c[each.name] for each in source.numbered]
            back, rows = transformed(features, plane.back, new, kept, workspace, "round", keep=True)
            prepared, new = (*prepared, back), rows.c["round"]
        return Step(
            select(*named_attributes(source, rows), of_kind(new, kind).label(GEOMETRY)).select_from(rows),
            geometry_type=kind,
            srid=WGS84,
            prepare=(featured, *prepared),
            method=(plane.note, note),
        )


def _in_own_zones(source: Source, tolerance: float, plane: Plane | None, wider: int) -> Step:
    """Each line in its UTM zone, and the few that are wider in the plane of all."""
    kind = source.table.geometry_type or "Geometry"
    # The expression of the zone refers to the shape many times; PostgreSQL would transform it each time.
    own = select(lonlat(source).label("shape")).offset(0).correlate(source.rows).lateral("own")
    shape = own.c["shape"]
    new = from_own_zone(_simplified(in_own_zone(shape), tolerance))
    notes: list[str] = [methods.OWN_ZONES(error=formatted(100 * ERROR, ".2g"))]
    if plane is not None:
        new = case((is_wider(shape), plane.back(plane.simplified(plane.apply(shape)))), else_=new)
        notes += [methods.WIDER_LINES(n=formatted(wider, ",")), plane.note]
    notes.append(methods.SIMPLIFIED_LINES())
    return reshaped(source, of_kind(new, kind), kind, WGS84, method=notes, beside=own)


def of_kind(shape: ColumnElement[Any], kind: str) -> ColumnElement[Any]:
    """The shape as a multi-part one where the column demands it: what is left of a line may be a single part."""
    return func.ST_Multi(shape, type_=Geometry()) if kind.upper() == "MULTILINESTRING" else shape


@dataclass(frozen=True)
class Plane:
    """Where corners are dropped: a local projection, or degrees. `tolerance` is in its units."""

    projection: Projection | None
    tolerance: float

    @property
    def note(self) -> str:
        """The note for the receipt: the plane and its error."""
        return self.projection.note if self.projection else methods.SIMPLIFIED_DEGREES()

    @property
    def is_cheap(self) -> bool:
        """Whether shapes may be transformed one by one."""
        return self.projection is None or self.projection.is_set_up_once

    def apply(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """An EPSG:4326 geometry in the plane."""
        return shape if self.projection is None else self.projection.apply(shape)

    def back(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """A geometry of the plane in EPSG:4326."""
        return shape if self.projection is None else self.projection.back(shape)

    def simplified(self, line: ColumnElement[Any]) -> ColumnElement[Any]:
        """The line, in coordinates of the plane, without points nearer than the tolerance to the result."""
        return _simplified(line, self.tolerance)


def _simplified(line: ColumnElement[Any], tolerance: float) -> ColumnElement[Any]:
    return func.ST_SimplifyPreserveTopology(line, tolerance, type_=Geometry())


async def plane_of(source: Source, tolerance: float, workspace: Workspace) -> Plane:
    """The UTM zone of the data, else a local projection; degrees where the data span too much for one."""
    zone = await utm_zone(source, workspace)
    return await _wide_plane(source, tolerance, workspace) if zone is None else Plane(zone, tolerance)


async def _wide_plane(source: Source, tolerance: float, workspace: Workspace) -> Plane:
    """The plane for data that are wider than a UTM zone."""
    reach = await reach_of(source, workspace)
    if reach.is_local:
        projection = reach.equidistant()
        # If shapes crossed the seam, corners on it could come back on either side.
        if projection.seam is None:
            return Plane(projection, tolerance)
    return Plane(None, tolerance / LONGEST_DEGREE_M)


def _features(source: Source, plane: Plane, workspace: Workspace) -> tuple[Prepared, Any]:
    """The rows with a number, attributes `a0`, `a1` ..., and their valid shape in the plane."""
    shape = sound(lonlat(source))
    # Lines and points that repairing an area leaves are not part of it.
    areas = func.ST_CollectionExtract(shape, 3, type_=Geometry())
    whole = case((is_area(lonlat(source)), areas), else_=shape)
    place = cast(func.row_number().over(), BigInteger()).label("place")
    columns = [place, *source.numbered]
    if not plane.is_cheap:
        return transformed(source.rows, plane.apply, whole, columns, workspace, "shape", keep=True)
    prepared = Prepared(
        workspace.temporary("features"),
        select(plane.apply(whole).label("shape"), *columns).select_from(source.rows),
    )
    return prepared, prepared.rows.alias("features")


def _edge_of_the_world() -> ColumnElement[Any]:
    """Borders end at the antimeridian only because the map is cut there; those ends must not move."""
    return func.ST_Boundary(func.ST_MakeEnvelope(-180, -90, 180, 90, WGS84), type_=Geometry())
