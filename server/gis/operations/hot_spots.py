"""Where high or low values gather more than chance would have it (Getis-Ord Gi*)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, Select, case, cast, func, literal, select, true

from agents.worded import Template
from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import GEOMETRY, Operation, Step, Workspace
from server.gis.operations.support.matching.neighbours import (
    NeighbourArguments,
    Neighbourhood,
    column_phrases,
    neighbourhood,
    settled,
    two_sided,
)
from server.gis.operations.support.palettes import COLD, HOT, PLAIN, coloured

GETIS_ORD = Template(
    "method_getis_ord",
    "Getis-Ord Gi* with weights 1, the feature itself included; p is two-sided from the normal distribution, not "
    "corrected for the number of features tested.",
)


CLASSES = ((2.575829, "99 %"), (1.959964, "95 %"), (1.644854, "90 %"))
"""Two-sided critical values of the normal distribution."""
COLOURS = {
    **{f"hot {name}": color for (_, name), color in zip(CLASSES, HOT, strict=True)},
    **{f"cold {name}": color for (_, name), color in zip(CLASSES, COLD, strict=True)},
    "not significant": PLAIN,
}


class HotSpotsArguments(NeighbourArguments):
    pass


class HotSpots(Operation[HotSpotsArguments]):
    """Getis-Ord Gi* (1995) of a numeric column for each feature: z, p, and their class."""

    summary = "Find hot and cold spots of a numeric column (Getis-Ord Gi*) with z, p and significance."
    phrases = column_phrases("(hot spots|hotspots|hot and cold spots|hot spot|cold spots)")

    async def build(self, arguments: HotSpotsArguments, workspace: Workspace) -> Step:
        found = await neighbourhood(arguments, workspace)
        statement, names = getis_ord(found)
        return Step.keeping(
            found.source,
            statement,
            prepare=found.prepare,
            pairs=found.expected,
            method=(found.note, GETIS_ORD()),
            comments={
                names[1]: f"Gi* of {arguments.column}: standard deviations above what chance would give.",
                names[2]: "Two-sided probability of such a z by chance.",
                names[3]: "Hot or cold spot, with its confidence; or not significant.",
            },
            style=coloured(names[3], COLOURS),
        )


def getis_ord(found: Neighbourhood) -> tuple[Select[Any], list[str]]:
    """Each feature with the number of its neighbours, z, p and class; and the names of these columns."""
    source, members, z = _gi_star(found)
    own = found.attribute_columns()
    taken = {GEOMETRY, *(each.key or "" for each in own)}
    names = [free_name(name, taken) for name in ("neighbours", "z", "p", "spot")]
    scored = settled(
        select(
            *own,
            (members - literal(1.0, Float())).label(names[0]),
            z.label(names[1]),
            found.places.c[GEOMETRY].label(GEOMETRY),
        ).select_from(source),
        "scored",
    )
    z = scored.c[names[1]]
    statement = select(
        *(scored.c[label.name] for label in own),
        scored.c[names[0]],
        z,
        two_sided(z).label(names[2]),
        _class(z).label(names[3]),
        scored.c[GEOMETRY],
    )
    return statement, names


def _gi_star(found: Neighbourhood) -> tuple[FromClause, ColumnElement[Any], ColumnElement[Any]]:
    """The rows to select from, the number of members of each neighbourhood (the feature included), and its z.

    As in Ord and Getis, "Local Spatial Autocorrelation Statistics" (1995), with weights of 0 and 1."""
    here, other = found.places, found.others
    total = (
        select(
            cast(func.count(), Float()).label("n"),
            func.avg(here.c.value).label("mean"),
            func.stddev_pop(here.c.value).label("deviation"),
        )
        .select_from(here)
        .subquery("total")
    )
    near = (
        select(
            found.pairs.c.a, cast(func.count(), Float()).label("n"), func.sum(other.c.value).label("total")
        )
        .select_from(found.pairs.join(other, other.c.place == found.pairs.c.b))
        .group_by(found.pairs.c.a)
        .subquery("near")
    )
    one = literal(1.0, Float())
    members = func.coalesce(near.c.n, literal(0.0, Float()), type_=Float()) + one
    gathered = func.coalesce(near.c.total, literal(0.0, Float()), type_=Float()) + here.c.value
    spread = func.sqrt((total.c.n * members - members * members) / (total.c.n - one), type_=Float())
    z = (gathered - total.c.mean * members) / func.nullif(total.c.deviation * spread, 0.0, type_=Float())
    source = here.join(near, near.c.a == here.c.place, isouter=True).join(total, true())
    return source, members, z


def _class(z: ColumnElement[Any]) -> ColumnElement[str]:
    rules = [(z >= bound, literal(f"hot {name}")) for bound, name in CLASSES]
    rules += [(z <= -bound, literal(f"cold {name}")) for bound, name in CLASSES]
    return case(*rules, else_=literal("not significant"))
