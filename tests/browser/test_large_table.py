"""A large table coloured by a column shows features on every screen from the world to a street.

`GEOAGENT_TEST_ROWS=10000000` makes it as large as one of 10 million points, which takes a minute more."""

from __future__ import annotations

import os

import asyncpg
from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve

ROWS = int(os.environ.get("GEOAGENT_TEST_ROWS", "200000"))
LIMITS = {"large_table": ROWS // 2, "overview_rows": ROWS // 4}
"""Settings of the server for which so many rows are many."""
MADE = f"""
CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value, ST_SetSRID(ST_MakePoint(
    8 + (abs(hashint4(n)) % 100000) / 10000.0, 46 + (abs(hashint4(n + 7)) % 50000) / 10000.0), 4326
)::geometry(Point, 4326) AS geom FROM generate_series(1, {ROWS}) AS n;
ALTER TABLE data.pings ADD PRIMARY KEY (id);
INSERT INTO data.pings SELECT {ROWS * 2} + n, 1, ST_SetSRID(ST_MakePoint(12 + n / 1e6, 48), 4326)
FROM generate_series(1, 100) AS n;
CREATE INDEX ON data.pings USING gist (geom);
ANALYZE data.pings;
"""


def about(rows: int) -> str:
    """As the page rounds it."""
    return f"{rows / 1e6:#.3g} million" if rows >= 1e6 else f"{rows:,}"


async def test_features_are_on_every_screen(enter: Enter, serve: Serve, samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url, timeout=600)
    try:
        await connection.execute(MADE, timeout=600)
    finally:
        await connection.close()
    server = await serve(**LIMITS)
    # A software renderer draws a large window slowly.
    person = await enter(server.url, width=900, height=500)
    await person.says("show pings")
    await person.sees("pings")
    await person.says("colour pings by value")
    row = person.page.locator('[data-layer="pings"]')
    await person.looks_at(12, 48, 1)
    await expect(row.locator(".thinned")).to_contain_text(f"represent about {about(ROWS)} in view")
    await expect(row).to_contain_text(f"{ROWS + 100:,} features")
    for zoom in (0, 3, 6, 9, 12, 14):
        await person.looks_at(12, 48, zoom)
        await person.sees("pings")
    await expect(row.locator(".thinned")).to_have_count(0)
