"""The composition root: the only place where the parts of a server are created and connected.

`running(settings)` opens everything in order, and always closes it in the opposite order; `serving(settings)` puts it
behind a port. Several may live in one process, each with its own settings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from aiohttp import web

from agents.core.model import Model
from agents.core.observe.prometheus import register_prometheus
from agents.core.observe.tracing import use_opentelemetry
from agents.domain import FoundPlaces
from agents.models import warm
from server.assembly.agents import Extensions, TurnAgents
from server.assembly.analyses import AnalysisParts, opened_analyses
from server.assembly.data import DataParts, opened_data
from server.assembly.models import opened_model
from server.assembly.routes import all_routes
from server.assembly.transfers import opened_transfers
from server.database.engines import Database
from server.database.lanes import LaneMetrics
from server.extensions import agent_class, own_tools
from server.gis.catalog.column_names import ColumnNames
from server.gis.catalog.registry import Registry
from server.gis.charts import Charts
from server.gis.tiles.service import TileLimits, TileService
from server.http import errors
from server.http.health.front_door import FrontDoor
from server.http.metrics import serving_metrics
from server.http.middleware import abandoned_requests, map_addresses, proxies, request_rates, security
from server.http.middleware.direct_tiles import with_direct_tiles
from server.http.middleware.slow_clients import complete_bodies
from server.maps.access import ViewLinks
from server.maps.analyses.results import Results
from server.maps.analyses.session import AnalysisService
from server.maps.layers.source import TableSource
from server.maps.service import MapService
from server.maps.turns.admission import Limits
from server.metrics import registry_of
from server.origins import Origins
from server.settings import Settings, display_url
from server.sockets import SocketServer
from server.status import gauges
from server.transfers.deliveries import Deliveries

LINGERING_S = 2.0
"""Time to read the rest of a refused body, so that the client reads the error."""
MAX_BODY = 1024 * 1024
"""Bytes of a request body; uploads have a separate limit."""
TILE_CANCEL_S = 2.0
"""Time after its timeout within which PostgreSQL should have ended the query of a tile."""


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
    tiles: TileService
    deliveries: Deliveries
    request_rates: request_rates.RequestRates
    app: web.Application
    url: str = ""
    metrics_url: str = ""


@asynccontextmanager
async def running(settings: Settings, model: Model | None = None) -> AsyncIterator[Server]:
    """A server without a port. `model` is used instead of the one that the settings name."""
    extensions = Extensions(agent_class(settings.agent), own_tools(settings.tools))
    if find_spec("opentelemetry") is not None:
        use_opentelemetry(content=settings.trace_content)
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(opened_model(settings, model))
        data = await stack.enter_async_context(opened_data(settings))
        analyses = await stack.enter_async_context(opened_analyses(settings, data))
        transfers = await stack.enter_async_context(opened_transfers(settings, data, analyses))
        agents = TurnAgents(settings, model, extensions, data, analyses, transfers)
        maps = map_service(settings, data, analyses, agents, model.name)
        origins = Origins(settings.origins, settings.host)

        async def find_places(map_id: str, text: str, limit: int) -> FoundPlaces:
            return await data.reading(await analyses.results.readable(map_id)).find_place(text, limit)

        sockets = SocketServer(
            maps,
            analyses.results,
            analyses.recipes,
            find_places,
            transfers.deliveries.announced,
            origins,
            settings.rate,
        )
        await maps.start()
        transfers.loader.uploads.server = maps.liveness.id
        stack.push_async_callback(maps.close)
        tiles = tile_service(settings, data, maps)
        stack.push_async_callback(tiles.close)
        await stack.enter_async_context(data.large.followed_by(maps, data.registry))
        collectors = registry_of(gauges(maps, sockets, data.registry))
        collectors.register(tiles.metrics)
        collectors.register(data.large.metrics)
        collectors.register(LaneMetrics([*data.database.lanes.values(), tiles.queue]))
        register_prometheus(collectors)
        metrics_url = await stack.enter_async_context(serving_metrics(settings.metrics, collectors))
        rates = request_rates.RequestRates(
            settings.http_rate * settings.rate, request_rates.MAX_CONNECTIONS * settings.rate
        )
        app = application(settings, sockets, origins, maps.links, rates)
        app.add_routes(all_routes(settings, model, data, analyses, transfers, maps, tiles, collectors))
        await warm(model)
        yield Server(
            settings,
            data.database,
            data.registry,
            maps,
            sockets,
            analyses.service,
            analyses.results,
            tiles,
            transfers.deliveries,
            rates,
            app,
            metrics_url=metrics_url,
        )


@asynccontextmanager
async def serving(settings: Settings, model: Model | None = None) -> AsyncIterator[Server]:
    """A server that listens; `url` is its address. While it starts it answers health checks only."""
    door = FrontDoor()
    await door.listen(settings.host, settings.port)
    try:
        async with running(settings, model) as server:
            runner = web.AppRunner(
                server.app,
                handle_signals=False,
                access_log=None,
                shutdown_timeout=1,
                keepalive_timeout=settings.idle_timeout,
                lingering_time=LINGERING_S,
            )
            await runner.setup()
            try:
                assert runner.server is not None  # noqa: S101 - setup() made it
                origins = Origins(settings.origins, settings.host)
                trusted = server.app[proxies.TRUSTED_PROXIES]
                await door.open(
                    with_direct_tiles(runner.server, server.tiles, origins, server.request_rates, trusted)
                )
                yield Server(**{**vars(server), "url": display_url(settings.host, door.port)})
            finally:
                await door.close()
                await server.maps.close()
                await server.sockets.close()
                await runner.cleanup()
    finally:
        await door.close()


def application(
    settings: Settings,
    sockets: SocketServer,
    origins: Origins,
    links: ViewLinks,
    rates: request_rates.RequestRates,
) -> web.Application:
    """The web application before HTTP routes are added."""
    before = [
        request_rates.limit_requests(rates),
        errors.faults,
        security.check_origin(origins),
        complete_bodies,
        map_addresses.known_ids,
        abandoned_requests.stop_abandoned_reading,
        map_addresses.resolve_view_keys(links),
    ]
    app = web.Application(middlewares=before, client_max_size=MAX_BODY)
    app[proxies.TRUSTED_PROXIES] = proxies.networks(settings.trusted_proxies)
    app.on_response_prepare.append(
        security.security_headers(origins, settings.foreign_origins, settings.embed_origins)
    )
    sockets.attach(app)
    return app


def map_service(
    settings: Settings, data: DataParts, analyses: AnalysisParts, agents: TurnAgents, model_name: str
) -> MapService:
    """The service of maps, not started; layers may only be of tables that their map may read."""
    database, registry, large = data.database, data.registry, data.large
    readable = analyses.results.readable
    source = TableSource(
        registry,
        data.data,
        database.reader,
        readable,
        large.versions,
        large.profiles,
        large.low_zoom,
        ColumnNames(database.owner),
        settings.large_table,
    )
    limits = Limits(
        waiting_per_address=settings.waiting_turns_per_address,
        waiting=settings.waiting_turns,
        running_per_address=settings.turns_per_address,
    )
    return MapService(
        database,
        source,
        Charts(database.reader, registry, readable),
        agents,
        log=analyses.log,
        turns_at_once=settings.turns,
        limits=limits,
        model=model_name,
        chart_space=round(settings.chart_space * 2**20),
    )


def tile_service(settings: Settings, data: DataParts, maps: MapService) -> TileService:
    """The service that draws the layers of these maps."""
    limits = TileLimits(seconds=settings.tile_timeout + TILE_CANCEL_S, caps=data.large.caps)
    large = data.large
    tiles = TileService(
        data.database.tile_pool,
        data.registry,
        maps.lookup,
        limits,
        large.current_tag,
        large.low_zoom,
        large.proof_of,
    )
    registry = data.registry
    registry.on_change(
        lambda changed: tiles.forget({each for each in changed if registry.find(each) is None})
    )
    return tiles
