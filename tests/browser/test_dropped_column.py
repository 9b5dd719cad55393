"""A layer whose column is dropped stays on the map in one colour, says so, and is given another style by one click."""

from __future__ import annotations

import asyncpg
import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.support.looking import until

MADE = """
CREATE TABLE data.wells AS SELECT n AS id, n % 10 AS depth, n % 3 AS kind,
    ST_SetSRID(ST_MakePoint(10 + n % 10, 45 + n / 10), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(0, 99) AS n;
ALTER TABLE data.wells ADD PRIMARY KEY (id);
"""


async def psql(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


@pytest.mark.parametrize("width", [1440, 390])
async def test_it_is_restyled_by_one_click(enter: Enter, world: Server, samples_url: str, width: int) -> None:
    await psql(samples_url, f"DROP TABLE IF EXISTS data.wells; {MADE}")
    await until(lambda: "data.wells" in {table.id for table in world.registry.tables()})
    person = await enter(world.url, width=width, height=800)
    await person.says("show wells")
    await person.says("colour wells by depth")
    await person.sees("wells")
    await psql(samples_url, "ALTER TABLE data.wells DROP COLUMN depth")
    if width < 600:
        await person.page.locator(".layers-title").click()
    row = person.page.locator('[data-layer="wells"]')
    await expect(row.locator(".legend-note")).to_have_text(
        "data.wells no longer has depth, which is not shown."
    )
    (layer,) = await person.layers()
    assert (layer["style"]["kind"], layer["visible"]) == ("single", True)
    await person.sees("wells")
    await row.get_by_role("button", name="Choose another style").click()
    inspector = person.page.get_by_role("region", name="Style and filter of wells")
    await inspector.get_by_role("button", name="Categories").click()
    await person.wait_for("geoagent.state.layers[0].style.kind === 'categorical'")
    assert "no longer has" not in ((await person.layers())[0]["legend"]["note"] or "")
