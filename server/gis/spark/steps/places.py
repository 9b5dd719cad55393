"""Searches by place on Spark: joins and selections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.identifiers import exact
from server.gis.operations.centroid import CentroidArguments
from server.gis.operations.nearest import NearestArguments
from server.gis.operations.select_by_location import SelectByLocationArguments
from server.gis.operations.spatial_join import SpatialJoinArguments
from server.gis.operations.support.attributes.aggregates import ZERO_WITHOUT_ROWS, aggregated
from server.gis.operations.support.attributes.columns import (
    attribute_columns,
    free_name,
    geometry_out,
    joined_columns,
    named_attributes,
)
from server.gis.operations.support.attributes.rates import with_rates
from server.gis.operations.support.base import GEOMETRY, ROW_ID, Geometry, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry, is_of_points, lonlat, sound_lonlat
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.relations import Predicate, meeting
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.names import CENTRE, ROW
from server.gis.spark.steps.distances import shape_pairs
from server.gis.spark.steps.neighbours import nearest_pairs, pairs_within, points, ranked, within


def row_of(source: Source) -> sa.ColumnElement[int]:
    """The number that identifies a row of a staged table."""
    return sa.literal_column(f"{source.alias}.{ROW}", sa.BigInteger())


async def joined(arguments: SpatialJoinArguments, workspace: Workspace, _step: Step) -> sa.Select[Any]:
    """Pairs are found by a separate join, whose rows or figures are then brought to each row."""
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    other = workspace.source(arguments.other)
    own = attribute_columns(source)
    taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
    pairs = _pairs(met, other, arguments.predicate, arguments.distance, workspace)
    place = row_of(met).label("place")
    arguments = await with_rates(arguments, other, workspace)
    per_feature = arguments.rows == "aggregate"
    if per_feature:
        labels = aggregated(arguments.aggregates, other, taken, geometry(other))
    else:
        labels = joined_columns(other, taken)
    numbered = [label.element.label(f"f{number}") for number, label in enumerate(labels)]
    found = sa.select(place, *numbered).select_from(pairs)
    matches = (found.group_by(row_of(met)) if per_feature else found).subquery("matches")
    columns = []
    for number, label in enumerate(labels):
        value: sa.ColumnElement[Any] = matches.c[f"f{number}"]
        if per_feature and arguments.aggregates[number].function in ZERO_WITHOUT_ROWS:
            value = sa.func.coalesce(value, 0)
        columns.append(value.label(exact(label.name)))
    return sa.select(*own, *columns, *geometry_out(source)).select_from(
        source.rows.join(
            matches, matches.c.place == row_of(source), isouter=arguments.rows in ("aggregate", "all")
        )
    )


def selected(arguments: SelectByLocationArguments, workspace: Workspace, _step: Step) -> sa.Select[Any]:
    """The rows that are among those of any pair, or not."""
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    other = workspace.source(arguments.other)
    found = (
        sa.select(row_of(met).label("place"))
        .distinct()
        .select_from(_pairs(met, other, arguments.predicate, arguments.distance, workspace))
        .subquery("found")
    )
    rows = sa.select(*attribute_columns(source), *geometry_out(source)).select_from(
        source.rows.join(found, found.c.place == row_of(source), isouter=True)
    )
    return rows.where(found.c.place.is_(None) if arguments.invert else found.c.place.is_not(None))


def nearest(arguments: NearestArguments, workspace: Workspace, _step: Step) -> sa.Select[Any]:
    """Pairs are found by their shapes alone; then each row and its neighbours get their columns."""
    source, met = workspace.source(arguments.source), workspace.source(arguments.source)
    target, other = workspace.source(arguments.target), workspace.source(arguments.target)
    itself = source.table.id == target.table.id
    if is_of_points(source) and is_of_points(target):
        here = points(row_of(met), lonlat(met), met.rows)
        order = [other.column(name) for name in other.table.key]
        there = points(row_of(other), lonlat(other), other.rows, order)
        if arguments.within is None:
            pairs = nearest_pairs(here, there, arguments.k, itself=itself)
        else:
            pairs = pairs_within(here, there, arguments.within, itself=itself)
    else:
        places = row_of(met), row_of(other)
        pairs = shape_pairs(met, other, places, k=arguments.k, within=arguments.within, itself=itself)
    found = ranked(pairs, arguments.k)
    own = attribute_columns(source)
    taken = {label.name for label in own}
    theirs = []
    for each in target.attributes:
        name = free_name(f"near_{each.name}", taken)
        taken.add(name)
        theirs.append(target.column(each.name).label(exact(name)))
    distance = found.c.metres.label(free_name("distance_m", taken))
    return sa.select(*own, *theirs, distance, geometry(source).label(GEOMETRY)).select_from(
        source.rows.join(found, found.c.place == row_of(source), isouter=True).join(
            target.rows, row_of(target) == found.c.near, isouter=True
        )
    )


def centred_rows(
    source: Source, columns: Sequence[sa.Label[Any]], *conditions: sa.ColumnElement[bool]
) -> sa.Select[Any]:
    """Columns of the rows, with the `spot` where each counts. Shapes are repaired in a subquery, because Spark would
    repair them again wherever they are named. Conditions are of the stored shape: one of the `spot` would compute it
    again."""
    if is_of_points(source):
        return sa.select(lonlat(source).label("spot"), *columns).select_from(source.rows).where(*conditions)
    repaired = (
        sa.select(sound_lonlat(source).label("shape"), *columns).select_from(source.rows).where(*conditions)
    )
    rows = repaired.subquery("repaired")
    centre: sa.ColumnElement[Any] = getattr(sa.func, CENTRE)(rows.c["shape"], type_=Geometry())
    return sa.select(centre.label("spot"), *(rows.c[label.name] for label in columns))


def centroids(arguments: CentroidArguments, workspace: Workspace, step: Step) -> sa.Select[Any]:
    """The rows of the operation `centroid`, for Sedona."""
    source = workspace.source(arguments.source)
    if arguments.inside or is_of_points(source) or metres_per_unit(source.table.srid) is not None:
        return step.select
    rows = centred_rows(source, source.numbered).subquery("centred")
    return sa.select(*named_attributes(source, rows), rows.c.spot.label(GEOMETRY)).select_from(rows)


def _pairs(
    source: Source, other: Source, predicate: Predicate, distance: float | None, workspace: Workspace
) -> sa.FromClause:
    """The pairs of rows that meet, joined. Raises NotOnSpark."""
    if distance is None:
        return source.rows.join(other.rows, meeting(source, other, predicate))
    here, there = lonlat(source), lonlat(other)
    if is_of_points(source) and is_of_points(other):
        near = sa.and_(
            # Sedona's join fails with empty shapes.
            has_shape(here),
            has_shape(there),
            within(here, there, sa.literal(distance, sa.Float())),
        )
        return source.rows.join(other.rows, near)
    measured = [workspace.source(each.table.id) for each in (source, other)]
    found = shape_pairs(measured[0], measured[1], (row_of(measured[0]), row_of(measured[1])), within=distance)
    return source.rows.join(found, found.c.place == row_of(source)).join(
        other.rows, row_of(other) == found.c.near
    )


def points_only(what: str, *sources: Source) -> None:
    """Raise NotOnSpark for lines and areas, whose distances Sedona measures from their middle."""
    for source in sources:
        if not is_of_points(source):
            raise NotOnSpark(what, texts.DISTANCES_OF(table=source.table.id))
