"""The composition root: the only place where the parts of a server are made and handed to each other.

`running(settings)` opens everything in order, and closes it in the opposite order whatever happens between;
`serving(settings)` puts it behind a port. Several may live in one process, each with its own settings.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from aiohttp import web

from agents.core.messages import Message
from agents.core.model import Model
from agents.core.observe.prometheus import register_prometheus
from agents.core.observe.tracing import use_opentelemetry
from agents.domain import Place
from agents.geo_agent import GeoAgent
from agents.models import build, close, warm
from agents.offline import OfflineModel
from agents.offline.recipe_words import heard_run
from server import postgres, samples
from server.analysts import AnalystDesk
from server.database import migrate
from server.database.engines import Database
from server.database.lanes import Lane, LaneMetrics
from server.extensions import agent_class, own_tools
from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.runner import StepRunner
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.catalog.registry import Registry
from server.gis.charts import Charts
from server.gis.ingest import IngestLimits
from server.gis.query.data import PostgisData
from server.gis.tiles import TileLimits, TileService
from server.http import analyses as receipt_routes
from server.http import (
    answer_sources,
    charts,
    errors,
    exports,
    page_file,
    rows,
    site,
    staged_uploads,
    tables,
    uploads,
)
from server.http import maps as map_routes
from server.http import metrics as metrics_routes
from server.http import tiles as tile_routes
from server.http.health import routes as health_routes
from server.http.health.front_door import FrontDoor
from server.http.metrics import serving_metrics
from server.http.middleware import abandoned_requests, map_addresses, proxies, security
from server.http.middleware.slow_clients import complete_bodies
from server.http.spool import Spool
from server.large_tables import LargeTables
from server.maps.access import ViewLinks
from server.maps.analyses.recipes import Recipes
from server.maps.analyses.results import Results
from server.maps.analyses.session import AnalysisService
from server.maps.analyses.store import AnalysisStore
from server.maps.layers.source import TableSource
from server.maps.log.event_log import EventLog
from server.maps.service import MapService
from server.maps.turns.admission import Limits
from server.maps.turns.session import TurnSession
from server.metrics import registry_of
from server.notes import Notes
from server.origins import Origins
from server.settings import Settings, display_url
from server.sockets import SocketServer
from server.spark.engine import lake_results, spark_runner
from server.status import checks, client_config, gauges
from server.transfers.deliveries import Deliveries, ExportDesk
from server.transfers.staging import StagedUploads
from server.transfers.uploads import Quota, Uploads

if TYPE_CHECKING:
    from server.gis.sql import PostgisSql

MB = 1024 * 1024
LINGERING_S = 2.0
"""For the rest of a body that was refused, so that the client reads why."""
MAX_BODY = 1024 * 1024
"""Of requests that are no uploads; those have a limit of their own."""
TILE_CANCEL_S = 2.0
"""Within this time after its timeout PostgreSQL should have ended the query of a tile."""


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
    app: web.Application
    url: str = ""
    metrics_url: str = ""


@asynccontextmanager
async def running(settings: Settings, model: Model | None = None) -> AsyncIterator[Server]:
    """A server without a port. `model` is used instead of the one that the settings name."""
    given, model = model, model or build(settings.chosen_model, model_settings(settings))
    more_tools, agent_type = own_tools(settings.tools), agent_class(settings.agent)
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
        if settings.embeddings is not None:
            await stack.enter_async_context(
                searched_by_meaning(settings.embeddings, settings, registry, database)
            )
        large = LargeTables(database, settings)
        data = PostgisData(database.reader, registry, profile_of=large.profile_of)
        notes = Notes(database.owner)

        events = EventLog(database.owner, large.known_tag)
        results = Results(database.owner, database.writer, registry, events, lake_results(settings))
        await results.start()
        stack.push_async_callback(results.stop)
        analysing = analyses(settings, database, registry)
        recipes = Recipes(events, analysing.store)

        raw_sql = select_runner(database, registry) if settings.sql else None

        async def agent(session: TurnSession, history: Sequence[Message]) -> GeoAgent:
            readable = await results.readable(session.map_id)
            its_data = PostgisData(database.reader, readable, profile_of=large.profile_of)
            # What somebody asked for by hand needs no reading between the lines.
            by_hand = heard_run(session.text, await recipes.cards(session.map_id)) is not None
            return agent_type(
                OfflineModel() if by_hand else model,
                registry=readable,
                map=session,
                data=its_data,
                analyst=AnalystDesk(
                    model, readable, its_data, analysing, results, recipes, notes, settings.reply_characters
                ),
                info_store=notes,
                sql=raw_sql.reading(readable) if raw_sql else None,
                exporter=ExportDesk(deliveries),
                history=history,
                limits=replace(agent_type.limits, reply_characters=settings.reply_characters),
                toolbox=more_tools,
            )

        source = TableSource(
            registry,
            data,
            database.reader,
            results.readable,
            large.versions,
            large.profiles,
            settings.large_table,
        )
        charted = Charts(database.reader, registry, results.readable)
        maps = MapService(
            database,
            source,
            charted,
            agent,
            log=events,
            turns_at_once=settings.turns,
            limits=turn_limits(settings),
            model=model.name,
        )
        origins = Origins(settings.origins, settings.host)

        async def find_places(map_id: str, text: str, limit: int) -> Sequence[Place]:
            return await PostgisData(database.reader, await results.readable(map_id)).find_place(text, limit)

        spool = Spool(int(settings.spool * MB))
        spool.open()
        stack.callback(spool.close)
        stack.callback(asyncio.create_task(spool.keep_swept()).cancel)
        deliveries = Deliveries(
            database.owner,
            database.exporter,
            results.readable,
            maps.lookup.current,
            spool,
            settings.export_hours,
            database.lanes["exports"].size,
        )
        stack.push_async_callback(deliveries.close)
        sockets = SocketServer(maps, results, recipes, find_places, deliveries.make, origins, settings.rate)
        await maps.start()
        stack.push_async_callback(maps.close)
        limits = TileLimits(seconds=settings.tile_timeout + TILE_CANCEL_S)
        tiles = TileService(
            database.tile_pool, registry, maps.lookup, limits, large.current_tag, large.low_zoom
        )
        stack.push_async_callback(tiles.close)
        await stack.enter_async_context(large.followed_by(maps, registry))
        metrics = registry_of(gauges(maps, sockets, registry))
        metrics.register(tiles.metrics)
        metrics.register(large.metrics)
        metrics.register(LaneMetrics([*database.lanes.values(), tiles.queue]))
        register_prometheus(metrics)
        app = application(settings, sockets, origins, maps.links, tiles)
        policy = await upload_policy(settings, database, maps.links, registry)
        assert policy.uploads is not None and policy.staged is not None  # noqa: S101, PT018 - upload_policy() made them
        sweeping = asyncio.create_task(policy.uploads.keep_swept())
        stack.callback(sweeping.cancel)
        stack.callback(asyncio.create_task(policy.uploads.keep_forgetting()).cancel)
        registry.on_change(policy.uploads.tables_changed)
        app.add_routes(health_routes.routes(checks(database, registry, maps)))
        token = settings.metrics_token
        app.add_routes(metrics_routes.routes(metrics, token.get_secret_value() if token else None))
        metrics_url = await stack.enter_async_context(serving_metrics(settings.metrics, metrics))
        app.add_routes(
            tables.routes(results.readable, results.shown, database.reader, notes, large.profile_of)
        )
        app.add_routes(tile_routes.routes(tiles, registry))
        app.add_routes(receipt_routes.routes(analysing.store, recipes))
        app.add_routes(rows.routes(data, registry, maps.lookup))
        app.add_routes(charts.routes(maps.charts))
        app.add_routes(answer_sources.routes(data, registry, maps.log))
        app.add_routes(map_routes.routes(maps.documents))
        app.add_routes(
            exports.routes(database.exporter, registry, maps.lookup, spool, database.lanes["exports"].size)
        )
        app.add_routes(exports.delivery_routes(deliveries, results.shown))
        app.add_routes(
            page_file.routes(
                database.exporter, registry, maps.log, maps.charts, database.lanes["exports"].size
            )
        )
        app.add_routes(uploads.routes(database, spool, policy, registry.refresh))
        app.add_routes(staged_uploads.routes(policy.staged, policy.share_all, registry.refresh))
        app.add_routes(site.routes(partial(client_config, settings, model, ReadableTables(registry))))
        await warm(model)
        yield Server(
            settings,
            database,
            registry,
            maps,
            sockets,
            analysing,
            results,
            tiles,
            deliveries,
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
                await door.open(runner.server)
                yield Server(**{**vars(server), "url": display_url(settings.host, door.port)})
            finally:
                await door.close()
                await server.maps.close()
                await server.sockets.close()
                await runner.cleanup()
    finally:
        await door.close()


def application(
    settings: Settings, sockets: SocketServer, origins: Origins, links: ViewLinks, tiles: TileService
) -> web.Application:
    """Without routes but the sockets'."""
    before = [
        tile_routes.serve_cached_tiles(tiles, origins),
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


def select_runner(database: Database, registry: Registry) -> PostgisSql:
    """Runs SELECT statements that a model writes."""
    from server.gis.sql import PostgisSql  # the parser is large, and few servers allow SQL

    return PostgisSql(database.reader_session, registry)


def analyses(settings: Settings, database: Database, registry: Registry) -> AnalysisService:
    """The service that plans and runs analyses, within the budget of the settings."""
    budget = Budget(
        cost=settings.analysis_cost,
        rows=settings.result_rows,
        pairs=settings.analysis_pairs,
        seconds=settings.analysis_timeout,
        bytes=int(settings.result_space * 1e6),
    )
    runner = StepRunner(database.writer, registry, budget, database.owner)
    # One connection is for the progress of the others.
    places = min(settings.analyses, database.lanes["analyses"].size - 1)
    # One place stays free for other addresses, whatever somebody computes.
    at_once = Lane("steps", places, max(1, places - 1), wait=settings.analysis_timeout)
    engines = Engines(runner, spark_runner(settings, database, registry, budget))
    return AnalysisService(engines, AnalysisStore(database.owner), budget, at_once)


def turn_limits(settings: Settings) -> Limits:
    """The limits of the queue of turns, from the settings."""
    return Limits(
        waiting_per_address=settings.waiting_turns_per_address,
        waiting=settings.waiting_turns,
        running_per_address=settings.turns_per_address,
    )


async def upload_policy(
    settings: Settings, database: Database, links: ViewLinks, registry: Registry
) -> uploads.UploadPolicy:
    """What may be uploaded, by whom and how much; unfinished uploads of an earlier run are removed."""
    limits = IngestLimits(
        vertices=settings.upload_vertices,
        bytes=int(settings.upload_size * MB),
        memory=int(settings.upload_memory * MB),
        seconds=settings.upload_timeout,
    )
    quota = Quota(int(settings.upload_quota * MB), int(settings.upload_space * MB))
    kept = Uploads(database.owner, quota, settings.upload_timeout)
    await kept.sweep()
    staged = StagedUploads(database.owner, kept, settings.upload_timeout)
    look = partial(staged_uploads.look_at, registry, database.reader)
    return uploads.UploadPolicy(limits, kept, staged, look, links.access, settings.share_uploads)


@asynccontextmanager
async def searched_by_meaning(
    name: str, settings: Settings, registry: Registry, database: Database
) -> AsyncIterator[None]:
    """The registry ranks searches by the embedding model called `name`, too. Raises ModelError `not_configured`."""
    # Only who sets this needs numpy and the SDK.
    from agents.models.embeddings import embeddings
    from server.gis.catalog.meanings import TableMeanings

    model = embeddings(name, model_settings(settings))
    meanings = TableMeanings(model, database.owner)
    registry.search_by_meaning(meanings)
    meanings.start()
    try:
        yield
    finally:
        await meanings.stop()
        await model.close()


def model_settings(settings: Settings) -> Mapping[str, str]:
    """The environment, with what these settings say of models."""
    known = dict(os.environ)
    if settings.openai_api_key is not None:
        known["OPENAI_API_KEY"] = settings.openai_api_key.get_secret_value()
    if settings.openai_base_url is not None:
        known["OPENAI_BASE_URL"] = settings.openai_base_url
    return known
