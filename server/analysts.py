"""Where GeoAgent finds an analyst: one for each goal, with an analysis of its own on the map."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from agents.analyst import Analyst
from agents.core import ToolFailed
from agents.core.model import Model
from agents.ports import DataSource, InfoStore
from server.gis.readable import ReadableTables
from server.maps.analyses import AnalysisService, MapAnalysis, reason_of
from server.maps.layers import By
from server.maps.session import TurnSession

Drop = Callable[[str, str, By], Awaitable[int]]
"""Drops a result of a map: `(map_id, table, by)`."""


class AnalystDesk:
    """The port `agents.ports.Analyst`, for one turn: `readable` is what its map may read."""

    def __init__(
        self,
        model: Model,
        readable: ReadableTables,
        data: DataSource,
        analyses: AnalysisService,
        drop: Drop,
        info_store: InfoStore | None = None,
    ) -> None:
        self._model = model
        self._readable = readable
        self._data = data
        self._analyses = analyses
        self._drop = drop
        self._info_store = info_store

    async def run(self, goal: str, session: Any) -> str:
        """The analyst's words for the user. However it ends, the map is told how."""
        session = _turn(session)
        analysis = self._analyses.open(goal, session, self._readable)
        analyst = Analyst(
            self._model,
            registry=self._readable,
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

    async def drop_result(self, table: str, session: Any) -> None:
        turn = _turn(session)
        await self._drop(turn.map_id, table, turn.by)


def _turn(session: Any) -> TurnSession:
    if not isinstance(session, TurnSession):
        raise ToolFailed("An analysis needs a turn on a map.")
    return session


async def _close(analysis: MapAnalysis, reason: str, advice: str) -> None:
    if not analysis.ended:
        await analysis.fail(reason, advice)
