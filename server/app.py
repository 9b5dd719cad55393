"""The composition root: the only place where the parts of a server are made and handed to each other.

`running(settings)` opens everything in order, and closes it in the opposite order whatever happens between;
`serving(settings)` puts it behind a port. Several may live in one process, each with its own settings.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

from aiohttp import web
from alembic.script import ScriptDirectory
from sqlalchemy import text

import migrations
from agents.core.messages import Message
from agents.core.model import Model
from agents.core.prometheus import register_prometheus
from agents.core.toolbox import ToolBox
from agents.core.tracing import use_opentelemetry
from agents.domain import Place
from agents.geo_agent import GeoAgent
from agents.models import build, close, warm
from agents.offline import OfflineModel, suggestions
from agents.offline.recipe_words import heard_run
from agents.ports import TableRegistry
from server import migrate, postgres, samples
from server.analysts import AnalystDesk
from server.database import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.runner import StepRunner
from server.gis.charts import Charts
from server.gis.data import PostgisData
from server.gis.readable import ReadableTables
from server.gis.registry import Registry
from server.gis.sql import PostgisSql
from server.gis.styles import ramps
from server.gis.tiles import TileService
from server.http import (
    addresses,
    charts,
    errors,
    exports,
    figures,
    health,
    page_file,
    rows,
    security,
    site,
    tables,
    uploads,
)
from server.http import analyses as receipts
from server.http import tiles as tile_routes
from server.maps.access import ViewLinks
from server.maps.analyses import AnalysisService
from server.maps.analysis_store import AnalysisStore
from server.maps.log import EventLog
from server.maps.recipes import Recipes
from server.maps.results import Results
from server.maps.service import MapService
from server.maps.session import TurnSession
from server.maps.source import TableSource
from server.metrics import registry_of
from server.notes import Notes
from server.origins import Origins
from server.settings import Settings, display_url
from server.sockets import SocketServer

MAX_BODY = 1024 * 1024
"""Of requests that are no uploads; those have a limit of their own."""
SAMPLES = frozenset({"data.airports", "data.cities", "data.countries"})
SUGGESTIONS = (
    "show airports in red",
    "colour countries by population",
    "show the 50 largest cities",
    "which tables are there?",
)


@dataclass(frozen=True)
class Server:
    """The parts of a running server."""

    settings: Settings
    database: Database
    registry: Registry
    maps: MapService
    sockets: SocketServer
    analyses: AnalysisService
    results: Results
    app: web.Application
    url: str = ""


@asynccontextmanager
async def running(settings: Settings, model: Model | None = None) -> AsyncIterator[Server]:
    """A server without a port. `model` is used instead of the one that the settings name."""
    given, model = model, model or build(settings.chosen_model, model_settings(settings))
    if find_spec("opentelemetry") is not None:
        use_opentelemetry(content=settings.trace_content)
    async with AsyncExitStack() as stack:
        if given is None:
            stack.push_async_callback(close, model)
        url = await stack.enter_async_context(postgres.ensure(settings))
        await migrate.upgrade(url, settings.exposed_schemas)
        database = await stack.enter_async_context(await Database.connect(settings, url))
        if settings.samples:
            await samples.load(database)
        registry = Registry(database.reader, settings.exposed_schemas, database.listen)
        await registry.start()
        stack.push_async_callback(registry.stop)
        data = PostgisData(database.reader, registry)
        notes = Notes(database.owner)

        events = EventLog(database.owner)
        results = Results(database.owner, database.writer, registry, events)
        await results.start()
        stack.push_async_callback(results.stop)
        analysing = analyses(settings, database, registry)
        recipes = Recipes(events, analysing.store)

        more_tools = ToolBox.gather(*settings.tools)

        async def agent(session: TurnSession, history: Sequence[Message]) -> GeoAgent:
            readable = await results.readable(session.map_id)
            its_data = PostgisData(database.reader, readable)
            # What somebody asked for by hand needs no reading between the lines.
            by_hand = heard_run(session.text, await recipes.cards(session.map_id)) is not None
            return GeoAgent(
                OfflineModel() if by_hand else model,
                registry=readable,
                map=session,
                data=its_data,
                analyst=AnalystDesk(model, readable, its_data, analysing, results, recipes, notes),
                info_store=notes,
                sql=PostgisSql(database.reader_session, readable) if settings.sql else None,
                history=history,
                toolbox=more_tools,
            )

        source = TableSource(registry, data, database.reader, results.readable)
        charted = Charts(database.reader, registry, results.readable)
        maps = MapService(database, source, charted, agent, turns_at_once=settings.turns)
        origins = Origins(settings.origins, settings.host)

        async def find_places(map_id: str, text: str, limit: int) -> Sequence[Place]:
            return await PostgisData(database.reader, await results.readable(map_id)).find_place(text, limit)

        sockets = SocketServer(maps, results, recipes, find_places, origins, settings.rate)
        await maps.start()
        stack.push_async_callback(maps.close)
        tiles = TileService(database.tile_pool, registry, maps.lookup)
        stack.push_async_callback(tiles.close)
        metrics = registry_of(gauges(maps, sockets, registry))
        metrics.register(tiles.metrics)
        register_prometheus(metrics)
        app = application(settings, sockets, origins, maps.links)
        app.add_routes(health.routes(checks(database, registry), metrics))
        app.add_routes(tables.routes(results.readable, database.reader, notes))
        app.add_routes(tile_routes.routes(tiles, registry))
        app.add_routes(receipts.routes(analysing.store, recipes))
        app.add_routes(rows.routes(data, registry, maps.lookup))
        app.add_routes(charts.routes(maps.charts))
        app.add_routes(figures.routes(data, registry, maps.log))
        app.add_routes(exports.routes(database.reader, registry, maps.lookup))
        app.add_routes(page_file.routes(database.reader, registry, maps.log, maps.charts))
        app.add_routes(uploads.routes(database, loaded=registry.refresh))
        app.add_routes(site.routes(partial(client_config, settings, model, ReadableTables(registry))))
        await warm(model)
        yield Server(settings, database, registry, maps, sockets, analysing, results, app)


@asynccontextmanager
async def serving(settings: Settings, model: Model | None = None) -> AsyncIterator[Server]:
    """A server that listens; `url` is its address."""
    async with running(settings, model) as server:
        runner = web.AppRunner(server.app, handle_signals=False, access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            listening = web.TCPSite(runner, settings.host, settings.port, reuse_address=True)
            await listening.start()
            port = runner.addresses[0][1]
            yield Server(**{**vars(server), "url": display_url(settings.host, port)})
        finally:
            await server.maps.close()
            await server.sockets.close()
            await runner.cleanup()


def application(
    settings: Settings, sockets: SocketServer, origins: Origins, links: ViewLinks
) -> web.Application:
    """Without routes but the sockets'."""
    before = [errors.faults, security.gatekeeper(origins), addresses.known_ids, addresses.keys(links)]
    app = web.Application(middlewares=before, client_max_size=MAX_BODY)
    app.on_response_prepare.append(security.policy(origins, settings.foreign_origins, settings.embed_origins))
    sockets.attach(app)
    return app


def analyses(settings: Settings, database: Database, registry: Registry) -> AnalysisService:
    budget = Budget(
        cost=settings.analysis_cost,
        rows=settings.result_rows,
        pairs=settings.analysis_pairs,
        seconds=settings.analysis_timeout,
        bytes=int(settings.result_space * 1e6),
    )
    runner = StepRunner(database.writer, registry, budget, database.owner)
    at_once = asyncio.Semaphore(settings.analyses)
    return AnalysisService(runner, AnalysisStore(database.owner), budget, at_once)


def starts(registry: TableRegistry) -> list[str]:
    """Requests to begin with: over the samples where they are, else over whatever tables there are."""
    there = {table.id for table in registry.tables()}
    return list(SUGGESTIONS) if there >= SAMPLES else suggestions(registry, limit=len(SUGGESTIONS))


def client_config(settings: Settings, model: Model, registry: TableRegistry) -> dict[str, Any]:
    """What the browser client is told at `/api/config`."""
    return {
        "model": model.name,
        "basemap": settings.basemap_style is not None,
        "basemaps": [basemap.model_dump() for basemap in settings.offered_basemaps],
        "sql": settings.sql,
        "suggestions": starts(registry),
        "ramps": {
            "sequential": ramps.SEQUENTIAL,
            "diverging": ramps.DIVERGING,
            "qualitative": ramps.QUALITATIVE,
        },
    }


def model_settings(settings: Settings) -> Mapping[str, str]:
    """The environment, with what these settings say of models."""
    known = dict(os.environ)
    if settings.openai_api_key is not None:
        known["OPENAI_API_KEY"] = settings.openai_api_key.get_secret_value()
    if settings.openai_base_url is not None:
        known["OPENAI_BASE_URL"] = settings.openai_base_url
    return known


def checks(database: Database, registry: Registry) -> dict[str, health.Check]:
    async def answers() -> str | None:
        async with database.owner.connect() as connection:
            await connection.execute(text("SELECT 1"))
        return None

    async def migrated() -> str | None:
        async with database.owner.connect() as connection:
            found = await connection.execute(text("SELECT version_num FROM geoagent.alembic_version"))
            revision = found.scalar_one_or_none()
        newest = newest_revision()
        return None if revision == newest else f"at {revision}, and this version needs {newest}"

    async def catalogued() -> str | None:
        return None if registry.version > 0 else "the table catalogue was not read yet"

    return {"database": answers, "migrations": migrated, "registry": catalogued}


@cache
def newest_revision() -> str | None:
    return ScriptDirectory(os.path.dirname(migrations.__file__)).get_current_head()


def gauges(maps: MapService, sockets: SocketServer, registry: Registry) -> dict[str, Any]:
    return {
        "connections": ("Sockets that are connected to this server.", lambda: sockets.connections),
        "maps_followed": (
            "Maps that somebody on this server is on.",
            lambda: len(maps.hub.presence.maps_here()),
        ),
        "turns_running": ("Turns that this server works on.", lambda: maps.runner.running),
        "servers_alive": ("Servers on the same database.", lambda: len(maps.liveness.alive)),
        "tables": ("Tables in the registry.", lambda: len(registry.tables())),
    }
