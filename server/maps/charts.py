"""Changes to the charts of a map, used by socket handlers and by the agent's tools.

The data of a chart is read before the map is locked and stored with the chart's version, which never changes.
The event only holds the address of the data, so the log stays small, and a reload, a second browser and a
replay all draw the same chart."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from cachetools import LRUCache
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.charts import Chart, ChartData, ChartDraft, draft_of
from agents.domain import Cql2
from agents.worded import Template, formatted
from server import fault_texts
from server.database.engines import single_reads
from server.gis.charts import Charts, ComputedChart
from server.maps.faults import RequestFault
from server.maps.layers.verbs import BY_HAND, Author, layer_of
from server.maps.log.event_log import EventLog
from server.maps.log.events import chart_added, chart_removed, chart_updated, clean_json
from server.maps.log.replay import MapState
from server.maps.log.sizes import check_filters
from server.maps.log.tables import chart_table
from server.maps.log.writer import MapWriter

CHARTS_ON_IT = Template("map_charts_on_it", "Charts on it: {names}.")
WITHOUT_CHARTS = Template("map_without_charts", "It has no charts.")

CHART_LAYER = Template("map_chart_layer", "Layer {layer} shows {table}, not {other}. Give one of the two.")
NO_CHART = Template("map_no_chart", "There is no chart {chart} on this map. {known}")
NO_CHART_VERSION = Template("map_no_chart_version", "This map has no chart {chart} of version {version}.")
CHARTS_SPACE = Template(
    "map_charts_space",
    "The charts of this map, with their earlier versions, take all of the {mb} MB allowed. Copy the map: "
    "the copy keeps the newest version of each.",
)
CHART_OF_WHAT = Template("map_chart_of_what", "A chart is of a layer or of a table: give layer_id or table.")

MAX_CHARTS = 50
CHART_SPACE = 64 * 1024 * 1024
"""Bytes in the database for the data of all versions of all charts of a map."""
MAX_CACHED_CHARTS = 64


@dataclass(frozen=True, slots=True)
class Drawn:
    """A committed chart, its data, and the map after the change."""

    seq: int
    state: MapState
    chart: Chart
    data: ChartData


class ChartService:
    """Adds, refreshes, removes and finds charts. Every change is one event of the map's log."""

    def __init__(self, log: EventLog, owner: AsyncEngine, source: Charts, space: int = CHART_SPACE) -> None:
        self._space = space
        self._log = log
        self._owner = owner
        self.source = source
        self._cache: LRUCache[tuple[str, str, int], ComputedChart] = LRUCache(MAX_CACHED_CHARTS)

    async def add(self, map_id: str, draft: ChartDraft, by: Author = BY_HAND) -> Drawn:
        """Compute a chart, store it and record the event. Raises RequestFault `too_large`, and what the draft is
        refused for."""
        state = await self._log.reader.state(map_id)
        table, layer_filter = chart_source(state, draft)
        of_layer = draft.layer_id is not None
        made = await self.source.draw(draft, table, layer_filter, None if of_layer else map_id)
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            state = await writer.state()
            if len(state.charts) >= MAX_CHARTS:
                raise RequestFault("too_large", fault_texts.MAX_CHARTS(n=MAX_CHARTS))
            chart_id = new_id(made.chart.title, state)
            chart = await self._keep(writer, made, chart_id)
            await writer.record(chart_added(chart))
            check_filters(await writer.state())
            return Drawn(writer.seq, await writer.state(), chart, made.data)

    async def refresh(self, map_id: str, chart_id: str) -> Drawn:
        """Read the chart's data again. If its layer still exists, the layer's current filter applies."""
        state = await self._log.reader.state(map_id)
        known = chart_of(state, chart_id)
        layer = state.layer(known.layer_id) if known.layer_id is not None else None
        same = layer is not None and layer.table == known.table
        made = await self.source.draw(
            draft_of(known), known.table, layer.filter if layer is not None and same else known.layer_filter
        )
        async with self._log.writing(map_id) as writer:
            chart_of(await writer.state(), chart_id)
            chart = await self._keep(writer, made, chart_id)
            await writer.record(chart_updated(chart))
            return Drawn(writer.seq, await writer.state(), chart, made.data)

    async def remove(self, map_id: str, chart_id: str, by: Author = BY_HAND) -> tuple[int, MapState, Chart]:
        """The map's seq and state afterwards, and what the chart was."""
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            chart = chart_of(await writer.state(), chart_id)
            await writer.record(chart_removed(chart_id))
            return writer.seq, await writer.state(), chart

    async def find(self, map_id: str, chart_id: str, version: int) -> ComputedChart:
        """Any version of a chart, also of a removed one. Raises RequestFault `unknown_chart`. Versions never
        change, so results are cached."""
        key = (map_id, chart_id, version)
        cached = self._cache.get(key)
        if cached is not None:
            return cached
        query = select(chart_table.c.document, chart_table.c.data).where(
            chart_table.c.map_id == map_id,
            chart_table.c.chart_id == chart_id,
            chart_table.c.version == version,
        )
        async with single_reads(self._owner) as connection:
            row = (await connection.execute(query)).one_or_none() if 0 < version < 2**31 else None
        if row is None:
            raise RequestFault("unknown_chart", NO_CHART_VERSION(chart=repr(chart_id), version=str(version)))
        made = ComputedChart(
            Chart.model_validate(row.document, extra="ignore"),
            ChartData.model_validate(row.data, extra="ignore"),
        )
        self._cache[key] = made
        return made

    async def _keep(self, writer: MapWriter, made: ComputedChart, chart_id: str) -> Chart:
        """Store the chart's data under a version above all earlier ones of this id. Raises RequestFault `too_large`."""
        size = func.coalesce(func.sum(func.pg_column_size(chart_table.c.data)), 0)
        taken = await writer.connection.execute(select(size).where(chart_table.c.map_id == writer.map_id))
        if taken.scalar_one() >= self._space:
            raise RequestFault("too_large", CHARTS_SPACE(mb=formatted(self._space / 2**20, "g")))
        own = (chart_table.c.map_id == writer.map_id, chart_table.c.chart_id == chart_id)
        newest = await writer.connection.execute(select(func.max(chart_table.c.version)).where(*own))
        version = (newest.scalar_one() or 0) + 1
        address = address_of(writer.map_id, chart_id, version)
        chart = made.chart.model_copy(update={"id": chart_id, "version": version, "data": address})
        row = {
            "map_id": writer.map_id,
            "chart_id": chart_id,
            "version": version,
            "document": clean_json(chart.model_dump(mode="json")),
            "data": clean_json(made.data.model_dump(mode="json")),
        }
        writer.stored += len(made.data.model_dump_json())
        await writer.connection.execute(insert(chart_table), row)
        return chart


def address_of(map_id: str, chart_id: str, version: int) -> str:
    """Path of the data of this version of a chart."""
    return f"/api/maps/{map_id}/charts/{chart_id}/{version}/data"


def chart_source(state: MapState, draft: ChartDraft) -> tuple[str, Cql2 | None]:
    """The table of a chart, and the filter of its layer if it belongs to one. Raises RequestFault for a draft that
    names neither or a wrong pair."""
    if draft.layer_id is None:
        if draft.table is None:
            raise RequestFault("invalid_payload", CHART_OF_WHAT())
        return draft.table, None
    layer = layer_of(state, draft.layer_id)
    if draft.table not in (None, layer.table):
        raise RequestFault(
            "invalid_payload", CHART_LAYER(layer=repr(layer.id), table=layer.table, other=draft.table)
        )
    return layer.table, layer.filter


def chart_of(state: MapState, chart_id: str) -> Chart:
    """The chart with this id. Raises RequestFault `unknown_chart`, which lists the charts of the map."""
    chart = state.chart(chart_id)
    if chart is None:
        there = ", ".join(each.id for each in state.charts[:20])
        known = CHARTS_ON_IT(names=there) if there else WITHOUT_CHARTS()
        raise RequestFault("unknown_chart", NO_CHART(chart=repr(chart_id), known=known))
    return chart


def new_id(title: str, state: MapState) -> str:
    """A readable id that no chart of the map has had before: a removed chart may come back by undo."""
    stem = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:40].strip("_") or "chart"
    while True:
        name = f"{stem}_{secrets.token_hex(2)}"
        if state.chart(name) is None:
            return name
