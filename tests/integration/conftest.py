"""A server with the sample data for the tests of a module, and the model that says what they wish."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ScriptedModel) -> AsyncIterator[Server]:
    async with local_server(samples_url, model) as running:
        yield running
