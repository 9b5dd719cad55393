"""Bring attributes of another table to features by location: every match, or figures over all matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import ColumnElement, Label, and_, func, literal, select, true

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.aggregates import (
    COUNT_ONLY,
    ZERO_WITHOUT_ROWS,
    Aggregate,
    aggregated,
    ignored,
)
from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out, joined_columns
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    CountedNotes,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.units import Length
from server.gis.operations.support.matching.pairs import pairs_meeting, pairs_within
from server.gis.operations.support.matching.relations import (
    MIN_SIZE_RATIO,
    PREDICATE_TEXT,
    Predicate,
    Relation,
    is_indexed,
    may_start_from_other,
    related,
)
from server.gis.operations.support.palettes import shaded

NO_MATCH_OF = Template(
    "op_no_match_of", "{n} of {rows} of {other} {n|one=matches|other=match} no feature of {table}."
)

MAX_MATCHED_AGAIN = 100_000
"""Rows of the other table up to which those without a match are counted, which takes as long as the join."""


class SpatialJoinArguments(Arguments):
    source: str = table_argument("The table whose features are kept.")
    other: str = table_argument("The table that is joined to them.")
    predicate: Predicate = Field("intersects", description=PREDICATE_TEXT)
    distance: Length | None = None
    """How far away at most; for within_distance only."""
    rows: Literal["aggregate", "all", "matched"] = "aggregate"
    """aggregate: one row a feature, with figures; all: one row a match, and those without; matched: only matches."""
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of the matches of a feature (rows=aggregate)."""


class SpatialJoin(Operation[SpatialJoinArguments]):
    """Attributes of the features of another table with the requested spatial relation; distances in metres."""

    summary = "Join another table by location: counts, sums and means per feature, or one row per match."
    traits = frozenset({"counts", "joins"})
    phrases = (
        (
            "<how_many> {other:bare} [are there|there are|lie|are|does|do] <in_each> [of] "
            "{source:bare} [have|has] -> predicate=shares_interior :: {other} in each {source}"
        ),
        (
            "<then> <how_many> {other:bare} [are there|there are|lie|are] (<in_each> [of them]|in it|there|inside) -> "
            "predicate=shares_interior :: {other} in each of them"
        ),
        (
            "<how_many> {other:bare} [<are>] <closer> {distance} (of|from|around|to) (each|every) [of] {source} -> "
            "predicate=within_distance :: {other} within {distance} of each {source}"
        ),
    )

    async def build(self, arguments: SpatialJoinArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        each_way = arguments.rows == "aggregate" and may_start_from_other(source, other, arguments.predicate)
        met_by = workspace.source(arguments.source) if each_way else source
        relation = related(met_by, other, arguments.predicate, arguments.distance, workspace)
        kept = arguments.rows != "aggregate"
        pairs = (
            pairs_meeting(source, other, kept=kept)
            if arguments.distance is None
            else pairs_within(source, other, arguments.distance, kept=kept)
        )
        own = attribute_columns(source)
        taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
        notes: tuple[str, ...] = ()
        values = {each.name: relation.column(each.name) for each in other.attributes}
        columns: list[ColumnElement[Any]] = []
        if arguments.rows == "aggregate":
            arguments = await with_rates(arguments, other, workspace)
            notes = await ignored(arguments.aggregates, other, workspace)
            figures = aggregated(arguments.aggregates, other, taken, relation.shape, values)
            if each_way:
                columns, joined = _by_row(figures, arguments.aggregates, source, met_by, relation)
            else:
                columns, joined = _by_feature(figures, source, relation)
        else:
            columns += joined_columns(other, taken, values)
            joined = source.rows.join(relation.rows, relation.condition, isouter=arguments.rows == "all")
        return Step.keeping(
            source,
            once=arguments.rows == "aggregate",
            select=select(*own, *columns, *geometry_out(source)).select_from(joined),
            prepare=relation.prepare,
            portion_source=None if each_way else source,
            pairs=pairs,
            # Distances are geodesic, which an index of the geometry does not serve.
            counted=await _unmatched(source, met_by, other, relation, workspace)
            if arguments.distance is None
            else None,
            method=(*relation.method, *rate_notes(arguments.aggregates, other)),
            notes=notes,
            style=shaded(columns[0].name) if arguments.rows == "aggregate" else None,
        )


async def _unmatched(
    source: Source, met_by: Source, other: Source, relation: Relation, workspace: Workspace
) -> CountedNotes | None:
    """How many rows of `other` match none, so that the figures are not mistaken for those of all rows."""
    in_one_system = source.table.srid == other.table.srid
    few = (other.table.row_estimate or 0) <= MAX_MATCHED_AGAIN
    if not (few and in_one_system and await is_indexed(met_by, workspace)):
        return None  # each row would be compared with every feature

    def notes(rows: int, unmatched: int) -> list[str]:
        if not unmatched:
            return []
        return [
            NO_MATCH_OF(
                n=unmatched, rows=count_of(rows, "row"), other=other.table.title, table=source.table.title
            )
        ]

    return CountedNotes(lambda _made: _rows_and_unmatched(met_by, other, relation), notes)


def _rows_and_unmatched(met_by: Source, other: Source, relation: Relation) -> Any:
    """The SELECT of both numbers."""
    rows, home, address = relation.rows, other.home, other.address
    is_few = other.table.row_estimate * MIN_SIZE_RATIO <= met_by.table.row_estimate
    if address is None or is_few:  # a view, or a few rows, of which each stops at its first match
        matches = select(literal(1)).select_from(met_by.rows).where(relation.condition).exists()
        return select(func.count(), func.count().filter(~matches)).select_from(rows)
    # A join can be started from either side, as that of the figures is.
    pairs = select(home.label("o"), address.label("a")).select_from(
        rows.join(met_by.rows, relation.condition)
    )
    matched = pairs.distinct().subquery("matched")
    every = select(func.count()).select_from(rows).scalar_subquery()
    return select(every, every - select(func.count()).select_from(matched).scalar_subquery())


Joined = tuple[list[ColumnElement[Any]], Any]


def _by_feature(figures: Sequence[Label[Any]], source: Source, relation: Relation) -> Joined:
    """One lateral aggregate for each feature; a feature without matches gets a count of 0."""
    inner = select(*figures).select_from(relation.rows).where(relation.condition).lateral("figures")
    return [inner.c[label.name].label(exact(label.name)) for label in figures], source.rows.join(
        inner, true()
    )


def _by_row(
    figures: Sequence[Label[Any]],
    aggregates: Sequence[Aggregate],
    source: Source,
    met_by: Source,
    relation: Relation,
) -> Joined:
    """The same as a separate join, which PostgreSQL can start from either side, grouped by row address."""
    place = [met_by.home.label("o"), met_by.address.label("a")]  # type: ignore[union-attr]
    numbered = [label.element.label(f"f{number}") for number, label in enumerate(figures)]
    found = (
        select(*place, *numbered)
        .select_from(relation.rows.join(met_by.rows, relation.condition))
        .group_by(*(each.element for each in place))
        .subquery("figures")
    )
    columns: list[ColumnElement[Any]] = []
    for number, (aggregate, label) in enumerate(zip(aggregates, figures, strict=True)):
        figure: ColumnElement[Any] = found.c[f"f{number}"]
        if aggregate.function in ZERO_WITHOUT_ROWS:
            figure = func.coalesce(figure, 0)
        columns.append(figure.label(exact(label.name)))
    here = and_(found.c.o == source.home, found.c.a == source.address)
    return columns, source.rows.join(found, here, isouter=True)
