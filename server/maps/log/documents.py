"""The document of a map (name, base map, projection, bookmarks): its row, and the events that change it.

Each change is written with its event, in one transaction on the map."""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.maps.log.events import Change, Event, clean_json
from server.maps.log.tables import map_table
from server.maps.log.writer import MapWriter
from server.protocol import Bookmark, MapDocument


async def document_of(connection: AsyncConnection, map_id: str) -> MapDocument:
    """The document; the empty one of a map that is not there."""
    query = select(map_table.c.document).where(map_table.c.id == map_id)
    document = (await connection.execute(query)).scalar_one_or_none()
    return MapDocument.model_validate(document or {}, extra="ignore")


async def write_document(writer: MapWriter, document: MapDocument, change: Change) -> Event:
    """Store the document, and record the event that led to it."""
    row = clean_json(document.model_dump(mode="json"))
    await writer.connection.execute(
        update(map_table).where(map_table.c.id == writer.map_id).values(document=row)
    )
    return await writer.record(change)


def described(document: MapDocument) -> Change:
    """The change of name, base map and projection."""
    return Change("map_described", document.model_dump(mode="json", exclude={"bookmarks"}))


def bookmark_saved(bookmark: Bookmark) -> Change:
    """The change that adds a saved view, or replaces one with the same id."""
    return Change("bookmark_saved", {"bookmark": bookmark.model_dump(mode="json")})


def bookmark_removed(bookmark_id: str) -> Change:
    """The change that removes a saved view."""
    return Change("bookmark_removed", {"bookmark_id": bookmark_id})
