"""The parts of one server that keep maps of large and changing tables fast and up to date."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from agents.domain import Table
from agents.ports import TableRegistry
from server.database.engines import Database
from server.gis.expressions.identifiers import split_id
from server.gis.lake.detail import LakeDetail
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.changed_cells import WATCHED_SCHEMAS
from server.gis.overviews.files import CellsOfFiles
from server.gis.overviews.files_worker import LakeOverviewWorker
from server.gis.overviews.ladder import OverviewStore
from server.gis.overviews.summaries import Need
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.metrics import ProfileMetrics
from server.gis.profiles.profile import ProfileStore, TableProfile
from server.gis.profiles.proof import Proven, proof_from
from server.gis.profiles.versions import DataVersions
from server.gis.profiles.worker import ProfileWorker
from server.gis.query.lake_files import LakeFiles
from server.gis.tiles.low_zoom import LowZoom
from server.lake import lake_storage
from server.maps.live.data_follower import DataFollower
from server.maps.service import MapService
from server.settings import Settings
from server.spark.engine import lake_cells

if TYPE_CHECKING:
    from server.gis.spark.client import SparkClient

RECHECK_S = 0.25
"""A data version that differs from the requested one is read again if it is older than this."""


class LargeTables:
    """Data versions, profiles and who computes them."""

    def __init__(self, database: Database, settings: Settings, spark: SparkClient | None = None) -> None:
        """`spark` computes overviews of lake tables, which have none without it."""
        self.rows = settings.large_table
        """Number of rows from which on the numbers of a table are first estimated."""
        self.versions = DataVersions(database.owner)
        self.caps = _caps(settings)
        self.profiles = ProfileStore(database.owner)
        self._database = database
        overviews = OverviewStore(database.owner)
        self.lake_storage = lake_storage(settings)
        detail = LakeDetail(database.owner, self.lake_storage)
        self.lake_files = LakeFiles(database.owner, self.lake_storage)
        """Answers from the files of lake tables."""
        self.low_zoom = LowZoom(self.versions, overviews, settings.overview_rows, detail, self.caps)
        share = settings.profile_share
        self._worker = ProfileWorker(
            database, self.versions, self.profiles, share, _overview_work(overviews, settings)
        )
        self._lake_worker: LakeOverviewWorker | None = None
        files = lake_cells(settings, database, self.lake_storage, spark)
        if files is not None:
            work = _overview_work(overviews, settings, files)
            self._lake_worker = LakeOverviewWorker(database, self.versions, work, share)
        self.metrics = ProfileMetrics(self._worker)

    def known_tag(self, table_id: str) -> str:
        """The overview that a table's tiles are drawn from, as last read; empty if unknown."""
        schema, name = split_id(table_id)
        return self.versions.known(schema, name).tag

    async def profile_of(self, table: Table) -> TableProfile | None:
        """What was measured of the table as it is now."""
        return await self.profiles.current(await self.versions.of(table))

    async def proof_of(self, table: Table) -> Proven | None:
        """What is known about each row of the table before its tiles are drawn."""
        state = await self.versions.of(table)
        row = await self.profiles.row(state.relid) if state.relid else None
        return None if row is None else proof_from(row, state, table)

    async def current_tag(self, table: Table, asked: str = "") -> str:
        """The same as of now. Where another tag is asked for, another server may have seen the table change, or have
        built its overviews, a moment before this one: then it is read again."""
        tag = (await self.versions.of(table)).tag
        if asked and asked != tag:
            tag = (await self.versions.of(table, RECHECK_S)).tag
        return tag

    @asynccontextmanager
    async def followed_by(self, maps: MapService, registry: TableRegistry) -> AsyncIterator[None]:
        """Until the block ends, followed maps follow the data of their tables."""
        follower = DataFollower(
            self._database.owner,
            maps.layers,
            registry,
            self.versions,
            self.known_tag,
            maps.hub.followed_maps,
            self._want,
            self.low_zoom.needs_of,
        )
        workers = [each for each in (self._worker, self._lake_worker) if each is not None]
        for worker in workers:
            worker.start()
        follower.start()
        try:
            yield
        finally:
            await follower.close()
            await asyncio.gather(*(worker.close() for worker in workers))

    def _want(self, tables: Iterable[Table], needs: Mapping[str, Collection[Need]]) -> None:
        tables = tuple(tables)
        self._worker.want(tables, needs)
        if self._lake_worker is not None:
            self._lake_worker.want(tables, needs)


def _caps(settings: Settings) -> TileCaps:
    return TileCaps(settings.tile_points, settings.tile_shapes)


def _overview_work(
    store: OverviewStore, settings: Settings, files: CellsOfFiles | None = None
) -> OverviewWork:
    space = int(settings.overview_space * 1e6)
    watched = (*WATCHED_SCHEMAS, *settings.trigger_schemas)
    builder = OverviewBuilder(store, settings.overview_share, space, files, _caps(settings), watched)
    return OverviewWork(builder, store, settings.overview_rows, settings.overview_filters)
