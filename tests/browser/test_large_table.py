"""A large table coloured by a column shows features on every screen from the world to a street.

`make test-large` makes it of 10 million points, alone on the machine; continuous integration runs that, too."""

from __future__ import annotations

import os

import asyncpg
from playwright.async_api import Route, expect

from server.gis.profiles.worker import LOCK, signed
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

SPARKS = """
CREATE TABLE data.sparks AS SELECT n AS id, ST_SetSRID(ST_MakePoint(
    8 + (abs(hashint4(n)) % 100000) / 10000.0, 46 + (abs(hashint4(n + 7)) % 50000) / 10000.0), 4326
)::geometry(Point, 4326) AS geom FROM generate_series(1, 200000) AS n;
ALTER TABLE data.sparks ADD PRIMARY KEY (id);
CREATE INDEX ON data.sparks USING gist (geom);
ANALYZE data.sparks;
"""
FRAMES = """(id) => {
    const map = geoagent.map;
    window.frames = [];
    map.on("render", () => {
        const { x, y } = map.project(map.getCenter());
        const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === id);
        const [found] = map.queryRenderedFeatures([[x - 8, y - 8], [x + 8, y + 8]], { layers });
        frames.push(found === undefined ? "nothing" : "@weight" in found.properties ? "overview" : "sample");
    });
    map.triggerRepaint();
}"""
"""Notes what each frame draws of a layer in the middle of the map."""
MORE_FRAMES = """() => new Promise((done) => {
    const end = frames.length + 3;
    geoagent.map.on("render", () => frames.length < end ? geoagent.map.triggerRepaint() : done());
    geoagent.map.triggerRepaint();
})"""


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


async def test_overviews_take_the_place_of_a_sample_without_a_blink(
    enter: Enter, serve: Serve, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(SPARKS)
        relid = await connection.fetchval("SELECT 'data.sparks'::regclass::oid")
        # As another server that builds the overviews of this table.
        await connection.execute("SELECT pg_advisory_lock($1, $2)", LOCK, signed(relid))
        server = await serve(overview_rows=20_000)
        person = await enter(server.url, width=900, height=500)
        await person.says("show sparks")
        await person.looks_at(13, 48.5, 4)
        await person.sees("sparks")
        note = person.page.locator('[data-layer="sparks"] .thinned')
        await expect(note).to_contain_text("Sample")

        async def hold(route: Route) -> None:
            """Until some frames are drawn without the new tile."""
            await person.see(f"({MORE_FRAMES})()")
            await route.continue_()

        await person.page.evaluate(FRAMES, "sparks")
        await person.page.route("**/tiles/*/sparks/**", hold)
    finally:
        await connection.close()
    await expect(note).to_contain_text("represent about 200,000 in view")
    frames = await person.see("frames")
    assert (frames[0], frames[-1]) == ("sample", "overview")
    assert "nothing" not in frames
