"""Sends `turn_waiting` to the clients on this server's maps: how many turns start before theirs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from server.maps.live.hub import Hub
from server.maps.turns.admission import OpenTurn
from server.protocol import TurnWaiting

NEWS_INTERVAL_S = 1.0
"""Minimum interval of updates of changed positions: each start changes all of them."""
REPEAT_INTERVAL_S = 4.0
"""Interval at which unchanged positions are repeated, for clients that joined since."""


class QueuePositions:
    """Remembers what was sent for each map, so that only changed positions are sent."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._sent: dict[str, tuple[str, int]] = {}
        """By map, the turn and the position that were sent last."""
        self._news_at = 0.0
        self._repeat_at = 0.0

    async def send(self, turns: Sequence[OpenTurn], order: Sequence[OpenTurn]) -> None:
        """Send changed positions. `order` holds the queued ones among `turns`, first to start first."""
        held = {turn.map_id for turn in turns if turn.status != "queued"}
        await self._announce_start(held | self._sent.keys() - {turn.map_id for turn in order})
        now = time.monotonic()
        if now < self._news_at:
            return
        self._news_at = now + NEWS_INTERVAL_S
        repeats = now >= self._repeat_at
        if repeats:
            self._repeat_at = now + REPEAT_INTERVAL_S
        seen = set(held)
        for ahead, turn in enumerate(order):
            if turn.map_id in seen:
                continue
            seen.add(turn.map_id)
            place = (turn.id, ahead)
            if repeats or self._sent.get(turn.map_id) != place:
                await self._emit(turn.map_id, turn.id, ahead)
                self._sent[turn.map_id] = place

    async def started(self, turn: OpenTurn) -> None:
        """The turn starts on this server."""
        await self._announce_start({turn.map_id})

    async def _announce_start(self, map_ids: set[str]) -> None:
        for map_id in map_ids & self._sent.keys():
            turn_id, _ = self._sent.pop(map_id)
            await self._emit(map_id, turn_id, None)

    async def _emit(self, map_id: str, turn_id: str, ahead: int | None) -> None:
        if self._hub.presence.is_here(map_id):
            body = TurnWaiting(map_id=map_id, turn_id=turn_id, ahead=ahead)
            await self._hub.emit(map_id, "turn_waiting", body.model_dump(mode="json"))
