"""What each event of the protocol does. A handler is named as its event, gets a checked request, and returns
the acknowledgement without `ok`; every fault is an exception.

Whether the sender may ask this was decided before (server/sockets/rights.py): `map_id` is the map's own id here,
by whatever key it was joined. Only `join` and `leave` see the key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agents.domain import FoundPlaces, LayerChange, LayerDraft
from agents.exports import ExportReport, ExportRequest
from agents.worded import Template, stored_wording
from server import protocol
from server.database.lanes import working_for
from server.maps.access import Access
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.results import Results
from server.maps.copying import copy_map
from server.maps.faults import RequestFault
from server.maps.layers.groups import change_group
from server.maps.layers.verbs import Author, Done, require_undone
from server.maps.live.presence import Shown
from server.maps.service import MapService
from server.maps.turns.queue import Submitted
from server.sockets.connection import MAX_MAPS, Connection
from server.sockets.packets import MAX_TEXT

MAPS = Template("socket_maps", "One connection may be on {n} maps. Leave some first.")

Ack = dict[str, Any]
FindPlaces = Callable[[str, str, int], Awaitable[FoundPlaces]]
"""Called with map id, text and limit."""
OnProgress = Callable[[str, int, int], Awaitable[None]]
ExportFile = Callable[[str, ExportRequest, OnProgress], Awaitable[ExportReport]]
"""Called with the map id, the request, and a callback for progress: file name, rows so far, all rows."""
Send = Callable[[Connection, str, BaseModel], Awaitable[None]]
"""Called with an event for one connection."""
Move = Callable[[Connection, Access], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Handlers:
    """Handlers of the clients' events, by name of event; they run after payload and rights were checked.

    Requests are documented in `server.protocol.requests`, answers in `server.protocol.acknowledgements`."""

    _maps: MapService
    _results: Results
    _recipes: Recipes
    _find_places: FindPlaces
    _export_file: ExportFile
    _enter_room: Move
    _leave: Move
    _send: Send

    async def join(self, connection: Connection, request: protocol.Join) -> Ack:
        """Enter a map, or a new one without `map_id`. The acknowledgement holds the events after `after_seq`
        where they are few enough, else a snapshot."""
        if len(connection.maps) >= MAX_MAPS and request.map_id not in connection.maps:
            raise RequestFault("too_large", MAPS(n=MAX_MAPS))
        key = request.map_id or await self._maps.log.create()
        access = await self._maps.links.access(key)
        map_id = access.map_id
        after_seq = request.after_seq if request.map_id else None
        hub = self._maps.hub
        joined = await hub.joins.enter(
            map_id, connection.someone(access), after_seq, lambda: self._enter_room(connection, access)
        )
        if not connection.is_open:
            hub.leave(map_id, connection.person)
        ack: Ack = {
            "map_id": map_id,
            "may_change": access.may_change,
            "person": connection.person,
            "gestures": hub.gestures.now(map_id),
            "drafts": hub.drafts.now(map_id),
            "max_bytes": MAX_TEXT,
            "seq": joined.seq,
        }
        if joined.events is not None:
            ack |= {"events": joined.events, "more": joined.more, "progress": joined.progress}
        if joined.snapshot is not None:
            ack["snapshot"] = joined.snapshot
        return ack

    async def leave(self, connection: Connection, request: protocol.MapRequest) -> Ack:
        access = connection.maps.pop(request.map_id, None)
        if access is not None:
            await self._leave(connection, access)
        return {}

    async def chat(self, connection: Connection, request: protocol.Chat) -> Ack:
        """Queue a turn; `ahead` is the number of turns before it."""
        submitted = await self._maps.turns.submit(
            request.map_id,
            request.text,
            request.client_id,
            request.focus,
            connection.name or None,
            connection.address,
        )
        return self._queued(submitted)

    async def cancel(self, connection: Connection, request: protocol.Cancel) -> Ack:
        """Cancel a turn, by default the one that has started; `cancelled` is false if it had ended."""
        turn_id = await self._maps.runner.cancel(request.map_id, request.turn_id)
        return {"cancelled": turn_id is not None, "turn_id": turn_id}

    async def approve(self, connection: Connection, request: protocol.Approve) -> Ack:
        seq = await self._maps.turns.answer(
            request.map_id, request.turn_id, request.call_id, request.approved
        )
        self._maps.runner.wake()
        return {"seq": seq}

    async def layer_add(self, connection: Connection, request: protocol.LayerAdd) -> Ack:
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

    async def layer_update(self, connection: Connection, request: protocol.LayerUpdate) -> Ack:
        """Change only what was sent: a null resets a value, a missing field keeps it."""
        sent = request.model_fields_set - {"map_id", "layer_id", "seen_version"}
        change = LayerChange.model_validate({name: getattr(request, name) for name in sent})
        by = Author(name=connection.name or None)
        return changed(
            await self._maps.layers.update(
                request.map_id, request.layer_id, change, by, seen_version=request.seen_version
            )
        )

    async def layer_remove(self, connection: Connection, request: protocol.LayerRemove) -> Ack:
        return changed(await self._maps.layers.remove(request.map_id, request.layer_id))

    async def layer_reorder(self, connection: Connection, request: protocol.LayerReorder) -> Ack:
        return changed(await self._maps.layers.reorder(request.map_id, request.order))

    async def layer_group(self, connection: Connection, request: protocol.LayerGroup) -> Ack:
        return changed(await change_group(self._maps.log, request))

    async def chart_add(self, connection: Connection, request: protocol.ChartAdd) -> Ack:
        drawn = await self._maps.charts.add(request.map_id, request.chart)
        return {"seq": drawn.seq, "chart_id": drawn.chart.id}

    async def chart_refresh(self, connection: Connection, request: protocol.ChartRequest) -> Ack:
        drawn = await self._maps.charts.refresh(request.map_id, request.chart_id)
        return {"seq": drawn.seq, "chart_id": drawn.chart.id}

    async def chart_remove(self, connection: Connection, request: protocol.ChartRequest) -> Ack:
        seq, _, chart = await self._maps.charts.remove(request.map_id, request.chart_id)
        return {"seq": seq, "chart_id": chart.id}

    async def result_drop(self, connection: Connection, request: protocol.ResultDrop) -> Ack:
        return {"seq": await self._results.drop(request.map_id, request.table)}

    async def recipe_save(self, connection: Connection, request: protocol.RecipeSave) -> Ack:
        seq, _ = await self._recipes.save(
            request.map_id, request.analysis_id, request.name, request.parameters
        )
        return {"seq": seq}

    async def recipe_run(self, connection: Connection, request: protocol.RecipeRun) -> Ack:
        """Queue a turn whose message runs the recipe with these values."""
        text = await self._recipes.request(request.map_id, request.name, request.values)
        submitted = await self._maps.turns.submit(
            request.map_id, text, request.client_id, address=connection.address
        )
        return self._queued(submitted)

    def _queued(self, submitted: Submitted) -> Ack:
        self._maps.runner.wake()
        return {"turn_id": submitted.turn_id, "seq": submitted.seq, "ahead": submitted.ahead}

    async def recipe_rename(self, connection: Connection, request: protocol.RecipeRename) -> Ack:
        return {"seq": await self._recipes.rename(request.map_id, request.name, request.new_name)}

    async def recipe_remove(self, connection: Connection, request: protocol.RecipeRemove) -> Ack:
        return {"seq": await self._recipes.remove(request.map_id, request.name)}

    async def undo(self, connection: Connection, request: protocol.MapRequest) -> Ack:
        done = require_undone(await self._maps.layers.undo(request.map_id), redo=False)
        return {"seq": done.seq, "what": str(done.what), **stored_wording(done.what)}

    async def redo(self, connection: Connection, request: protocol.MapRequest) -> Ack:
        done = require_undone(await self._maps.layers.redo(request.map_id), redo=True)
        return {"seq": done.seq, "what": str(done.what), **stored_wording(done.what)}

    async def restore(self, connection: Connection, request: protocol.Restore) -> Ack:
        return changed(await self._maps.layers.restore(request.map_id, request.seq))

    async def map_describe(self, connection: Connection, request: protocol.MapDescribe) -> Ack:
        return {"seq": await self._maps.documents.describe(request)}

    async def bookmark_save(self, connection: Connection, request: protocol.BookmarkSave) -> Ack:
        seq, bookmark = await self._maps.documents.save_bookmark(request)
        return {"seq": seq, "bookmark_id": bookmark.id}

    async def bookmark_remove(self, connection: Connection, request: protocol.BookmarkRemove) -> Ack:
        return {"seq": await self._maps.documents.remove_bookmark(request.map_id, request.bookmark_id)}

    async def thread_start(self, connection: Connection, request: protocol.ThreadStart) -> Ack:
        seq, thread = await self._maps.comments.start(request, connection.name or None)
        return {"seq": seq, "thread_id": thread.id, "comment_id": thread.comments[0].id}

    async def comment_add(self, connection: Connection, request: protocol.CommentAdd) -> Ack:
        seq, comment = await self._maps.comments.reply(request, connection.name or None)
        return {"seq": seq, "thread_id": request.thread_id, "comment_id": comment.id}

    async def comment_remove(self, connection: Connection, request: protocol.CommentRemove) -> Ack:
        return {"seq": await self._maps.comments.remove_comment(request)}

    async def thread_resolve(self, connection: Connection, request: protocol.ThreadResolve) -> Ack:
        return {"seq": await self._maps.comments.resolve(request, connection.name or None)}

    async def thread_remove(self, connection: Connection, request: protocol.ThreadRemove) -> Ack:
        return {"seq": await self._maps.comments.remove_thread(request)}

    async def copy(self, connection: Connection, request: protocol.MapRequest) -> Ack:
        """Copy layers and charts to a new map that the sender may change."""
        return {"map_id": await copy_map(self._maps.log, request.map_id)}

    async def share(self, connection: Connection, request: protocol.Share) -> Ack:
        """Read (`view` null), make (true) or withdraw (false) the key of the view link."""
        links = self._maps.links
        if request.view is None:
            return {"view_key": await links.view_key(request.map_id)}
        if request.view:
            return {"view_key": await links.open(request.map_id)}
        await links.withdraw(request.map_id)
        await self._maps.check_links()
        return {"view_key": None}

    async def introduce(self, connection: Connection, request: protocol.Introduce) -> Ack:
        """Take a new name, on all maps of the connection."""
        connection.name = request.name
        for access in connection.maps.values():
            self._maps.hub.presence.enter(access.map_id, connection.someone(access))
        return {}

    async def gesture(self, connection: Connection, request: protocol.Gesture) -> Ack:
        """Show pointer and selection to the others on the map; nothing is stored."""
        sent = request.model_fields_set - {"map_id"}
        change = request.model_dump(mode="json", include=sent)
        self._maps.hub.gestures.point(request.map_id, connection.person, change)
        return {}

    async def receipt(self, connection: Connection, request: protocol.Receipt) -> Ack:
        """One for a version that was never announced is not kept: nothing can be seen before it is there."""
        if await self._maps.lookup.layer(request.map_id, request.layer_id, request.version) is not None:
            shown = Shown(request.features, request.error, request.drawn_from)
            self._maps.hub.receive(request.map_id, request.layer_id, request.version, shown)
        return {}

    async def view(self, connection: Connection, request: protocol.View) -> Ack:
        """Keep the visible bounds of this person, who now counts as watching the map."""
        self._maps.hub.presence.watches(request.map_id, connection.person)
        bounds = list(request.bounds)
        self._maps.hub.gestures.point(request.map_id, connection.person, {"bounds": bounds})
        return {}

    async def find_place(self, connection: Connection, request: protocol.FindPlace) -> Ack:
        found = await self._find_places(request.map_id, request.text, request.limit)
        return {
            "places": [place.model_dump(mode="json") for place in found.places],
            "not_searched": list(found.not_searched),
        }

    async def export(self, connection: Connection, request: protocol.Export) -> Ack:
        """Write a file, with `export_progress` events to this connection only; the acknowledgement holds its
        link."""
        wanted = ExportRequest.model_validate(request.model_dump(exclude={"map_id"}, exclude_unset=True))

        async def on_progress(name: str, done: int, total: int) -> None:
            body = protocol.ExportProgress(map_id=request.map_id, name=name, rows=done, total=total)
            await self._send(connection, "export_progress", body)

        with working_for(connection.address or connection.person):
            report = await self._export_file(request.map_id, wanted, on_progress)
        return {"file": report.model_dump(mode="json")}


def changed(done: Done) -> Ack:
    """The acknowledgement of a change of layers."""
    return {"seq": done.seq} if done.layer is None else {"seq": done.seq, "layer_id": done.layer.id}
