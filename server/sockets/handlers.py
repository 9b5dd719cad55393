"""What each event of the protocol does. A handler is named as its event, gets a checked request, and returns
the acknowledgement without `ok`; every fault is an exception."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from agents.domain import LayerChange, LayerDraft, Place
from server.maps.faults import MapFault
from server.maps.layers import Done, undone
from server.maps.presence import Shown
from server.maps.service import MapService
from server.protocol import (
    Approve,
    Cancel,
    Chat,
    EventEnvelope,
    FindPlace,
    Join,
    LayerAdd,
    LayerRemove,
    LayerReorder,
    LayerUpdate,
    MapRequest,
    Receipt,
    Snapshot,
    View,
)
from server.sockets.connection import MAX_MAPS, Connection

Ack = dict[str, Any]
Move = Callable[[Connection, str], Awaitable[None]]
FindPlaces = Callable[[str, int], Awaitable[Sequence[Place]]]


class Handlers:
    def __init__(self, maps: MapService, find_places: FindPlaces, enter_room: Move, leave_room: Move) -> None:
        self._maps = maps
        self._find_places = find_places
        self._enter_room = enter_room
        self._leave_room = leave_room

    async def join(self, connection: Connection, request: Join) -> Ack:
        if len(connection.maps) >= MAX_MAPS and request.map_id not in connection.maps:
            raise MapFault("too_large", f"One connection may be on {MAX_MAPS} maps. Leave some first.")
        map_id = request.map_id or await self._maps.log.create()
        after_seq = request.after_seq if request.map_id else None
        hub = self._maps.hub
        found = await hub.enter(
            map_id, connection.person, after_seq, lambda: self._enter_room(connection, map_id)
        )
        connection.maps.add(map_id)
        if not connection.is_open:
            hub.leave(map_id, connection.person)
        if isinstance(found, Snapshot):
            return {"map_id": map_id, "seq": found.seq, "snapshot": found.model_dump(mode="json")}
        newest, events, more = found
        ack: Ack = {
            "map_id": map_id,
            "seq": events[-1].seq if more else newest,
            "events": [EventEnvelope(event=one.name, data=one.wire()).model_dump() for one in events],
            "more": more,
        }
        if after_seq is not None and after_seq > newest:
            ack["snapshot"] = (await self._maps.log.snapshot(map_id)).model_dump(mode="json")
        return ack

    async def leave(self, connection: Connection, request: MapRequest) -> Ack:
        if request.map_id in connection.maps:
            await self._leave_room(connection, request.map_id)
            connection.maps.discard(request.map_id)
            self._maps.hub.leave(request.map_id, connection.person)
        return {}

    async def chat(self, connection: Connection, request: Chat) -> Ack:
        await self._check_joined(connection, request)
        said = await self._maps.turns.submit(request.map_id, request.text, request.client_id, request.focus)
        self._maps.runner.wake()
        return {"turn_id": said.turn_id, "seq": said.seq}

    async def cancel(self, connection: Connection, request: Cancel) -> Ack:
        await self._check_joined(connection, request)
        turn_id = await self._maps.runner.cancel(request.map_id, request.turn_id)
        return {"cancelled": turn_id is not None, "turn_id": turn_id}

    async def approve(self, connection: Connection, request: Approve) -> Ack:
        await self._check_joined(connection, request)
        seq = await self._maps.turns.answer(
            request.map_id, request.turn_id, request.call_id, request.approved
        )
        self._maps.runner.wake()
        return {"seq": seq}

    async def layer_add(self, connection: Connection, request: LayerAdd) -> Ack:
        await self._check_joined(connection, request)
        draft = LayerDraft(
            table=request.table,
            id=request.layer_id,
            name=request.name,
            filter=request.filter,
            style=request.style,
            visible=request.visible,
            opacity=request.opacity,
        )
        return changed(await self._maps.layers.add(request.map_id, draft))

    async def layer_update(self, connection: Connection, request: LayerUpdate) -> Ack:
        await self._check_joined(connection, request)
        sent = request.model_fields_set - {"map_id", "layer_id"}
        change = LayerChange.model_validate({name: getattr(request, name) for name in sent})
        return changed(await self._maps.layers.update(request.map_id, request.layer_id, change))

    async def layer_remove(self, connection: Connection, request: LayerRemove) -> Ack:
        await self._check_joined(connection, request)
        return changed(await self._maps.layers.remove(request.map_id, request.layer_id))

    async def layer_reorder(self, connection: Connection, request: LayerReorder) -> Ack:
        await self._check_joined(connection, request)
        return changed(await self._maps.layers.reorder(request.map_id, request.order))

    async def undo(self, connection: Connection, request: MapRequest) -> Ack:
        await self._check_joined(connection, request)
        done = undone(await self._maps.layers.undo(request.map_id), redo=False)
        return {"seq": done.seq, "what": done.what}

    async def redo(self, connection: Connection, request: MapRequest) -> Ack:
        await self._check_joined(connection, request)
        done = undone(await self._maps.layers.redo(request.map_id), redo=True)
        return {"seq": done.seq, "what": done.what}

    async def receipt(self, connection: Connection, request: Receipt) -> Ack:
        """One for a version that was never announced is not kept: nothing can be seen before it is there."""
        await self._check_joined(connection, request)
        if await self._maps.lookup.layer(request.map_id, request.layer_id, request.version) is not None:
            shown = Shown(request.features, request.error)
            self._maps.hub.receive(request.map_id, request.layer_id, request.version, shown)
        return {}

    async def view(self, connection: Connection, request: View) -> Ack:
        await self._check_joined(connection, request)
        self._maps.hub.presence.watches(request.map_id, connection.person)
        return {}

    async def find_place(self, connection: Connection, request: FindPlace) -> Ack:
        await self._check_joined(connection, request)
        found = await self._find_places(request.text, request.limit)
        return {"places": [place.model_dump(mode="json") for place in found]}

    async def _check_joined(self, connection: Connection, request: MapRequest) -> None:
        if request.map_id not in connection.maps:
            await self._maps.log.seq(request.map_id)
            raise MapFault("not_joined", "Send `join` with this map_id before anything else.")


def changed(done: Done) -> Ack:
    return {"seq": done.seq} if done.layer is None else {"seq": done.seq, "layer_id": done.layer.id}
