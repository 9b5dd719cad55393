"""A real GeoAgent server for tests: in this process with any model, or as a child process as people start it.

    async with local_server(url, model) as server, client(server) as one:
        joined = await one.ask("join")

Both listen on a free port of the loopback."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
import socketio

from agents.core.model import Model
from server.app import Server, serving
from server.settings import Settings
from tests.support.children import leash
from tests.support.forking import ROOT as ROOT
from tests.support.forking import Forked, Forks
from tests.support.looking import PATIENCE, until

READY = "GeoAgent is ready: "
OF_NO_MAP = ("join", "introduce")
MANY_ROWS = 250_000
"""From so many rows on a table has overviews here, unless a test says otherwise: the world view of a table of the
samples has all of its rows."""


@asynccontextmanager
async def local_server(
    database_url: str, model: Model | None = None, **settings: Any
) -> AsyncIterator[Server]:
    """A server in this process. The database is as `samples_url` or `database_url` give it."""
    wanted = {
        "port": 0,
        "database_url": database_url,
        "samples": False,
        "rate": 0,
        "metrics": "off",
        "overview_rows": MANY_ROWS,
        **settings,
    }
    async with serving(Settings(**wanted), model) as server:
        yield server


class Child:
    """`geoagent serve` in a process of its own."""

    is_forked = False
    """Whether it is a fork of a process that has imported the server already. Tests set this, measurements do not."""

    def __init__(self, process: Forked | asyncio.subprocess.Process, url: str) -> None:
        self.process = process
        self.url = url

    @classmethod
    async def start(
        cls,
        database_url: str,
        environment: Mapping[str, str] | None = None,
        port: int = 0,
        code: Path = ROOT,
    ) -> Child:
        """`code` is the folder of the program: a copy of it may be another version."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GEOAGENT_", "OPENAI_")) and name not in ("DATABASE_URL", "HOST", "PORT")
        }
        arguments = ("serve", "--port", str(port))
        env = {
            **inherited,
            "DATABASE_URL": database_url,
            "GEOAGENT_SAMPLES": "false",
            "GEOAGENT_RATE": "0",
            "GEOAGENT_GRACE": "0",
            "GEOAGENT_METRICS": "off",
            "GEOAGENT_OVERVIEW_ROWS": str(MANY_ROWS),
            **(environment or {}),
        }
        process: Forked | asyncio.subprocess.Process
        if cls.is_forked and code == ROOT:
            process = await Forks.here().start(*arguments, env=env)
        else:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "server",
                *arguments,
                cwd=code,
                env=env,
                stdout=asyncio.subprocess.PIPE,
                preexec_fn=leash(),
            )
        child = cls(process, "")
        try:
            await child._ready()
        except BaseException:
            await child.kill()
            raise
        return child

    async def _ready(self) -> None:
        assert self.process.stdout is not None
        line = (await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)).decode()
        assert line.startswith(READY), f"the server did not start; it said {line!r}"
        self.url = line.removeprefix(READY).strip()

    async def kill(self) -> None:
        """As the system does it: no time to tidy up."""
        with suppress(ProcessLookupError):
            self.process.kill()
        await asyncio.wait_for(self.process.wait(), PATIENCE)

    async def stop(self) -> int:
        """As a person does it; the exit status."""
        with suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


@asynccontextmanager
async def child_server(database_url: str, port: int = 0, **environment: str) -> AsyncIterator[Child]:
    """It may be stopped or killed meanwhile; it is gone afterwards."""
    child = await Child.start(database_url, environment, port)
    try:
        yield child
        if child.process.returncode is None:
            await child.stop()
    finally:
        await child.kill()


class Client:
    """A program on a map: keeps every event in the order in which it came."""

    def __init__(self, session: aiohttp.ClientSession | None = None) -> None:
        self.io = socketio.AsyncClient(reconnection=False, http_session=session)
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.map_id = ""
        self.io.on("*", self._hear)

    async def _hear(self, event: str, data: Any = None) -> None:
        self.events.append((event, data))

    async def connect(self, url: str, **options: Any) -> None:
        """Over a WebSocket, unless the options say otherwise. The library would wait for the first packet for ever, and
        for the confirmation after it 1 s only."""
        async with asyncio.timeout(PATIENCE):
            await self.io.connect(url, **{"transports": ["websocket"], "wait_timeout": PATIENCE, **options})

    async def send(self, event: str, payload: Any = None, timeout: float = PATIENCE) -> dict[str, Any]:
        """The acknowledgement, whatever it says. A tuple is several payloads."""
        answer: dict[str, Any] = await self.io.call(event, payload, timeout=timeout)
        return answer

    async def ask(self, event: str, **payload: Any) -> dict[str, Any]:
        """The acknowledgement of a request that must succeed; `map_id` is the joined map's unless given."""
        if event not in OF_NO_MAP and "map_id" not in payload:
            payload["map_id"] = self.map_id
        answer = await self.send(event, payload)
        assert answer["ok"], answer
        if event == "join":
            self.map_id = answer["map_id"]
        return answer

    async def refused(self, event: str, **payload: Any) -> str:
        """The code of the fault of a request that must fail."""
        if event not in OF_NO_MAP and "map_id" not in payload:
            payload["map_id"] = self.map_id
        answer = await self.send(event, payload)
        assert answer["ok"] is False, answer
        assert answer["error"]["message"]
        return str(answer["error"]["code"])

    def named(self, *names: str) -> list[dict[str, Any]]:
        return [data for name, data in self.events if name in names]

    def numbered(self) -> list[tuple[int, str]]:
        """The persisted events as `(seq, name)`."""
        return [(data["seq"], name) for name, data in self.events if "seq" in data]

    async def hears(self, name: str, count: int = 1) -> dict[str, Any]:
        """The event of this name, the last of so many, once it came."""
        found = await until(lambda: self.named(name)[count - 1 : count])
        event: dict[str, Any] = found[0]
        return event

    async def says(self, text: str, **fields: Any) -> dict[str, Any]:
        """Chat, and wait for the end of the turn: its `turn_finished`."""
        answer = await self.ask("chat", text=text, **fields)
        found = await until(
            lambda: [one for one in self.named("turn_finished") if one["turn_id"] == answer["turn_id"]]
        )
        event: dict[str, Any] = found[0]
        return event


@asynccontextmanager
async def client(
    server: Server | Child, *, address: str = "127.0.0.1", **options: Any
) -> AsyncIterator[Client]:
    """A program that comes from an address of the loopback: `127.0.0.2` is somebody else's."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=(address, 0))) as session:
        one = Client(session)
        await one.connect(server.url, **options)
        try:
            yield one
        finally:
            await one.io.disconnect()
