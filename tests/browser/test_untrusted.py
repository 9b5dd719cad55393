"""What comes out of tables, models and other people stays text, and nothing is loaded from elsewhere.

Every page of these tests fails its test when the Content-Security-Policy blocked anything, when a script broke,
or when anything was fetched from another host (see `person.troubles`)."""

from __future__ import annotations

import asyncpg
import pytest_asyncio
from playwright.async_api import expect

from server.app import Server
from tests.browser.person import Person
from tests.support.looking import until

FEWER_ROWS = True

ATTACK = '<img src="x" onerror="window.hacked = 1"><script>window.hacked = 1</script>'


@pytest_asyncio.fixture(loop_scope="session")
async def hostile(world: Server, samples_url: str) -> None:
    """A table whose values are attacks."""
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(
            """
            CREATE TABLE IF NOT EXISTS data.hostile (
                id integer PRIMARY KEY, name text, link text, bad_link text, big integer, day date,
                geom geometry(Point, 4326)
            );
            COMMENT ON TABLE data.hostile IS 'A hostile table';
            TRUNCATE data.hostile;
            """
        )
        await connection.execute(
            "INSERT INTO data.hostile VALUES (7, $1, 'https://example.org/x', 'javascript:alert(1)', 1234567,"
            " '2020-03-01', ST_SetSRID(ST_MakePoint(10, 20), 4326)), (8, 'second', '', '', 1, '2020-03-01',"
            " ST_SetSRID(ST_MakePoint(10, 20), 4326))",
            ATTACK,
        )
    finally:
        await connection.close()
    await until(lambda: "data.hostile" in {table.id for table in world.registry.tables()})


async def test_a_popup_is_text_with_typed_values(person: Person, hostile: None) -> None:
    await person.says("show hostile")
    await person.sees("hostile")
    await person.looks_at(10, 20, 6)
    point = await person.point_of("hostile")
    await person.page.mouse.click(point["x"], point["y"])
    card = person.page.get_by_role("dialog", name="Details")
    await expect(card).to_contain_text("1 of 2")
    await expect(card.get_by_role("heading")).not_to_be_empty()
    if ATTACK not in await card.inner_text():
        await card.get_by_role("button", name="Next").click()
    await expect(card.get_by_role("heading")).to_have_text(ATTACK)
    await expect(card).to_contain_text("1,234,567")
    await expect(card).to_contain_text("1 Mar 2020")
    assert await card.get_by_role("link").evaluate_all("all => all.map(it => it.href)") == [
        "https://example.org/x"
    ]
    assert await card.locator("img, script").count() == 0
    assert await person.see("window.hacked") is None
    await person.wait_for("geoagent.map.getLayersOrder().some(it => it.startsWith('hostile:mark'))")


async def test_a_message_of_markup_is_shown_as_it_was_typed(person: Person) -> None:
    answer = await person.says(ATTACK)
    assert answer
    await expect(person.page.locator(".bubble")).to_have_text(ATTACK)
    assert await person.page.locator(".messages img, .messages script").count() == 0
    assert await person.see("window.hacked") is None


async def test_the_page_carries_a_strict_policy(person: Person) -> None:
    answer = await person.page.request.get(person.url)
    policy = answer.headers["content-security-policy"]
    assert "unsafe-inline" not in policy
    assert "unsafe-eval" not in policy
    blocked = (
        "typeof eval === 'function' && (() => { try { return eval('1') } catch { return 'blocked' } })()"
    )
    script = await person.page.evaluate_handle("document.createElement('script')")
    await script.evaluate(
        "(it, code) => { it.textContent = code; document.body.append(it) }", "window.inline = 1"
    )
    assert await person.see("window.inline") is None, blocked
    person.troubles = [trouble for trouble in person.troubles if "inline script" not in trouble]
