"""Maps as documents: names, bookmarks, and summaries of the maps that a user has keys to."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.worded import Template
from server import fault_texts
from server.database.engines import single_reads
from server.maps.access import Access, ViewLinks
from server.maps.faults import RequestFault
from server.maps.log.documents import bookmark_removed, bookmark_saved, described, document_of, write_document
from server.maps.log.event_log import EventLog
from server.maps.log.tables import event_table, layer_table, map_table
from server.protocol import Bookmark, BookmarkSave, MapDescribe, MapSummary

VIEWS_SPACE = Template(
    "map_views_space", "The saved views of a map take at most {n} characters. Remove some first."
)
NO_VIEW = Template("map_no_view", "This map has no saved view {view}.")

MAX_BOOKMARKS = 100
MAX_CHARACTERS = 250_000
"""Limit for a document as JSON, which each client that joins the map receives."""


class Documents:
    """Reads and changes the documents of maps: name, base map, projection and saved views. Raises RequestFault."""

    def __init__(self, log: EventLog, engine: AsyncEngine, links: ViewLinks) -> None:
        self._log = log
        self._engine = engine
        self._links = links

    async def describe(self, request: MapDescribe) -> int:
        """Change name, base map or projection, as far as they are sent; the map's seq. Without a change no event."""
        sent = request.model_fields_set - {"map_id"}
        change = {name: getattr(request, name) for name in sent}
        if change.get("name", "") is None:
            change["name"] = ""
        async with self._log.writing(request.map_id) as writer:
            before = await document_of(writer.connection, request.map_id)
            after = before.model_copy(update=change)
            if after != before:
                await write_document(writer, after, described(after))
            return writer.seq

    async def save_bookmark(self, request: BookmarkSave) -> tuple[int, Bookmark]:
        """The map's seq and the bookmark. Raises RequestFault `not_found` or `too_large`."""
        wanted = request.bookmark_id
        bookmark = Bookmark(id=wanted or secrets.token_hex(6), name=request.name, view=request.view)
        async with self._log.writing(request.map_id) as writer:
            document = await document_of(writer.connection, request.map_id)
            ids = [each.id for each in document.bookmarks]
            if wanted is not None and wanted not in ids:
                raise unknown_bookmark(wanted)
            if wanted is None and len(ids) >= MAX_BOOKMARKS:
                raise RequestFault("too_large", fault_texts.MAX_VIEWS(n=MAX_BOOKMARKS))
            if wanted is None:
                kept = [*document.bookmarks, bookmark]
            else:
                kept = [bookmark if each.id == wanted else each for each in document.bookmarks]
            changed = document.model_copy(update={"bookmarks": kept})
            if len(changed.model_dump_json()) > MAX_CHARACTERS:
                raise RequestFault("too_large", VIEWS_SPACE(n=MAX_CHARACTERS))
            event = await write_document(writer, changed, bookmark_saved(bookmark))
        return event.seq, bookmark

    async def remove_bookmark(self, map_id: str, bookmark_id: str) -> int:
        """The map's seq. Raises RequestFault `not_found`."""
        async with self._log.writing(map_id) as writer:
            document = await document_of(writer.connection, map_id)
            kept = [each for each in document.bookmarks if each.id != bookmark_id]
            if len(kept) == len(document.bookmarks):
                raise unknown_bookmark(bookmark_id)
            changed = document.model_copy(update={"bookmarks": kept})
            event = await write_document(writer, changed, bookmark_removed(bookmark_id))
        return event.seq

    async def summaries(self, keys: Sequence[str]) -> list[MapSummary]:
        """Summaries of the maps that these keys open, in the order of the keys; invalid keys are left out."""
        found: list[Access] = []
        for key in dict.fromkeys(keys):
            try:
                found.append(await self._links.access(key))
            except RequestFault:
                continue
        rows = await self._rows([access.map_id for access in found])
        return [
            MapSummary(
                map_id=access.key,
                name=row.document.get("name", ""),
                layers=row.layers,
                changed_at=(row.changed_at or row.created_at).astimezone(UTC).isoformat(),
                may_change=access.may_change,
            )
            for access in found
            if (row := rows.get(access.map_id)) is not None
        ]

    async def _rows(self, map_ids: Sequence[str]) -> dict[str, Any]:
        layers = select(func.count()).where(layer_table.c.map_id == map_table.c.id).scalar_subquery()
        changed_at = (
            select(event_table.c.at)
            .where(event_table.c.map_id == map_table.c.id, event_table.c.seq == map_table.c.seq)
            .scalar_subquery()
        )
        query = select(
            map_table.c.id,
            map_table.c.document,
            map_table.c.created_at,
            layers.label("layers"),
            changed_at.label("changed_at"),
        ).where(map_table.c.id.in_(map_ids))
        async with single_reads(self._engine) as connection:
            return {row.id: row for row in await connection.execute(query)}


def unknown_bookmark(bookmark_id: str) -> RequestFault:
    """RequestFault for a saved view that the map does not have."""
    return RequestFault("not_found", NO_VIEW(view=repr(bookmark_id)))
