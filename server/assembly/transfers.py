"""Files that come in and go out, within the limits of the settings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from server.assembly.analyses import AnalysisParts
from server.assembly.data import DataParts
from server.gis.ingest import IngestLimits
from server.settings import Settings
from server.transfers.deliveries import Deliveries
from server.transfers.lake import LakeRegistration
from server.transfers.loading import FileLoader
from server.transfers.spool import Spool
from server.transfers.staging import StagedUploads
from server.transfers.uploads import Quota, Uploads

MB = 1024 * 1024
UNPACKED_TO_PACKED = 8
"""Factor on the size of the largest upload: what an archive may unpack to, and what all its rows may take."""


@dataclass(frozen=True)
class TransferParts:
    """The spool holds files on their way; `exports_at_once` is how many exports may read the database."""

    spool: Spool
    deliveries: Deliveries
    loader: FileLoader
    lake: LakeRegistration | None
    exports_at_once: int
    export_rows: int


@asynccontextmanager
async def opened_transfers(
    settings: Settings, data: DataParts, analyses: AnalysisParts
) -> AsyncIterator[TransferParts]:
    """Sweeps the spool and unfinished uploads, those of earlier runs first."""
    database = data.database
    exports_at_once = database.lanes["exports"].size
    async with AsyncExitStack() as stack:
        spool = Spool(int(settings.spool * MB))
        spool.open()
        stack.callback(spool.close)
        stack.callback(asyncio.create_task(spool.keep_swept()).cancel)
        deliveries = Deliveries(
            database.owner,
            database.exporter,
            analyses.results.readable,
            analyses.log.reader.current_layer,
            spool,
            settings.export_hours,
            exports_at_once,
            settings.export_rows,
        )
        stack.push_async_callback(deliveries.close)
        loader = await file_loader(settings, data)
        stack.callback(asyncio.create_task(loader.uploads.keep_swept()).cancel)
        stack.callback(asyncio.create_task(loader.uploads.keep_forgetting()).cancel)
        data.registry.on_change(loader.uploads.tables_changed)
        lake = LakeRegistration.of(
            settings, database.owner, data.large.lake_storage, loader.uploads, data.registry.refresh
        )
        yield TransferParts(spool, deliveries, loader, lake, exports_at_once, settings.export_rows)


async def file_loader(settings: Settings, data: DataParts) -> FileLoader:
    """Loads uploads; unfinished ones of an earlier run are removed."""
    size = int(settings.upload_size * MB)
    limits = IngestLimits(
        rows=settings.upload_rows,
        vertices=settings.upload_vertices,
        bytes=size,
        unpacked=max(IngestLimits.unpacked, UNPACKED_TO_PACKED * size),
        table_bytes=max(IngestLimits.table_bytes, UNPACKED_TO_PACKED * size),
        memory=int(settings.upload_memory * MB),
        seconds=settings.upload_timeout,
    )
    quota = Quota(int(settings.upload_quota * MB), int(settings.upload_space * MB))
    uploads = Uploads(data.database.owner, quota, settings.upload_timeout)
    await uploads.sweep()
    staged = StagedUploads(data.database.owner, uploads, settings.upload_timeout)
    return FileLoader(data.database, data.registry, limits, uploads, staged, settings.share_uploads)
