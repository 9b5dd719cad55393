"""What may befall the machines: processes that die or hang, and disks that are full. Each fault ends by itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

import psutil

from tests.chaos.attacks import Attempt
from tests.chaos.people import SMALL_FILE_ROWS, person, small_file
from tests.chaos.world import ATTACKER, EXPECTED

FROZEN_S = 30.0


async def server_killed(attempt: Attempt) -> None:
    """The first server dies in the middle of whatever it does, and comes back."""
    for _ in range(attempt.many(3)):
        await asyncio.sleep(1)
        await attempt.world.servers[0].kill()
        await attempt.world.start_server(0)
        attempt.answers["killed"] += 1


async def server_frozen(attempt: Attempt) -> None:
    """The first server hangs; the second goes on."""
    await frozen([psutil.Process(attempt.world.servers[0].process.pid)], FROZEN_S * attempt.strength)


async def database_restarted(attempt: Attempt) -> None:
    """`pg_ctl restart -m immediate`: no connection is closed properly, and the log is replayed."""
    for _ in range(attempt.many(3)):
        await asyncio.sleep(1)
        await asyncio.to_thread(attempt.world.postmaster.stop)
        await asyncio.to_thread(attempt.world.postmaster.start)
        attempt.answers["restarted"] += 1


async def database_frozen(attempt: Attempt) -> None:
    """PostgreSQL hangs with all its connections open."""
    await frozen(attempt.world.processes(), FROZEN_S * attempt.strength)


async def database_disk_full(attempt: Attempt) -> None:
    """PostgreSQL cannot write a byte more: each request gets the reason, which is not a fault of the server."""
    async with person(ATTACKER) as (one, http):
        await one.connect(attempt.url)
        await one.ask("join")
        with attempt.world.full(attempt.world.disk):
            for _ in range(attempt.many(10)):
                with suppress(*EXPECTED):
                    async with asyncio.timeout(10):
                        answer = await one.send("layer_add", {"map_id": one.map_id, "table": "data.many"})
                        attempt.answers[answer.get("error", {}).get("code", "accepted")] += 1
                        async with http.post(
                            f"{attempt.url}/api/uploads", data=small_file("no_room")
                        ) as upload:
                            attempt.answers[f"upload {upload.status}"] += 1
                await asyncio.sleep(0.5)
    assert not attempt.answers["internal"], attempt.answers


async def spool_full(attempt: Attempt) -> None:
    """The disk for uploads has no byte left: who uploads is told so, and not that the file is damaged.

    Uploads that were under way free what they had, so a small file may find room and is then loaded whole."""
    with attempt.world.full(attempt.world.spool) as fill:
        async with person(ATTACKER) as (_, http):
            for number in range(attempt.many(10)):
                fill()
                async with asyncio.timeout(30):
                    form = small_file(f"no_room_{number}")
                    async with http.post(f"{attempt.url}/api/uploads", data=form) as answer:
                        attempt.answers[str(answer.status)] += 1
                        if answer.status == 201:
                            assert (await answer.json())["rows"] == SMALL_FILE_ROWS
    assert attempt.answers["507"], attempt.answers
    assert set(attempt.answers) <= {"201", "507"}, attempt.answers


async def frozen(processes: list[psutil.Process], seconds: float) -> None:
    """Stop the processes, and let them go on."""
    for process in processes:
        with suppress(psutil.Error):
            process.send_signal(signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        for process in processes:
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)


Fault = Callable[[Attempt], Awaitable[None]]
FAULTS: tuple[Fault, ...] = (
    server_killed,
    server_frozen,
    database_restarted,
    database_frozen,
    database_disk_full,
    spool_full,
)
SPARES_OTHERS: frozenset[Fault] = frozenset({server_killed, server_frozen})
"""Faults of which people on the other server must notice nothing."""
NEEDS_A_DISK: frozenset[Fault] = frozenset({database_disk_full, spool_full})
