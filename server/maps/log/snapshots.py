"""Snapshots: everything that a browser needs to show a map, as of one seq.

Most of a snapshot depends on the seq alone; that part is encoded as JSON once and cached while the map is at
that seq. The states of turns and the progress of analyses change between events and are read each time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from cachetools import LRUCache
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.database.engines import single_reads
from server.gis.analysis.recipes import Recipe
from server.maps.analyses.recipe_rows import card_of
from server.maps.analyses.store import progress_of, running_progress
from server.maps.encoded import Encoded
from server.maps.faults import unknown_map
from server.maps.log.events import CHANGE_EVENTS, CHAT_EVENTS, Event
from server.maps.log.histories import Histories
from server.maps.log.rows import as_layers
from server.maps.log.tables import (
    analysis_table,
    comment_thread_table,
    event_table,
    layer_table,
    map_table,
    recipe_table,
    turn_table,
)
from server.maps.log.undo import History
from server.maps.turns.pending_approval import open_questions
from server.protocol import AnalysisProgress, EventEnvelope, Snapshot, TurnState

MAX_CHAT_EVENTS = 500
MAX_CHAT_BYTES = 1024 * 1024
"""Size of the chat in a snapshot, as it is stored: messages may point at large areas, and all who join read them."""
MAX_CHANGES_PER_READ = 200
"""Longest undo history that is read in one statement with the rest of a map."""
NOTHING_CACHED = -1
OPEN_STATES = ("queued", "running", "waiting")
MAX_CACHED_CHARACTERS = 32_000_000
"""Limit for the JSON of all cached snapshots together."""
VOLATILE_FIELDS = {"turns", "progress"}
"""Fields that change without a new event."""


def _constant(name: str) -> sa.ColumnElement[str]:
    """A name of this code as part of the statement's text: parameters cost time at each execution."""
    return sa.literal_column(f"'{name}'", sa.Text)


def _object(**members: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """A JSON object of these members."""
    pairs = [part for name, member in members.items() for part in (_constant(name), member)]
    return sa.func.json_build_object(*pairs, type_=sa.JSON)


def _listed(rows: sa.Select[Any]) -> sa.ColumnElement[Any]:
    """The first column of the rows as one JSON list, in the order of the second."""
    found = rows.subquery()
    document, order = found.c
    listed = sa.func.json_agg(aggregate_order_by(document, order), type_=sa.JSON)
    return sa.func.coalesce(sa.select(listed).scalar_subquery(), sa.func.json_build_array())


def _documents(table: sa.Table, order: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """The documents of a map in this table."""
    return _listed(sa.select(table.c.document, order).where(table.c.map_id == MAP_ID))


MAP_ID: sa.BindParameter[str] = sa.bindparam("map_id", type_=sa.Text)
OPEN_TURN = _object(
    id=turn_table.c.id,
    text=turn_table.c.text,
    status=turn_table.c.status,
    questions=turn_table.c.pause["questions"],
    answers=turn_table.c.pause["answers"],
)


def _event(row: sa.FromClause) -> sa.ColumnElement[Any]:
    return _object(**{name: row.c[name] for name in ("map_id", "seq", "type", "turn_id", "at", "payload")})


_SIZE = sa.func.pg_column_size(event_table.c.payload)
_RECENT_CHAT = (
    sa.select(
        event_table, (sa.func.sum(_SIZE).over(order_by=event_table.c.seq.desc()) - _SIZE).label("newer")
    )
    .where(event_table.c.map_id == MAP_ID, event_table.c.type.in_(map(_constant, sorted(CHAT_EVENTS))))
    .order_by(event_table.c.seq.desc())
    .limit(MAX_CHAT_EVENTS)
    .subquery()
)
CHAT = sa.select(
    sa.case((_RECENT_CHAT.c.newer < sa.literal_column(str(MAX_CHAT_BYTES)), _event(_RECENT_CHAT))),
    _RECENT_CHAT.c.seq,
)
"""The newest messages; null for those that are too many bytes."""
CHANGES = (
    sa.select(_event(event_table).label("event"), event_table.c.seq)
    .where(
        event_table.c.map_id == MAP_ID,
        event_table.c.type.in_(map(_constant, sorted(CHANGE_EVENTS))),
        event_table.c.seq > sa.bindparam("seen", type_=sa.BigInteger),
    )
    .order_by(event_table.c.seq)
    .limit(MAX_CHANGES_PER_READ)
)
LASTING = _object(
    document=map_table.c.document,
    layers=_documents(layer_table, layer_table.c.layer_id),
    recipes=_documents(recipe_table, recipe_table.c.name),
    threads=_documents(comment_thread_table, comment_thread_table.c.started),
    chat=_listed(CHAT),
    changes=_listed(CHANGES),
)
"""The parts of a state that change only with a new event."""
TURNS = sa.select(OPEN_TURN, turn_table.c.position).where(
    turn_table.c.map_id == MAP_ID, turn_table.c.status.in_(map(_constant, OPEN_STATES))
)
STATE = sa.select(
    map_table.c.seq,
    _listed(TURNS).label("turns"),
    _listed(running_progress(MAP_ID).add_columns(analysis_table.c.created_at)).label("progress"),
    sa.case((map_table.c.seq != sa.bindparam("cached", type_=sa.BigInteger), LASTING)).label("lasting"),
).where(map_table.c.id == MAP_ID)
"""A map in one statement, so all of it is of one moment; without `lasting` where that of the seq is cached."""


@dataclass(frozen=True, slots=True)
class EncodedSnapshot:
    """A snapshot as JSON, and its seq."""

    seq: int
    json: Encoded


@dataclass(frozen=True, slots=True)
class MapReading:
    """A map as one statement found it."""

    seq: int
    turns: list[TurnState]
    """The turns that have not ended, in queue order."""
    progress: list[AnalysisProgress]
    lasting: Mapping[str, Any] | None
    """What `LASTING` selects; None where the content of this seq is cached."""
    history: History
    """The cached undo history, which the changes in `lasting` continue."""


class Snapshots:
    """Reads snapshots and caches their JSON. Raises RequestFault `unknown_map`."""

    def __init__(self, engine: AsyncEngine, histories: Histories) -> None:
        self._engine = engine
        self._histories = histories
        self._cache: LRUCache[str, EncodedSnapshot] = LRUCache(
            MAX_CACHED_CHARACTERS, getsizeof=lambda snapshot: len(snapshot.json.text)
        )

    async def read(self, map_id: str) -> Snapshot:
        """The map as of now."""
        async with single_reads(self._engine) as connection:
            reading = await self._reading(connection, map_id, NOTHING_CACHED)
            return await self._whole(connection, map_id, reading)

    async def encoded(self, map_id: str) -> EncodedSnapshot:
        """The snapshot as JSON, in one round trip to the database."""
        kept = self._cache.get(map_id)
        async with single_reads(self._engine) as connection:
            reading = await self._reading(connection, map_id, NOTHING_CACHED if kept is None else kept.seq)
            if kept is None or reading.lasting is not None:
                whole = await self._whole(connection, map_id, reading)
                kept = EncodedSnapshot(reading.seq, Encoded(whole.model_dump_json(exclude=VOLATILE_FIELDS)))
                if len(kept.json.text) <= MAX_CACHED_CHARACTERS:
                    self._cache[map_id] = kept
            return EncodedSnapshot(reading.seq, with_volatile_fields(kept.json, reading))

    async def progress(self, map_id: str) -> list[AnalysisProgress]:
        """The last reported progress of the running analyses."""
        async with single_reads(self._engine) as connection:
            return await progress_of(connection, map_id)

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._cache.clear()

    async def _reading(self, connection: AsyncConnection, map_id: str, cached: int) -> MapReading:
        """What the map is at, with its content unless it is at the seq `cached`."""
        known = self._histories.cached(map_id)
        bounds = {"map_id": map_id, "cached": cached, "seen": known.seen}
        row = (await connection.execute(STATE, bounds)).one_or_none()
        if row is None:
            raise unknown_map(map_id)
        progress = [AnalysisProgress.model_validate(one) for one in row.progress]
        return MapReading(row.seq, [as_state(turn) for turn in row.turns], progress, row.lasting, known)

    async def _whole(self, connection: AsyncConnection, map_id: str, reading: MapReading) -> Snapshot:
        lasting = reading.lasting
        assert lasting is not None  # noqa: S101 - asked for by the callers
        chat = [stored_event(event) for event in lasting["chat"] if event is not None]
        is_complete = len(chat) == len(lasting["chat"]) < MAX_CHAT_EVENTS
        history = await self._history(connection, map_id, reading, lasting["changes"])
        return Snapshot(
            map_id=map_id,
            seq=reading.seq,
            layers=list(as_layers(lasting["layers"])),
            charts=list(history.state.charts),
            chat=[
                EventEnvelope(event=event.name, data=event.wire())
                for event in (chat if is_complete else whole_turns(chat))
            ],
            chat_complete=is_complete,
            turns=reading.turns,
            progress=reading.progress,
            recipes=[card_of(Recipe.model_validate(recipe, extra="ignore")) for recipe in lasting["recipes"]],
            document=lasting["document"] or {},
            threads=lasting["threads"],
            can_undo=history.can_undo,
            can_redo=history.can_redo,
        )

    async def _history(
        self, connection: AsyncConnection, map_id: str, reading: MapReading, changes: Sequence[Any]
    ) -> History:
        """The undo history as of the reading. Events never change, so further ones may be read later."""
        if reading.history.seen <= reading.seq and len(changes) < MAX_CHANGES_PER_READ:
            events = [stored_event(change) for change in changes]
            return self._histories.advanced(map_id, reading.history, events, reading.seq)
        return await self._histories.at(connection, map_id, reading.seq)


def with_volatile_fields(lasting: Encoded, reading: MapReading) -> Encoded:
    """The whole snapshot: the cached part, and the fields that change between events."""
    volatile = {
        "turns": [turn.model_dump(mode="json") for turn in reading.turns],
        "progress": [one.model_dump(mode="json") for one in reading.progress],
    }
    return Encoded(f"{lasting.text[:-1]},{json.dumps(volatile)[1:]}")


def stored_event(found: Mapping[str, Any]) -> Event:
    """An event from its row as JSON."""
    at = datetime.fromisoformat(found["at"])
    return Event(found["map_id"], found["seq"], found["type"], found["turn_id"], at, found["payload"])


def as_state(turn: Mapping[str, Any]) -> TurnState:
    """A stored turn as the protocol's `TurnState`."""
    questions = open_questions(turn["questions"] or (), turn["answers"] or {})
    return TurnState(turn_id=turn["id"], text=turn["text"], status=turn["status"], questions=questions)


def whole_turns(chat: list[Event]) -> list[Event]:
    """The events of a truncated chat from the first user message on."""
    start = next((place for place, event in enumerate(chat) if event.name == "user_message"), 0)
    return chat[start:]
