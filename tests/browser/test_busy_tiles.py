"""What a person sees of tiles that the server has no time for: they come later, or the layer says why they do not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import expect

from server.app import Server
from server.gis.tiles import overruns
from tests.browser.conftest import Enter
from tests.support.looking import until
from tests.support.server import local_server

STUBBORN = """
CREATE FUNCTION data.stubborn(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN
  IF current_query() !~ 'ST_AsMVT' THEN RETURN $1; END IF;
  LOOP BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$;
CREATE VIEW data.tangle AS SELECT id, data.stubborn(id::int) AS knots, geom FROM data.countries;
"""
"""As a call into GEOS, it hears no cancel; of all queries, only a tile's meets it."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def hasty(samples_url: str) -> AsyncIterator[Server]:
    """A server that soon gives up on tiles."""
    async with local_server(samples_url, tile_timeout=1.0) as server:
        yield server


async def test_tiles_that_were_refused_come_when_the_server_has_time(enter: Enter, hasty: Server) -> None:
    queue = hasty.tiles.queue
    person = await enter(hasty.url)
    person.outages_expected = True
    others = [await queue.enter(f"map {number}", f"table {number}", 0, 60) for number in range(queue.size)]
    asked = asyncio.create_task(person.says("show countries"))
    await until(lambda: queue.refused > 0)
    row = person.page.locator('[data-layer="countries"]')
    await expect(row.get_by_text("Loading…")).to_be_visible()
    for turn in others:
        queue.leave(turn)
    await asked
    await person.sees("countries")
    await expect(row).to_have_attribute("aria-busy", "false")
    await expect(row.get_by_text("Loading…")).to_have_count(0)


async def test_a_layer_that_cannot_be_drawn_says_so(
    enter: Enter, hasty: Server, samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overruns, "GRACE_S", 0.5)
    connection = await asyncpg.connect(samples_url)
    await connection.execute(STUBBORN)
    await connection.close()
    await until(lambda: "data.tangle" in {table.id for table in hasty.registry.tables()})
    person = await enter(hasty.url)
    person.outages_expected = True
    await person.says("show tangle")
    row = person.page.locator('[data-layer="tangle"]')
    await expect(row).to_contain_text("Too complex to draw at this zoom")
