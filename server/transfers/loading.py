"""Turns a received file into tables: one, one for each layer, or one that waits for a decision (`staging`).

Files are loaded a few at a time, for network addresses by turns; large ones leave a place free for small ones."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa

from agents.worded import Template, stored_wording
from server.database.engines import Database
from server.database.lanes import Lane
from server.gis.catalog.registry import Registry
from server.gis.errors import GisError
from server.gis.export.source import Source
from server.gis.ingest import CannotLoad, IngestLimits, IngestReport, layer_names, load_file, table_for
from server.gis.ingest.limits import FileTooLarge
from server.gis.ingest.merge import staging_name
from server.gis.query.preview import EMPTY, preview
from server.gis.reading.archive import is_archive
from server.transfers.spool import Transfer
from server.transfers.staging import Decision, StagedUploads
from server.transfers.uploads import QuotaExceeded, Reservation, Uploads

TIME_OVER = Template("file_time_over", "The time for loading this file was over before this layer.")

WAIT_S = 300.0
"""Time to wait for the files of others to be loaded."""
SMALL_FILE_BYTES = 8 * 1024 * 1024
"""Larger files leave a turn free for smaller ones."""
EXTENT_WAIT_S = 5.0
"""Time to wait for the extent of a staged table, which the registry may still be reading."""
LAYERS = ("", "each", "united")
_REFERENCE_SYSTEM = sa.text("SELECT srtext FROM spatial_ref_sys WHERE srid = :srid")

Complete = Callable[[Reservation], Awaitable[None]]


@dataclass(frozen=True)
class FileToLoad:
    """A received file, who sent it, and what its sender wants. `path` lies in the folder of `transfer`."""

    path: Path
    name: str
    transfer: Transfer
    map_id: str | None
    """The map that alone sees the table; None for all maps."""
    address: str
    table: str | None = None
    """The name of the table; by default that of the file."""
    layer: str | None = None
    layers: Literal["", "each", "united"] = ""
    srid: int | None = None
    encoding: str | None = None
    subdivide: bool = False
    """Whether shapes of too many vertices are cut into pieces."""
    quoted_text: bool = False
    """Whether values in quotes are texts in a CSV that puts all values in quotes."""
    stage: bool = False
    """Whether the table waits for a decision that follows."""
    decision: Decision | None = None
    """Where the rows go, unless they become a new table."""

    @property
    def table_name(self) -> str:
        """The wanted name, by default that of the file."""
        return self.table or Path(self.name).stem


class FileLoader:
    """Loads files within `limits` and the quota of `uploads`; `share_all` shows every table to all maps."""

    def __init__(
        self,
        database: Database,
        registry: Registry,
        limits: IngestLimits,
        uploads: Uploads,
        staged: StagedUploads,
        share_all: bool = False,
    ) -> None:
        self.limits = limits
        self.uploads = uploads
        self.staged = staged
        self.share_all = share_all
        self.refresh = registry.refresh
        self._database = database
        self._registry = registry
        at_once = database.lanes["uploads"].size
        # One place always stays free for other addresses.
        self._loading = Lane("loading", at_once, max(1, at_once - 1), wait=WAIT_S)
        large = max(1, at_once - 1)
        self._loading_large = Lane("loading large files", large, max(1, large - 1), wait=WAIT_S)

    async def load(self, file: FileToLoad) -> dict[str, Any]:
        """Load a file; returns its table or tables, `shared`, and the sender's `quota`. Raises GisError."""
        size = file.transfer.size
        large = self._loading_large.place() if size > SMALL_FILE_BYTES else nullcontext()
        await self.uploads.check(file.map_id, file.address, size)
        async with large, self._loading.place():
            if await asyncio.to_thread(is_archive, file.path, file.name):
                file.transfer.grow(self.limits.expanded(size, self.limits.unpacked))
            if file.stage or file.decision is not None:
                return await self._stage(file)
            if file.layers == "each":
                answer = await self._load_each(file)
            else:
                answer = (await self._load_one(file, file.table_name, file.layer)).model_dump()
        await self.refresh()
        return {**answer, "shared": self._shared(file), "quota": await self.uploads.used(file.address)}

    def _shared(self, file: FileToLoad) -> bool:
        return file.map_id is None or self.share_all

    async def _load_one(
        self, file: FileToLoad, table: str, layer: str | None, complete: Complete | None = None
    ) -> IngestReport:
        """Loads a layer, or what the file is, as `table`; `complete` takes the place of showing it."""
        async with self.uploads.reserved(table, file.map_id, file.address, file.transfer.size) as reservation:
            report = await load_file(
                self._database,
                file.path,
                table,
                file=file.name,
                layer=layer,
                unite=file.layers == "united",
                srid=file.srid,
                encoding=file.encoding,
                limits=replace(
                    self.limits,
                    space=min(self.limits.space, reservation.left),
                    subdivide=file.subdivide,
                    quoted_text=file.quoted_text,
                ),
                shared=False,
                folder=file.transfer.folder,
            )
            if complete is None:
                await self.uploads.complete(reservation, self._shared(file))
            else:
                await complete(reservation)
        return report

    async def _load_each(self, file: FileToLoad) -> dict[str, Any]:
        """Makes a table of each layer. A layer that cannot be loaded does not keep the others from it."""
        names = await layer_names(
            file.path, file=file.name, encoding=file.encoding, limits=self.limits, folder=file.transfer.folder
        )
        reports: list[dict[str, Any]] = []
        failed: list[dict[str, Any]] = []
        faults: list[GisError] = []
        deadline = time.monotonic() + self.limits.seconds
        for layer in names:
            try:
                if time.monotonic() > deadline:
                    raise FileTooLarge(TIME_OVER())
                report = await self._load_one(file, table_for(file.table_name, layer), layer)
                reports.append(report.model_dump())
            except (CannotLoad, QuotaExceeded) as fault:
                faults.append(fault)
                failed.append(
                    {
                        "layer": layer,
                        "code": fault.code,
                        "message": str(fault),
                        **stored_wording(fault.message),
                    }
                )
        if not reports:
            raise faults[0]
        return {"tables": reports, "failed": failed}

    async def _stage(self, file: FileToLoad) -> dict[str, Any]:
        """Reads the file into a table that no map sees, and carries the decision out if there is one already."""
        numbers: list[int] = []

        async def complete(reservation: Reservation) -> None:
            await self.staged.stage(reservation)
            numbers.append(reservation.number)

        report = await self._load_one(file, staging_name(), file.layer, complete)
        await self.refresh()
        answer = report.model_dump()
        if file.decision is None:
            return {**answer, **await self._appearance(report.table), "staged": numbers[0]}
        try:
            finished = await self.staged.finish(file.map_id, numbers[0], file.decision, self.share_all)
        except GisError:
            await self.staged.discard(file.map_id, numbers[0])
            raise
        await self.refresh()
        remarks = [*report.remarks, *finished["remarks"]]
        wordings = {**report.wordings, **finished["wordings"]}
        return {**answer, **finished, "remarks": remarks, "wordings": wordings, "added": report.rows}

    async def _appearance(self, table_id: str) -> dict[str, Any]:
        """The extent in degrees, some shapes, and the name of the reference system of a staged table."""
        table = self._registry.find(table_id)
        if table is not None and table.geometry_column is not None and table.bounds is None:
            await self._registry.settle(EXTENT_WAIT_S)
            table = self._registry.find(table_id)
        if table is None or table.geometry_column is None:
            return {"bounds": None, "shapes": EMPTY, "reference": None}
        async with self._database.reader.connect() as connection:
            definition = str(await connection.scalar(_REFERENCE_SYSTEM, {"srid": table.srid}) or "")
        named = re.match(r'\w+\["([^"]+)"', definition)
        return {
            "bounds": table.bounds,
            "shapes": await preview(Source(self._database.reader, table)),
            "reference": named.group(1) if named else None,
        }
