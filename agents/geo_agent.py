"""GeoAgent: the agent that works on a map and on PostGIS tables. Its collaborators are passed in; it creates none.

    agent = GeoAgent(client, "gpt-5.1", registry=registry, map=session, data=data)
    await agent.chat("show airports in red")

One agent serves one map. Between turns the host may assign another session of that map (`agent.map = session`)."""

from __future__ import annotations

import asyncio
import itertools
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from agents.core import Agent, Limits, Message, ToolMessage, UserMessage, hook
from agents.geo import prompt
from agents.geo.analysis_tools import ANALYSIS_TOOLS, AnalysisTools
from agents.geo.chart_tools import ChartTools
from agents.geo.data_tools import DataTools
from agents.geo.export_tools import ExportTools, with_links
from agents.geo.lake_tools import LakeTools
from agents.geo.map_tools import MapTools
from agents.geo.sql_tools import SqlTools
from agents.geo.wording.texts import CANNOT
from agents.ports import (
    Analyst,
    DataSource,
    Exporter,
    InfoStore,
    LakeTables,
    MapSession,
    SqlRunner,
    TableRegistry,
)
from agents.provenance.annotation import annotation
from agents.provenance.linking import Figure, link_figures
from agents.worded import wording_of

WRITTEN_BY_MODELS = frozenset({"run_analysis", "cannot_do"})
"""Tools whose results were written by a model; the sources of their numbers are in their receipts."""

OFFLINE = "offline"
"""Name of the built-in offline model."""

log = logging.getLogger("agents.geo_agent")
_NOTES_SECONDS = 3.0
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")


class GeoAgent(
    MapTools,
    AnalysisTools,
    ChartTools,
    DataTools,
    ExportTools,
    LakeTools,
    SqlTools,
    Agent,
):
    """The tools of the first base are listed last: those whose enums change most often, so that a prompt cache serves
    the others.

    Without an analyst the tools around analyses are not offered, nor `run_sql` without a runner, nor `export`
    without an exporter, nor `add_lake_table` without a place for lake tables; without an info store there are no notes.
    """

    description = "Shows, styles, filters and questions the user's PostGIS tables on a map."

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        *,
        registry: TableRegistry,
        map: MapSession,
        data: DataSource,
        analyst: Analyst | None = None,
        info_store: InfoStore | None = None,
        sql: SqlRunner | None = None,
        exporter: Exporter | None = None,
        lake: LakeTables | None = None,
        socket_emit: Callable[[dict[str, Any]], Any] | None = None,
        history: Iterable[Message] | None = None,
        limits: Limits | None = None,
        **options: Any,
    ) -> None:
        self.registry = registry
        self.map = map
        self.data = data
        self.analyst = analyst
        self.info_store = info_store
        self.sql = sql
        self.exporter = exporter
        self.lake = lake
        self.seen_tables = {}
        self.sent_notes = set()
        self._catalogue = None
        self._notes: tuple[str, str | None] = ("", None)
        super().__init__(client, model, socket_emit, history=history, limits=limits, **options)
        self.context = self
        absent = (ANALYSIS_TOOLS if analyst is None else set()) | ({"run_sql"} if sql is None else set())
        absent |= {"export"} if exporter is None else set()
        absent |= {"add_lake_table"} if lake is None else set()
        if self.model.name == OFFLINE:
            # It invents no numbers, so its text is streamed without waiting for whole sentences.
            self.hooks = replace(self.hooks, review=())
        if absent:
            self.toolbox = self.toolbox.filter(lambda tool: tool.name not in absent)

    def _system_messages(self) -> list[str]:
        tables = self.registry.tables()
        parts = [prompt.ROLE, *([self.instructions] if self.instructions else [])]
        few = tables if len(tables) <= prompt.MAX_TABLES else ()  # of many, an enum lists those that matter
        return [*parts, prompt.tables_part(few, len(tables))]

    @hook.system
    async def _relevant_notes(self) -> str | None:
        """Notes on what the user's message is about; asked for once per message, and never fatal."""
        message = next((item.text for item in reversed(self.history) if isinstance(item, UserMessage)), "")
        if self.info_store is None or not message:
            return None
        if self._notes[0] != message:
            try:
                async with asyncio.timeout(_NOTES_SECONDS):
                    notes = list(await self.info_store.query(message, k=3))
            except Exception:
                log.warning("the info store did not answer; going on without notes", exc_info=True)
                notes = []
            self.sent_notes.update(notes)
            self._notes = (message, prompt.notes_part(notes))
        return self._notes[1]

    @hook.response
    def _link_files(self, text: str) -> str:
        return with_links(text, list(self.history))

    @hook.review
    async def _unsupported_numbers(self, text: str) -> str | None:
        """Names the numbers of the answer that no result contains; a question to the user claims nothing."""
        figures = await self._linked(text)
        unsupported = [each.text for each in figures if each.source is None and not _is_asked(text, each)]
        return prompt.unsupported_part(unsupported) if unsupported else None

    @hook.annotation
    async def _figures(self, text: str) -> dict[str, Any]:
        """The source of each number in the answer, or a mark that no result contains it."""
        if self.model.name == OFFLINE and not self._has_looked():
            # The offline model invents nothing: without a result, its numbers are limits and examples of commands.
            return {}
        return annotation([each for each in await self._linked(text) if not _is_refused(text, each)])

    async def _linked(self, text: str) -> list[Figure]:
        """The numbers of an answer with their sources."""
        tables = self.catalogue().words
        names = [layer.name for layer in self.map.layers()]
        notes = self._notes[1] or ""
        # In a thread: a long conversation has many numbers, and others wait for this event loop.
        return await asyncio.to_thread(
            link_figures, text, list(self.history), WRITTEN_BY_MODELS, names, tables, context_text=notes
        )

    def _has_looked(self) -> bool:
        """Whether a tool has found something since the user's last message."""
        since = itertools.takewhile(lambda item: not isinstance(item, UserMessage), reversed(self.history))
        results = (result for item in since if isinstance(item, ToolMessage) for result in item.results)
        return any(result.name != "cannot_do" for result in results)

    @hook.system
    async def _recipes_now(self) -> str | None:
        return None if self.analyst is None else prompt.recipes_part(await self.analyst.recipes(self.map))

    @hook.system
    def _map_now(self) -> str:
        return prompt.layers_part(self.map.layers())

    @hook.system
    def _focus_now(self) -> str | None:
        return prompt.focus_part(self.map.focus, self.map.layers())


def _is_refused(text: str, figure: Figure) -> bool:
    """Whether the number is in the built-in model's words for a refusal, or in what it offers after them, which claim
    nothing about the data."""
    return any(part.code == CANNOT.code and part.start <= figure.start for part in wording_of(text))


def _is_asked(text: str, figure: Figure) -> bool:
    """Whether the sentence with this number is a question."""
    end = _SENTENCE_END.search(text, figure.end)
    return end is not None and end[0] == "?"
