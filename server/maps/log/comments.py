"""The comments of a map: the rows of its threads, and the events that change them.

Each change is written with its event, in one transaction on the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Text, cast, delete, func, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import Change, Event, clean_json
from server.maps.log.tables import comment_thread_table
from server.maps.log.writer import MapWriter
from server.protocol import CommentThread

own = comment_thread_table.c


async def size_of_threads(connection: AsyncConnection, map_id: str) -> tuple[int, int]:
    """How many threads a map has, and the characters of all of them as JSON."""
    characters = func.coalesce(func.sum(func.length(cast(own.document, Text))), 0)
    query = select(func.count(), characters).where(own.map_id == map_id)
    count, size = (await connection.execute(query)).one()
    return count, size


async def thread_of(connection: AsyncConnection, map_id: str, thread_id: str) -> CommentThread | None:
    """One thread; None if the map has none of this id."""
    query = select(own.document).where(own.map_id == map_id, own.thread_id == thread_id)
    document = (await connection.execute(query)).scalar_one_or_none()
    return None if document is None else CommentThread.model_validate(document, extra="ignore")


async def write_thread(
    writer: MapWriter, thread: CommentThread, event_name: str, payload: Mapping[str, Any]
) -> Event:
    """Store the thread, and record the event that led to it."""
    event = await writer.record(Change(event_name, payload))
    statement = upsert(comment_thread_table).values(
        map_id=writer.map_id,
        thread_id=thread.id,
        started=event.seq,
        document=clean_json(thread.model_dump(mode="json")),
    )
    await writer.connection.execute(
        statement.on_conflict_do_update(
            index_elements=["map_id", "thread_id"], set_={"document": statement.excluded.document}
        )
    )
    return event


async def delete_thread(writer: MapWriter, thread_id: str) -> Event:
    """Delete the thread, and record that."""
    await writer.connection.execute(
        delete(comment_thread_table).where(own.map_id == writer.map_id, own.thread_id == thread_id)
    )
    return await writer.record(Change("thread_removed", {"thread_id": thread_id}))
