"""For each feature its nearest features of another table, by true distance."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, FromClause, func, select, true

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.columns import carried, free_name
from server.gis.operations.geodesy import (
    GEODESIC_NOTE,
    distance,
    geography,
    geometry,
    lonlat,
    prepared_geographies,
    reach,
)
from server.gis.operations.units import Length


class NearestArguments(Arguments):
    source: str = table_argument("The table whose every feature gets its nearest neighbours.")
    target: str = table_argument("The table in which neighbours are looked for; may be the same.")
    k: Annotated[int, Field(ge=1, le=100, description="How many neighbours each feature gets.")] = 1
    within: Length | None = None
    """Neighbours farther than this do not count; a feature with none keeps its row, with empty columns."""


class Nearest(Operation[NearestArguments]):
    name = "nearest"
    summary = "Find the k nearest features of another table for each feature, with the distance in metres."
    arguments = NearestArguments

    async def build(self, arguments: NearestArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        target = workspace.source(arguments.target)
        prepared, candidates = prepared_geographies(target, workspace)
        here = geography(lonlat(source))
        away = distance(here, candidates.c.geog)
        first = candidates.alias("first_near")
        within = reach(here, first, [here.is_not(None), *_others_only(source, target, first)], arguments.k)
        farthest: ColumnElement[Any] = within.c.metres
        if arguments.within is not None:
            farthest = func.least(farthest, arguments.within)
        conditions = [
            func.ST_DWithin(here, candidates.c.geog, farthest),
            *_others_only(source, target, candidates),
        ]
        found = (
            select(candidates, away.label("distance_m"))
            .where(*conditions)
            .order_by(away)
            .limit(arguments.k)
            .lateral("found")
        )
        own = carried(source)
        taken = {label.name for label in own}
        theirs = []
        for each in target.attributes:
            name = free_name(f"near_{each.name}", taken)
            taken.add(name)
            theirs.append(found.c[each.name].label(name))
        distance_name = free_name("distance_m", taken)
        statement = select(
            *own, *theirs, found.c.distance_m.label(distance_name), geometry(source).label(GEOMETRY)
        ).select_from(source.rows.join(within, true()).join(found, true(), isouter=True))
        return Step(
            statement,
            geometry_type=source.table.geometry_type,
            srid=source.table.srid,
            prepare=(prepared,),
            partition=source,
            notes=(GEODESIC_NOTE,),
            comments={distance_name: "Distance to the neighbour in metres, on the WGS 84 spheroid."},
        )


def _others_only(source: Source, target: Source, candidates: FromClause) -> list[ColumnElement[bool]]:
    """Within one table nothing is its own neighbour."""
    if source.table.id != target.table.id:
        return []
    if source.address is None:
        raise InvalidQuestion(
            f"{source.table.id} is a view, whose rows cannot be told apart. Filter it into a table first."
        )
    return [candidates.c.origin != source.address]
