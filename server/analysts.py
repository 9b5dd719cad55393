"""Where GeoAgent finds an analyst: one for each goal, with an analysis of its own on the map."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.analyst import Analyst
from agents.core import ToolFailed
from agents.core.model import Model
from agents.ports import DataSource, InfoStore, TableRegistry
from server.maps.analyses import AnalysisService, MapAnalysis, reason_of
from server.maps.session import TurnSession


class AnalystDesk:
    """The port `agents.ports.Analyst`."""

    def __init__(
        self,
        model: Model,
        registry: TableRegistry,
        data: DataSource,
        analyses: AnalysisService,
        info_store: InfoStore | None = None,
    ) -> None:
        self._model = model
        self._registry = registry
        self._data = data
        self._analyses = analyses
        self._info_store = info_store

    async def run(self, goal: str, session: Any) -> str:
        """The analyst's words for the user. However it ends, the map is told how."""
        if not isinstance(session, TurnSession):
            raise ToolFailed("An analysis needs a turn on a map.")
        analysis = self._analyses.open(goal, session)
        analyst = Analyst(
            self._model,
            registry=self._registry,
            map=session,
            data=self._data,
            session=analysis,
            info_store=self._info_store,
        )
        try:
            finished = await analyst.run(goal)
        except BaseException as error:
            await asyncio.shield(_close(analysis, *reason_of(error)))
            raise
        if not analysis.ended:
            await _close(analysis, finished.reason or "It ended without a result.", finished.text)
        return finished.text


async def _close(analysis: MapAnalysis, reason: str, advice: str) -> None:
    if not analysis.ended:
        await analysis.fail(reason, advice)
