"""The agent's access to the map of its turn, which follows the map's events.

Each change is an event of the turn. A tool that draws a layer gets the first browser's receipt, if one is watching."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel

from agents.charts import Chart, ChartData, ChartDraft
from agents.domain import Bounds, Focus, Layer, LayerChange, LayerDraft
from server.maps.charts import ChartService
from server.maps.layers.groups import change_group
from server.maps.layers.verbs import Author, Done, LayerService
from server.maps.live.hub import Hub
from server.maps.log.events import Change, Event
from server.maps.log.replay import MapState, apply
from server.maps.turns.outages import record_once
from server.maps.turns.queue import Turn
from server.protocol import LayerGroup, ViewRequested

NOT_WATCHED = "no browser is watching"
UNCONFIRMED = "not confirmed: no browser has reported it drawn yet"
HIDDEN = "the layer is hidden"
MAX_REMOVALS_READ = 200
"""Newest removals of layers that are searched for the layer of a selection."""


class TurnSession:
    """Implements the port `agents.ports.MapSession`. Changes raise TurnLost if another server took over the turn."""

    def __init__(
        self, turn: Turn, hub: Hub, layers: LayerService, charts: ChartService, server_id: str
    ) -> None:
        self._turn = turn
        self._hub = hub
        self._service = layers
        self._charts = charts
        self.by = Author(turn.id, server_id)
        self.abandon: Callable[[str], None] = lambda message: None
        """Ends the turn as failed, with this message in place of the agent's answer. Set by the runner."""
        self._state = MapState()
        self._focus = turn.focus

    @property
    def map_id(self) -> str:
        return self._turn.map_id

    @property
    def turn_id(self) -> str:
        return self._turn.id

    @property
    def text(self) -> str:
        """The user's message."""
        return self._turn.text

    @property
    def focus(self) -> Focus | None:
        return self._focus

    async def check_focus(self) -> None:
        """Drop a selection whose layer was removed after the user selected: another layer may have its id now."""
        focus = self._focus
        if focus is None or focus.seq is None or not focus.feature_ids:
            return
        removals = await self._hub.log.reader.read_latest(
            self.map_id, ("layer_removed", "map_reset"), MAX_REMOVALS_READ
        )
        if any(
            each.seq > focus.seq and each.payload.get("layer_id", focus.layer_id) == focus.layer_id
            for each in removals
        ):
            self._focus = focus.model_copy(update={"layer_id": None})

    def begin(self, state: MapState) -> None:
        """Start from this state of the map; `see` brings later events."""
        self._state = state

    def see(self, events: Sequence[Event]) -> None:
        """Apply new events of the map; those of this session have been applied already."""
        for event in events:
            if event.seq > self._state.seq:
                self._state = apply(self._state, event.typed())

    def layers(self) -> Sequence[Layer]:
        return self._state.layers

    async def add_layer(self, draft: LayerDraft) -> tuple[Layer, str]:
        return await self._drawn(await self._service.add(self.map_id, draft, self.by))

    async def update_layer(self, layer_id: str, change: LayerChange) -> tuple[Layer, str]:
        return await self._drawn(await self._service.update(self.map_id, layer_id, change, self.by))

    async def remove_layer(self, layer_id: str) -> None:
        self._keep(await self._service.remove(self.map_id, layer_id, self.by))

    async def reorder(self, layer_ids: Sequence[str]) -> None:
        self._keep(await self._service.reorder(self.map_id, layer_ids, self.by))

    async def group_layer(self, layer_id: str, group: str | None) -> None:
        wanted = LayerGroup(map_id=self.map_id, layers=[layer_id], group=group)
        self._keep(await change_group(self._hub.log, wanted, self.by))

    async def reset(self) -> int:
        count, done = await self._service.reset(self.map_id, self.by)
        self._keep(done)
        return count

    def charts(self) -> Sequence[Chart]:
        return self._state.charts

    async def add_chart(self, draft: ChartDraft) -> tuple[Chart, ChartData]:
        drawn = await self._charts.add(self.map_id, draft, self.by)
        self._see(drawn.state)
        return drawn.chart, drawn.data

    async def remove_chart(self, chart_id: str) -> Chart:
        _, state, chart = await self._charts.remove(self.map_id, chart_id, self.by)
        self._see(state)
        return chart

    async def zoom_to(self, bounds: Bounds) -> None:
        body = ViewRequested(map_id=self.map_id, turn_id=self.turn_id, bounds=bounds)
        await self._hub.announce(self.map_id, "view_requested", body)

    async def undo(self) -> str | None:
        done = await self._service.undo(self.map_id, self.by)
        return None if done is None else self._keep(done).what

    async def redo(self) -> str | None:
        done = await self._service.redo(self.map_id, self.by)
        return None if done is None else self._keep(done).what

    async def record(self, change: Change) -> None:
        """Record an event of this turn that does not change layers."""
        await record_once(self._hub.log, self.map_id, self.turn_id, self.by.server_id, change)

    async def announce(self, event: str, body: BaseModel) -> None:
        """A transient event for everyone on the map."""
        await self._hub.announce(self.map_id, event, body)

    def _keep(self, done: Done) -> Done:
        self._see(done.state)
        return done

    def _see(self, state: MapState) -> None:
        if state.seq > self._state.seq:
            self._state = state

    async def _drawn(self, done: Done) -> tuple[Layer, str]:
        """The layer, and the first browser's receipt as a text."""
        self._keep(done)
        layer = done.layer
        assert layer is not None  # noqa: S101 - adding and updating always give one
        if not layer.visible:
            return layer, HIDDEN
        if not self._hub.presence.is_watched(self.map_id):
            return layer, NOT_WATCHED
        shown = await self._hub.receipts.wait(self.map_id, layer.id, layer.version)
        return layer, UNCONFIRMED if shown is None else shown.describe()
