"""What files and their senders do to a server is tested with readers that are started as a server starts them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from server.gis.ingest import process


@pytest.fixture(scope="module", autouse=True)
def readers_of_their_own() -> Iterator[None]:
    """Readers are not forked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "start_process", asyncio.create_subprocess_exec)
        yield
