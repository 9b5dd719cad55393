"""Whether near features have like values: one figure for a whole table (Moran's I)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CTE, ColumnElement, Float, and_, case, cast, func, literal, select, true

from agents.worded import Template
from server.gis.operations.support.base import Operation, Step, Workspace
from server.gis.operations.support.matching.neighbours import (
    NeighbourArguments,
    Neighbourhood,
    column_phrases,
    moments,
    neighbourhood,
    standard,
    two_sided,
)

MORAN = Template(
    "method_moran",
    "Moran's I with weights that sum to 1 for each feature; expectation and variance under randomisation, p two-sided "
    "from the normal distribution.",
)


ONE, NONE = literal(1.0, Float()), literal(0.0, Float())


class AutocorrelationArguments(NeighbourArguments):
    pass


class Autocorrelation(Operation[AutocorrelationArguments]):
    """Moran's I (1950) of a numeric column, with its z and p under randomisation, as one row."""

    summary = "Test if near features have like values: Moran's I of a numeric column with z and p; one row."
    phrases = column_phrases("[spatial] (autocorrelation|moran's i|moran's|moran i|moran)")

    async def build(self, arguments: AutocorrelationArguments, workspace: Workspace) -> Step:
        found = await neighbourhood(arguments, workspace)
        figures = _figures(found)
        z = standard(figures.c.morans_i, figures.c.expected_i, figures.c.variance)
        return Step(
            select(figures, z.label("z"), two_sided(z).label("p")).select_from(figures),
            prepare=found.prepare,
            pairs=found.expected,
            method=(found.note, MORAN()),
            comments={
                "morans_i": "Near 1: like values lie together; near 0: no pattern; below 0: unlike values do.",
                "p": "Two-sided probability of such a value by chance.",
            },
        )


def _figures(found: Neighbourhood) -> CTE:
    """One row. Variance under randomisation: Cliff and Ord, "Spatial Processes" (1981), page 46."""
    pairs = found.pairs
    of = moments(found.places)
    degree = select(pairs.c.a, cast(func.count(), Float()).label("m")).group_by(pairs.c.a).cte("degree")
    # Weights are 1 / (number of neighbours), so that each feature with neighbours counts the same.
    weight = (
        select(pairs.c.a, pairs.c.b, (ONE / degree.c.m).label("w"))
        .select_from(pairs.join(degree, degree.c.a == pairs.c.a))
        .cte("weight")
    )
    crossed, marginal = _crossed(found, of, weight), _marginal(found, degree, weight)
    moran = crossed.c.product / func.nullif(crossed.c.s0 * of.c.m2, 0.0, type_=Float())
    return (
        select(
            of.c.n.label("features"),
            marginal.c.mean_neighbours.label("mean_neighbours"),
            moran.label("morans_i"),
            _expected(of.c.n).label("expected_i"),
            _variance(of, crossed.c.s0, crossed.c.s1, marginal.c.s2).label("variance"),
        )
        .select_from(of.join(crossed, true()).join(marginal, true()))
        .cte("figures")
    )


def _crossed(found: Neighbourhood, of: CTE, weight: CTE) -> CTE:
    """Sums over the pairs: `s0` of weights, `s1` of squared symmetric weights / 2, `product` of weighted deviations."""
    here, other = found.places, found.others
    back = weight.alias("back")
    both = weight.c.w + func.coalesce(back.c.w, NONE, type_=Float())
    # A pair that is stored once is read once, but counts in both directions.
    alone = case((back.c.w.is_(None), weight.c.w * weight.c.w), else_=NONE)
    product = (here.c.value - of.c["mean"]) * (other.c.value - of.c["mean"])
    return (
        select(
            func.sum(weight.c.w).label("s0"),
            ((func.sum(both * both) + func.sum(alone)) / 2.0).label("s1"),
            func.sum(weight.c.w * product).label("product"),
        )
        .select_from(
            weight.join(here, here.c.place == weight.c.a)
            .join(other, other.c.place == weight.c.b)
            .join(back, and_(back.c.a == weight.c.b, back.c.b == weight.c.a), isouter=True)
            .join(of, true())
        )
        .cte("crossed")
    )


def _marginal(found: Neighbourhood, degree: CTE, weight: CTE) -> CTE:
    """`s2`, the sum of squared weights given and taken by each feature, and the mean number of neighbours."""
    given = select(weight.c.b, func.sum(weight.c.w).label("w")).group_by(weight.c.b).cte("given")
    taken = case((degree.c.m.is_(None), NONE), else_=ONE)
    around = taken + func.coalesce(given.c.w, NONE, type_=Float())
    here = found.places
    return (
        select(func.sum(around * around).label("s2"), func.avg(degree.c.m).label("mean_neighbours"))
        .select_from(
            here.join(degree, degree.c.a == here.c.place, isouter=True).join(
                given, given.c.b == here.c.place, isouter=True
            )
        )
        .cte("marginal")
    )


def _expected(n: ColumnElement[Any]) -> ColumnElement[Any]:
    return -ONE / (n - ONE)


def _variance(
    of: CTE, s0: ColumnElement[Any], s1: ColumnElement[Any], s2: ColumnElement[Any]
) -> ColumnElement[Any]:
    n, b2, square = of.c.n, of.c.b2, s0 * s0
    above = n * ((n * n - 3.0 * n + 3.0) * s1 - n * s2 + 3.0 * square) - b2 * (
        (n * n - n) * s1 - 2.0 * n * s2 + 6.0 * square
    )
    below = (n - 1.0) * (n - 2.0) * (n - 3.0) * square
    return above / func.nullif(below, 0.0, type_=Float()) - _expected(n) * _expected(n)
