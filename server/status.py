"""Status of a running server: for browsers, load balancers and Prometheus."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from agents.core.model import Model
from agents.geo.styling import ramps
from agents.offline import suggestions
from agents.offline.answers import requests
from agents.ports import TableRegistry
from agents.worded import stored_wording
from server.database import migrate
from server.database.engines import Database
from server.database.schema_version import newest_revision, works_with
from server.gis.catalog.registry import Registry
from server.http.health import routes as health_routes
from server.maps.service import MapService
from server.settings import Settings
from server.sockets import SocketServer

SAMPLES = frozenset({"data.airports", "data.cities", "data.countries"})
SUGGESTIONS = (
    requests.SHOW_IN["red"](name="airports"),
    requests.COLOUR(name="countries", column="population"),
    requests.SHOW_LARGEST(n=50, name="cities"),
    requests.TABLES(),
)


def starts(registry: TableRegistry) -> list[str]:
    """Suggested first requests: about the sample data if loaded, else about the tables that exist."""
    there = {table.id for table in registry.tables()}
    return list(SUGGESTIONS) if there >= SAMPLES else suggestions(registry, limit=len(SUGGESTIONS))


def client_config(settings: Settings, model: Model, registry: TableRegistry) -> dict[str, Any]:
    """The answer of `/api/config`. `requests` are the suggestions with their codes and values."""
    started = starts(registry)
    return {
        "model": model.name,
        "basemap": settings.basemap_style is not None,
        "basemaps": [basemap.model_dump() for basemap in settings.offered_basemaps],
        "sql": settings.sql,
        "lake": settings.registers_lake_tables,
        "suggestions": [str(each) for each in started],
        "requests": [{"message": each, **stored_wording(each)} for each in started],
        "ramps": {
            "sequential": ramps.SEQUENTIAL,
            "diverging": ramps.DIVERGING,
            "qualitative": ramps.QUALITATIVE,
        },
    }


def checks(database: Database, registry: Registry, maps: MapService) -> dict[str, health_routes.Check]:
    """What `/readyz` checks, by name; each returns None, or the fault."""

    async def answers() -> str | None:
        async with database.owner.connect() as connection:
            await connection.execute(text("SELECT 1"))
        return None

    async def migrated() -> str | None:
        async with database.owner.connect() as connection:
            schema = await migrate.recorded_schema(connection)
        if works_with(schema):
            return None
        return f"at {schema.revision}, and this version needs {newest_revision()}"

    async def catalogued() -> str | None:
        return None if registry.was_read else "the table catalogue was not read yet"

    async def taking_turns() -> str | None:
        return "the server is about to end" if maps.runner.is_closing else None

    return {"database": answers, "migrations": migrated, "registry": catalogued, "turns": taking_turns}


def gauges(maps: MapService, sockets: SocketServer, registry: Registry) -> dict[str, Any]:
    """Measures of the running server for `/metrics`, each read when it is asked for."""
    return {
        "connections": ("Sockets that are connected to this server.", lambda: sockets.connections),
        "maps_followed": ("Maps with a client on this server.", lambda: len(maps.hub.presence.maps_here())),
        "turns_running": ("Turns that this server works on.", lambda: maps.runner.running),
        "servers_alive": ("Servers on the same database.", lambda: len(maps.liveness.alive)),
        "tables": ("Tables in the registry.", lambda: len(registry.tables())),
    }
