"""Where more lies in view than a tile holds, the panel says how many features are drawn and how many are there."""

from __future__ import annotations

from collections.abc import Iterator

import asyncpg
import pytest
from playwright.async_api import expect

from server.app import Server
from server.maps.live import presence
from tests.browser.person import Person
from tests.support.looking import PATIENCE, until

CROWD = """
CREATE TABLE data.crowd (id integer PRIMARY KEY, geom geometry(Point, 4326));
INSERT INTO data.crowd
SELECT n, ST_SetSRID(ST_MakePoint(10 + n % 245 / 200.0, 45 + n / 245 / 200.0), 4326)
FROM generate_series(1, 60000) AS n;
CREATE INDEX ON data.crowd USING gist (geom);
ANALYZE data.crowd;
"""


@pytest.fixture(scope="module", autouse=True)
def slow_browsers_are_waited_for() -> Iterator[None]:
    """The answer says what the browser reported, however long a busy machine takes to draw."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(presence, "RECEIPT_TIMEOUT_S", PATIENCE)
        yield


async def test_drawn_and_existing_features_are_counted_separately(
    person: Person, world: Server, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(CROWD)
    finally:
        await connection.close()
    await until(lambda: "data.crowd" in {table.id for table in world.registry.tables()})
    await person.says("show crowd")
    await person.sees("crowd")
    row = person.page.locator('[data-layer="crowd"]')
    await expect(row).to_contain_text("60,000 features")
    await person.looks_at(10.6, 45.6, 5)  # all of them in one tile
    await expect(row).to_contain_text("Showing 50,000 of 60,000 in view")
    await person.says("color crowd by id")
    await expect(person.page.locator(".messages, .chat").first).to_contain_text(
        "Not all features are drawn at this zoom level"
    )
    await person.looks_at(10.1, 45.1, 11)
    await person.sees("crowd")
    await expect(row.locator(".thinned")).to_have_count(0)
    await expect(row).to_contain_text("60,000 features")
