"""A client on a map of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from server.app import Server
from tests.support.server import Client, client


@pytest_asyncio.fixture(loop_scope="session")
async def one(server: Server) -> AsyncIterator[Client]:
    async with client(server) as joined:
        await joined.ask("join")
        yield joined
