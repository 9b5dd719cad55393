"""Updates layers when the rows of their tables change: every followed map that shows the table gets a `layer_updated`
with a new tile address, count and legend.

Every two seconds it checks the tables of the maps that clients of this server follow. Where several servers follow a
map, the first one to write the change does so for all. A table that changes again and again is followed at growing
intervals (`Paces`), to bound the load and the size of the log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa
import structlog
from pydantic import ValidationError
from sqlalchemy import ARRAY, Text, any_, case, cast, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolFailed
from agents.domain import BINNED, Cql2, StyleSpec, Table
from agents.ports import TableRegistry
from server.background import end_tasks
from server.database.engines import is_unavailable, single_reads
from server.database.lanes import working_for
from server.gis.overviews.summaries import Need
from server.gis.profiles.versions import DataVersions
from server.maps.layers.verbs import LayerService
from server.maps.live.paces import Paces
from server.maps.log.tables import layer_table
from server.maps.log.writer import DataTags, with_data_tag

log = structlog.get_logger(__name__)

POLL_S = 2.0


@dataclass(frozen=True)
class _Shown:
    map_id: str
    layer_id: str
    table: Table
    tiles: str
    data: str
    estimated: bool
    needs: tuple[Need, ...]
    """What the layer needs of overviews in addition to representatives."""


class DataFollower:
    """`start` before use, `close` at the end. `wanted` is called with the tables of followed maps, and with what
    their overviews must have, by table."""

    def __init__(
        self,
        engine: AsyncEngine,
        layers: LayerService,
        registry: TableRegistry,
        versions: DataVersions,
        tags: DataTags,
        followed: Callable[[], Iterable[str]],
        wanted: Callable[[Iterable[Table], Mapping[str, Collection[Need]]], None],
        needs_of: Callable[[Table, StyleSpec, Cql2 | None, int], tuple[Need, ...]],
    ) -> None:
        self._engine = engine
        self._layers = layers
        self._registry = registry
        self._versions = versions
        self._tags = tags
        self._followed = followed
        self._wanted = wanted
        self._needs_of = needs_of
        self._paces = Paces(POLL_S / 2)
        self._inexact: dict[tuple[str, str], str] = {}
        """Layers whose exact numbers took too long, with the data version of which."""
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to look for changed tables in the background."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """End the background task."""
        await end_tasks(self._task)

    async def _run(self) -> None:
        while True:
            started = time.monotonic()
            try:
                await self._round()
            except (SQLAlchemyError, OSError, ToolFailed) as error:
                log.info("tables could not be followed", error=str(error)[:300])
            except Exception:
                log.exception("tables could not be followed")
            await asyncio.sleep(max(POLL_S / 4, POLL_S - (time.monotonic() - started)))

    async def _round(self) -> None:
        shown = await self._shown()
        tables = {each.table.id: each.table for each in shown}
        await self._versions.read(tables.values(), max_age=POLL_S / 2)
        needs: dict[str, list[Need]] = {}
        for each in shown:
            needs.setdefault(each.table.id, []).extend(each.needs)
        self._wanted(tables.values(), needs)
        followed = {(each.map_id, each.layer_id) for each in shown}
        self._paces.keep(followed)
        self._inexact = {key: version for key, version in self._inexact.items() if key in followed}
        for each in shown:
            await self._follow(each)

    def _needs(self, table: Table, filter: Cql2 | None, count: int, **style: str | None) -> tuple[Need, ...]:
        return self._needs_of(table, StyleSpec.model_validate(style), filter, count)

    async def _shown(self) -> list[_Shown]:
        """The layers of followed maps whose tables are still there, and whose style this version knows."""
        maps = list(self._followed())
        if not maps:
            return []
        document = layer_table.c.document
        style = document["style"]
        drawn = sa.func.jsonb_build_object(
            *("kind", style["kind"], "statistic", style["statistic"], "column", style["column"]),
            *("filter", document["filter"], "count", document["count"]),
        )
        query = select(
            layer_table.c.map_id,
            layer_table.c.layer_id,
            case((style["kind"].astext.in_(BINNED) | document["filter"].astext.is_not(None), drawn)),
            *(document[name].astext for name in ("table", "tiles", "data", "estimated")),
        ).where(layer_table.c.map_id == any_(cast(maps, ARRAY(Text))))
        async with single_reads(self._engine) as connection:
            rows = (await connection.execute(query)).all()
        found = []
        for map_id, layer_id, drawn, table_id, tiles, data, estimated in rows:
            try:
                table = self._registry.get(table_id)
                needs = () if drawn is None else self._needs(table, **drawn)
            except (ToolFailed, ValidationError):
                continue
            is_estimated = estimated == "true"
            found.append(_Shown(map_id, layer_id, table, tiles or "", data or "", is_estimated, needs))
        return found

    async def _follow(self, shown: _Shown) -> None:
        state = self._versions.known(shown.table.schema_name, shown.table.name)
        if not state.relid:
            return
        version = state.version
        is_new = shown.data != version or shown.tiles != with_data_tag(
            shown.tiles, self._tags(shown.table.id)
        )
        key = (shown.map_id, shown.layer_id)
        # Estimates from the sample of a lake table stay estimates.
        is_final = not shown.estimated or shown.table.lake is not None
        if not is_new and (is_final or self._inexact.get(key) == version):
            return
        if is_new and not self._paces.is_time(key, time.monotonic()):
            return
        try:
            with working_for(shown.map_id):
                await self._layers.follow_data(shown.map_id, shown.layer_id, exact=not is_new)
        except Exception as error:
            if is_unavailable(error):
                raise
            # Errors of every other kind: the layers after it must still follow their tables.
            self._inexact[key] = version
            fault, is_expected = str(error)[:300], isinstance(error, ToolFailed | SQLAlchemyError)
            log.info(
                "a layer could not follow its table",
                table=shown.table.id,
                error=fault,
                exc_info=not is_expected,
            )
