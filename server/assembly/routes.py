"""All HTTP routes of a server, each with the parts that it needs."""

from __future__ import annotations

from functools import partial

from aiohttp import web
from prometheus_client import CollectorRegistry

from agents.core.model import Model
from server.assembly.analyses import AnalysisParts
from server.assembly.data import DataParts
from server.assembly.transfers import TransferParts
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.tiles.service import TileService
from server.http import analyses as receipts
from server.http import (
    answer_sources,
    charts,
    exports,
    maps,
    metrics,
    page_file,
    rows,
    site,
    staged_uploads,
    tables,
    tiles,
    uploads,
)
from server.http.health import routes as health
from server.http.middleware.request_rates import SearchLimits
from server.maps.service import MapService
from server.settings import Settings
from server.status import checks, client_config


def all_routes(
    settings: Settings,
    model: Model,
    data: DataParts,
    analyses: AnalysisParts,
    transfers: TransferParts,
    map_service: MapService,
    tile_service: TileService,
    collectors: CollectorRegistry,
) -> list[web.RouteDef]:
    """All routes; `collectors` hold the numbers of /metrics."""
    database, registry, results = data.database, data.registry, analyses.results
    exporter, at_once, lookup = database.exporter, transfers.exports_at_once, map_service.lookup
    token = settings.metrics_token
    searches = None if settings.embeddings is None else SearchLimits(settings.embedding_searches)
    return [
        *health.routes(checks(database, registry, map_service)),
        *metrics.routes(collectors, token.get_secret_value() if token else None),
        *tables.routes(results.readable, results.shown, database.reader, data.notes, data.reading, searches),
        *tables.lake_routes(transfers.lake),
        *tiles.routes(tile_service, registry),
        *receipts.routes(analyses.service.store, analyses.recipes),
        *rows.routes(data.data, registry, lookup),
        *charts.routes(map_service.charts),
        *answer_sources.routes(data.data, registry, map_service.log),
        *maps.routes(map_service.documents),
        *exports.routes(exporter, registry, lookup, transfers.spool, at_once, transfers.export_rows),
        *exports.delivery_routes(transfers.deliveries, results.shown),
        *page_file.routes(exporter, registry, map_service.log, map_service.charts, at_once),
        *uploads.routes(transfers.loader, transfers.spool, map_service.links.access),
        *staged_uploads.routes(transfers.loader),
        *site.routes(partial(client_config, settings, model, ReadableTables(registry))),
    ]
