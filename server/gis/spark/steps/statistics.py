"""Statistics of values among neighbours on Spark."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select

from server.gis.operations.hot_spots import HotSpotsArguments, getis_ord
from server.gis.operations.support.base import GEOMETRY, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.neighbours import Neighbourhood, valued
from server.gis.spark.steps.neighbours import nearest_pairs, pairs_within, ranked
from server.gis.spark.steps.places import centred_rows, row_of


def hot_spots(arguments: HotSpotsArguments, workspace: Workspace, step: Step) -> Select[Any]:
    """The rows of the operation `hot_spots`, for Sedona."""
    source = workspace.source(arguments.source)
    value, whole = valued(arguments, source)
    attributes = source.numbered
    place = row_of(source).label("place")
    rows = (
        select(place, value.label("value"), *attributes, geometry(source).label(GEOMETRY))
        .select_from(source.rows)
        .where(*whole)
    )
    places = centred_rows(source, [place], *whole, has_shape(geometry(source))).subquery("places")
    spots = select(places.c.place, places.c.spot.label("shape"))
    if arguments.distance is None:
        found = ranked(nearest_pairs(spots, spots, arguments.k or 0, itself=True), arguments.k or 0)
    else:
        found = pairs_within(spots, spots, arguments.distance, itself=True)
    pairs = select(found.c.place.label("a"), found.c.near.label("b")).subquery("pairs")
    around = Neighbourhood(
        rows.subquery("here"), rows.subquery("other"), pairs, (), step.method[0], source, step.pairs
    )
    return getis_ord(around)[0]
