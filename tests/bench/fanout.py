"""Many sockets on one map or on hundreds, and somebody changes a layer: when do all know, and what does a socket cost?

The same clients then get the same bytes from a bare python-socketio server that does nothing but emit, which is
the floor. Ours also checks, locks, writes two tables, commits and notifies. The clients are one process and take a
core of the machine for themselves, so what counts are the ratios.

`python -m tests.bench.fanout 200:1 5000:1 5000:500` measures only these sizes, as sockets:maps."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import psutil

from tests.bench.rows import Row, milliseconds, quantile
from tests.support.postgis import Postgis
from tests.support.server import child_server
from tests.support.wire import Wire, wires

BARE = """
import asyncio, socketio
from aiohttp import web
io = socketio.AsyncServer(async_mode="aiohttp")
@io.event
async def join(sid, data):
    await io.enter_room(sid, data["map_id"])
    return {"ok": True, "map_id": data["map_id"]}
@io.event
async def change(sid, data):
    await io.emit("layer_updated", data, room=data["map_id"])
    return {"ok": True}
async def main():
    app = web.Application()
    io.attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()
import uvloop
uvloop.run(main())
"""
LAYERS_AT_ONCE = 8
ONE_MAP_ROUNDS = 50
MANY_SOCKETS = 1000
MANY_ROUNDS, FEW_ROUNDS = 200, 5
"""Below so many sockets, enough changes that no single round decides the p95."""
SETTLING_S = 3.0
"""For presence and garbage, before memory is read."""


class Size(NamedTuple):
    sockets: int
    maps: int
    rounds: int

    @classmethod
    def of(cls, sockets: int, maps: int) -> Size:
        return cls(sockets, maps, MANY_ROUNDS if sockets < MANY_SOCKETS else FEW_ROUNDS)

    def __str__(self) -> str:
        return f"{self.sockets:,} on {self.maps:,} map{'s' if self.maps > 1 else ''}"


SIZES = (Size.of(200, 1), Size.of(5000, 1), Size.of(5000, 500))


class Listener(Wire):
    """Notes when a change came, and keeps no event but the last."""

    text = ""
    at = 0.0

    def heard(self, event: str, text: str) -> None:
        if event == "layer_updated":
            self.at, self.text = time.perf_counter(), text
            self.told.set()

    def expect(self) -> None:
        self.told = asyncio.Event()


Change = Callable[[str, int], tuple[str, dict[str, Any]]]
"""A request by map and round."""


class Measured(NamedTuple):
    """Seconds, and bytes for each socket."""

    joins: list[float]
    to_all: list[float]
    arrivals: list[float]
    of_one: list[float]
    """Until all on one map know of its change, while nothing happens on the other maps; empty for a single map."""
    memory: float


async def measure(postgis: Postgis, sizes: Sequence[Size] = SIZES) -> list[Row]:
    return [row for size in sizes for row in await measured(postgis, size)]


async def measured(postgis: Postgis, size: Size) -> list[Row]:
    url = postgis.url(postgis.with_samples())
    async with child_server(url) as server, wires(server.url, size.maps) as owners:
        slots = asyncio.Semaphore(LAYERS_AT_ONCE)
        maps = await asyncio.gather(*(with_layer(owner, slots) for owner in owners))
        ours, payload = await told(server.url, server.process.pid, maps, size, change_layer)
    async with bare_server() as (address, pid):
        floor, _ = await told(address, pid, maps, size, emit_only(payload))
    print(size, "ours", summary(ours), "bare", summary(floor), file=sys.stderr)
    return rows(size, ours, floor, len(json.dumps(payload)))


def rows(size: Size, ours: Measured, floor: Measured, payload: int) -> list[Row]:
    ratio = quantile(ours.arrivals, 95) / quantile(floor.arrivals, 95)
    last = quantile(ours.to_all, 50) / quantile(floor.to_all, 50)
    found = [
        Row(
            f"sockets: {size}, a change arrives",
            milliseconds(ours.arrivals),
            f"p95 {ratio:.2f} x a bare emit",
        ),
        Row("  has arrived everywhere", milliseconds(ours.to_all), f"p50 {last:.2f} x a bare emit"),
        Row(
            "  the same bytes by bare python-socketio", milliseconds(floor.arrivals), f"{payload} bytes each"
        ),
        Row("  bare python-socketio, everywhere", milliseconds(floor.to_all)),
        Row("  all join at once", milliseconds(ours.joins), f"bare {milliseconds(floor.joins)}"),
        Row("  memory of a socket", f"{ours.memory / 1000:.1f} kB", f"bare {floor.memory / 1000:.1f} kB"),
    ]
    if ours.of_one:
        bare = milliseconds(floor.of_one)
        found.append(
            Row("  a change of one of the maps, everywhere", milliseconds(ours.of_one), f"bare {bare}")
        )
    return found


def summary(found: Measured) -> str:
    of_one = f" of one map {milliseconds(found.of_one)};" if found.of_one else ""
    return (
        f"arrivals {milliseconds(found.arrivals)}; to all {milliseconds(found.to_all)};{of_one}"
        f" joins {milliseconds(found.joins)}; {found.memory / 1000:.1f} kB a socket"
    )


async def with_layer(owner: Wire, slots: asyncio.Semaphore) -> str:
    """A new map with a layer."""
    async with slots:
        map_id = str((await accepted(owner, "join", {}))["map_id"])
        await accepted(owner, "layer_add", {"map_id": map_id, "table": "data.airports"})
    return map_id


def change_layer(map_id: str, number: int) -> tuple[str, dict[str, Any]]:
    return "layer_update", {
        "map_id": map_id,
        "layer_id": "airports",
        "opacity": round(0.1 + number % 80 / 100, 2),
    }


def emit_only(payload: dict[str, Any]) -> Change:
    return lambda map_id, _: ("change", {**payload, "map_id": map_id})


async def told(
    address: str, pid: int, maps: Sequence[str], size: Size, change: Change
) -> tuple[Measured, dict[str, Any]]:
    """Connect, join and change: what it took, and the payload of the last change."""
    before = psutil.Process(pid).memory_info().rss
    async with wires(address, size.sockets, Listener) as sockets:
        begun = time.perf_counter()

        async def joined(place: int) -> float:
            await accepted(sockets[place], "join", {"map_id": maps[place % len(maps)]})
            return time.perf_counter() - begun

        joins = await asyncio.gather(*(joined(place) for place in range(size.sockets)))
        await asyncio.sleep(SETTLING_S)
        memory = (psutil.Process(pid).memory_info().rss - before) / size.sockets
        arrivals: list[float] = []
        to_all: list[float] = []
        for number in range(size.rounds + 1):
            times = await one_round(sockets, maps, number, change)
            if number:
                arrivals += times
                to_all.append(max(times))
        of_one = []
        for place in range(min(ONE_MAP_ROUNDS, len(maps)) if len(maps) > 1 else 0):
            one = sockets[place :: len(maps)]
            of_one.append(max(await one_round(one, [maps[place]], size.rounds + 1, change)))
        return Measured(joins, to_all, arrivals, of_one, memory), json.loads(sockets[0].text)[1]


async def one_round(
    sockets: Sequence[Listener], maps: Sequence[str], number: int, change: Change
) -> list[float]:
    """The time from asking to knowing, of every socket: one of each map asks, all at once.

    `sockets` begin with one of each map, in the order of the maps."""
    for socket in sockets:
        socket.expect()
    begun = time.perf_counter()
    asked = [accepted(sockets[place], *change(map_id, number)) for place, map_id in enumerate(maps)]
    await asyncio.gather(*asked)
    await asyncio.gather(*(socket.told.wait() for socket in sockets))
    return [socket.at - begun for socket in sockets]


async def accepted(socket: Wire, event: str, payload: dict[str, Any]) -> dict[str, Any]:
    """The acknowledgement. Who is refused as busy asks again when told to, as the browser does: of 500 changes at one
    moment some are."""
    while not (answer := await socket.ask(event, payload))["ok"]:
        if answer["error"]["code"] != "busy":
            raise RuntimeError(f"{event} was refused: {answer['error']}")
        await asyncio.sleep(answer["error"]["retry_after"])
    return dict(answer)


@asynccontextmanager
async def bare_server() -> AsyncIterator[tuple[str, int]]:
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", BARE, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip(), process.pid
    finally:
        process.kill()
        await process.wait()


def main(*asked: str) -> None:
    """The sizes that were asked for, else all."""
    from tests.bench.__main__ import table, with_postgis

    sizes = [Size.of(int(sockets), int(maps)) for sockets, maps in map(split, asked)]
    print(table(with_postgis(lambda postgis: asyncio.run(measure(postgis, sizes or SIZES)))))


def split(size: str) -> tuple[str, str]:
    sockets, _, maps = size.partition(":")
    return sockets, maps


if __name__ == "__main__":
    main(*sys.argv[1:])
