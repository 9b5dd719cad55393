"""Neighbours of features and normal probabilities, for the spatial statistics.

Features are represented by their centroids; neighbours are those within a distance or the k nearest, on the spheroid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, model_validator
from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Float,
    FromClause,
    Label,
    Select,
    Subquery,
    case,
    cast,
    func,
    literal,
    null,
    select,
    true,
)

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.columns import named_attributes, real_number
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Divided,
    Pairs,
    Prepared,
    Source,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import centre, geography, geometry, lonlat, nearest_of
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.pairs import pairs_within

RULE_NEAREST = Template("op_rule_nearest", "Neighbours are the {n} nearest features")
RULE_WITHIN = Template("op_rule_within", "Neighbours are the features within {distance}")
RULE = Template(
    "op_rule",
    "{rule}, by distance between centroids on the WGS 84 spheroid; rows without a value are left out.",
)

FEW_VALUES = Template(
    "op_few_values",
    "{table} has {n|one=# feature|other=# features} with a value in {column}; at least {least} are needed.",
)
SAME_VALUES = Template(
    "op_same_values", "All features of {table} have the same {column} ({value}), so there is no pattern."
)

MIN_FEATURES = 4
"""With fewer, the variance of Moran's I is not defined."""


class NeighbourArguments(Arguments):
    """Either a distance or a number of neighbours."""

    source: str = table_argument("The table whose features are examined.")
    column: str = column_argument("The numeric column that is examined.")
    distance: Length | None = None
    """Features within this distance are neighbours."""
    k: Annotated[int, Field(ge=1, le=200, description="Instead: the k nearest are neighbours.")] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> NeighbourArguments:
        if (self.distance is None) == (self.k is None):
            raise ValueError("give either distance ('50 km') or k (8), to say who is a neighbour")
        if self.distance is not None and self.distance <= 0:
            raise ValueError("the distance must be more than 0")
        return self

    def rule(self) -> str:
        """Who counts as a neighbour, for people."""
        if self.k is not None:
            return RULE_NEAREST(n=self.k)
        return RULE_WITHIN(distance=length_text(self.distance or 0))


@dataclass(frozen=True)
class Neighbourhood:
    """`places` has one row a feature that has a value: `place`, `value`, attributes as `a0`, `a1` ..., geometry.

    `pairs` has a row (`a`, `b`) for each feature a and neighbour b of it, never itself."""

    places: FromClause
    others: FromClause
    """A second alias of `places`, for the neighbours."""
    pairs: FromClause
    prepare: tuple[Prepared, ...]
    note: str
    source: Source
    expected: Pairs | None
    """How many of them, where a distance says who is a neighbour."""

    def attribute_columns(self) -> list[Label[Any]]:
        """The attributes of the source, from `places`."""
        return named_attributes(self.source, self.places)


async def neighbourhood(arguments: NeighbourArguments, workspace: Workspace) -> Neighbourhood:
    """The features with a value, and their neighbours. Raises InvalidQuestion where there are too few values, or
    where all are the same."""
    source = workspace.source(arguments.source)
    value, whole = valued(arguments, source)
    count, least, most = await workspace.row(
        select(func.count(), func.min(value), func.max(value)).select_from(source.rows).where(*whole)
    )
    if count < MIN_FEATURES:
        raise InvalidQuestion(
            FEW_VALUES(table=source.table.id, n=count, column=repr(arguments.column), least=MIN_FEATURES)
        )
    if least == most:
        raise InvalidQuestion(
            SAME_VALUES(table=source.table.id, column=repr(arguments.column), value=formatted(least, "g"))
        )
    attributes = source.numbered
    placed = Prepared(
        workspace.temporary("places"),
        select(
            cast(func.row_number().over(), BigInteger()).label("place"),
            value.label("value"),
            geography(centre(source)).label("geog"),
            *attributes,
            geometry(source).label(GEOMETRY),
        )
        .select_from(source.rows)
        .where(*whole),
        (("gist", "geog"), ("btree", "place")),
    )
    places = placed.rows
    paired = Prepared(
        workspace.temporary("pairs"),
        _pairs(places, arguments),
        (("btree", "a"),),
        divided=Divided(placed.name, "here"),
    )
    note = RULE(rule=arguments.rule())
    reach = arguments.distance
    return Neighbourhood(
        places.alias("here"),
        places.alias("other"),
        paired.rows.alias("pairs"),
        (placed, paired),
        note,
        source,
        None if reach is None else pairs_within(source, source, reach, kept=True),
    )


def valued(
    arguments: NeighbourArguments, source: Source
) -> tuple[ColumnElement[Any], Sequence[ColumnElement[bool]]]:
    """The value of a row, and which rows count: those with a value and a shape."""
    value = real_number(source, arguments.column)
    return value, (value.is_not(None), has_shape(lonlat(source)))


def _pairs(places: Any, arguments: NeighbourArguments) -> Any:
    here, there = places.alias("here"), places.alias("there")
    other = there.c.place != here.c.place
    if arguments.distance is not None:
        near = func.ST_DWithin(here.c.geog, there.c.geog, arguments.distance)
        return select(here.c.place.label("a"), there.c.place.label("b")).select_from(
            here.join(there, near & other)
        )
    found = nearest_of(here.c.geog, there, [there.c.place], [other], arguments.k or 0, first=["place"])
    return select(here.c.place.label("a"), found.c.place.label("b")).select_from(here.join(found, true()))


def settled(statement: Select[Any], name: str) -> Subquery:
    """A subquery whose columns are computed once: PostgreSQL would copy them to wherever they are used."""
    return statement.offset(0).subquery(name)


def moments(places: FromClause) -> CTE:
    """One row: `n`, `mean`, `m2` (population variance) and `b2` (kurtosis) of the values."""
    total = (
        select(
            cast(func.count(), Float()).label("n"),
            func.avg(places.c.value).label("mean"),
            func.var_pop(places.c.value).label("m2"),
        )
        .select_from(places)
        .cte("total")
    )
    whole = (total.c.n, total.c["mean"], total.c.m2)
    fourth = func.avg(func.power(places.c.value - total.c["mean"], 4.0), type_=Float())
    return (
        select(*whole, (fourth / (total.c.m2 * total.c.m2)).label("b2"))
        .select_from(places.join(total, true()))
        .group_by(*whole)
        .cte("moments")
    )


def standard(
    value: ColumnElement[Any], expected: ColumnElement[Any], variance: ColumnElement[Any]
) -> ColumnElement[Any]:
    """The standard normal value; null if the variance is zero."""
    z = (value - expected) / func.sqrt(func.abs(variance), type_=Float())
    return case((variance > 0, z), else_=null())


def two_sided(z: ColumnElement[Any]) -> ColumnElement[float]:
    """The probability of a standard normal value at least as far from 0 as `z`.

    The complementary error function by Chebyshev fitting (Press et al., "Numerical Recipes", 6.2, erfcc):
    relative error below 1.2e-7 everywhere. PostgreSQL has its own only since version 16."""
    x = func.abs(z, type_=Float()) / literal(2.0**0.5, Float())
    t = literal(1.0, Float()) / (literal(1.0, Float()) + x / literal(2.0, Float()))
    polynomial: ColumnElement[Any] = literal(0.17087277, Float())
    for coefficient in (
        -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    ):  # fmt: skip
        polynomial = literal(coefficient, Float()) + t * polynomial
    exponent = -x * x - literal(1.26551223, Float()) + t * polynomial
    # PostgreSQL raises an error for an exponential that underflows.
    return case(
        (z.is_(None), None),
        else_=t * func.exp(func.greatest(exponent, literal(-700.0, Float())), type_=Float()),
    )


def column_phrases(words: str) -> tuple[str, ...]:
    """Templates of a figure of a column among neighbours, 8 of them by default."""
    return tuple(
        f"<open> {words} {about}{near}"
        for about in (
            "(of|in|for|by) {column} [(in|of|for|across|among|over) {source}]",
            "(of|in|for) {source} (by|of) {column}",
        )
        for near in (" -> k=8", " within {distance}", " (with|using) {k} [nearest] (neighbours|neighbors)")
    )
