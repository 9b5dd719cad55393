"""The people beside whom things go wrong: an unrelated visitor whose every action is timed, and somebody who stays on
one map, reconnects, and must find everything there once."""

from __future__ import annotations

import asyncio
import itertools
import json
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import aiohttp

from tests.chaos.world import EXPECTED, REGULAR, STRANGER, World
from tests.support.looking import until
from tests.support.server import Client

LONGEST_S = 60.0
"""After which an action of a visitor counts as failed."""
PAUSE_S = 0.3
SMALL_FILE_ROWS = 3
T = TypeVar("T")


@dataclass
class Seen:
    """What one person saw: seconds by action, and what failed."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    failures: list[str] = field(default_factory=list)

    def median(self, action: str) -> float | None:
        return statistics.median(self.seconds[action]) if self.seconds[action] else None

    def worst(self, action: str) -> float | None:
        return max(self.seconds[action], default=None)


ACTIONS = ("join", "chat", "tile", "upload")


class Stranger:
    """Comes to a new map, asks for a layer, looks at a tile of it and uploads a file, again and again."""

    def __init__(self, url: str) -> None:
        self.seen = Seen()
        self._url = url
        self._numbers = itertools.count(1)

    async def live(self, enough: asyncio.Event) -> None:
        while not enough.is_set():
            await self.visit()
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_S):
                    await enough.wait()

    async def visit(self) -> None:
        """All four actions; what fails is noted, and ends the visit."""
        async with person(STRANGER) as (one, http):
            with suppress(*EXPECTED):
                await self._timed("join", lambda: self._join(one))
                layer = await self._timed("chat", lambda: self._chat(one))
                await self._timed("tile", lambda: self._tile(http, layer))
                await self._timed("upload", lambda: self._upload(http))

    async def _timed(self, action: str, act: Callable[[], Awaitable[T]]) -> T:
        began = time.monotonic()
        try:
            async with asyncio.timeout(LONGEST_S):
                result = await act()
        except BaseException as error:
            if not isinstance(error, asyncio.CancelledError):
                self.seen.failures.append(f"{action}: {type(error).__name__} {str(error)[:300]}")
            raise
        self.seen.seconds[action].append(time.monotonic() - began)
        return result

    async def _join(self, one: Client) -> None:
        await one.connect(self._url)
        await one.ask("join")

    async def _chat(self, one: Client) -> dict[str, Any]:
        ended = await one.says("show airports")
        assert ended["status"] == "done", one.named("ai_response")
        added = one.named("layer_added")
        assert added, one.named("ai_response")
        layer: dict[str, Any] = added[0]["layer"]
        return layer

    async def _tile(self, http: aiohttp.ClientSession, layer: dict[str, Any]) -> None:
        number = next(self._numbers)
        path = layer["tiles"].format(z=5, x=number % 32, y=8 + number // 32 % 16)
        async with http.get(f"{self._url}{path}") as answer:
            assert answer.status in (200, 204), (answer.status, (await answer.text())[:200])

    async def _upload(self, http: aiohttp.ClientSession) -> None:
        number = next(self._numbers)
        async with http.post(
            f"{self._url}/api/uploads", data=small_file(f"mine_{number}_{time.time_ns()}")
        ) as answer:
            assert answer.status == 201, (answer.status, (await answer.text())[:200])


class Regular:
    """Writes on one map without end, through every outage, each message under an id of its own."""

    def __init__(self, world: World) -> None:
        self.map_id = ""
        self.sent: list[str] = []
        """The ids of messages that the server has confirmed."""
        self.heard: list[tuple[int, str]] = []
        """`(seq, name)` of the events, as a client must keep them: in order, each once."""
        self.faults: list[str] = []
        self._world = world
        self._pending = ""

    async def live(self, enough: asyncio.Event) -> None:
        places = itertools.cycle(range(len(self._world.servers)))
        while not enough.is_set():
            with suppress(*EXPECTED):
                await self._stay(self._world.servers[next(places)].url, enough)
            await asyncio.sleep(PAUSE_S)

    async def compare(self) -> None:
        """What was heard piece by piece is what the log holds."""
        async with person(REGULAR) as (one, _):
            await self._join(one, self._world.servers[1].url)
            answer = await one.send("join", {"map_id": self.map_id, "after_seq": 0})
        whole = [(event["data"]["seq"], event["event"]) for event in answer["events"]]
        if whole != self.heard[: len(whole)] or [seq for seq, _ in whole] != list(range(1, len(whole) + 1)):
            self.faults.append(
                f"heard {self.heard[-3:]} of {len(self.heard)}, and the log has {len(whole)} events"
            )

    async def _stay(self, url: str, enough: asyncio.Event) -> None:
        async with person(REGULAR) as (one, _):
            await self._join(one, url)
            read = 0
            while not enough.is_set():
                self._pending = self._pending or f"chaos-{len(self.sent)}-{time.time_ns()}"
                message = {
                    "map_id": self.map_id,
                    "text": "how many airports are there?",
                    "client_id": self._pending,
                }
                answer = await one.send("chat", message, timeout=15)
                assert answer["ok"], answer
                self.sent.append(self._pending)
                self._pending = ""
                async with asyncio.timeout(LONGEST_S):
                    await until(lambda turn=answer["turn_id"]: has_ended(one, turn), LONGEST_S)
                read = self._take(one, read)
                await asyncio.sleep(PAUSE_S)

    async def _join(self, one: Client, url: str) -> None:
        async with asyncio.timeout(15):
            await one.connect(url)
            after = {"map_id": self.map_id, "after_seq": len(self.heard)} if self.map_id else {}
            answer = await one.send("join", after, timeout=15)
        assert answer["ok"], answer
        self.map_id = answer["map_id"]
        for event in answer.get("events") or []:
            self._hear(event["event"], event["data"]["seq"])

    def _take(self, one: Client, read: int) -> int:
        for name, data in one.events[read:]:
            if "seq" in data:
                self._hear(name, data["seq"])
        return len(one.events)

    def _hear(self, name: str, seq: int) -> None:
        last = len(self.heard)
        if seq == last + 1:
            self.heard.append((seq, name))
        elif seq > last:
            self.faults.append(f"after event {last} came {seq}")
        elif self.heard[seq - 1][1] != name:
            self.faults.append(f"event {seq} was {self.heard[seq - 1][1]}, then {name}")


def has_ended(one: Client, turn_id: str) -> bool:
    assert one.io.connected, "the connection was lost"
    return any(data["turn_id"] == turn_id for data in one.named("turn_finished"))


def small_file(table: str) -> aiohttp.FormData:
    places = [
        {"type": "Feature", "properties": {"n": n}, "geometry": {"type": "Point", "coordinates": [n, n]}}
        for n in range(SMALL_FILE_ROWS)
    ]
    form = aiohttp.FormData()
    form.add_field("table", table)
    body = json.dumps({"type": "FeatureCollection", "features": places})
    form.add_field("file", body, filename="places.geojson", content_type="application/geo+json")
    return form


@asynccontextmanager
async def person(address: str) -> AsyncIterator[tuple[Client, aiohttp.ClientSession]]:
    """A client that is not connected yet, and plain HTTP, from an address of the loopback."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0))
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(total=120)) as http:
        one = Client(http)
        try:
            yield one, http
        finally:
            with suppress(Exception):
                await asyncio.wait_for(one.io.disconnect(), 5)
