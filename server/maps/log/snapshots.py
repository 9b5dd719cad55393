"""Snapshots: everything that a browser needs to show a map, as of one seq.

Most of a snapshot depends on the seq alone; that part is encoded as JSON once and cached while the map is at
that seq. The states of turns and the progress of analyses change between events and are read each time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from cachetools import LRUCache
from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.maps.analyses.recipe_rows import card_of, recipes_of
from server.maps.analyses.store import progress_of
from server.maps.encoded import Encoded
from server.maps.log.comments import threads_of
from server.maps.log.documents import document_of
from server.maps.log.events import CHAT_EVENTS, Event
from server.maps.log.histories import Histories
from server.maps.log.rows import as_event, events_of, layers_of, reading, seq_of
from server.maps.log.tables import event_table, turn_table
from server.maps.turns.pending_approval import open_questions
from server.protocol import AnalysisProgress, EventEnvelope, Snapshot, TurnState

CHAT_IN_SNAPSHOT = 500
MAX_CACHED_CHARACTERS = 32_000_000
"""Of JSON, in all cached snapshots together."""
VOLATILE_FIELDS = {"turns", "progress"}
"""Fields that change without a new event."""


@dataclass(frozen=True, slots=True)
class EncodedSnapshot:
    """A snapshot as JSON, and its seq."""

    seq: int
    json: Encoded


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
            return await self._whole(connection, map_id, await seq_of(connection, map_id))

    async def encoded(self, map_id: str) -> EncodedSnapshot:
        """The snapshot as JSON. A cached one costs three short queries."""
        async with reading(self._engine) as connection:
            seq = await seq_of(connection, map_id)
            kept = self._cache.get(map_id)
            if kept is None or kept.seq != seq:
                whole = await self._whole(connection, map_id, seq)
                kept = EncodedSnapshot(seq, lasting_json(whole))
                if len(kept.json.text) <= MAX_CACHED_CHARACTERS:
                    self._cache[map_id] = kept
                return EncodedSnapshot(seq, with_volatile_fields(kept.json, whole.turns, whole.progress))
            turns = await open_turns(connection, map_id)
            return EncodedSnapshot(
                seq, with_volatile_fields(kept.json, turns, await progress_of(connection, map_id))
            )

    async def progress(self, map_id: str) -> list[AnalysisProgress]:
        """The last reported progress of the running analyses."""
        async with self._engine.connect() as connection:
            return await progress_of(connection, map_id)

    def forget(self) -> None:
        """Clear the cache: after an outage the database may have been restored from a backup."""
        self._cache.clear()

    async def _whole(self, connection: AsyncConnection, map_id: str, seq: int) -> Snapshot:
        query = events_of(map_id).where(event_table.c.type.in_(CHAT_EVENTS))
        query = query.order_by(event_table.c.seq.desc()).limit(CHAT_IN_SNAPSHOT)
        chat = [as_event(row) for row in await connection.execute(query)][::-1]
        history = await self._histories.at(connection, map_id, seq)
        return Snapshot(
            map_id=map_id,
            seq=seq,
            layers=list(await layers_of(connection, map_id)),
            charts=list(history.state.charts),
            chat=[EventEnvelope(event=event.name, data=event.wire()) for event in whole_turns(chat)],
            chat_complete=len(chat) < CHAT_IN_SNAPSHOT,
            turns=await open_turns(connection, map_id),
            progress=await progress_of(connection, map_id),
            recipes=[card_of(recipe) for recipe in await recipes_of(connection, map_id)],
            document=await document_of(connection, map_id),
            threads=await threads_of(connection, map_id),
            can_undo=history.can_undo,
            can_redo=history.can_redo,
        )


def lasting_json(snapshot: Snapshot) -> Encoded:
    """The part of a snapshot that depends on the seq alone."""
    return Encoded(snapshot.model_dump_json(exclude=VOLATILE_FIELDS))


def with_volatile_fields(
    lasting: Encoded, turns: list[TurnState], progress: list[AnalysisProgress]
) -> Encoded:
    """The whole snapshot: the cached part, and the fields that change between events."""
    fleeting = {
        "turns": [turn.model_dump(mode="json") for turn in turns],
        "progress": [one.model_dump(mode="json") for one in progress],
    }
    return Encoded(f"{lasting.text[:-1]},{json.dumps(fleeting)[1:]}")


async def open_turns(connection: AsyncConnection, map_id: str) -> list[TurnState]:
    """Turns that have not ended, in queue order."""
    query = select(
        turn_table.c.id,
        turn_table.c.text,
        turn_table.c.status,
        turn_table.c.pause["questions"].label("questions"),
        turn_table.c.pause["answers"].label("answers"),
    ).where(turn_table.c.map_id == map_id, turn_table.c.status.in_(["queued", "running", "waiting"]))
    rows = await connection.execute(query.order_by(turn_table.c.position))
    return [as_state(row) for row in rows]


def as_state(row: Row[*tuple[Any, ...]]) -> TurnState:
    """A row of the turn table as the protocol's `TurnState`."""
    questions = open_questions(row.questions or (), row.answers or {})
    return TurnState(turn_id=row.id, text=row.text, status=row.status, questions=questions)


def whole_turns(chat: list[Event]) -> list[Event]:
    """The events of a truncated chat from the first user message on."""
    if len(chat) < CHAT_IN_SNAPSHOT:
        return chat
    start = next((place for place, event in enumerate(chat) if event.name == "user_message"), 0)
    return chat[start:]
