"""Lake tables that people register from a map, with the rights of uploads: who may change the map may register what is
in the folders of GEOAGENT_LAKE_PATHS, the sample counts towards the quota of uploads, and only this map sees the table
until somebody shares it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolFailed
from agents.lake import LakeAdded
from agents.worded import Template
from server.database.lanes import Lane, visitor
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.ingest.table import check_name
from server.gis.lake.dataset import plain_type
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.register import Lake, LakeReport
from server.gis.lake.storage import LakeStorage
from server.maps.turns.session import TurnSession
from server.settings import Settings
from server.transfers.uploads import Uploads

EPSG_NUMBER = Template("lake_epsg", "The EPSG code is a number such as 25832.")
FROM_A_MAP = Template("lake_from_a_map", "Lake tables can only be registered from a map.")
TOO_LONG = Template(
    "lake_too_long", "Reading the dataset took longer than {seconds} s, so it was not registered."
)


WAIT_S = 120.0
"""Time to wait for other datasets to be read."""


class LakeRegistration:
    """`seconds` is what reading one dataset may take; `shared` tables are every map's at once."""

    def __init__(
        self,
        lake: Lake,
        uploads: Uploads,
        loaded: Callable[[], Awaitable[None]],
        seconds: float,
        shared: bool = False,
    ) -> None:
        """`loaded` is awaited after each new table: the registry looks for it."""
        self._lake = lake
        self._uploads = uploads
        self._loaded = loaded
        self._seconds = seconds
        self._shared = shared
        self._registering = Lane("registering lake tables", 2, 1, wait=WAIT_S)

    @classmethod
    def of(
        cls,
        settings: Settings,
        owner: AsyncEngine,
        storage: LakeStorage,
        uploads: Uploads,
        loaded: Callable[[], Awaitable[None]],
    ) -> LakeRegistration | None:
        """The registration by the settings; None where nothing may be registered."""
        if not settings.registers_lake_tables:
            return None
        return cls(Lake(owner, storage), uploads, loaded, settings.upload_timeout, settings.share_uploads)

    async def add(self, map_id: str, location: str, name: str | None, srid: int | None = None) -> LakeAdded:
        """Register the files at `location` as a table of the map. Raises PathRefused, NoLakeTable, LakeTableExists,
        CannotLoad or QuotaExceeded; nothing has changed then."""
        table = (name or name_from(location)).strip()
        check_name(table)
        if srid is not None and not 1 <= srid <= 999_999:
            raise NoLakeTable(EPSG_NUMBER())
        address = visitor()
        await self._uploads.check(map_id, address, 0)
        try:
            async with (
                self._registering.place(),
                asyncio.timeout(self._seconds),
                self._uploads.reserved(table, map_id, address, 0) as reservation,
            ):
                report = await self._lake.add(table, location, srid=srid, private=True)
                await self._uploads.complete(reservation, self._shared)
        except TimeoutError:
            raise NoLakeTable(TOO_LONG(seconds=round(self._seconds))) from None
        await self._loaded()
        return added(report)


class LakeDesk:
    """Implements the port `agents.ports.LakeTables` for one turn; `readable` are the tables that its map may read."""

    def __init__(self, registration: LakeRegistration, readable: ReadableTables) -> None:
        self._registration = registration
        self._readable = readable

    async def add(self, location: str, name: str | None, srid: int | None, session: Any) -> LakeAdded:
        """As `LakeRegistration.add`, for the turn's map."""
        if not isinstance(session, TurnSession):
            raise ToolFailed(FROM_A_MAP())
        made = await self._registration.add(session.map_id, location, name, srid)
        self._readable.show(made.table)
        return made


def name_from(location: str) -> str:
    """A name for a table, from the last part of a path: `/srv/lake/Pings 2024.parquet` gives `pings_2024`."""
    last = PurePosixPath(location.rstrip("/")).name
    stem = re.sub(r"\.(parquet|geoparquet|parq|pq)$", "", last, flags=re.IGNORECASE)
    return re.sub(r"\W+", "_", stem).strip("_").lower()


def added(report: LakeReport) -> LakeAdded:
    """The description of a new lake table for people and models, without the location of its files."""
    dataset = report.dataset
    kind = plain_type(dataset.geometry_type)[0] if dataset.geometry_type else None
    return LakeAdded(
        table=report.table,
        rows=dataset.rows,
        files=len(dataset.files),
        sample_rows=report.sample_rows,
        geometry=kind,
        srid=dataset.srid or None,
        columns=tuple(column.name for column in dataset.columns if not column.is_geometry),
        bounds=report.bounds,
        remarks=tuple(report.remarks),
    )
