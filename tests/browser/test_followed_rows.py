"""Rows that another program changes show on the maps of all people, and what was drawn stays until the new tile is."""

from __future__ import annotations

from functools import partial

import asyncpg

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until

MADE = """
DROP TABLE IF EXISTS data.meadows;
CREATE TABLE data.meadows AS SELECT 1 AS id, 'old' AS state,
    ST_MakeEnvelope(0, 40, 30, 60, 4326)::geometry(Polygon, 4326) AS geom;
ALTER TABLE data.meadows ADD PRIMARY KEY (id);
"""
WATCH = """() => {
    window.seen = new Set();
    geoagent.map.on("render", () => {
        const layers = geoagent.map.getLayersOrder().filter(it => geoagent.map.getLayer(it).source === "meadows");
        const found = layers.length ? geoagent.map.queryRenderedFeatures({ layers }) : [];
        seen.add(found.length ? found[0].properties.state : "nothing");
    });
}"""
"""Collects what is drawn in all frames."""


async def shows_new_rows(person: Person) -> bool:
    return [each["properties"]["state"] for each in await person.features("meadows")] == ["new"]


async def test_an_update_by_psql_shows_on_every_map_without_a_blink(
    enter: Enter, world: Server, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(MADE)
        await until(lambda: "data.meadows" in {table.id for table in world.registry.tables()})
        one = await enter(world.url)
        await one.says("show meadows")
        people = [one, await enter(one.page.url)]
        for person in people:
            await person.sees_all("meadows")
            await person.page.evaluate(WATCH)
        await connection.execute("UPDATE data.meadows SET state = 'new'")
        for person in people:
            await until(partial(shows_new_rows, person), pause=0.1)
            await person.wait_for("seen.has('new')")
            assert set(await person.see("[...seen]")) <= {"old", "new"}
    finally:
        await connection.close()
