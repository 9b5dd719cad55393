"""A large table coloured by a column shows features on every screen from the world to a street."""

from __future__ import annotations

import asyncpg
from playwright.async_api import expect

from server.app import Server
from tests.browser.person import Person
from tests.support.looking import until

MADE = """
CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value, ST_SetSRID(ST_MakePoint(
    8 + (abs(hashint4(n)) % 100000) / 10000.0, 46 + (abs(hashint4(n + 7)) % 50000) / 10000.0), 4326
)::geometry(Point, 4326) AS geom FROM generate_series(1, 1000000) AS n;
ALTER TABLE data.pings ADD PRIMARY KEY (id);
INSERT INTO data.pings SELECT 2000000 + n, 1, ST_SetSRID(ST_MakePoint(12 + n / 1e6, 48), 4326)
FROM generate_series(1, 100) AS n;
CREATE INDEX ON data.pings USING gist (geom);
ANALYZE data.pings;
"""


async def test_features_are_on_every_screen(person: Person, world: Server, samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(MADE)
    finally:
        await connection.close()
    await until(lambda: "data.pings" in {table.id for table in world.registry.tables()})
    await person.says("show pings")
    await person.sees("pings")
    await person.says("colour pings by value")
    row = person.page.locator('[data-layer="pings"]')
    await person.looks_at(12, 48, 1)
    await expect(row.locator(".thinned")).to_contain_text("stand for about 1.00 million", timeout=120_000)
    await expect(row).to_contain_text("1,000,100 features", timeout=120_000)
    for zoom in (0, 3, 6, 9, 12, 14):
        await person.looks_at(12, 48, zoom)
        await person.sees("pings")
    await expect(row.locator(".thinned")).to_have_count(0)
