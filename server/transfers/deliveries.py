"""Files that were made for a map: written once, kept on the spool, and found by a link until it expires.

The request is kept in the database, the file on the server that wrote it. Another server, or one whose spool made
room, writes the file again when somebody opens the link. Anyone who may read the map may open its links."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakValueDictionary

from pydantic import ValidationError
from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolFailed, faults_in
from agents.domain import Layer
from agents.exports import ExportItem, ExportReport, ExportRequest
from agents.ports import TableRegistry
from agents.worded import Template
from server import fault_texts
from server.background import end_tasks
from server.database.engines import single_reads
from server.database.lanes import Lane, visitor
from server.gis.export.deliverable import Wanted, resolved, wanted_of, write
from server.gis.export.files import MAX_ROWS
from server.gis.export.source import CannotExport
from server.maps.faults import RequestFault
from server.maps.log.events import clean_json
from server.maps.log.tables import export_table
from server.maps.turns.session import TurnSession
from server.protocol import ExportProgress
from server.transfers.spool import Spool, Transfer, measured

FOR_MAP = Template("export_for_map", "Files can only be exported from a map.")
NOT_VALID = Template("export_not_valid", "The export is not valid: {faults}.")

KEPT_SHARE = 0.25
"""Share of the spool's budget for files that wait to be fetched."""
WAIT_S = 120.0
"""Time to wait for other exports to finish reading the database."""
PROGRESS_INTERVAL_S = 0.5

Readable = Callable[[str], Awaitable[TableRegistry]]
CurrentLayer = Callable[[str, str], Awaitable[Layer | None]]
OnProgress = Callable[[int, int], None]
Announce = Callable[[str, int, int], Awaitable[None]]
"""Called with the name of the file, the rows written so far, and all rows (0 until they are counted)."""


@dataclass(frozen=True)
class _Kept:
    path: Path
    expires_at: datetime
    transfer: Transfer
    resources: AsyncExitStack


class Deliveries:
    """`hours` is how long a link works, `rows` how many a file in a format that is not streamed may have."""

    def __init__(
        self,
        owner: AsyncEngine,
        exporter: AsyncEngine,
        readable: Readable,
        layer: CurrentLayer,
        spool: Spool,
        hours: float,
        at_once: int = 2,
        rows: int = MAX_ROWS,
    ) -> None:
        self._owner = owner
        self._rows = rows
        self._exporter = exporter
        self._readable = readable
        self._layer = layer
        self._spool = spool
        self._lifetime = timedelta(hours=hours)
        self._exporting = Lane("deliveries", at_once, wait=WAIT_S, visitor_share=max(1, at_once - 1))
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._reading: dict[str, int] = {}
        self._writing: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def close(self) -> None:
        """Delete all files."""
        for export_id in list(self._kept):
            await self._forget(export_id)

    async def make(
        self, map_id: str, request: ExportRequest, on_progress: OnProgress | None = None
    ) -> ExportReport:
        """Write the file and keep a link to it. Raises GisError for what cannot be written."""
        export_id = secrets.token_urlsafe(12)
        expires_at = datetime.now(UTC) + self._lifetime
        report = await self._write(map_id, export_id, request, expires_at, on_progress)
        row = {
            "id": export_id,
            "map_id": map_id,
            "request": clean_json(request.model_dump(mode="json")),
            "file_name": report.file_name,
            "expires_at": expires_at,
        }
        async with self._owner.begin() as connection:
            await connection.execute(
                delete(export_table).where(export_table.c.expires_at < datetime.now(UTC))
            )
            await connection.execute(insert(export_table).values(row))
        await self._make_room()
        link = f"exports/{export_id}/{quote(report.file_name, safe='')}"
        return report.model_copy(
            update={"link": link, "expires_at": expires_at.isoformat(timespec="minutes")}
        )

    async def announced(self, map_id: str, request: ExportRequest, announce: Announce) -> ExportReport:
        """As `make`, and `announce` the progress until the file is written."""
        name = request.file_name or request.items[0].name or request.items[0].source
        done, total = 0, 0

        def on_progress(*counted: int) -> None:
            nonlocal done, total
            done, total = counted

        making = asyncio.create_task(self.make(map_id, request, on_progress))
        try:
            while not (await asyncio.wait({making}, timeout=PROGRESS_INTERVAL_S))[0]:
                await announce(name, done, total)
            return making.result()
        finally:
            await end_tasks(making)

    @asynccontextmanager
    async def opened(
        self, map_id: str, export_id: str, viewed: TableRegistry | None = None
    ) -> AsyncIterator[Path]:
        """The file of a link. With a view key only what its holder sees is `viewed`.

        Raises RequestFault `not_found`."""
        query = select(export_table.c.request, export_table.c.expires_at).where(
            export_table.c.id == export_id,
            export_table.c.map_id == map_id,
            export_table.c.expires_at > datetime.now(UTC),
        )
        async with single_reads(self._owner) as connection:
            found = (await connection.execute(query)).one_or_none()
        if found is None:
            raise RequestFault("not_found", fault_texts.LINK_EXPIRED())
        request = ExportRequest.model_validate(found.request)
        if viewed is not None:
            await self._check_viewed(map_id, request, viewed)
        self._reading[export_id] = self._reading.get(export_id, 0) + 1
        try:
            # If several people open a link, one request writes the file.
            async with self._writing.setdefault(export_id, asyncio.Lock()):
                if export_id not in self._kept:
                    await self._write(map_id, export_id, request, found.expires_at)
            yield self._kept[export_id].path
        finally:
            self._reading[export_id] -= 1
            if not self._reading[export_id]:
                del self._reading[export_id]
            await self._make_room()

    async def _write(
        self,
        map_id: str,
        export_id: str,
        request: ExportRequest,
        expires_at: datetime,
        on_progress: OnProgress | None = None,
    ) -> ExportReport:
        registry = await self._readable(map_id)
        wanted = [await self._found(map_id, item, registry) for item in request.items]
        parts = await resolved(self._exporter, request, wanted)
        resources = AsyncExitStack()
        try:
            transfer = resources.enter_context(self._spool.transfer(visitor() or f"map {map_id}"))
            async with self._exporting.place():
                path, report = await measured(
                    write(request, parts, transfer.folder, on_progress, self._rows), transfer.folder, transfer
                )
        except RequestFault as fault:
            await resources.aclose()
            raise CannotExport(fault.message) from fault
        except BaseException:
            await resources.aclose()
            raise
        self._kept[export_id] = _Kept(path, expires_at, transfer, resources)
        return report

    async def _found(self, map_id: str, item: ExportItem, registry: TableRegistry) -> Wanted:
        """A layer of the map by its id, else a table."""
        layer = await self._layer(map_id, item.source)
        if layer is None:
            return wanted_of(item, registry.get(item.source))
        return wanted_of(item, registry.get(layer.table), layer.filter, layer.name)

    async def _check_viewed(self, map_id: str, request: ExportRequest, viewed: TableRegistry) -> None:
        shown = {table.id for table in viewed.tables()}
        for item in request.items:
            layer = await self._layer(map_id, item.source)
            if (layer.table if layer else item.source) not in shown:
                raise RequestFault("forbidden", fault_texts.NOT_SHOWN())

    async def _make_room(self) -> None:
        """Forget files that are not being read: those whose links have expired, then the oldest, whose links
        write them again."""
        now = datetime.now(UTC)
        room = self._spool.budget * KEPT_SHARE
        idle = [export_id for export_id in self._kept if export_id not in self._reading]
        for export_id in sorted(idle, key=lambda each: self._kept[each].expires_at):
            used = sum(each.transfer.size for each in self._kept.values())
            if used > room or self._kept[export_id].expires_at <= now:
                await self._forget(export_id)

    async def _forget(self, export_id: str) -> None:
        await self._kept.pop(export_id).resources.aclose()


class ExportDesk:
    """Implements the port `agents.ports.Exporter`: files for the map of a turn, with progress for everyone on it."""

    def __init__(self, deliveries: Deliveries) -> None:
        self._deliveries = deliveries

    async def export(self, request: dict[str, Any], session: Any) -> ExportReport:
        """Write a file for the turn's map, announcing the progress. Raises ToolFailed or CannotExport."""
        if not isinstance(session, TurnSession):
            raise ToolFailed(FOR_MAP())

        async def announce(name: str, done: int, total: int) -> None:
            body = ExportProgress(
                map_id=session.map_id, turn_id=session.turn_id, name=name, rows=done, total=total
            )
            await session.announce("export_progress", body)

        return await self._deliveries.announced(session.map_id, checked(request), announce)


def checked(request: Any) -> ExportRequest:
    """The request, or CannotExport, whose message says why."""
    try:
        return ExportRequest.model_validate(request)
    except ValidationError as error:
        raise CannotExport(NOT_VALID(faults=faults_in("request", error))) from error
