"""A server for the tests of uploads over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest_asyncio

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel()) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def http(server: Server) -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession(server.url) as session:
        yield session
