"""Features with similar or dissimilar neighbours (local Moran's I)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Float, Subquery, and_, case, cast, func, literal, select, true

from agents.worded import Template
from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import GEOMETRY, Operation, Step, Workspace
from server.gis.operations.support.matching.neighbours import (
    NeighbourArguments,
    Neighbourhood,
    column_phrases,
    moments,
    neighbourhood,
    settled,
    standard,
    two_sided,
)
from server.gis.operations.support.palettes import COLD, HOT, PLAIN, coloured

LOCAL_MORAN = Template(
    "method_local_moran",
    "Local Moran's I with weights that sum to 1 for each feature; p is two-sided from the normal distribution under "
    "randomisation, not corrected for the number of features tested.",
)


SIGNIFICANT = 0.05
COLOURS = {
    "high among high": HOT[0],
    "high among low": HOT[1],
    "low among low": COLD[0],
    "low among high": COLD[1],
    "not significant": PLAIN,
}


class LocalAutocorrelationArguments(NeighbourArguments):
    pass


class LocalAutocorrelation(Operation[LocalAutocorrelationArguments]):
    """Local Moran's I (Anselin, 1995) of a numeric column for each feature: z, p, and its class."""

    summary = "Find clusters of like values and outliers among unlike ones (local Moran's I, LISA)."
    phrases = column_phrases("local [spatial] (autocorrelation|moran's i|moran's|moran i|moran)")

    async def build(self, arguments: LocalAutocorrelationArguments, workspace: Workspace) -> Step:
        found = await neighbourhood(arguments, workspace)
        here, of = found.places, moments(found.places)
        near = _surroundings(found)
        own = found.attribute_columns()
        taken = {GEOMETRY, *(each.key or "" for each in own)}
        figures = {free_name(name, taken): figure for name, figure in _figures(here, near, of).items()}
        columns = [figure.label(name) for name, figure in figures.items()]
        _neighbours, local, z, pattern = figures
        p = free_name("p", {*taken, *figures})
        joined = here.join(near, near.c.a == here.c.place, isouter=True)
        scored = settled(
            select(*own, *columns, here.c[GEOMETRY].label(GEOMETRY)).select_from(joined.join(of, true())),
            "scored",
        )
        judged = settled(select(scored, two_sided(scored.c[z]).label(p)), "judged")
        is_clear = and_(judged.c[p] <= SIGNIFICANT, judged.c[pattern].is_not(None))
        verdict = case((is_clear, judged.c[pattern]), else_=literal("not significant")).label(pattern)
        kept = [judged.c[name] for name in (*(label.name for label in own), *list(figures)[:3], p)]
        return Step.keeping(
            found.source,
            select(*kept, verdict, judged.c[GEOMETRY]),
            prepare=found.prepare,
            pairs=found.expected,
            method=(found.note, LOCAL_MORAN()),
            comments={
                local: f"Local Moran's I of {arguments.column}: above 0 among like values, below among unlike.",
                pattern: "How the feature and its neighbours stand to the mean, where p is at most 0.05.",
            },
            style=coloured(pattern, COLOURS),
        )


def _surroundings(found: Neighbourhood) -> Subquery:
    """The number and the mean value of each feature's neighbours."""
    pairs, other = found.pairs, found.others
    return (
        select(pairs.c.a, cast(func.count(), Float()).label("m"), func.avg(other.c.value).label("mean"))
        .select_from(pairs.join(other, other.c.place == pairs.c.b))
        .group_by(pairs.c.a)
        .subquery("near")
    )


def _figures(here: Any, near: Subquery, of: CTE) -> dict[str, ColumnElement[Any]]:
    """Anselin, "Local Indicators of Spatial Association" (1995): I, and moments under randomisation."""
    one = literal(1.0, Float())
    n, b2 = of.c.n, of.c.b2
    own_side, near_side = here.c.value - of.c["mean"], near.c["mean"] - of.c["mean"]
    local = own_side * near_side / of.c.m2
    expected, squares = -one / (n - one), one / near.c.m
    variance = (
        squares * (n - b2) / (n - one)
        + (one - squares) * (2.0 * b2 - n) / ((n - 1.0) * (n - 2.0))
        - expected * expected
    )
    z = standard(local, expected, variance)
    pattern = case(
        (and_(own_side > 0, near_side > 0), literal("high among high")),
        (and_(own_side < 0, near_side < 0), literal("low among low")),
        (and_(own_side > 0, near_side < 0), literal("high among low")),
        (and_(own_side < 0, near_side > 0), literal("low among high")),
    )
    neighbours = func.coalesce(near.c.m, literal(0.0, Float()), type_=Float())
    return {"neighbours": neighbours, "local_i": local, "z": z, "pattern": pattern}
