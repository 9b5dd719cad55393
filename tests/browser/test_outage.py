"""The server is gone for ten seconds under somebody who reads, types and watches an analysis; then it is back."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until
from tests.support.ports import reserved_port
from tests.support.server import child_server

FEWER_ROWS = True

AWAY = 10.0
SLOW = """
CREATE OR REPLACE VIEW data.many AS
SELECT n::integer AS id,
    ST_SetSRID(ST_MakePoint(n * 2 - 120, n % 60), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(1, 120) AS n
WHERE pg_sleep(CASE WHEN current_user LIKE '%writer' THEN 1 ELSE 0 END) IS NOT NULL;
"""
"""A table that only analyses read slowly, and without using the processor."""

SUMMARY = """geoagent.state.turns.map(turn => [
    turn.text, turn.end, turn.entries.map(it => [it.kind, it.seq, it.status ?? null, it.text ?? it.summary ?? ""])
])"""


async def knows(person: Person) -> dict[str, Any]:
    return {
        "seq": await person.see("geoagent.state.seq"),
        "turns": await person.see(SUMMARY),
        "layers": await person.see("geoagent.state.layers.map(it => [it.id, it.version])"),
    }


async def reads_the_beginning(person: Person) -> bool:
    """Turns the wheel as a hand does, which is what leaves the end of the conversation."""
    await person.page.locator(".messages").hover()
    await person.page.mouse.wheel(0, -5000)
    await asyncio.sleep(0.2)
    return bool(
        await person.see(
            "document.querySelector('.jump') !== null && document.querySelector('.messages').scrollTop < 60"
        )
    )


@pytest.mark.parametrize("how", ["stop", "kill"])
async def test_ten_seconds_without_a_server(enter: Enter, samples_url: str, how: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(SLOW)
    await connection.close()
    with reserved_port() as port:
        async with child_server(samples_url, port) as child:
            person = await enter(child.url)
            await reads_while_an_analysis_runs(person)
            person.outages_expected = True
            await (child.stop() if how == "stop" else child.kill())
            page = person.page
            await expect(page.locator(".banner")).to_contain_text("Offline")
            assert await page.get_by_role("dialog").count() == 0
            await person.box.press_sequentially(" has sent")
            await asyncio.sleep(AWAY)

        async with child_server(samples_url, port):
            await person.wait_for("(geoagent.state.turns[3]?.end ?? null) !== null")
            await expect(page.locator(".banner")).to_be_hidden()
            assert await person.see("window.notReloaded") is True
            await expect(person.box).to_have_value("a draft that nobody has sent")
            assert await person.see("document.querySelector('.messages').scrollTop") < 60, (
                "still reading the beginning"
            )
            fresh = await enter(person.page.url)
            await person.wait_for("geoagent.state.turns.every(it => it.end !== null)")
            assert await knows(person) == await knows(fresh), "nothing is missing, nothing doubled"
            assert (await person.says("remove the airports")) != ""
            fresh.outages_expected = True  # the server goes before the page does


async def reads_while_an_analysis_runs(person: Person) -> None:
    """At the beginning of the conversation, with a draft in the box."""
    for text in ("show airports in red", "colour countries by population", "which tables are there?"):
        await person.says(text)
    await person.see("window.notReloaded = true")
    await person.box.fill("buffer many by 20 km")
    await person.page.keyboard.press("Enter")
    await person.wait_for("geoagent.state.turns[3]?.entries.some(it => it.kind === 'analysis')")
    await person.box.fill("a draft that nobody")
    await until(lambda: reads_the_beginning(person), pause=0.1)
