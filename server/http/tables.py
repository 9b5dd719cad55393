"""GET /api/tables: the tables that can be drawn, from the registry. GET /api/maps/{map_id}/tables: also the map's
uploads and results, which other maps do not see; with a view key only the tables of its layers. GET
/api/maps/{map_id}/tables/{table_id}/preview: some of a table's shapes and its notes, to show before the table is
added to the map. GET .../tables/{table_id}/quality: what a table needs cleaned (`server.gis.query.quality`). GET
.../tables/{table_id}/joins: the tables with geometry that it can be joined to (`server.gis.query.joins`). GET
/api/maps/{map_id}/tables/{table_id}/rows and .../stats: its attributes, as those of a layer (`server.http.rows`).
POST /api/maps/{map_id}/lake registers a dataset of Parquet files: `{location, name?, srid?}`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Annotated

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.ports import TableRegistry
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.catalog.registry import FoundTables
from server.gis.export.columns import added_keys
from server.gis.export.source import Source
from server.gis.lake.errors import PathRefused
from server.gis.lake.paths import NO_FOLDERS
from server.gis.query.data import PostgisData
from server.gis.query.preview import EMPTY, preview
from server.http.answers import json_answer
from server.http.middleware.map_addresses import is_view
from server.http.middleware.request_rates import SearchLimits
from server.http.rows import int_parameter, page_of
from server.maps.access import read_only
from server.maps.faults import RequestFault
from server.notes import Notes
from server.transfers.lake import LakeRegistration

MAX_PAGE = 1000
MAX_OFFSET = 10_000_000

Readable = Callable[[str | None], Awaitable[ReadableTables]]
"""Returns the tables that a map may read; for None those that every map may."""
Reading = Callable[[TableRegistry], PostgisData]
"""Makes the queries of these tables."""
Shown = Callable[[str], Awaitable[ReadableTables]]
"""Returns the tables that may be read with the view key of a map."""


def routes(
    readable: Readable,
    shown: Shown,
    reader: AsyncEngine,
    notes: Notes,
    reading: Reading,
    searches: SearchLimits | None = None,
) -> list[web.RouteDef]:
    """The routes of the list of tables, of one table, and of its preview. `searches` bounds how often an address may
    search."""
    answers = _Answers(readable, shown, reader, notes, reading, searches)
    return [
        web.get("/api/maps/{map_id}/tables/{table_id}/preview", answers.preview),
        web.get("/api/maps/{map_id}/tables/{table_id}/rows", answers.rows),
        web.get("/api/maps/{map_id}/tables/{table_id}/stats", answers.stats),
        *(
            web.get(f"{base}/tables{one}", handler)
            for base in ("/api", "/api/maps/{map_id}")
            for one, handler in (
                ("", answers.tables),
                ("/{table_id}", answers.table),
                ("/{table_id}/quality", answers.quality),
                ("/{table_id}/joins", answers.joins),
            )
        ),
    ]


@dataclass(frozen=True)
class _Answers:
    _readable: Readable
    _shown: Shown
    _reader: AsyncEngine
    _notes: Notes
    _reading: Reading
    _searches: SearchLimits | None

    async def _registry(self, request: web.Request) -> ReadableTables:
        map_id = request.match_info.get("map_id")
        return await (
            self._shown(map_id) if map_id is not None and is_view(request) else self._readable(map_id)
        )

    async def tables(self, request: web.Request) -> web.Response:
        """`?q=words` searches, best first; `?limit=` at most so many, from the `?offset=`th on. `total` counts all
        pages, and `next` is the address of the following one."""
        limit = int_parameter(request.query.get("limit", str(MAX_PAGE)), "limit", 1, MAX_PAGE)
        offset = int_parameter(request.query.get("offset", "0"), "offset", 0, MAX_OFFSET)
        words = request.query.get("q", "").strip()
        if words and self._searches is not None:
            self._searches.check(request)
        registry = await self._registry(request)
        if words:
            found = await registry.search_page(words, offset, limit)
        else:
            tables = registry.tables()
            found = FoundTables(tables[offset : offset + limit], len(tables))
        more = found.total > offset + limit
        body = {
            "tables": [table.model_dump(mode="json") for table in found.tables],
            "total": found.total,
            "next": str(request.rel_url.update_query(offset=offset + limit, limit=limit)) if more else None,
            "version": registry.version,
        }
        return json_answer(body)

    async def table(self, request: web.Request) -> web.Response:
        found = (await self._registry(request)).get(request.match_info["table_id"])
        return json_answer(found.model_dump(mode="json"))

    async def quality(self, request: web.Request) -> web.Response:
        """Missing, empty, invalid and repeated values of a table, and its exact bounds."""
        registry = await self._registry(request)
        data = self._reading(registry)
        table_id = registry.get(request.match_info["table_id"]).id
        found = {"table": table_id, **await data.bounds(table_id), **await data.quality(table_id)}
        return json_answer(found)

    async def joins(self, request: web.Request) -> web.Response:
        """The best first; empty for a table with geometry."""
        registry = await self._registry(request)
        table = registry.get(request.match_info["table_id"])
        found = [] if table.geometry_column else await self._reading(registry).joins(table.id)
        body = {"joins": [asdict(each) for each in found]}
        return json_answer(body)

    async def rows(self, request: web.Request) -> web.Response:
        """`?limit=&offset=&sort=&descending=true&total=`; without the key that GeoAgent added."""
        registry = await self._registry(request)
        found = registry.get(request.match_info["table_id"])
        data = self._reading(registry)
        return json_answer(await page_of(data, found, request.query, hidden=added_keys(found)))

    async def stats(self, request: web.Request) -> web.Response:
        """`?column=`: count, nulls, distinct, minimum, maximum, mean, and the most frequent values."""
        registry = await self._registry(request)
        data = self._reading(registry)
        table_id = registry.get(request.match_info["table_id"]).id
        return json_answer(dict(await data.stats(table_id, request.query.get("column", ""), None)))

    async def preview(self, request: web.Request) -> web.Response:
        if is_view(request):
            raise read_only()
        found = (await self._readable(request.match_info["map_id"])).get(request.match_info["table_id"])
        shapes = await preview(Source(self._reader, found)) if found.geometry_column else EMPTY
        about = [{"title": note.title, "body": note.body} for note in await self._notes.about(found.id)]
        return web.json_response(
            {**shapes, "notes": about},
            content_type="application/geo+json",
            headers={"Cache-Control": "no-store"},
        )


class LakeRequest(BaseModel):
    """A dataset of Parquet files to be registered as a table of the map."""

    model_config = ConfigDict(extra="forbid", strict=True)

    location: Annotated[str, Field(min_length=1, max_length=2000)]
    """A path on the server."""
    name: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    srid: int | None = None


def lake_routes(lake: LakeRegistration | None) -> list[web.RouteDef]:
    """`lake` is None if lake tables are not configured."""

    async def register(request: web.Request) -> web.Response:
        """View links only read, so `map_addresses` refuses them."""
        if lake is None:
            raise PathRefused(NO_FOLDERS)
        try:
            wanted = LakeRequest.model_validate_json(await request.text())
        except (ValidationError, UnicodeDecodeError):
            raise RequestFault(
                "invalid_payload", "Send a JSON object with `location`, and `name` or `srid` as needed."
            ) from None
        made = await lake.add(request.match_info["map_id"], wanted.location, wanted.name, wanted.srid)
        return json_answer(made.model_dump(mode="json"), 201)

    return [web.post("/api/maps/{map_id}/lake", register)]
