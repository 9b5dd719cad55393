"""One transaction on a map, opened by `EventLog.writing`: assigns numbers, versions and tile URLs, and writes
events, stored layers and the NOTIFY when it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Layer
from server.maps.log.checkpoints import EVENTS_PER_CHECKPOINT, save_checkpoint
from server.maps.log.events import CHANGE_EVENTS, Change, Event, clean_json
from server.maps.log.histories import Histories
from server.maps.log.replay import MapState, apply
from server.maps.log.tables import EVENT_CHANNEL
from server.maps.log.undo import History
from server.protocol import MapEvent

ENVELOPE = set(MapEvent.model_fields)
TILES = "/tiles/{map_id}/{layer_id}/{version}/{{z}}/{{x}}/{{y}}.mvt"

DataTags = Callable[[str], str]
"""The tag of the data that tiles of a table, by its id, are drawn from; empty where it is not known."""


def with_data_tag(tiles: str, tag: str) -> str:
    """The address of tiles with another data tag, or with none."""
    path = tiles.partition("?")[0]
    return f"{path}?data={tag}" if tag else path


# One statement, so that a transaction on a map is one round trip shorter for each of its parts.
APPEND = text(
    "WITH added AS (INSERT INTO geoagent.event (map_id, seq, type, turn_id, at, payload)"
    " SELECT :map_id, seq, type, turn_id, at, payload FROM jsonb_to_recordset(CAST(:events AS jsonb))"
    " AS new (seq bigint, type text, turn_id text, at timestamptz, payload jsonb)),"
    " moved AS (UPDATE geoagent.map SET seq = :seq WHERE id = :map_id),"
    " stored AS (INSERT INTO geoagent.layer (map_id, layer_id, document)"
    " SELECT :map_id, layer ->> 'id', layer FROM jsonb_array_elements(CAST(:layers AS jsonb)) AS layer"
    " ON CONFLICT (map_id, layer_id) DO UPDATE SET document = excluded.document),"
    " removed AS (DELETE FROM geoagent.layer WHERE map_id = :map_id AND layer_id = ANY(CAST(:removed AS text[])))"
    " SELECT pg_notify(:channel, :news)"
)


class MapWriter:
    """A map while its row is locked. `seq` and `state` include what was recorded in this transaction."""

    def __init__(
        self,
        connection: AsyncConnection,
        map_id: str,
        turn_id: str | None,
        seq: int,
        histories: Histories,
        data_tags: DataTags,
    ) -> None:
        self.connection = connection
        self.map_id = map_id
        self.seq = seq
        self.events: list[Event] = []
        self.stored = 0
        """Characters that were stored in addition to the events."""
        self._encoded = (0, "")
        self._turn_id = turn_id
        self._committed = seq
        self._histories = histories
        self._data_tags = data_tags
        self._before: tuple[Layer, ...] = ()
        self._state: MapState | None = None
        self._versions: dict[str, int] = {}

    async def state(self) -> MapState:
        """The state with all events recorded so far."""
        if self._state is None:
            known = (await self.history()).state
            self._before = known.layers
            self._state = MapState(self.seq, known.layers, known.charts)
        return self._state

    async def history(self) -> History:
        """The undo history as of the beginning of this transaction."""
        return await self._histories.at(self.connection, self.map_id, self._committed)

    async def record(self, change: Change, turn_id: str | None = None) -> Event:
        """Number and buffer a change. `turn_id` overrides the transaction's."""
        payload = clean_json(change.payload)
        if change.name in ("layer_added", "layer_updated"):
            payload["layer"] = await self._stamped(payload["layer"])
        state = await self.state() if change.name in CHANGE_EVENTS else self._state
        self.seq += 1
        turn_id = turn_id or self._turn_id
        typed = Event(self.map_id, self.seq, change.name, turn_id, datetime.now(UTC), payload).typed()
        whole = typed.model_dump(mode="json", exclude=ENVELOPE)
        event = Event(self.map_id, self.seq, change.name, turn_id, typed.at, whole, typed)
        if state is not None:
            self._state = apply(state, typed)
        self.events.append(event)
        return event

    def size(self) -> int:
        """Characters that this transaction adds for good."""
        return self.stored + len(self._recorded())

    def _recorded(self) -> str:
        """The events as JSON, encoded once they are all there."""
        known, text = self._encoded
        if known != len(self.events):
            rows = [
                {
                    "seq": event.seq,
                    "type": event.name,
                    "turn_id": event.turn_id,
                    "at": event.at.isoformat(),
                    "payload": event.payload,
                }
                for event in self.events
            ]
            text = json.dumps(rows, ensure_ascii=False)
            self._encoded = len(self.events), text
        return text

    async def flush(self, checkpoint: int) -> bool:
        """Write the recorded events; returns whether there were any. The newest checkpoint of the map is of the event
        `checkpoint`."""
        if not self.events:
            return False
        layers, removed = self._changed_layers()
        await self.connection.execute(
            APPEND,
            {
                "map_id": self.map_id,
                "events": self._recorded(),
                "layers": json.dumps(layers, ensure_ascii=False),
                "removed": removed,
                "seq": self.seq,
                "channel": EVENT_CHANNEL,
                "news": f"{self.map_id}:{self.seq}",
            },
        )
        if self._state is not None and self.seq - checkpoint >= EVENTS_PER_CHECKPOINT:
            await save_checkpoint(self.connection, self.map_id, replace(self._state, seq=self.seq))
        return True

    def has_other_data(self, layer: Layer) -> bool:
        """Whether the layer's tiles are of other data than its table has now."""
        return layer.tiles != with_data_tag(layer.tiles, self._data_tags(layer.table))

    def _changed_layers(self) -> tuple[list[Any], list[str]]:
        """The documents of the layers to store, and the ids of those to remove."""
        before = {layer.id: layer for layer in self._before}
        after = {} if self._state is None else {layer.id: layer for layer in self._state.layers}
        changed = [layer for layer in after.values() if before.get(layer.id) != layer]
        documents = [layer.model_dump(mode="json") for layer in changed]
        return documents, sorted(before.keys() - after.keys())

    async def _stamped(self, layer: dict[str, Any]) -> dict[str, Any]:
        """The layer with a version above all earlier ones of its id, and with a tile URL of that version if its
        tiles are new."""
        layer_id = str(layer["id"])
        version = await self._newest_version(layer_id) + 1
        self._versions[layer_id] = version
        tiles = layer.get("tiles") or TILES.format(map_id=self.map_id, layer_id=layer_id, version=version)
        # An address that undo restores must also have the tag of the current rows.
        tiles = with_data_tag(tiles, self._data_tags(str(layer["table"])))
        return {**layer, "version": version, "tiles": tiles}

    async def _newest_version(self, layer_id: str) -> int:
        if layer_id in self._versions:
            return self._versions[layer_id]
        there = (await self.state()).layer(layer_id)
        if there is not None:
            return there.version
        found = await self.connection.execute(
            text(
                "SELECT max((payload #>> '{layer,version}')::bigint) FROM geoagent.event"
                " WHERE map_id = :map_id AND payload #>> '{layer,id}' = :layer_id"
                " AND type IN ('layer_added', 'layer_updated')"
            ),
            {"map_id": self.map_id, "layer_id": layer_id},
        )
        return int(found.scalar_one() or 0)
