"""What the overlays share: sound shapes, one reference system, and parts of the dimension that was put in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ColumnElement, case, func, null, select, true

from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.attributes.columns import attribute_columns
from server.gis.operations.support.base import GEOMETRY, Geometry, Prepared, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import NO_SYSTEM, geometry, in_srid, sound_flat
from server.gis.operations.support.geometry.repairs import overlaid
from server.gis.operations.support.geometry.shapes import DIMENSIONS
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.pairs import pairs_meeting

Cut = Callable[[ColumnElement[Any], ColumnElement[Any]], ColumnElement[Any]]


def in_system(source: Source, srid: int) -> ColumnElement[Any]:
    """The sound geometry in a reference system, in two dimensions: an overlay would make up heights.

    Raises InvalidQuestion where the table has no reference system."""
    if source.table.srid != srid and 0 in (source.table.srid, srid):
        raise InvalidQuestion(NO_SYSTEM(table=source.table.id))
    shape = sound_flat(source)
    return in_srid(source, shape, srid) if srid else shape


def same_dimension(shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """Only the parts of the source's own dimension: where polygons touch, lines and points are left out."""
    dimension = DIMENSIONS.get(source.family)
    if dimension is None:
        return shape
    return func.ST_Multi(func.ST_CollectionExtract(shape, dimension), type_=Geometry())


def multi_type(source: Source) -> str:
    """The type of what `same_dimension` gives."""
    return {"point": "MultiPoint", "line": "MultiLineString", "polygon": "MultiPolygon"}.get(
        source.family, "Geometry"
    )


def is_whole(source: Source) -> bool:
    """Whether its shapes are points or areas. Shapes entirely inside an area then need no cutting; lines may cross or
    overlap themselves, which cutting resolves."""
    return (source.declared or ("",))[0].upper() in ("POINT", "POLYGON", "MULTIPOLYGON")


def common_part(
    source: Source, other: Source, own: ColumnElement[Any], theirs: ColumnElement[Any]
) -> ColumnElement[Any]:
    """The intersection of two valid shapes of these tables. A shape entirely inside the other is detected without
    cutting."""
    common = func.ST_Intersection(own, theirs, type_=Geometry())
    if not (is_whole(source) and is_whole(other)):
        return common
    return case((func.ST_Covers(theirs, own), own), (func.ST_Covers(own, theirs), theirs), else_=common)


async def cut_by(source: Source, other: Source, cut: Cut, workspace: Workspace, *, keeps: bool) -> Step:
    """Each row of `source` with its attributes and what `cut` leaves of its shape; none where nothing is left.

    `cut` is given the sound shape, and the union of the shapes of `other` that meet it (null where none do), both
    in the system of `source`. `keeps` says whether all of it is left where a single one covers it, or nothing."""
    srid = source.table.srid
    source, other, notes = await overlaid(source, other, workspace)
    # A temporary table, so that a spatial index can be used in any reference system, and each shape is repaired once.
    prepared = Prepared(
        workspace.temporary("cutting"),
        select(in_system(other, srid).label("shape")).select_from(other.rows),
        (("gist", "shape"),),
    )
    cutting = prepared.rows.alias("cutting")
    own = select(in_system(source, srid).label("shape")).offset(0).correlate(source.rows).lateral("own")
    areas = (
        select(func.ST_Union(cutting.c["shape"], type_=Geometry()))
        .where(func.ST_Intersects(cutting.c["shape"], geometry(source)))
        .correlate_except(cutting)
        .scalar_subquery()
    )
    left = cut(own.c["shape"], areas)
    if is_whole(source):
        # Most features are on one side of all borders: detecting that takes a tenth of the time of cutting.
        covering = select(1).select_from(cutting).where(func.ST_Covers(cutting.c["shape"], own.c["shape"]))
        left = case(
            (covering.correlate_except(cutting).exists(), own.c["shape"] if keeps else null()), else_=left
        )
    kept = select(same_dimension(left, source).label("shape"))
    rest = kept.offset(0).correlate(source.rows, own).lateral("rest")
    statement = (
        select(*attribute_columns(source), rest.c["shape"].label(GEOMETRY))
        .select_from(source.rows.join(own, true()).join(rest, true()))
        .where(has_shape(rest.c["shape"]))
    )
    return Step(
        statement,
        geometry_type=multi_type(source),
        srid=srid,
        prepare=(prepared,),
        portion_source=source,
        pairs=pairs_meeting(source, other, kept=True),
        method=(note(srid),),
        notes=notes,
    )


def note(srid: int) -> str:
    """The note for the receipt: overlays are computed in the plane of this system."""
    return (methods.PLANAR_DEGREES if srid == WGS84 else methods.PLANAR)(srid=str(srid))
