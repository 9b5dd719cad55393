"""Which features lie among like or unlike ones (local Moran's I)."""

from __future__ import annotations

from sqlalchemy import Float, and_, case, cast, func, literal, null, select, true

from server.gis.operations.base import GEOMETRY, Operation, Step, Workspace
from server.gis.operations.columns import free_name
from server.gis.operations.neighbours import NeighbourArguments, neighbourhood, two_sided

SIGNIFICANT = 0.05


class LocalAutocorrelationArguments(NeighbourArguments):
    pass


class LocalAutocorrelation(Operation[LocalAutocorrelationArguments]):
    name = "local_autocorrelation"
    summary = "Find clusters of like values and outliers among unlike ones (local Moran's I, LISA)."
    arguments = LocalAutocorrelationArguments

    async def build(self, arguments: LocalAutocorrelationArguments, workspace: Workspace) -> Step:
        """Anselin, "Local Indicators of Spatial Association" (1995): I, and moments under randomisation."""
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
        fourth = (
            select(func.avg(func.power(here.c.value - total.c.mean, 4.0)).label("m4"))
            .select_from(here.join(total, true()))
            .cte("fourth")
        )
        near = (
            select(pairs.c.a, cast(func.count(), Float()).label("m"), func.avg(other.c.value).label("mean"))
            .select_from(pairs.join(other, other.c.place == pairs.c.b))
            .group_by(pairs.c.a)
            .subquery("near")
        )
        n, own_side, near_side = (
            total.c.n,
            here.c.value - total.c.mean,
            near.c["mean"] - total.c["mean"],
        )
        b2 = fourth.c.m4 / (total.c.m2 * total.c.m2)
        expected = -one / (n - one)
        squares = one / near.c.m
        variance = (
            squares * (n - b2) / (n - one)
            + (one - squares) * (2.0 * b2 - n) / ((n - 1.0) * (n - 2.0))
            - expected * expected
        )
        local = own_side * near_side / total.c.m2
        z = case(
            (variance > 0, (local - expected) / func.sqrt(func.abs(variance), type_=Float())), else_=null()
        )
        p = two_sided(z)
        label = case(
            (and_(p <= SIGNIFICANT, own_side > 0, near_side > 0), literal("high among high")),
            (and_(p <= SIGNIFICANT, own_side < 0, near_side < 0), literal("low among low")),
            (and_(p <= SIGNIFICANT, own_side > 0, near_side < 0), literal("high among low")),
            (and_(p <= SIGNIFICANT, own_side < 0, near_side > 0), literal("low among high")),
            else_=literal("not significant"),
        )
        own = found.carried()
        taken = {GEOMETRY, *(each.key or "" for each in own)}
        names = [free_name(name, taken) for name in ("neighbours", "local_i", "z", "p", "pattern")]
        figures = (func.coalesce(near.c.m, literal(0.0, Float())), local, z, p, label)
        columns = [figure.label(name) for figure, name in zip(figures, names, strict=True)]
        joined = here.join(near, near.c.a == here.c.place, isouter=True)
        return Step(
            select(*own, *columns, here.c[GEOMETRY].label(GEOMETRY)).select_from(
                joined.join(total, true()).join(fourth, true())
            ),
            geometry_type=found.source.table.geometry_type,
            srid=found.source.table.srid,
            prepare=found.prepare,
            notes=(
                found.note,
                "Local Moran's I with weights that sum to 1 for each feature; p is two-sided from the normal "
                "distribution under randomisation, not corrected for the number of features tested.",
            ),
            comments={
                names[
                    1
                ]: f"Local Moran's I of {arguments.column}: above 0 among like values, below among unlike.",
                names[4]: "How the feature and its neighbours stand to the mean, where p is at most 0.05.",
            },
        )
