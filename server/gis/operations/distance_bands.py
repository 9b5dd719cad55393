"""Rings around features by distance: up to 1 km, from 1 to 5 km, from 5 to 10 km."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from pydantic import Field
from sqlalchemy import Float, func, literal, select, union_all

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesic_buffer import NOTE, buffered, check_reach
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.repairs import invalid_notes
from server.gis.operations.support.geometry.uniting import united
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.palettes import coloured
from server.gis.styles.colors import ramp_named, sequence

BANDS = Template(
    "op_bands", "The distances of bands are more than 0 and rise: ['1 km', '5 km', '10 km']; got {got}."
)
ONE_BAND = Template("op_one_band", "Each place lies in one band only: that of its nearest feature.")

MAX_BANDS = 20


class DistanceBandsArguments(Arguments):
    source: str = table_argument("The table of the features that the bands lie around.")
    distances: Annotated[tuple[Length, ...], Field(min_length=1, max_length=MAX_BANDS)]
    """The outer edges of the bands, rising: ["1 km", "5 km", "10 km"]. The first band begins at 0."""


class DistanceBands(Operation[DistanceBandsArguments]):
    """Rings between distances in metres, measured on the WGS 84 spheroid."""

    summary = "Rings of distance around all features together (0-1, 1-5, 5-10 km); they never overlap."
    phrases = (
        "<open> (distance bands|rings|bands|isolines) (of|at|with) {distances} (around|from|about) {source}",
    )

    async def build(self, arguments: DistanceBandsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        edges = (0.0, *arguments.distances)
        if any(inner >= outer for inner, outer in pairwise(edges)):
            raise InvalidQuestion(BANDS(got=", ".join(length_text(metres) for metres in arguments.distances)))
        plain = await check_reach(source, literal(edges[-1], Float()), workspace)
        around = [
            united(buffered(source, literal(metres, Float()), plain), source.rows, workspace)
            for metres in arguments.distances
        ]
        names = [f"within_{number}" for number in range(len(around))]
        reached = select(*(area.shape.label(name) for area, name in zip(around, names, strict=True))).cte(
            "reached"
        )
        bands = []
        for number, (inner, outer) in enumerate(pairwise(edges)):
            area = reached.c[names[number]]
            ring = area if number == 0 else func.ST_Difference(area, reached.c[names[number - 1]])
            bands.append(
                select(
                    literal(inner, Float()).label("from_m"),
                    literal(outer, Float()).label("to_m"),
                    literal(_label(inner, outer)).label("band"),
                    func.ST_Multi(func.ST_CollectionExtract(ring, 3), type_=Geometry()).label(GEOMETRY),
                ).select_from(reached)
            )
        # Without the offset, PostgreSQL would compute each band again to see whether it is empty.
        every = select(union_all(*bands).subquery("bands")).offset(0).subquery("every")
        return Step(
            select(every).where(has_shape(every.c[GEOMETRY])),
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=tuple(table for area in around for table in area.prepare),
            method=(NOTE, ONE_BAND()),
            notes=await invalid_notes(source, workspace, "buffered"),
            comments={
                "from_m": "Metres: the nearest feature is farther than this.",
                "to_m": "Metres: the nearest feature is no farther than this.",
            },
            style=coloured("band", _colours([_label(inner, outer) for inner, outer in pairwise(edges)])),
        )


def _colours(bands: Sequence[str]) -> dict[str, str]:
    """The nearest band is the darkest."""
    pale_to_dark = sequence(ramp_named("YlGnBu"), len(bands) + 2)[1:-1]
    return dict(zip(bands, reversed(pale_to_dark), strict=True))


def _label(inner: float, outer: float) -> str:
    """`1-5 km`, or in metres where the outer edge is less than one kilometre."""
    if outer < 1000:
        return f"{inner:g}-{outer:g} m"
    return f"{inner / 1000:g}-{outer / 1000:g} km"
