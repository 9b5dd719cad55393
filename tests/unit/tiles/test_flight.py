"""Work that several wait for: once, and no longer than anybody waits."""

from __future__ import annotations

import asyncio

import pytest

from server.gis.tiles.flight import SingleFlight
from tests.support.looking import PATIENCE


async def test_what_many_ask_for_at_once_is_done_once() -> None:
    flights: SingleFlight[int] = SingleFlight()
    done = 0

    async def work() -> int:
        nonlocal done
        await asyncio.sleep(0)
        done += 1
        return done

    assert await asyncio.gather(*(flights.join("key", work) for _ in range(20))) == [1] * 20
    assert await flights.join("key", work) == 2, "asked for later, it is done again"


async def test_the_work_goes_on_while_one_still_waits() -> None:
    flights: SingleFlight[str] = SingleFlight()
    release = asyncio.Event()

    async def work() -> str:
        await release.wait()
        return "done"

    patient = asyncio.create_task(flights.join("key", work))
    hasty = asyncio.create_task(flights.join("key", work))
    await asyncio.sleep(0)
    hasty.cancel()
    await asyncio.gather(hasty, return_exceptions=True)
    release.set()
    assert await patient == "done"


async def test_the_work_is_cancelled_when_no_caller_waits_any_more() -> None:
    flights: SingleFlight[None] = SingleFlight()
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    waiting = [asyncio.create_task(flights.join("key", work)) for _ in range(3)]
    await begun.wait()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.wait_for(cancelled.wait(), PATIENCE)
    assert not flights.under_way("key")


async def test_who_asks_after_the_cancelling_gets_new_work() -> None:
    flights: SingleFlight[str] = SingleFlight()
    begun = asyncio.Event()

    async def endless() -> str:
        begun.set()
        await asyncio.sleep(60)
        return "never"

    async def quick() -> str:
        return "new"

    first = asyncio.create_task(flights.join("key", endless))
    await begun.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert await flights.join("key", quick) == "new"


async def test_a_failure_reaches_all_who_wait_and_is_forgotten() -> None:
    flights: SingleFlight[str] = SingleFlight()

    async def fails() -> str:
        await asyncio.sleep(0)
        raise ValueError("no")

    results = await asyncio.gather(*(flights.join("key", fails) for _ in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [ValueError] * 3
    with pytest.raises(ValueError, match="no"):
        await flights.join("key", fails)
