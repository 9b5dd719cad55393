"""Whether near features have like values: one figure for a whole table (Moran's I)."""

from __future__ import annotations

from sqlalchemy import Float, and_, case, cast, func, literal, null, select, true

from server.gis.operations.base import Operation, Step, Workspace
from server.gis.operations.neighbours import NeighbourArguments, neighbourhood, two_sided


class AutocorrelationArguments(NeighbourArguments):
    pass


class Autocorrelation(Operation[AutocorrelationArguments]):
    name = "autocorrelation"
    summary = "Test if near features have like values: Moran's I of a numeric column with z and p; one row."
    arguments = AutocorrelationArguments

    async def build(self, arguments: AutocorrelationArguments, workspace: Workspace) -> Step:
        """Variance under randomisation: Cliff and Ord, "Spatial Processes" (1981), page 46."""
        found = await neighbourhood(arguments, workspace)
        here, other, pairs = found.places, found.others, found.pairs
        one = literal(1.0, Float())
        total = (
            select(
                cast(func.count(), Float()).label("n"),
                func.avg(here.c.value).label("mean"),
                func.var_pop(here.c.value).label("m2"),
            )
            .select_from(here)
            .cte("total")
        )
        degree = select(pairs.c.a, cast(func.count(), Float()).label("m")).group_by(pairs.c.a).cte("degree")
        fourth = (
            select(func.avg(func.power(here.c.value - total.c.mean, 4.0)).label("m4"))
            .select_from(here.join(total, true()))
            .cte("fourth")
        )
        # Weights are 1 / (number of neighbours), so that each feature with neighbours counts the same.
        weight = (
            select(pairs.c.a, pairs.c.b, (one / degree.c.m).label("w"))
            .select_from(pairs.join(degree, degree.c.a == pairs.c.a))
            .cte("weight")
        )
        back = weight.alias("back")
        both = weight.c.w + func.coalesce(back.c.w, literal(0.0, Float()), type_=Float())
        alone = case((back.c.w.is_(None), weight.c.w * weight.c.w), else_=literal(0.0, Float()))
        product = (here.c.value - total.c.mean) * (other.c.value - total.c.mean)
        cross = (
            select(
                func.sum(weight.c.w).label("s0"),
                ((func.sum(both * both) + func.sum(alone)) / 2.0).label("s1"),
                func.sum(weight.c.w * product).label("product"),
            )
            .select_from(
                weight.join(here, here.c.place == weight.c.a)
                .join(other, other.c.place == weight.c.b)
                .join(back, and_(back.c.a == weight.c.b, back.c.b == weight.c.a), isouter=True)
                .join(total, true())
            )
            .cte("crossed")
        )
        given = select(weight.c.b, func.sum(weight.c.w).label("w")).group_by(weight.c.b).cte("given")
        taken = case((degree.c.m.is_(None), literal(0.0, Float())), else_=one)
        around = taken + func.coalesce(given.c.w, literal(0.0, Float()), type_=Float())
        second = (
            select(func.sum(around * around).label("s2"), func.avg(degree.c.m).label("mean_neighbours"))
            .select_from(
                here.join(degree, degree.c.a == here.c.place, isouter=True).join(
                    given, given.c.b == here.c.place, isouter=True
                )
            )
            .cte("second")
        )
        n, s0, s1, s2 = total.c.n, cross.c.s0, cross.c.s1, second.c.s2
        b2 = fourth.c.m4 / (total.c.m2 * total.c.m2)
        moran = cross.c.product / func.nullif(s0 * total.c.m2, 0.0, type_=Float())
        expected = -one / (n - one)
        square = s0 * s0
        above = n * ((n * n - 3.0 * n + 3.0) * s1 - n * s2 + 3.0 * square) - b2 * (
            (n * n - n) * s1 - 2.0 * n * s2 + 6.0 * square
        )
        below = (n - 1.0) * (n - 2.0) * (n - 3.0) * square
        variance = above / func.nullif(below, 0.0, type_=Float()) - expected * expected
        figures = (
            select(
                n.label("features"),
                second.c.mean_neighbours.label("mean_neighbours"),
                moran.label("morans_i"),
                expected.label("expected_i"),
                variance.label("variance"),
            )
            .select_from(total.join(fourth, true()).join(cross, true()).join(second, true()))
            .cte("figures")
        )
        z = case(
            (
                figures.c.variance > 0,
                (figures.c.morans_i - figures.c.expected_i)
                / func.sqrt(func.abs(figures.c.variance), type_=Float()),
            ),
            else_=null(),
        )
        return Step(
            select(figures, z.label("z"), two_sided(z).label("p")).select_from(figures),
            prepare=found.prepare,
            notes=(
                found.note,
                "Moran's I with weights that sum to 1 for each feature; expectation and variance under "
                "randomisation, p two-sided from the normal distribution.",
            ),
            comments={
                "morans_i": "Near 1: like values lie together; near 0: no pattern; below 0: unlike values do.",
                "p": "Two-sided probability of such a value by chance.",
            },
        )
