"""A server that ends leaves no task behind that looks after its backends."""

from __future__ import annotations

import asyncio

import asyncpg

from server.database.backends import Backends


async def never() -> asyncpg.Connection:
    raise AssertionError("a closed server connected again")


async def test_what_is_lost_after_closing_gives_back_its_place_at_once() -> None:
    backends = Backends(never, asyncio.Semaphore(1))
    await backends.close()
    before = asyncio.all_tasks()
    given_back: list[bool] = []
    backends.release_after(1, lambda: given_back.append(True))
    assert given_back == [True]
    assert asyncio.all_tasks() <= before
