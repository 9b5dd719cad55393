"""What one visitor may try against all others. Each attack goes on until it has tried enough, and then lets go."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pyarrow
import pyarrow.parquet

from tests.chaos.people import LONGEST_S, person
from tests.chaos.world import ATTACKER, CUT_OFF, World
from tests.support.looking import until
from tests.support.model_server import ModelServer, Reply, Say
from tests.support.server import Child, Client

WORDS = (
    "show " + "airports and " * 600,
    "how many countries?",
    "9 " * 3999,
    "9" * 7999,
    "show airports " + "not " * 1500,
)
"""Messages that once held the event loop for seconds, or raised."""
PUT_OFF = frozenset({"busy", "rate_limited"})
INSISTS_S = 60.0
"""How long an attacker asks again where the server puts it off."""


@dataclass
class Attempt:
    """One attack as it runs: how hard it tries (1 in the long form), and what the server made of it."""

    world: World
    strength: float = 1.0
    place: int = 1
    answers: Counter[str] = field(default_factory=Counter)

    @property
    def url(self) -> str:
        return self.world.servers[self.place].url

    def many(self, count: int) -> int:
        return max(1, round(count * self.strength))

    async def join(self, one: Client) -> None:
        """Connect, and join a new map."""
        await one.connect(self.url)
        await insist(one, "join")

    async def map_with(self, one: Client, table: str) -> dict[str, str]:
        """A new map that shows a table; its ids."""
        await self.join(one)
        added = await insist(one, "layer_add", table=table)
        shown = (await insist(one, "join", map_id=one.map_id))["snapshot"]["layers"][0]
        return {"map": one.map_id, "layer": added["layer_id"], "version": str(shown["version"])}

    async def together(self, *works: Awaitable[None]) -> None:
        """All at once. That some are cut off is counted and stops no other; any other failure is raised, once all have
        ended."""
        failed: list[Exception] = []
        for outcome in await asyncio.gather(*works, return_exceptions=True):
            if isinstance(outcome, CUT_OFF):
                self.answers["cut off"] += 1
            elif isinstance(outcome, Exception):
                failed.append(outcome)
        if failed:
            raise ExceptionGroup("; ".join(f"{type(each).__name__} {each}"[:300] for each in failed), failed)


async def insist(one: Client, event: str, **payload: str) -> dict[str, Any]:
    """The acknowledgement, once the server is no longer too busy for the attacker's address."""
    deadline = time.monotonic() + INSISTS_S
    while True:
        try:
            return await one.ask(event, **payload)
        except AssertionError as error:
            (answer,) = error.args
            if answer["error"]["code"] not in PUT_OFF or time.monotonic() > deadline:
                raise
        await asyncio.sleep(0.5)


async def nothing(attempt: Attempt) -> None:
    """What the stranger waits on this machine, without an attack."""
    await asyncio.sleep(10 * attempt.strength)


async def words(attempt: Attempt) -> None:
    """Long messages that are hard to read."""
    async with person(ATTACKER) as (one, _):
        await attempt.join(one)
        for text in WORDS * attempt.many(2):
            answer = await one.send("chat", {"map_id": one.map_id, "text": text})
            attempt.answers[answer.get("error", {}).get("code", "accepted")] += 1
            await asyncio.sleep(0.2)


async def crowd(attempt: Attempt) -> None:
    """Forty connections with twenty messages each."""

    async def one_of_many() -> None:
        async with person(ATTACKER) as (one, _):
            await attempt.join(one)
            for _ in range(20):
                answer = await one.send(
                    "chat", {"map_id": one.map_id, "text": "how many airports are there?"}
                )
                attempt.answers[answer.get("error", {}).get("code", "accepted")] += 1

    await attempt.together(*(one_of_many() for _ in range(attempt.many(40))))


async def statistics_of_many_rows(attempt: Attempt) -> None:
    """Sixty questions at once about a large table."""
    async with person(ATTACKER) as (one, http):
        ids = await attempt.map_with(one, "data.many")
        url = f"{attempt.url}/api/maps/{ids['map']}/layers/{ids['layer']}/stats?column=v"

        async def ask() -> None:
            async with http.get(url) as answer:
                code = (await answer.json()).get("error", {}).get("code", "ok")
                attempt.answers[code] += 1

        for _ in range(attempt.many(3)):
            await attempt.together(*(ask() for _ in range(60)))


async def leave_early(attempt: Attempt) -> None:
    """Questions whose askers are gone before the answer."""
    async with person(ATTACKER) as (one, http):
        ids = await attempt.map_with(one, "data.many")
        url = f"{attempt.url}/api/maps/{ids['map']}/layers/{ids['layer']}/histogram?column=v"
        for _ in range(attempt.many(30)):
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1), http.get(url) as answer:
                    attempt.answers[str(answer.status)] += 1


async def tiles_of_a_zigzag(attempt: Attempt) -> None:
    """Tiles of a shape that PostGIS cannot be interrupted over, abandoned at once."""
    async with person(ATTACKER) as (one, http):
        ids = await attempt.map_with(one, "data.zigzag")

        async def ask(x: int, y: int) -> None:
            url = f"{attempt.url}/tiles/{ids['map']}/{ids['layer']}/{ids['version']}/7/{x}/{y}.mvt"
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5), http.get(url) as answer:
                    attempt.answers[str(answer.status)] += 1

        await attempt.together(*(ask(60 + n % 8, 42 + n // 8) for n in range(attempt.many(24))))


async def flood(attempt: Attempt) -> None:
    """Health checks over and over, on a hundred connections."""
    until_then = time.monotonic() + 15 * attempt.strength
    async with person(ATTACKER) as (_, http):

        async def ask(path: str) -> None:
            while time.monotonic() < until_then:
                async with http.get(f"{attempt.url}{path}") as answer:
                    await answer.read()
                    attempt.answers[f"check {answer.status}"] += 1

        await attempt.together(*(ask(("/readyz", "/healthz")[n % 2]) for n in range(attempt.many(100))))


async def dawdle(attempt: Attempt) -> None:
    """Connections that say nothing, half a request or a byte a second, and readers that do not read."""
    address = urlsplit(attempt.url)
    host = f"{address.hostname}:{address.port}"
    upload = (
        f"POST /api/uploads HTTP/1.1\r\nHost: {host}\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        'Content-Length: 100000\r\n\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    ).encode()
    async with AsyncExitStack() as stack:
        one, _ = await stack.enter_async_context(person(ATTACKER))
        ids = await attempt.map_with(one, "data.many")
        path = f"/api/maps/{ids['map']}/layers/{ids['layer']}/export.csv"
        export = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        beginnings = [b""] * 10 + [b"GET /api/tab"] * 10 + [upload] * 4 + [export] * 4
        target = (address.hostname or "", address.port or 0)
        lines = [stack.enter_context(Line(target, text)) for text in beginnings]
        for _ in range(attempt.many(20)):
            for each in lines[20:24]:
                with suppress(OSError):
                    each.send(b"1")
            await asyncio.sleep(1)
        attempt.answers["connections"] = len(lines)


async def lie(attempt: Attempt) -> None:
    """Frames and files that are not what they say."""
    dice = random.Random(7)
    async with person(ATTACKER) as (one, http):
        await attempt.join(one)
        for event in ("chat", "join", "layer_add", "undo", "view", "nonsense") * attempt.many(10):
            payload = dice.choice(
                [None, [], "x" * 1000, {"map_id": one.map_id, "text": 5}, {"map_id": "\x00"}, 2**80]
            )
            answer = await one.send(event, payload)
            attempt.answers[answer.get("error", {}).get("code", "accepted")] += 1
        for name in ("a.parquet", "a.gpkg", "a.zip", "a.geojson", "a.fgb", "a.csv", "x;y!.csv"):
            form = aiohttp.FormData()
            form.add_field("file", dice.randbytes(3000), filename=name)
            async with http.post(f"{attempt.url}/api/uploads", data=form) as uploaded:
                attempt.answers[f"upload {uploaded.status}"] += 1


async def bulk(attempt: Attempt) -> None:
    """Payloads of as many values as are looked at, of requests that are refused and of ones that are not."""
    points = [[n % 170, n % 80] for n in range(9_990)]
    area = {"type": "Polygon", "coordinates": [[*points, points[0]]]}
    looking = {"bounds": [[]] * 49_000, "zoom": 3}
    pointing = {"text": "how many airports are there?", "focus": {"area": area}}

    async def one_of_many() -> None:
        async with person(ATTACKER) as (one, _):
            await attempt.join(one)
            # The server reads them as slowly as it likes. The loop reads the clock, too: `asyncio.wait_for` of
            # Python 3.11, which the client uses, loses a cancellation that comes together with the answer.
            end = time.monotonic() + 30 * attempt.strength
            with suppress(TimeoutError):
                async with asyncio.timeout(30 * attempt.strength):
                    while time.monotonic() < end:
                        for event, payload in (("view", looking), ("chat", pointing)):
                            answer = await one.send(event, {"map_id": one.map_id, **payload})
                            attempt.answers[answer.get("error", {}).get("code", "accepted")] += 1

    await attempt.together(*(one_of_many() for _ in range(10)))


async def explode(attempt: Attempt) -> None:
    """Small files that become large ones; some of their senders leave at once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "equal.parquet"
        texts = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 20_000, "int32"), ["x" * 90_000])
        rows = pyarrow.table({"text": texts, "x": [0.0] * 20_000, "y": [0.0] * 20_000})
        # Without the schema of Arrow the file does not tell that the texts are all the same.
        pyarrow.parquet.write_table(rows, path, compression="zstd", store_schema=False)
        body = path.read_bytes()
    async with person(ATTACKER) as (_, http):

        async def send(patience: float) -> None:
            form = aiohttp.FormData()
            form.add_field("file", body, filename="equal.parquet")
            with suppress(TimeoutError):
                async with (
                    asyncio.timeout(patience),
                    http.post(f"{attempt.url}/api/uploads", data=form) as answer,
                ):
                    attempt.answers[str(answer.status)] += 1

        await attempt.together(*(send(patience) for patience in [1.0, 60.0] * attempt.many(3)))


async def stream_for_ever(attempt: Attempt) -> None:
    """A model that never stops talking, on a server of its own: replies that end at the bound for one, and a slow one
    that ends when the person stops it."""
    async with ModelServer() as provider:
        fast = [Reply(Say("and so on " * 5_000_000, piece=2000), pause=0.002)] * attempt.many(10)
        provider.script([*fast, *[Reply(Say("and so on " * 5_000_000, piece=100), pause=0.05)] * 30])
        environment = {
            "GEOAGENT_MODEL": "openai:gpt-5.1",
            "OPENAI_API_KEY": "key",
            "OPENAI_BASE_URL": provider.base_url,
        }
        server = await Child.start(attempt.world.url, environment)
        try:
            async with person(ATTACKER) as (one, _):
                await one.connect(server.url)
                await insist(one, "join")
                for _ in fast:
                    turn = await stream_here(one)
                    (end,) = await until(lambda turn=turn: ends_of(one, turn), LONGEST_S)
                    attempt.answers[f"ended as {end['status']}"] += 1
                await stream_here(one)
                await asyncio.sleep(10 * attempt.strength)
            # By a connection of its own: the server lets go of one that cannot read as fast as the model writes.
            async with person(ATTACKER) as (other, _):
                await other.connect(server.url)
                await insist(other, "join", map_id=one.map_id)
                answer = await other.ask("cancel")
                attempt.answers["cancelled" if answer["cancelled"] else "ended by itself"] += 1
        finally:
            await server.kill()


def ends_of(one: Client, turn: str) -> list[dict[str, Any]]:
    return [data for data in one.named("turn_finished") if data["turn_id"] == turn]


async def stream_here(one: Client) -> str:
    """Ask until the endless model answers, and return the turn: any server on the database may take a turn, the others
    end it soon."""
    one.events.clear()
    for _ in range(20):
        turn = (await insist(one, "chat", text="tell me everything"))["turn_id"]

        def has_begun_or_ended(turn: str = turn) -> bool:
            ended = any(data["turn_id"] == turn for data in one.named("turn_finished"))
            return ended or len(one.named("ai_delta")) >= 3

        await until(has_begun_or_ended)
        if one.named("ai_delta"):
            return turn
    raise AssertionError("the other servers took every turn")


ATTACKS: tuple[Callable[[Attempt], Awaitable[None]], ...] = (
    nothing,
    words,
    crowd,
    statistics_of_many_rows,
    leave_early,
    flood,
    tiles_of_a_zigzag,
    dawdle,
    lie,
    bulk,
    explode,
    stream_for_ever,
)


class Line:
    """A plain connection from the attacker that has sent a few bytes and takes next to none."""

    def __init__(self, target: tuple[str, int], text: bytes) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self._socket.bind((ATTACKER, 0))
        self._socket.connect(target)
        self._socket.sendall(text)
        self._socket.setblocking(False)

    def __enter__(self) -> socket.socket:
        return self._socket

    def __exit__(self, *_: object) -> None:
        # Reset instead of a polite end.
        with suppress(OSError):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()
