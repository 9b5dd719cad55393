"""A table of figures: rows grouped by columns, without geometry."""

from __future__ import annotations

from sqlalchemy import literal

from server.gis.operations.support.attributes.aggregates import ignored
from server.gis.operations.support.attributes.groups import GroupArguments, grouped
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import Operation, Step, Workspace


class SummariseArguments(GroupArguments):
    pass


class Summarise(Operation[SummariseArguments]):
    """Counts and aggregates by columns, without geometry."""

    summary = (
        "Group rows by columns and count, sum, average, or take percentiles; the result has no geometry."
    )
    traits = frozenset({"counts", "groups", "tabular"})
    checks_geometries = False
    phrases = (
        "(summarise|summarize|group|aggregate) {source} [(by|for each|per) {by}] [<giving> {aggregates}]",
    )

    async def build(self, arguments: SummariseArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        arguments = await with_rates(arguments, source, workspace)
        notes = await ignored(arguments.aggregates, source, workspace)
        return Step(
            grouped(arguments, source, literal(1)),
            notes=notes,
            method=rate_notes(arguments.aggregates, source),
        )
