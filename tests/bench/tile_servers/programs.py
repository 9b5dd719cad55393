"""Other tile servers, where their programs are on the path or named by MARTIN and PG_TILESERV.

Both serve the tables with the same key and attributes, all features of a tile, and without a cache of tiles."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import NamedTuple, Protocol

import aiohttp
import psutil

from server.gis.tiles.grid import BUFFER, EXTENT
from tests.support.children import leash, temporary_folder
from tests.support.looking import until
from tests.support.ports import reserved_port

ZXY = "/{z}/{x}/{y}"


class Shapes(NamedTuple):
    what: str
    kind: str
    srid: int
    expression: str


class Running(NamedTuple):
    """`tiles` is the template of the addresses of a table's tiles, with `{table}`."""

    process: psutil.Process
    tiles: str


class Start(Protocol):
    def __call__(
        self, program: str, url: str, tables: Mapping[str, Shapes], at_once: int
    ) -> AbstractAsyncContextManager[Running]: ...


class Program(NamedTuple):
    """`application` is the name of its connections to PostgreSQL."""

    name: str
    application: str
    variable: str
    start: Start

    @property
    def path(self) -> str | None:
        return shutil.which(os.environ.get(self.variable, self.application))


@asynccontextmanager
async def _martin(
    program: str, url: str, tables: Mapping[str, Shapes], at_once: int
) -> AsyncIterator[Running]:
    served = {
        name: {
            "schema": "data",
            "table": name,
            "srid": shapes.srid,
            "geometry_column": "geom",
            "id_column": "id",
            "geometry_type": shapes.kind.upper(),
            "properties": {"name": "text", "value": "float8"},
        }
        for name, shapes in tables.items()
    }
    postgres = {
        "connection_string": f"{url}&application_name=martin",
        "auto_bounds": "skip",
        "tables": served,
    }
    with temporary_folder("martin") as folder, reserved_port() as port:
        address = f"http://127.0.0.1:{port}"
        configuration = {"listen_addresses": f"127.0.0.1:{port}", "cache_size_mb": 0, "postgres": postgres}
        # JSON is YAML.
        (folder / "martin.yaml").write_text(json.dumps(configuration))
        arguments = ("--config", str(folder / "martin.yaml"))
        async with _running({}, f"{address}/health", program, *arguments) as process:
            yield Running(process, f"{address}/{{table}}{ZXY}")


@asynccontextmanager
async def _pg_tileserv(
    program: str, url: str, tables: Mapping[str, Shapes], at_once: int
) -> AsyncIterator[Running]:
    """By default it draws 50,000 features of a tile, and has four connections."""
    with reserved_port() as port:
        address = f"http://127.0.0.1:{port}"
        settings = {
            "DATABASE_URL": f"{url}&application_name=pg_tileserv",
            "TS_HTTPHOST": "127.0.0.1",
            "TS_HTTPPORT": str(port),
            "TS_MAXFEATURESPERTILE": "0",
            "TS_DEFAULTRESOLUTION": str(EXTENT),
            "TS_DEFAULTBUFFER": str(BUFFER),
            "TS_DBPOOLMAXCONNS": str(at_once),
            "TS_DBTIMEOUT": "60",
        }
        async with _running(settings, f"{address}/health", program) as process:
            yield Running(process, f"{address}/data.{{table}}{ZXY}.pbf?properties=name,value")


@asynccontextmanager
async def _running(settings: Mapping[str, str], health: str, *command: str) -> AsyncIterator[psutil.Process]:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, preexec_fn=leash(),
        env={**os.environ, **settings},
    )  # fmt: skip
    try:
        await until(lambda: _is_up(health))
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        await process.wait()


async def _is_up(address: str) -> bool:
    try:
        async with aiohttp.ClientSession() as session, session.get(address) as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


PROGRAMS = (
    Program("Martin", "martin", "MARTIN", _martin),
    Program("pg_tileserv", "pg_tileserv", "PG_TILESERV", _pg_tileserv),
)
