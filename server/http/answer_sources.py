"""GET /api/maps/{map_id}/answers/{seq}/sources/{place}/rows: the rows behind a figure of an answer.

`seq` is that of the `ai_response`, `place` the index of the figure's source in it. Rows are read now; the
values of that time are in the answer. Open to everyone who may see the map."""

from __future__ import annotations

import re
from typing import Any

from aiohttp import web

from agents.domain import Cql2
from agents.ports import TableRegistry
from agents.worded import Template
from server.gis.query.data import MAX_ROWS, PostgisData
from server.http.answers import json_answer
from server.http.rows import HIDDEN_KINDS, MAX_OFFSET, int_parameter
from server.maps.faults import RequestFault
from server.maps.log.event_log import EventLog
from server.protocol import FigureSource

NO_SOURCE = Template("http_no_source", "No answer of this map has such a source of figures.")
NO_TABLE_SOURCE = Template("http_no_table_source", "This figure does not come from a table.")
NO_SINGLE_ROW = Template("http_no_single_row", "The figures of this source do not come from a single row.")

INTEGER = re.compile(r"-?[0-9]{1,18}")


def routes(data: PostgisData, tables: TableRegistry, log: EventLog) -> list[web.RouteDef]:
    """The route; raises RequestFault `not_found` for unknown answers and sources."""

    async def source_of(request: web.Request) -> FigureSource:
        wanted = request.match_info
        seq, place = (int(wanted[name]) for name in ("seq", "place"))
        events = await log.reader.read(wanted["map_id"], seq - 1, 1)
        found = events[0] if events and events[0].seq == seq and events[0].name == "ai_response" else None
        sources = [] if found is None else found.payload.get("sources", [])
        if place >= len(sources):
            raise RequestFault("not_found", NO_SOURCE())
        return FigureSource.model_validate(sources[place], extra="ignore")

    async def rows(request: web.Request) -> web.Response:
        """`?limit=&offset=&row=`; `row` is a figure's, and gives that row only. The first page has the bounds."""
        source = await source_of(request)
        if source.table is None:
            raise RequestFault("not_found", NO_TABLE_SOURCE())
        table, asked = tables.get(source.table), request.query
        filter = of_row(source, asked["row"]) if "row" in asked else source.filter
        offset = int_parameter(asked.get("offset", "0"), "offset", 0, MAX_OFFSET)
        page = await data.query(
            table.id,
            columns=[each.name for each in table.columns if each.kind not in HIDDEN_KINDS],
            filter=filter,
            limit=int_parameter(asked.get("limit", "20"), "limit", 1, MAX_ROWS),
            offset=offset,
        )
        bounds = None
        if offset == 0 and table.geometry_column is not None:
            bounds = await data.extent(table.id, filter)
        facts = {"table": table.id, "key": list(table.key), "drawable": table.geometry_column is not None}
        return json_answer({**page, **facts, "filter": filter, "bounds": bounds})

    def of_row(source: FigureSource, text: str) -> Cql2:
        """A filter for the one row, with its key in the column's type."""
        column = tables.get(source.table or "").column(source.key or "")
        if column is None:
            raise RequestFault("invalid_payload", NO_SINGLE_ROW())
        value: Any = text
        if column.kind == "integer":
            if not INTEGER.fullmatch(text):
                raise RequestFault("invalid_payload", f"`row` is a whole number, a value of {column.name}.")
            value = int(text)
        return {"op": "=", "args": [{"property": column.name}, value]}

    path = "/api/maps/{map_id}/answers/{seq:[0-9]{1,15}}/sources/{place:[0-9]{1,4}}/rows"
    return [web.get(path, rows)]
