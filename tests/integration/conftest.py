"""Servers with the sample data for the tests of a module: with a scripted model, and without a model."""

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


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def offline_server(samples_url: str) -> AsyncIterator[Server]:
    """Answers without a language model."""
    async with local_server(samples_url) as running:
        yield running
