"""The event log: the only writer of maps, events and their projected layers.

`writing` is one transaction that holds the map's row lock: what is recorded in it gets gapless numbers, and
the layers and the NOTIFY that tells every server are committed with it or not at all. Reading never locks.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import Row, Select, func, insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Layer
from server.gis.analysis.recipes import Recipe
from server.maps.analysis_store import left_of, progress_of
from server.maps.events import CHANGE_EVENTS, CHAT_EVENTS, Change, Event
from server.maps.faults import TurnLost, unknown_map
from server.maps.pause import open_questions
from server.maps.projection import MapState, replay
from server.maps.recipe_rows import card_of, recipes_of
from server.maps.tables import event_table, layer_table, map_table, turn_table
from server.maps.undo import History
from server.maps.writer import MapWriter
from server.protocol import AnalysisProgress, EventEnvelope, Snapshot, TurnState

CHAT_IN_SNAPSHOT = 500
HISTORIES_KEPT = 256

Listener = Callable[[str, int], None]


class EventLog:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._histories: OrderedDict[str, History] = OrderedDict()
        self.listeners: list[Listener] = []
        """Called with map id and newest seq after each commit of this server; NOTIFY tells the others."""

    async def create(self) -> str:
        """A new, empty map. Its id is a random token of 128 bits, and is the right to it."""
        map_id = secrets.token_urlsafe(16)
        async with self._engine.begin() as connection:
            await connection.execute(insert(map_table).values(id=map_id))
        return map_id

    async def append(self, map_id: str, changes: Sequence[Change], turn_id: str | None = None) -> list[Event]:
        async with self.writing(map_id, turn_id) as writer:
            for change in changes:
                await writer.record(change)
        return writer.events

    @asynccontextmanager
    async def writing(
        self, map_id: str, turn_id: str | None = None, server_id: str | None = None
    ) -> AsyncIterator[MapWriter]:
        """A transaction that holds the map. With `server_id`: TurnLost, unless that server runs the turn."""
        async with self._engine.begin() as connection:
            query = select(map_table.c.seq).where(map_table.c.id == map_id).with_for_update()
            seq = (await connection.execute(query)).scalar_one_or_none()
            if seq is None:
                raise unknown_map(map_id)
            if server_id is not None:
                await self._check_holder(connection, turn_id, server_id)
            writer = MapWriter(connection, map_id, turn_id, seq, self._history)
            yield writer
            await writer.flush()
        if writer.events:
            for listener in self.listeners:
                listener(map_id, writer.seq)

    async def seq(self, map_id: str) -> int:
        """The number of the newest event."""
        async with self._engine.connect() as connection:
            return await self._seq(connection, map_id)

    async def read(self, map_id: str, after_seq: int, limit: int | None = None) -> list[Event]:
        """Events after `after_seq` in order, at most `limit`. Of an unknown map: none."""
        query = events_of(map_id).where(event_table.c.seq > after_seq).order_by(event_table.c.seq)
        if limit is not None:
            query = query.limit(limit)
        async with self._engine.connect() as connection:
            return [as_event(row) for row in await connection.execute(query)]

    async def read_latest(self, map_id: str, names: Collection[str], limit: int) -> list[Event]:
        """The last events of some kinds, in order."""
        query = events_of(map_id).where(event_table.c.type.in_(names))
        query = query.order_by(event_table.c.seq.desc()).limit(limit)
        async with self._engine.connect() as connection:
            return [as_event(row) for row in await connection.execute(query)][::-1]

    async def read_turn(self, map_id: str, turn_id: str) -> list[Event]:
        query = events_of(map_id).where(event_table.c.turn_id == turn_id).order_by(event_table.c.seq)
        async with self._engine.connect() as connection:
            return [as_event(row) for row in await connection.execute(query)]

    async def state(self, map_id: str) -> MapState:
        """The layers as stored, and the charts, at their seq."""
        async with self._reading() as connection:
            seq = await self._seq(connection, map_id)
            charts = (await self._history(connection, map_id, seq)).state.charts
            return MapState(seq, await stored_layers(connection, map_id), charts)

    async def state_at(self, map_id: str, seq: int) -> MapState:
        """The map as it was after the event `seq`, from the log alone."""
        query = events_of(map_id).where(event_table.c.type.in_(CHANGE_EVENTS), event_table.c.seq <= seq)
        async with self._engine.connect() as connection:
            rows = (await connection.execute(query.order_by(event_table.c.seq))).all()
        return replay(as_event(row).typed() for row in rows)

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        """The layer as it was announced with this version, whenever that was."""
        if not 0 < version < 2**62:
            return None
        document = event_table.c.payload
        query = (
            select(document["layer"])
            .where(event_table.c.map_id == map_id, event_table.c.type.in_(["layer_added", "layer_updated"]))
            .where(text("payload #>> '{layer,id}' = :layer_id"))
            .where(text("(payload #>> '{layer,version}')::bigint = :version"))
            .limit(1)
        )
        async with self._engine.connect() as connection:
            found = await connection.execute(query, {"layer_id": layer_id, "version": version})
            row = found.scalar_one_or_none()
        return None if row is None else Layer.model_validate(row)

    async def snapshot(self, map_id: str) -> Snapshot:
        """Everything that a browser needs to show the map, all as of one seq."""
        async with self._reading() as connection:
            seq = await self._seq(connection, map_id)
            layers = await stored_layers(connection, map_id)
            query = events_of(map_id).where(event_table.c.type.in_(CHAT_EVENTS))
            query = query.order_by(event_table.c.seq.desc()).limit(CHAT_IN_SNAPSHOT)
            chat = [as_event(row) for row in await connection.execute(query)][::-1]
            history = await self._history(connection, map_id, seq)
            turns = await connection.execute(
                select(
                    turn_table.c.id,
                    turn_table.c.text,
                    turn_table.c.status,
                    turn_table.c.pause["questions"].label("questions"),
                    turn_table.c.pause["answers"].label("answers"),
                )
                .where(turn_table.c.map_id == map_id)
                .where(turn_table.c.status.in_(["queued", "running", "waiting"]))
                .order_by(turn_table.c.position)
            )
            return Snapshot(
                map_id=map_id,
                seq=seq,
                layers=list(layers),
                charts=list(history.state.charts),
                chat=[EventEnvelope(event=event.name, data=event.wire()) for event in whole_turns(chat)],
                chat_complete=len(chat) < CHAT_IN_SNAPSHOT,
                turns=[as_state(row) for row in turns],
                progress=await progress_of(connection, map_id),
                recipes=[card_of(recipe) for recipe in await recipes_of(connection, map_id)],
                can_undo=history.can_undo,
                can_redo=history.can_redo,
            )

    async def progress(self, map_id: str) -> list[AnalysisProgress]:
        """What was told last of the analyses that run."""
        async with self._engine.connect() as connection:
            return await progress_of(connection, map_id)

    async def left_of(self, turn_id: str) -> dict[str, dict[str, Any]]:
        """Of the analyses that a turn began and nobody ended: the step that ran, and what had finished."""
        async with self._engine.connect() as connection:
            return await left_of(connection, turn_id)

    async def recipes(self, map_id: str) -> list[Recipe]:
        """Plans that were saved on the map, by name."""
        async with self._engine.connect() as connection:
            return await recipes_of(connection, map_id)

    async def history(self, map_id: str) -> History:
        """What can be undone on a map, as of now."""
        async with self._reading() as connection:
            return await self._history(connection, map_id, await self._seq(connection, map_id))

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection on which all questions are answered as of one moment."""
        async with self._engine.connect() as connection:
            await connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    async def _seq(self, connection: AsyncConnection, map_id: str) -> int:
        found = await connection.execute(select(map_table.c.seq).where(map_table.c.id == map_id))
        seq: int | None = found.scalar_one_or_none()
        if seq is None:
            raise unknown_map(map_id)
        return seq

    async def _history(self, connection: AsyncConnection, map_id: str, seq: int) -> History:
        """The kept fold, brought up to `seq`. It skips what another task folded while this one read."""
        history = self._histories.setdefault(map_id, History())
        self._histories.move_to_end(map_id)
        if len(self._histories) > HISTORIES_KEPT:
            self._histories.popitem(last=False)
        if history.seen < seq:
            query = events_of(map_id).where(event_table.c.type.in_(CHANGE_EVENTS))
            query = query.where(event_table.c.seq > history.seen, event_table.c.seq <= seq)
            for row in (await connection.execute(query.order_by(event_table.c.seq))).all():
                if row.seq > history.seen:
                    history.advance(as_event(row).typed())
            history.seen = max(history.seen, seq)
        return history

    async def _check_holder(self, connection: AsyncConnection, turn_id: str | None, server_id: str) -> None:
        query = select(func.count()).where(
            turn_table.c.id == turn_id, turn_table.c.status == "running", turn_table.c.server_id == server_id
        )
        if (await connection.execute(query)).scalar_one() == 0:
            raise TurnLost(turn_id)


def events_of(map_id: str) -> Select[Any]:
    return select(event_table).where(event_table.c.map_id == map_id)


def as_event(row: Row[Any]) -> Event:
    return Event(row.map_id, row.seq, row.type, row.turn_id, row.at, row.payload)


def as_state(row: Row[*tuple[Any, ...]]) -> TurnState:
    questions = open_questions(row.questions or (), row.answers or {})
    return TurnState(turn_id=row.id, text=row.text, status=row.status, questions=questions)


async def stored_layers(connection: AsyncConnection, map_id: str) -> tuple[Layer, ...]:
    """The projected layers, bottom first."""
    query = select(layer_table.c.document).where(layer_table.c.map_id == map_id)
    documents = (await connection.execute(query)).scalars()
    return tuple(sorted((Layer.model_validate(document) for document in documents), key=lambda it: it.order))


def whole_turns(chat: list[Event]) -> list[Event]:
    """A cut chat, from the first user's message on."""
    if len(chat) < CHAT_IN_SNAPSHOT:
        return chat
    start = next((place for place, event in enumerate(chat) if event.name == "user_message"), 0)
    return chat[start:]
