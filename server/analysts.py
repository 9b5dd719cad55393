"""Creates analysts for GeoAgent: one for each goal, with a new analysis on the map."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.analyst import Analyst
from agents.core import ToolContext, ToolFailed, hand_over
from agents.core.model import Model
from agents.domain import RecipeCard
from agents.engine_words import asked_engine
from agents.geo.operation_tools import output_facts
from agents.geo.wording.phrases import breakdown_words, count_of
from agents.geo.wording.texts import TITLED
from agents.ports import AnalysisReport, DataSource, InfoStore, OperationInfo
from agents.worded import joined
from server.database.outages import why_unavailable
from server.gis.catalog.readable_tables import ReadableTables
from server.maps.analyses.failures import reason_of
from server.maps.analyses.offered import OFFERED
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.results import Results
from server.maps.analyses.session import AnalysisService, MapAnalysis
from server.maps.turns.session import TurnSession


class AnalystDesk:
    """Implements the port `agents.ports.Analyst` for one turn; `readable` are the tables that its map may read."""

    def __init__(
        self,
        model: Model,
        readable: ReadableTables,
        data: DataSource,
        analyses: AnalysisService,
        results: Results,
        recipes: Recipes,
        info_store: InfoStore | None = None,
        reply_characters: int | None = Analyst.limits.reply_characters,
    ) -> None:
        self._model = model
        self._limits = replace(Analyst.limits, reply_characters=reply_characters)
        self._readable = readable
        self._data = data
        self._analyses = analyses
        self._results = results
        self._recipes = recipes
        self._info_store = info_store
        self._cards: Sequence[RecipeCard] | None = None
        """The map's recipes, which are read several times in a turn; None until then and after a change."""

    def operations(self) -> Sequence[OperationInfo]:
        return OFFERED

    async def run(self, goal: str, session: Any, context: ToolContext) -> AnalysisReport:
        """Run an analysis; returns the analyst's report to the user. However it ends, the end is recorded on the
        map."""
        session = _turn(session)
        goal, engine = asked_engine(goal)
        analysis = MapAnalysis(goal, session, self._readable, self._analyses, engine)
        analyst = Analyst(
            self._model,
            registry=self._readable,
            map=session,
            data=self._data,
            session=analysis,
            info_store=self._info_store,
            limits=self._limits,
            why_unavailable=why_unavailable,
        )
        try:
            finished = await hand_over(analyst, goal, context, history=analyst.history, forward=False)
        except BaseException as error:
            await asyncio.shield(_close(analysis, *reason_of(analysis.outage or error)))
            raise
        await _close(analysis, "It ended without a result.", finished.text)
        outputs = [output_facts(each) for each in analyst.outputs]
        return AnalysisReport(finished.text, analyst.finished, outputs)

    async def drop_result(self, table: str, session: Any) -> None:
        turn = _turn(session)
        await self._results.drop(turn.map_id, table, turn.by)

    async def recipes(self, session: Any) -> Sequence[RecipeCard]:
        if self._cards is None:
            self._cards = await self._recipes.cards(session.map_id)
        return self._cards

    async def save_recipe(self, name: str, parameters: Sequence[str] | None, session: Any) -> RecipeCard:
        turn, self._cards = _turn(session), None
        _, card = await self._recipes.save(turn.map_id, None, name, parameters, turn.by)
        return card

    async def rename_recipe(self, recipe: str, name: str, session: Any) -> None:
        turn, self._cards = _turn(session), None
        await self._recipes.rename(turn.map_id, recipe, name, turn.by)

    async def remove_recipe(self, recipe: str, session: Any) -> None:
        turn, self._cards = _turn(session), None
        await self._recipes.remove(turn.map_id, recipe, turn.by)

    async def run_recipe(self, recipe: str, values: Mapping[str, Any], session: Any) -> AnalysisReport:
        """Run the steps of the recipe, one after the other, without a model."""
        turn = _turn(session)
        plan = (await self._recipes.get(turn.map_id, recipe)).filled(values)
        analysis = MapAnalysis(plan.goal, turn, self._readable, self._analyses)
        titled = [(step, step.title or step.operation) for step in plan.steps]
        try:
            await analysis.plan([(step.operation, title) for step, title in titled])
            for step, title in titled:
                await analysis.run_step(step.operation, step.arguments, title)
            last = analysis.outcomes()[-1]
            notes = dict.fromkeys(
                note if note.endswith(".") else joined("", (note, "."))
                for note in last.notes
                if note not in last.method
            )
            rows = joined("", (count_of(last.rows, "row"), breakdown_words(last.breakdown), "."))
            summary = joined(" ", (TITLED(title=plan.goal, count=rows), *notes))
            await analysis.finish(summary, plan.style, outputs=plan.outputs)
        except BaseException as error:
            await asyncio.shield(_close(analysis, *reason_of(analysis.outage or error)))
            raise
        made = [each for each in analysis.outcomes()[:-1] if each.step in plan.outputs]
        return AnalysisReport(summary, outputs=[output_facts(each) for each in (*made, last)])


def _turn(session: Any) -> TurnSession:
    if not isinstance(session, TurnSession):
        raise ToolFailed("An analysis needs a turn on a map.")
    return session


async def _close(analysis: MapAnalysis, reason: str, advice: str) -> None:
    if not analysis.ended:
        await analysis.fail(reason, advice)
