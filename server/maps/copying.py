"""Copies a map: a new map with the same layers, charts and document, without chat and history."""

from __future__ import annotations

from sqlalchemy import insert, select

from agents.charts import Chart
from server.maps.charts import address_of
from server.maps.log.documents import bookmark_saved, described, document_of, write_document
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, chart_added, clean_json, layer_added
from server.maps.log.restoring import as_one_step
from server.maps.log.tables import chart_table
from server.maps.log.writer import MapWriter
from server.protocol import MapDocument


async def copy_map(log: EventLog, map_id: str) -> str:
    """Copy a map; returns the id of the copy. Raises RequestFault `unknown_map`."""
    state = await log.reader.state(map_id)
    copied = await log.create()
    async with log.writing(copied) as writer:
        changes = [layer_added(layer.model_copy(update={"tiles": ""})) for layer in state.layers]
        changes += [await _copied(writer, map_id, chart) for chart in state.charts]
        for change in as_one_step(changes, writer.seq + 1):
            await writer.record(change)
        await _copy_document(writer, map_id)
    return copied


async def _copy_document(writer: MapWriter, map_id: str) -> None:
    document = await document_of(writer.connection, map_id)
    if document == MapDocument():
        return
    await write_document(writer, document, described(document))
    for bookmark in document.bookmarks:
        await writer.record(bookmark_saved(bookmark))


async def _copied(writer: MapWriter, map_id: str, chart: Chart) -> Change:
    """Store the chart's data for the copy, too, because a chart's address is open only to users of its map."""
    own = chart_table.c
    query = select(own.data).where(
        own.map_id == map_id, own.chart_id == chart.id, own.version == chart.version
    )
    data = (await writer.connection.execute(query)).scalar_one()
    copy = chart.model_copy(update={"data": address_of(writer.map_id, chart.id, chart.version)})
    key = {"map_id": writer.map_id, "chart_id": chart.id, "version": chart.version}
    row = {**key, "document": clean_json(copy.model_dump(mode="json")), "data": data}
    await writer.connection.execute(insert(chart_table), row)
    return chart_added(copy)
