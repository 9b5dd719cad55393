"""Receives the events of maps on a server and passes them to browsers and running turns.

Numbered events come from the feed, transient ones from this server or, through the relay, from another. The
socket server sets `emit`, which sends to everyone of this server on a map."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from pydantic import BaseModel

from server.database.engines import Database
from server.maps.live.drafts import TEXT_END_EVENTS, Drafts
from server.maps.live.feed import Feed
from server.maps.live.gestures import Gestures, Pointing
from server.maps.live.joins import Joins
from server.maps.live.liveness import Liveness
from server.maps.live.presence import MAX_NAMED_PEOPLE, Crowd, Presence, Receipts, Shown, select_named
from server.maps.live.relay import Relay
from server.maps.log.event_log import EventLog
from server.maps.log.events import Event
from server.maps.log.replay import MapState
from server.maps.log.tables import EVENT_CHANNEL, TRANSIENT_CHANNEL
from server.protocol import Presence as PresenceEvent
from server.protocol import Someone

Emit = Callable[[str, str, dict[str, Any]], Coroutine[Any, Any, None]]
"""Called with map id, event name and payload."""

PRESENCE_PAUSE_S = 0.1
"""Joins and leaves of a map within this time are sent as one `presence`."""
MAX_PRESENCE_PAUSE_S = 5.0
PRESENCES_PER_S = 1000
"""Limit for all clients of one map together: the more there are, the less often `presence` is sent."""


async def discard(map_id: str, event: str, data: dict[str, Any]) -> None:
    """The `emit` of a server that has no sockets yet."""


class Follower(Protocol):
    """A running turn: it sees every event of its map."""

    def begin(self, state: MapState) -> None:
        """Called once, with the state before the first event."""

    def see(self, events: Sequence[Event]) -> None:
        """Called with later events, in order and without gaps."""


class Hub:
    """Connects the event log, presence, receipts, gestures and the relay of one server."""

    def __init__(self, database: Database, log: EventLog, liveness: Liveness) -> None:
        self.log = log
        self.presence = Presence(self._people_changed)
        self.receipts = Receipts()
        self.gestures = Gestures(self._send_gestures)
        self.relay = Relay(database.owner, liveness)
        self.emit: Emit = discard
        self.drafts = Drafts()
        self._database = database
        self._feed = Feed(log, self._deliver, self._is_followed)
        self.joins = Joins(log, self._feed, self.presence)
        self._followers: dict[str, list[Follower]] = {}
        self._to_announce: dict[str, asyncio.TimerHandle] = {}
        self._to_send: set[str] = set()
        """Maps whose users are sent to other servers with the next announcement."""
        self._named: dict[str, frozenset[str]] = {}
        """By map with more users than are listed: those listed last. Gestures of the others are not sent."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.relay.on("emit", self._on_event)
        self.relay.on("receipt", self._on_receipt)
        self.relay.on("presence", self._on_presence)
        self.relay.on("gestures", self._on_gestures)
        self.relay.on("hello", self._on_hello)
        self._liveness = liveness

    async def start(self) -> None:
        """Listen to other servers, and ask them for their users."""
        self.relay.start()
        await self._database.listen(
            [EVENT_CHANNEL, TRANSIENT_CHANNEL], self._on_notification, self._reconnected
        )
        self.relay.send("hello", {}, always=True)

    async def close(self) -> None:
        """Stop delivering events."""
        for timer in self._to_announce.values():
            timer.cancel()
        await self._feed.close()
        await self.relay.close()

    def leave(self, map_id: str, person: str) -> None:
        """A user on this server has left the map."""
        self.presence.leave(map_id, person)
        self._released(map_id)

    @asynccontextmanager
    async def following(self, map_id: str, follower: Follower) -> AsyncIterator[None]:
        """The follower receives the map's state now and every later event until the block ends."""
        async with self._feed.joining(map_id) as reach:
            state = await self.log.reader.state(map_id)
            await reach(state.seq)
            follower.begin(state)
            self._followers.setdefault(map_id, []).append(follower)
        try:
            yield
        finally:
            self._followers[map_id] = [one for one in self._followers[map_id] if one is not follower]
            if not self._followers[map_id]:
                del self._followers[map_id]
            self._released(map_id)

    def _released(self, map_id: str) -> None:
        self._feed.release(map_id)
        if not self._is_followed(map_id):
            self.drafts.forget(map_id)

    async def announce(self, map_id: str, event: str, body: BaseModel) -> None:
        """Send a transient event to everyone on a map, on all servers, after all events recorded before it."""
        await self._feed.settled(map_id)
        data = body.model_dump(mode="json")
        if event == "ai_delta":
            self.drafts.add_delta(data)
        self.relay.send("emit", {"map_id": map_id, "event": event, "data": data})
        await self.emit(map_id, event, data)

    def receive(self, map_id: str, layer_id: str, version: int, shown: Shown) -> None:
        """Handle a receipt of a browser connected to this server."""
        self.receipts.receive(map_id, layer_id, version, shown)
        receipt = {"map_id": map_id, "layer_id": layer_id, "version": version}
        self.relay.send(
            "receipt",
            {**receipt, "features": shown.features, "error": shown.error, "drawn_from": shown.drawn_from},
        )

    async def beat(self, alive: frozenset[str]) -> None:
        """Remove the users of servers that are not in `alive`."""
        for map_id in self.presence.forget(alive):
            self._announce_soon(map_id)

    async def _deliver(self, events: Sequence[Event]) -> None:
        map_id = events[0].map_id
        for event in events:
            if event.name in TEXT_END_EVENTS:
                self.drafts.end(map_id, event.turn_id)
        for follower in self._followers.get(map_id, ()):
            follower.see(events)
        if self.presence.is_here(map_id):
            for event in events:
                await self.emit(map_id, event.name, event.wire())

    def followed_maps(self) -> list[str]:
        """The maps that clients of this server follow."""
        return [*{*self._followers, *self.presence.maps_here()}]

    def _is_followed(self, map_id: str) -> bool:
        return map_id in self._followers or self.presence.is_here(map_id)

    def _reconnected(self) -> None:
        self.log.forget()
        self._feed.wake_all()

    def _on_notification(self, channel: str, payload: str) -> None:
        if channel == TRANSIENT_CHANNEL:
            self.relay.receive(payload)
            return
        map_id, _, seq = payload.rpartition(":")
        if seq.isdigit():
            self._feed.wake(map_id, int(seq))

    def _on_event(self, server_id: str, body: dict[str, Any]) -> None:
        if self.presence.is_here(body["map_id"]):
            if body["event"] == "ai_delta":
                self.drafts.add_delta(body["data"])
            self._spawn(self.emit(body["map_id"], body["event"], body["data"]))

    def _on_receipt(self, server_id: str, body: dict[str, Any]) -> None:
        shown = Shown(body["features"], body["error"], body.get("drawn_from", "all"))
        self.receipts.receive(body["map_id"], body["layer_id"], body["version"], shown)

    def _on_presence(self, server_id: str, body: dict[str, Any]) -> None:
        people = {
            person: Someone(id=person, name=name, viewer=viewer)
            for person, name, viewer, _watches in body["people"]
        }
        unnamed, unnamed_viewers = body.get("unnamed", (0, 0))
        watching = {person for person, _name, _viewer, watches in body["people"] if watches}
        crowd = Crowd(people, watching, unnamed, unnamed_viewers)
        self.presence.set_remote(server_id, body["map_id"], crowd, more=body.get("more", False))
        self._announce_soon(body["map_id"])

    def _on_gestures(self, server_id: str, body: dict[str, Any]) -> None:
        self.gestures.merge_remote(body["map_id"], body["people"])
        if self.presence.is_here(body["map_id"]):
            news = {"map_id": body["map_id"], "people": body["people"]}
            self._spawn(self.emit(body["map_id"], "gestures", news))

    def _send_gestures(self, map_id: str, people: list[Pointing]) -> None:
        shown = self._named.get(map_id)
        if shown is not None:
            people = [pointing for pointing in people if pointing["person"] in shown]
        if not people:
            return
        body = {"map_id": map_id, "people": people}
        self.relay.send("gestures", body)
        if self.presence.is_here(map_id):
            self._spawn(self.emit(map_id, "gestures", body))

    def _on_hello(self, server_id: str, body: dict[str, Any]) -> None:
        self._liveness.expect(server_id)
        for map_id in self.presence.maps_here():
            self._send_people(map_id)

    def _people_changed(self, map_id: str) -> None:
        if self.presence.crowd(map_id).count <= MAX_NAMED_PEOPLE:
            self._send_people(map_id)
        else:
            self._to_send.add(map_id)
        self._announce_soon(map_id)

    def _send_people(self, map_id: str) -> None:
        crowd = self.presence.crowd(map_id)
        named = select_named(crowd.people.values(), crowd.watching)
        people = [[one.id, one.name, one.viewer, one.id in crowd.watching] for one in named]
        viewers = sum(person.viewer for person in named)
        unnamed = (crowd.count - len(named), crowd.viewers - viewers)
        self.relay.send("presence", {"map_id": map_id, "people": people, "unnamed": unnamed})

    def _announce_soon(self, map_id: str) -> None:
        if map_id not in self._to_announce:
            pause = self.presence.count(map_id) / PRESENCES_PER_S
            pause = min(max(PRESENCE_PAUSE_S, pause), MAX_PRESENCE_PAUSE_S)
            loop = asyncio.get_running_loop()
            self._to_announce[map_id] = loop.call_later(pause, self._announce_people, map_id)

    def _announce_people(self, map_id: str) -> None:
        self._to_announce.pop(map_id, None)
        if map_id in self._to_send:
            self._to_send.discard(map_id)
            self._send_people(map_id)
        known, count = self.presence.people(map_id), self.presence.count(map_id)
        ids = [person.id for person in known]
        self.gestures.keep(map_id, ids)
        self._named.pop(map_id, None)
        if count > len(known):
            self._named[map_id] = frozenset(ids)
        if self.presence.is_here(map_id):
            viewers = self.presence.viewers(map_id)
            body = PresenceEvent(map_id=map_id, people=ids, known=known, count=count, viewers=viewers)
            self._spawn(self.emit(map_id, "presence", body.model_dump(mode="json")))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
