"""What a person in front of a browser waits for, in a real Chromium without a GPU: drawing is slower than at home.

JavaScript over the wire, the first visit (on a slow connection, too), from `layer_added` to drawn, frames per second
while 100,000 polygons are panned, what scripts take while an answer streams (`scripting`), and what the page keeps
(`memory`). `python -m tests.bench browser --minutes 30` is the one for the record; the table says how long it was."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import asyncpg
from playwright.async_api import async_playwright

from tests.bench.first_visit import first_visit
from tests.bench.memory import remembering
from tests.bench.rows import Row
from tests.bench.scripting import scripting
from tests.browser.conftest import FLAGS, chromium
from tests.browser.person import Person
from tests.support.postgis import Postgis
from tests.support.server import local_server

AS_USED = [flag for flag in FLAGS if "no-opt" not in flag]
"""Tests save time without V8's optimizing compiler, which people's browsers have."""
POLYGONS = 100_000
MINUTES = 1.0
"""How long the page is used; `--minutes` says otherwise."""

GRID = """
CREATE TABLE data.cells (id integer PRIMARY KEY, value integer, geom geometry(Polygon, 4326));
INSERT INTO data.cells SELECT n, n % 100, ST_MakeEnvelope(x, y, x + 0.09, y + 0.09, 4326)
    FROM generate_series(0, 99999) AS n, LATERAL (SELECT (n % 400) * 0.1 - 20 AS x, n / 400 * 0.1 + 30 AS y) AS place;
CREATE INDEX ON data.cells USING gist (geom);
ANALYZE data.cells;
"""

SINCE_ADDED = """async id => {
    const { map } = window.geoagent;
    const has = () => window.geoagent.state.layers.some(it => it.id === id);
    while (!has()) await new Promise(requestAnimationFrame);
    const start = performance.now();
    while (!map.getSource(id) || !map.isSourceLoaded(id)) await new Promise(requestAnimationFrame);
    await new Promise(done => { map.once("render", done); map.triggerRepaint(); });
    return performance.now() - start;
}"""

PANNING = """async () => {
    const { map } = window.geoagent;
    let frames = 0;
    map.on("render", () => frames++);
    const start = performance.now();
    while (performance.now() - start < 5000) {
        map.panBy([8, 3], { duration: 0 });
        await new Promise(requestAnimationFrame);
    }
    return frames / ((performance.now() - start) / 1000);
}"""


async def measure(postgis: Postgis) -> list[Row]:
    name = postgis.with_samples()
    url = postgis.url(name)
    connection = await asyncpg.connect(url)
    await connection.execute(GRID)
    await connection.close()
    try:
        async with local_server(url) as server, async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=chromium(), args=[*AS_USED, "--enable-precise-memory-info"]
            )
            page = await browser.new_page(viewport={"width": 1280, "height": 800})
            person = Person(page, server.url)
            rows = [*await arriving(person), *await first_visit(browser, server.url)]
            rows += [
                *await scripting(browser, url),
                *await drawing(person),
                *await remembering(person, MINUTES),
            ]
            await browser.close()
            return rows
    finally:
        postgis.drop(name)


async def arriving(person: Person) -> list[Row]:
    started = time.perf_counter()
    await person.arrive()
    interactive = time.perf_counter() - started
    sizes: list[list[Any]] = await person.see(
        "performance.getEntriesByType('resource').map(it => [it.name, it.encodedBodySize])"
    )
    scripts = sum(size for address, size in sizes if address.endswith(".js"))
    total = sum(size for _, size in sizes)
    return [
        Row(
            "Browser: JavaScript over the wire",
            f"{scripts / 1024:.0f} KB",
            f"{total / 1024:.0f} KB with styles, without the base map",
        ),
        Row("Browser: first visit to the drawn map", f"{interactive * 1000:.0f} ms", "cold cache"),
    ]


async def drawing(person: Person) -> list[Row]:
    await person.looks_at(0, 42, 5)
    waiting = person.page.evaluate(SINCE_ADDED, "cells")
    message = person.says("show cells")
    drawn = float(await _first(waiting, message))
    frames = float(await person.see(f"({PANNING})()"))
    return [
        Row("Browser: layer_added to drawn", f"{drawn:.0f} ms", f"{POLYGONS:,} polygons"),
        Row("Browser: frames while panning them", f"{frames:.0f} per second", "software rendering"),
    ]


async def _first(result: Any, beside: Any) -> Any:
    """The result; `beside` runs at the same time."""
    found, _ = await asyncio.gather(result, beside)
    return found
