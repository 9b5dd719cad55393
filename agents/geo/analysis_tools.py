"""Tools for analyses, their results and recipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from agents.core import Param, Result, ToolContext, ToolFailed, tool
from agents.core.tools.results import content_of
from agents.geo.tools import GeoTools
from agents.ports import AnalysisReport, Analyst
from agents.worded import Template

SAVED_RECIPE = Template("tool_saved_recipe", "Saved the recipe “{name}”")
DROPPED = Template("tool_dropped", "Dropped {table}")
RENAMED_RECIPE = Template("tool_renamed_recipe", "Renamed the recipe “{recipe}” to “{name}”")
REMOVED_RECIPE = Template("tool_removed_recipe", "Removed the recipe “{recipe}”")
NO_ANALYST = Template("tool_no_analyst", "No analyst is available here.")

ANALYSIS_TOOLS = frozenset(
    {"run_analysis", "drop_result", "save_recipe", "run_recipe", "rename_recipe", "remove_recipe"}
)
"""Offered only if there is an analyst."""


def result_ids(agent: GeoTools) -> Sequence[str]:
    """The tables that are results of analyses of this map."""
    return agent.catalogue().result_ids


async def recipe_names(agent: GeoTools) -> list[str]:
    """The recipes of this map."""
    return [] if agent.analyst is None else [each.name for each in await agent.analyst.recipes(agent.map)]


RecipeName = Annotated[str, Param(enum=recipe_names)]


class AnalysisTools(GeoTools):
    """Tools that run analyses and manage results and recipes; a mixin of GeoAgent."""

    @tool(timeout=None, sequential=True)
    async def run_analysis(self, goal: str, context: ToolContext) -> Result:
        """Have the analyst compute a new table: distances, buffers, joins, overlays, cleaning, columns and the like.

        It plans the steps, runs them and puts the result on the map.

        Args:
            goal: What the user wants, complete in itself, with all names, numbers and units.
        """
        with context.own_time():
            report = await self._the_analyst().run(goal, self.map, context)
        return self._reported(report)

    @tool(sequential=True)
    async def save_recipe(self, name: str, parameters: list[str] | None = None) -> Result:
        """Keep the plan of the latest analysis as a recipe of the map, to be run again with other values.

        Args:
            parameters: Values that may be changed; all when left out.
        """
        card = await self._the_analyst().save_recipe(name, parameters, self.map)
        return Result({"recipe": card.model_dump(mode="json")}, summary=SAVED_RECIPE(name=card.name))

    @tool(sequential=True, needs_choice=True)
    async def drop_result(self, table: Annotated[str, Param(enum=result_ids)]) -> Result:
        """Delete the result of an analysis for good, when the user asks for that; first remove layers that show it."""
        await self._the_analyst().drop_result(table, self.map)
        return Result({"dropped": table}, summary=DROPPED(table=table))

    @tool(timeout=None, sequential=True, needs_choice=True)
    async def run_recipe(
        self, recipe: RecipeName, context: ToolContext, values: dict[str, Any] | None = None
    ) -> Result:
        """Run a recipe of the map again, as a new analysis.

        Args:
            values: New values by parameter name; what is left out is as it was saved.
        """
        with context.own_time():
            report = await self._the_analyst().run_recipe(recipe, values or {}, self.map)
        return self._reported(report)

    @tool(sequential=True, needs_choice=True)
    async def rename_recipe(self, recipe: RecipeName, name: str) -> Result:
        """Give a recipe of the map another name."""
        await self._the_analyst().rename_recipe(recipe, name, self.map)
        return Result({"name": name}, summary=RENAMED_RECIPE(recipe=recipe, name=name))

    @tool(sequential=True, needs_choice=True)
    async def remove_recipe(self, recipe: RecipeName) -> Result:
        """Take a recipe off the map, when the user asks for that."""
        await self._the_analyst().remove_recipe(recipe, self.map)
        return Result({"removed": recipe}, summary=REMOVED_RECIPE(recipe=recipe))

    def _reported(self, report: AnalysisReport) -> Result:
        """The report's text for the user, and for the model the tables that it can use now."""
        self.seen_tables.update(dict.fromkeys(str(output["table"]) for output in report.outputs))
        made = f"\n{content_of({'outputs': report.outputs})}" if report.outputs else ""
        return Result(content=report.text + made, data={"finished": report.finished, "answer": report.text})

    def _the_analyst(self) -> Analyst:
        if self.analyst is None:
            raise ToolFailed(NO_ANALYST())
        return self.analyst
