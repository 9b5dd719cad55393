"""One round: people at work, an attack or a fault beside them, and what is broken afterwards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos.attacks import Attempt
from tests.chaos.faults import FAULTS, NEEDS_A_DISK, SPARES_OTHERS
from tests.chaos.invariants import broken
from tests.chaos.people import ACTIONS, Regular, Seen, Stranger
from tests.chaos.world import World

BEFORE_S, AFTER_S = 1.0, 1.0
RECOVERY_S = 60.0
LONGEST_S = 240.0
"""Of an attack or a fault, at full strength."""
Trouble = Callable[[Attempt], Awaitable[None]]


@dataclass
class Round:
    """How one attack or fault went."""

    name: str
    seen: Seen
    answers: dict[str, int]
    seconds: float
    broken: list[str]
    is_skipped: bool = False

    @property
    def faults(self) -> list[str]:
        """All that must not be."""
        return [*self.broken, *self.seen.failures]

    def slow(self, limit_s: float) -> list[str]:
        """Actions of the stranger whose median is above the limit."""
        return [action for action in ACTIONS if (self.seen.median(action) or 0) > limit_s]

    def row(self) -> str:
        """Of a table in Markdown: the medians and the slowest of each action, in seconds."""
        times = " | ".join(
            ""
            if (median := self.seen.median(action)) is None
            else f"{median:.2f} ({self.seen.worst(action):.2f})"
            for action in ACTIONS
        )
        visits = len(self.seen.seconds["join"])
        outcome = "skipped" if self.is_skipped else "; ".join(self.faults)[:400] or "held"
        tried = ", ".join(f"{count} {answer}" for answer, count in sorted(self.answers.items()))
        return f"| {self.name} | {tried} | {visits} | {times} | {outcome} |"


HEADER = (
    "| attack or fault | what it got | visits | join (s) | chat (s) | tile (s) | upload (s) | outcome |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


async def warm(world: World) -> int:
    """Use everything once on both servers; bytes of memory that they hold then."""
    for server in world.servers:
        stranger = Stranger(server.url)
        await stranger.visit()
        assert not stranger.seen.failures, stranger.seen.failures
    return world.memory()


async def play(world: World, trouble: Trouble, strength: float, memory_before: int) -> Round:
    """The attack or fault beside a stranger and a regular, and what is broken when it is over."""
    name, began = trouble.__name__.replace("_", " "), time.monotonic()
    attempt = Attempt(world, strength)
    stranger, regular, enough = Stranger(world.servers[1].url), Regular(world), asyncio.Event()
    if trouble in NEEDS_A_DISK and not world.is_mounted:
        return Round(name, Seen(), {}, 0.0, [], is_skipped=True)
    people = [asyncio.create_task(each.live(enough)) for each in (stranger, regular)]
    try:
        await asyncio.sleep(BEFORE_S)
        await ended(trouble(attempt))
        await asyncio.sleep(AFTER_S)
    except Exception as error:
        stranger.seen.failures.append(f"the round broke off: {type(error).__name__} {error}")
    finally:
        enough.set()
        await asyncio.gather(*people)
    if trouble in FAULTS and trouble not in SPARES_OTHERS:
        stranger.seen.failures[:] = [each for each in stranger.seen.failures if each.startswith("the round")]
    left = await recovered(world)
    await regular.compare()
    if not regular.sent:
        left.append("the regular could not write at all")
    left += [*regular.faults, *await missing(world, regular)]
    left += await broken(world, memory_before)
    return Round(name, stranger.seen, dict(attempt.answers), time.monotonic() - began, left)


async def ended(trouble: Awaitable[None]) -> None:
    """Wait for an attack or a fault. One that hangs is cancelled. Raises TimeoutError that says where it hung."""
    task = asyncio.ensure_future(trouble)
    _, hanging = await asyncio.wait([task], timeout=LONGEST_S)
    if hanging:
        places = ", ".join(sorted({place for each in asyncio.all_tasks() if (place := _place(each))}))
        task.cancel()
        await asyncio.wait([task], timeout=RECOVERY_S)
        raise TimeoutError(f"it did not end within {LONGEST_S:.0f} s; waited for in {places}")
    await task


def _place(task: asyncio.Task[Any]) -> str:
    """The innermost line of these tests at which a task waits; empty where it is none of theirs."""
    found, inner = "", task.get_coro()
    while inner is not None:
        frame = getattr(inner, "cr_frame", None)
        if frame is not None and "/tests/" in frame.f_code.co_filename:
            found = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno} ({frame.f_code.co_name})"
        inner = getattr(inner, "cr_await", None)
    return found


async def recovered(world: World) -> list[str]:
    """Nothing, once a new visitor can do everything on both servers; else what failed for too long."""
    deadline = time.monotonic() + RECOVERY_S
    for server in world.servers:
        while True:
            stranger = Stranger(server.url)
            await stranger.visit()
            if not stranger.seen.failures:
                break
            if time.monotonic() > deadline:
                return [f"afterwards: {stranger.seen.failures[0]}"]
            await asyncio.sleep(0.5)
    return []


async def missing(world: World, regular: Regular) -> list[str]:
    """Messages that were confirmed and are not there, or are there twice."""
    async with world.looking() as database:
        rows = await database.fetch(
            "SELECT payload ->> 'client_id' AS id, count(*) AS times FROM geoagent.event"
            " WHERE map_id = $1 AND type = 'user_message' GROUP BY 1",
            regular.map_id,
        )
    times = {row["id"]: row["times"] for row in rows}
    return [
        f"the message {each} is there {times.get(each, 0)} times"
        for each in regular.sent
        if times.get(each) != 1
    ]
