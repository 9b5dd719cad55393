"""Searches by place on Spark: joins and selections."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Float, Select, and_, func, literal_column, select

from server.gis.expressions.identifiers import exact
from server.gis.operations.nearest import NearestArguments
from server.gis.operations.select_by_location import SelectByLocationArguments
from server.gis.operations.spatial_join import SpatialJoinArguments
from server.gis.operations.support.attributes.aggregates import aggregated
from server.gis.operations.support.attributes.columns import brought, carried, free_name, geometry_out
from server.gis.operations.support.base import GEOMETRY, ROW_ID, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry, lonlat
from server.gis.operations.support.matching.relations import in_system_of
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.names import ROW


def row_of(source: Source) -> ColumnElement[int]:
    """What tells the rows of a staged table apart."""
    return literal_column(f"{source.alias}.{ROW}", BigInteger())


def joined(arguments: SpatialJoinArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """Pairs are found by a join of their own, whose rows or figures are then brought to each row."""
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    other = workspace.source(arguments.other)
    own = carried(source)
    taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
    pairs = met.rows.join(other.rows, _meeting(met, other, arguments.predicate, arguments.distance))
    place = row_of(met).label("place")
    if arguments.rows == "aggregate":
        labels = aggregated(arguments.aggregates, other, taken, geometry(other))
        values: list[ColumnElement[Any]] = [label.element for label in labels]
        names = [label.name for label in labels]
    else:
        labels = brought(other, taken)
        values = [label.element for label in labels]
        names = [label.name for label in labels]
    found = select(place, *(value.label(f"f{number}") for number, value in enumerate(values))).select_from(
        pairs
    )
    if arguments.rows == "aggregate":
        found = found.group_by(row_of(met))
    matches = found.subquery("matches")
    columns = []
    for number, name in enumerate(names):
        value: ColumnElement[Any] = matches.c[f"f{number}"]
        if arguments.rows == "aggregate" and arguments.aggregates[number].function in ("count", "distinct"):
            value = func.coalesce(value, 0)
        columns.append(value.label(exact(name)))
    return select(*own, *columns, *geometry_out(source)).select_from(
        source.rows.join(
            matches, matches.c.place == row_of(source), isouter=arguments.rows in ("aggregate", "all")
        )
    )


def selected(arguments: SelectByLocationArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """The rows that are among those of any pair, or not."""
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    other = workspace.source(arguments.other)
    found = (
        select(row_of(met).label("place"))
        .distinct()
        .select_from(met.rows.join(other.rows, _meeting(met, other, arguments.predicate, arguments.distance)))
        .subquery("found")
    )
    rows = select(*carried(source), *geometry_out(source)).select_from(
        source.rows.join(found, found.c.place == row_of(source), isouter=True)
    )
    return rows.where(found.c.place.is_(None) if arguments.invert else found.c.place.is_not(None))


def nearest(arguments: NearestArguments, workspace: Workspace, _step: Step) -> Select[Any]:
    """All within the distance that counts at most are met, and the k nearest of them kept."""
    if arguments.within is None:
        raise NotOnSpark(
            "nearest", "without a distance that counts at most (within), nearly all pairs are compared"
        )
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    target = workspace.source(arguments.target)
    metres = func.ST_DistanceSpheroid(lonlat(met), lonlat(target), type_=Float())
    theirs = [target.column(each.name) for each in target.attributes]
    place = row_of(met)
    meeting = _meeting(met, target, "intersects", arguments.within)
    if source.table.id == target.table.id:
        meeting = and_(meeting, place != row_of(target))
    rank = func.row_number().over(partition_by=place, order_by=[metres, row_of(target)])
    pairs = (
        select(
            place.label("place"),
            metres.label("metres"),
            rank.label("rank"),
            *(value.label(f"f{number}") for number, value in enumerate(theirs)),
        )
        .select_from(met.rows.join(target.rows, meeting))
        .subquery("pairs")
    )
    found = select(pairs).where(pairs.c["rank"] <= arguments.k).subquery("found")
    own = carried(source)
    taken = {label.name for label in own}
    columns = []
    for number, each in enumerate(target.attributes):
        name = free_name(f"near_{each.name}", taken)
        taken.add(name)
        columns.append(found.c[f"f{number}"].label(exact(name)))
    distance = found.c.metres.label(free_name("distance_m", taken))
    return select(*own, *columns, distance, geometry(source).label(GEOMETRY)).select_from(
        source.rows.join(found, found.c.place == row_of(source), isouter=True)
    )


def _meeting(source: Source, other: Source, predicate: str, distance: float | None) -> ColumnElement[bool]:
    if distance is None:
        named = getattr(func, f"ST_{predicate.capitalize()}")
        met: ColumnElement[bool] = named(in_system_of(source, other), geometry(other))
        return met
    _points_only("a distance", source, other)
    here, there = lonlat(source), lonlat(other)
    # Sedona's join stumbles over empty shapes.
    return and_(
        func.ST_IsEmpty(here).is_(False),
        func.ST_IsEmpty(there).is_(False),
        func.ST_DistanceSpheroid(here, there) <= distance,
    )


def _points_only(what: str, *sources: Source) -> None:
    """Sedona measures on the spheroid between points only; of lines and areas it takes the middle."""
    for source in sources:
        if (source.table.geometry_type or "").upper() != "POINT":
            raise NotOnSpark(
                what, f"distances to the shapes of {source.table.id} are measured for points only"
            )
