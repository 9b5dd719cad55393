"""Keep the features that have a spatial relation to features of another table."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import ColumnElement, exists, not_, select, true

from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out
from server.gis.operations.support.base import Arguments, Operation, Source, Step, Workspace, table_argument
from server.gis.operations.support.earth.units import Length
from server.gis.operations.support.matching.pairs import pairs_meeting
from server.gis.operations.support.matching.relations import (
    PREDICATE_TEXT,
    Predicate,
    Relation,
    is_indexed,
    may_start_from_other,
    related,
)

SINGLE_MATCH_PREDICATES = ("intersects", "shares_interior", "within_distance")


USUAL_DISTANCES = ("500 m", "1 km", "5 km", "50 km")
"""Proposed where a request says `near` without a distance."""
FOUND = "(seen|found|recorded|observed|reported|sighted|spotted|caught|detected|mapped|counted|collected)"


class SelectByLocationArguments(Arguments):
    source: str = table_argument("The table whose features are selected.")
    other: str = table_argument("The table that they are compared with.")
    predicate: Predicate = Field("intersects", description=PREDICATE_TEXT)
    distance: Length | None = None
    """How far away at most; for within_distance only."""
    invert: Annotated[bool, Field(description="Keep those that do not.")] = False


class SelectByLocation(Operation[SelectByLocationArguments]):
    """Rows with the requested spatial relation to rows of another table; distances in metres."""

    summary = "Keep features that intersect, lie within, contain, touch or are within a distance of another table's."
    traits = frozenset({"keeps_geometry"})
    phrases = (
        *(
            f"<ask> {{source:any}} [[,] (and|but)] [<are>] said=({words}) {{other:any}} more=([{{also}}])"
            f" -> predicate=within_distance{meant} :: {{source}} {{said}} {{other}} {{more}}"
            for words, meant in (
                ("<closer> {distance} <away>", ""),
                ("<farther> {distance} <away> [every|each]", ", invert"),
                ("not <closer> {distance} <away>", ", invert"),
                ("not <farther> {distance} <away>", ""),
            )
        ),
        *(
            "<ask> {source:any} [<are>] (near|near to|nearby|close to|not far from|[in the] vicinity of) [any]"
            f" {{other:any}} more=([{{also}}]) -> predicate=within_distance, distance={distance}"
            f" :: {{source}} within {distance} of {{other}} {{more}}"
            for distance in USUAL_DISTANCES
        ),
        *(
            f"<ask> {{source:any}} [<are>] (near|near to|nearby|close to) [any] {{other:any}} {said} {{distance}}"
            " [away|of it|of them] -> predicate=within_distance :: {source} within {distance} of {other}"
            for said in (
                "[[,] (say|so|meaning|that is)] [,] (within|less than|up to|at most)",
                "[,] (say|meaning|that is|i mean|maybe) [,]",
            )
        ),
        "<ask> {source:any} [<are>] said=((in|inside|within) [a] {distance} (circle|radius) (around|of|about|from))"
        " {other:any} more=([{also}]) -> predicate=within_distance :: {source} {said} {other} {more}",
        "<ask> {source} said=((without|with no|that have no|having no|have no|has no|[that] lack|lacking"
        "|(and|but) (no|without)) [a|an|any] {other:rows} <closer> {distance})"
        " more=([{also}]) -> predicate=within_distance, invert :: {source} {said} {more}",
        "<ask> {source} said=((with|having|that have|have|has) [at least one] {other:rows} <closer> {distance})"
        " more=([{also}]) -> predicate=within_distance :: {source} {said} {more}",
        *(
            f"<then> [<are>] said=({words}) {{other:any}} -> predicate=within_distance{meant}"
            " :: {said} {other}"
            for words, meant in (
                ("<closer> {distance} <away>", ""),
                ("<farther> {distance} <away> [every|each]", ", invert"),
                ("not <closer> {distance} <away>", ", invert"),
            )
        ),
        "<then> [<are>] said=((in|inside|within) [any|all]) {other:areas}"
        " -> predicate=shares_interior :: {said} {other}",
        "<ask> {source:bare} (does|do) {other:shapes} (cross|intersect|pass through|run through|go through)"
        " -> predicate=shares_interior :: {source} that meet {other}",
        *(
            f"{words} -> predicate=shares_interior :: {{source}} with {{other}}"
            for words in (
                "(in|within) which {source:bare} (is|are|lies|lie) {other:any} [located]",
                "(which|what) {source:bare} (is|are|lies|lie) {other:any} [located] in",
                "(which|what) {source:bare} (contain|contains) {other:any}",
                f"(in|within) (which|what) {{source:bare}} (was|were|have|has) {{other:meant}} [been] {FOUND}",
                f"<ask> {{source:bare}} (where|in which) {{other:meant}} (is|are|was|were|(has|have) been) {FOUND}",
            )
        ),
        "(in|within) which {source:bare} (is|are) there (no|not (a|any|a single|one)) {other:any}"
        " -> predicate=shares_interior, invert :: {source} without {other}",
        "<closer> {distance} <away> {other:any} (,|[,] (show|show me|list|which|what|find|how many)) {source} [<are>]"
        " -> predicate=within_distance :: {source} within {distance} of {other}",
        "<ask> {source:bare} [that|which] [are] said=(<bordering>) [both] {other:shapes} more=([{also}])"
        " -> predicate=touches :: {source} {said} {other} {more}",
        "<ask> {source:bare} (does|do) {other:shapes} (border [on]|touch|share a border with)"
        " -> predicate=touches :: {source} that border {other}",
        "<ask> ((neighbouring|neighboring|adjacent) {source:bare} (of|to)|{source:bare} are (neighbours|neighbors) of)"
        " {other:shapes}"
        " -> predicate=touches :: {source} bordering {other}",
        *(
            f"{words} -> predicate=touches :: {{source}} of {{other}}"
            for words in (
                "[<what>|<ask>|(which|who) are] source=(neighbours|neighbors) of {other:shapes}",
                "<how_many> source=(neighbours|neighbors) (does|has) {other:shapes} [have]",
            )
        ),
        "<ask> {other:shapes} (and|with|plus) [all] [of] source=(neighbours|neighbors)"
        " -> predicate=intersects :: {other} and its {source}",
        "<ask> {other:shapes} (and|with|plus) [all] [of] (neighbouring|neighboring|adjacent) {source:bare}"
        " -> predicate=intersects :: {other} and its neighbours",
        *(
            f"<ask> {{source{kind}}} [<are>] said=({words} [any]) {{other:{other}}} [<inside>] more=([{{also}}])"
            f" -> predicate={predicate} :: {{source}} {{said}} {{other}} {{more}}"
            for kind, words, other, predicate in (
                ("", "(in|inside|within) [all]", "areas", "shares_interior"),
                (
                    "",
                    "(lie|lies|lying|fall|falls|located) (in|inside|within) [all]",
                    "areas",
                    "shares_interior",
                ),
                (
                    ":bare",
                    "(intersecting|intersect|intersects|crossed by|that intersect)",
                    "shapes",
                    "intersects",
                ),
                (":bare", "(overlapping|overlap|overlaps|that overlap)", "shapes", "shares_interior"),
                (
                    ":bare",
                    "([that|which] (cross|crosses|crossing"
                    "|(pass|passes|passing|run|runs|running|go|goes|going) through))",
                    "shapes",
                    "shares_interior",
                ),
                (":bare", "(containing|that contain)", "rows", "shares_interior"),
                (":bare", "(completely|entirely|fully|wholly) (in|inside|within)", "shapes", "within"),
                (":bare", "(with|having|that have)", "meant", "shares_interior"),
                (
                    "",
                    (
                        "(without|with no|that have no|having no|lacking|have no|has no"
                        "|(do not|does not|don't|doesn't) have [any|a|an]"
                        "|(and|but) (no|without [any|a|an])|where there (is|are|was|were) no)"
                    ),
                    "meant",
                    "shares_interior, invert",
                ),
                (
                    "",
                    "([that] (contain|contains|containing) no|not containing|that do not contain)",
                    "rows",
                    "shares_interior, invert",
                ),
                (
                    "",
                    (
                        "([lie|lies|lying|fall|falls|located] (outside [of] [all|any|every|each]|in no|in none of|"
                        "inside none of|(not|nowhere|aren't|isn't) (in|inside|within) (any|one|a))"
                        "|(do not|does not|don't|doesn't) (lie|fall) (in|inside|within|into) (any|one|a))"
                    ),
                    "areas",
                    "shares_interior, invert",
                ),
            )
        ),
    )

    async def build(self, arguments: SelectByLocationArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        each_way = may_start_from_other(source, other, arguments.predicate)
        met_by = workspace.source(arguments.source) if each_way else source
        relation = related(met_by, other, arguments.predicate, arguments.distance, workspace)
        is_led = each_way and await is_indexed(met_by, workspace)
        met = _listed(source, met_by, relation, is_led) if each_way else _one_by_one(relation)
        return Step.keeping(
            source,
            select(*attribute_columns(source), *geometry_out(source))
            .select_from(source.rows)
            .where(not_(met) if arguments.invert else met),
            prepare=relation.prepare,
            portion_source=None if each_way else source,
            # The first match is enough, unless most candidates nearby do not match.
            pairs=None if arguments.predicate in SINGLE_MATCH_PREDICATES else pairs_meeting(source, other),
            method=relation.method,
        )


def _one_by_one(relation: Relation) -> ColumnElement[bool]:
    return exists(select(1).select_from(relation.rows).where(relation.condition))


def _listed(source: Source, met_by: Source, relation: Relation, is_led: bool) -> ColumnElement[bool]:
    """Whether a row has any match, as a separate join that PostgreSQL can start from either side.

    With `is_led` it starts from the other table: PostgreSQL overestimates the rows of a spatial join by thousands,
    and would scan the larger table."""
    own = select(met_by.home.label("home"), met_by.address.label("address"))  # type: ignore[union-attr]
    meeting = own.select_from(relation.rows.join(met_by.rows, relation.condition))
    if is_led:
        found = (
            own.select_from(met_by.rows)
            .where(relation.condition)
            .offset(0)
            .correlate(relation.rows)
            .lateral("found")
        )
        meeting = select(found.c.home, found.c.address).select_from(relation.rows.join(found, true()))
    pairs = meeting.subquery("meeting")
    return exists(
        select(1)
        .select_from(pairs)
        .where(pairs.c.home == source.home, pairs.c.address == source.address)
        .correlate(source.rows)
    )
