"""Makes the agent that answers a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agents.core.limits import Limits
from agents.core.messages import Message
from agents.core.model import Model
from agents.core.tools.toolbox import ToolBox
from agents.geo_agent import GeoAgent
from agents.offline import OfflineModel
from agents.offline.recipe_words import parse_run
from server.analysts import AnalystDesk
from server.assembly.analyses import AnalysisParts
from server.assembly.data import DataParts
from server.assembly.transfers import TransferParts
from server.database.outages import why_unavailable
from server.maps.turns.session import TurnSession
from server.settings import Settings
from server.transfers.deliveries import ExportDesk
from server.transfers.lake import LakeDesk

if TYPE_CHECKING:
    from server.gis.sql import PostgisSql


@dataclass(frozen=True)
class Extensions:
    """The agent class and the tools that the settings name."""

    agent_class: type[GeoAgent]
    tools: ToolBox


class TurnAgents:
    """Called with a turn and the conversation before it; see `server.maps.turns.runner.AgentFactory`."""

    def __init__(
        self,
        settings: Settings,
        model: Model,
        extensions: Extensions,
        data: DataParts,
        analyses: AnalysisParts,
        transfers: TransferParts,
    ) -> None:
        self._model = model
        self._extensions = extensions
        self._data = data
        self._analyses = analyses
        self._transfers = transfers
        self._reply_characters = settings.reply_characters
        self._turn_timeout = settings.turn_timeout
        self._sql = select_runner(data) if settings.sql else None

    async def __call__(self, session: TurnSession, history: Sequence[Message]) -> GeoAgent:
        results, recipes = self._analyses.results, self._analyses.recipes
        readable = await results.readable(session.map_id)
        data, notes = self._data.reading(readable), self._data.notes
        agent_class = self._extensions.agent_class
        # A recipe that a user starts in the client needs no language model.
        by_hand = parse_run(session.text, await recipes.cards(session.map_id)) is not None
        return agent_class(
            OfflineModel() if by_hand else self._model,
            registry=readable,
            map=session,
            data=data,
            analyst=AnalystDesk(
                self._model,
                readable,
                data,
                self._analyses.service,
                results,
                recipes,
                notes,
                self._reply_characters,
            ),
            info_store=notes,
            sql=self._sql.reading(readable) if self._sql else None,
            exporter=ExportDesk(self._transfers.deliveries),
            lake=LakeDesk(self._transfers.lake, readable) if self._transfers.lake else None,
            history=history,
            limits=self._limits_of(agent_class),
            toolbox=self._extensions.tools,
            why_unavailable=why_unavailable,
        )

    def _limits_of(self, agent_class: type[GeoAgent]) -> Limits:
        limits = replace(agent_class.limits, reply_characters=self._reply_characters)
        return limits if self._turn_timeout is None else replace(limits, seconds=self._turn_timeout)


def select_runner(data: DataParts) -> PostgisSql:
    """Runs SELECT statements that a model writes."""
    from server.gis.sql import PostgisSql  # the parser is large, and few servers allow SQL

    return PostgisSql(data.database.reader_session, data.registry)
