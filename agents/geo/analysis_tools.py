"""The tools around analyses: have one run, and put away what one left."""

from __future__ import annotations

from typing import Annotated

from agents.core import Param, Result, ToolFailed, tool
from agents.geo.tools import GeoTools
from agents.ports import Analyst

ANALYSIS_TOOLS = frozenset({"run_analysis", "drop_result"})
"""Offered only where an analyst is at hand."""


def result_ids(agent: GeoTools) -> list[str]:
    """The results of analyses of this map."""
    return [table.id for table in agent.registry.tables() if table.is_result]


class AnalysisTools(GeoTools):
    @tool(timeout=None, sequential=True)
    async def run_analysis(self, goal: str) -> str:
        """Hand a question over to the analyst: distances, buffers, joins, overlays, densities, clusters and the like.

        It plans the steps, runs them in the database and puts the result on the map.

        Args:
            goal: What the user wants to know, complete in itself, with all names, numbers and units.
        """
        return await self._the_analyst().run(goal, self.map)

    @tool(sequential=True)
    async def drop_result(self, table: Annotated[str, Param(enum=result_ids)]) -> Result:
        """Delete the result of an analysis for good, when the user asks for that. This cannot be undone.

        Layers that show it must be removed first.

        Args:
            table: The result's table.
        """
        await self._the_analyst().drop_result(table, self.map)
        return Result({"dropped": table}, summary=f"Dropped {table}")

    def _the_analyst(self) -> Analyst:
        if self.analyst is None:
            raise ToolFailed("No analyst is at hand here.")
        return self.analyst
