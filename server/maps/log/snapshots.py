"""Snapshots: everything that a browser needs to show a map, as of one seq.

Most of a snapshot depends on the seq alone; that part is encoded as JSON once and cached while the map is at
that seq. The states of turns and the progress of analyses change between events and are read each time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, func, select
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.gis.analysis.recipes import Recipe
from server.maps.analyses.recipe_rows import card_of
from server.maps.analyses.store import progress_of, running_progress
from server.maps.encoded import Encoded
from server.maps.faults import unknown_map
from server.maps.log.events import CHAT_EVENTS, Event
from server.maps.log.histories import Histories
from server.maps.log.rows import as_event, as_layers, reading
from server.maps.log.tables import (
    analysis_table,
    comment_thread_table,
    event_table,
    layer_table,
    map_table,
    recipe_table,
    turn_table,
)
from server.maps.turns.pending_approval import open_questions
from server.protocol import AnalysisProgress, EventEnvelope, Snapshot, TurnState

CHAT_IN_SNAPSHOT = 500
MAX_CACHED_CHARACTERS = 32_000_000
"""Of JSON, in all cached snapshots together."""
VOLATILE_FIELDS = {"turns", "progress"}
"""Fields that change without a new event."""


def _documents(rows: Select[Any], order: ColumnElement[Any]) -> ColumnElement[Any]:
    """The first column of all rows as one JSON list, in this order."""
    [document] = rows.selected_columns
    listed = func.jsonb_agg(aggregate_order_by(document, order), type_=JSONB)
    return func.coalesce(rows.with_only_columns(listed).scalar_subquery(), func.jsonb_build_array())


MAP_ID: BindParameter[str] = bindparam("map_id")
OPEN_TURN = func.jsonb_build_object(
    "id",
    turn_table.c.id,
    "text",
    turn_table.c.text,
    "status",
    turn_table.c.status,
    "questions",
    turn_table.c.pause["questions"],
    "answers",
    turn_table.c.pause["answers"],
)
MOMENT = select(
    map_table.c.seq,
    _documents(
        select(OPEN_TURN).where(
            turn_table.c.map_id == MAP_ID, turn_table.c.status.in_(["queued", "running", "waiting"])
        ),
        turn_table.c.position,
    ).label("turns"),
    _documents(running_progress(MAP_ID), analysis_table.c.created_at).label("progress"),
).where(map_table.c.id == MAP_ID)
"""What may change without a new event, and the number of the newest one."""
CHAT = (
    select(event_table)
    .where(event_table.c.map_id == MAP_ID, event_table.c.type.in_(CHAT_EVENTS))
    .order_by(event_table.c.seq.desc())
    .limit(CHAT_IN_SNAPSHOT)
)
DOCUMENTS = select(
    map_table.c.document,
    _documents(
        select(layer_table.c.document).where(layer_table.c.map_id == MAP_ID), layer_table.c.layer_id
    ).label("layers"),
    _documents(
        select(recipe_table.c.document).where(recipe_table.c.map_id == MAP_ID), recipe_table.c.name
    ).label("recipes"),
    _documents(
        select(comment_thread_table.c.document).where(comment_thread_table.c.map_id == MAP_ID),
        comment_thread_table.c.started,
    ).label("threads"),
).where(map_table.c.id == MAP_ID)
"""What a map consists of besides its events, in one round trip."""


@dataclass(frozen=True, slots=True)
class EncodedSnapshot:
    """A snapshot as JSON, and its seq."""

    seq: int
    json: Encoded


@dataclass(frozen=True, slots=True)
class Moment:
    """What a map is at: its newest event, its turns that have not ended, and its running analyses."""

    seq: int
    turns: list[TurnState]
    """In queue order."""
    progress: list[AnalysisProgress]


class Snapshots:
    """Reads snapshots and caches their JSON. Raises MapFault `unknown_map`."""

    def __init__(self, engine: AsyncEngine, histories: Histories) -> None:
        self._engine = engine
        self._histories = histories
        self._cache: LRUCache[str, EncodedSnapshot] = LRUCache(
            MAX_CACHED_CHARACTERS, getsizeof=lambda snapshot: len(snapshot.json.text)
        )

    async def read(self, map_id: str) -> Snapshot:
        """The map as of now."""
        async with reading(self._engine) as connection:
            return await self._whole(connection, map_id, await moment_of(connection, map_id))

    async def encoded(self, map_id: str) -> EncodedSnapshot:
        """The snapshot as JSON. A cached one costs one short query."""
        async with reading(self._engine) as connection:
            moment = await moment_of(connection, map_id)
            kept = self._cache.get(map_id)
            if kept is None or kept.seq != moment.seq:
                whole = await self._whole(connection, map_id, moment)
                kept = EncodedSnapshot(moment.seq, lasting_json(whole))
                if len(kept.json.text) <= MAX_CACHED_CHARACTERS:
                    self._cache[map_id] = kept
            return EncodedSnapshot(moment.seq, with_volatile_fields(kept.json, moment))

    async def progress(self, map_id: str) -> list[AnalysisProgress]:
        """The last reported progress of the running analyses."""
        async with self._engine.connect() as connection:
            return await progress_of(connection, map_id)

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._cache.clear()

    async def _whole(self, connection: AsyncConnection, map_id: str, moment: Moment) -> Snapshot:
        chat = [as_event(row) for row in await connection.execute(CHAT, {"map_id": map_id})][::-1]
        history = await self._histories.at(connection, map_id, moment.seq)
        stored = (await connection.execute(DOCUMENTS, {"map_id": map_id})).one()
        return Snapshot(
            map_id=map_id,
            seq=moment.seq,
            layers=list(as_layers(stored.layers)),
            charts=list(history.state.charts),
            chat=[EventEnvelope(event=event.name, data=event.wire()) for event in whole_turns(chat)],
            chat_complete=len(chat) < CHAT_IN_SNAPSHOT,
            turns=moment.turns,
            progress=moment.progress,
            recipes=[card_of(Recipe.model_validate(recipe)) for recipe in stored.recipes],
            document=stored.document or {},
            threads=stored.threads,
            can_undo=history.can_undo,
            can_redo=history.can_redo,
        )


def lasting_json(snapshot: Snapshot) -> Encoded:
    """The part of a snapshot that depends on the seq alone."""
    return Encoded(snapshot.model_dump_json(exclude=VOLATILE_FIELDS))


def with_volatile_fields(lasting: Encoded, moment: Moment) -> Encoded:
    """The whole snapshot: the cached part, and the fields that change between events."""
    fleeting = {
        "turns": [turn.model_dump(mode="json") for turn in moment.turns],
        "progress": [one.model_dump(mode="json") for one in moment.progress],
    }
    return Encoded(f"{lasting.text[:-1]},{json.dumps(fleeting)[1:]}")


async def moment_of(connection: AsyncConnection, map_id: str) -> Moment:
    """What the map is at. Raises MapFault `unknown_map`."""
    row = (await connection.execute(MOMENT, {"map_id": map_id})).one_or_none()
    if row is None:
        raise unknown_map(map_id)
    progress = [AnalysisProgress.model_validate(one) for one in row.progress]
    return Moment(row.seq, [as_state(turn) for turn in row.turns], progress)


def as_state(turn: Mapping[str, Any]) -> TurnState:
    """A stored turn as the protocol's `TurnState`."""
    questions = open_questions(turn["questions"] or (), turn["answers"] or {})
    return TurnState(turn_id=turn["id"], text=turn["text"], status=turn["status"], questions=questions)


def whole_turns(chat: list[Event]) -> list[Event]:
    """The events of a truncated chat from the first user message on."""
    if len(chat) < CHAT_IN_SNAPSHOT:
        return chat
    start = next((place for place, event in enumerate(chat) if event.name == "user_message"), 0)
    return chat[start:]
