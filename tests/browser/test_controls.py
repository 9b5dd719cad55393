"""The controls of the map: globe, full screen, north, where am I."""

from __future__ import annotations

from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_search import looked_at

FEWEST_ROWS = True


async def test_the_map_becomes_a_globe_and_stays_one(person: Person) -> None:
    await person.says("show airports in red")
    await person.sees("airports")
    await person.page.get_by_role("button", name="Show as a globe").click()
    await person.wait_for("geoagent.map.getProjection()?.type === 'globe'")
    await person.sees("airports")
    assert await violations(person) == []
    await person.reload()
    await person.wait_for("geoagent.map.getProjection()?.type === 'globe'")
    await person.page.get_by_role("button", name="Show as a flat map").click()
    await person.wait_for("geoagent.map.getProjection()?.type === 'mercator'")


async def test_north_is_up_again(person: Person) -> None:
    await person.see("void geoagent.map.jumpTo({ bearing: 40, pitch: 30 })")
    await person.page.get_by_role("button", name="click to face north").click()
    await person.wait_for("geoagent.map.getBearing() === 0")


async def test_the_page_fills_the_screen(person: Person) -> None:
    await person.page.get_by_role("button", name="Full screen", exact=True).click()
    await person.wait_for("document.fullscreenElement === document.documentElement")
    await expect(person.box).to_be_visible()
    await person.page.get_by_role("button", name="Exit full screen").click()
    await person.wait_for("document.fullscreenElement === null")


async def test_the_map_looks_where_one_is(enter: Enter, world: Server) -> None:
    place = {"longitude": 8.55, "latitude": 47.37, "accuracy": 50}
    person = await enter(world.url, geolocation=place, permissions=["geolocation"])
    await person.page.get_by_role("button", name="My location").click()
    await looked_at(person, 8.55, 47.37)
