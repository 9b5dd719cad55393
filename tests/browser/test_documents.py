"""A map as a document: its name, its saved views, the list of a browser's maps, and what view links may not change."""

from __future__ import annotations

import re

from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True


async def named(person: Person, name: str) -> None:
    await person.page.locator("button.map-name").click()
    await person.page.get_by_label("Map name").fill(name)
    await person.page.keyboard.press("Enter")


async def test_the_name_is_everybodys_and_the_title_of_the_page(enter: Enter, world: Server) -> None:
    one = await enter(world.url)
    assert await one.page.title() == "GeoAgent"
    await one.says("show airports in red")
    two = await enter(one.page.url)
    await named(one, "Airports of Europe")
    for person in (one, two):
        await expect(person.page.locator(".map-name")).to_have_text("Airports of Europe")
        await expect(person.page).to_have_title("Airports of Europe · GeoAgent")
    await two.page.locator("button.map-name").click()
    await two.page.get_by_label("Map name").fill("Something else")
    await two.page.keyboard.press("Escape")
    await expect(two.page.locator(".map-name")).to_have_text("Airports of Europe")
    await two.reload()
    await expect(two.page).to_have_title("Airports of Europe · GeoAgent")


async def test_who_came_by_a_view_link_reads_the_name_and_uses_saved_views(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url)
    page = person.page
    await person.says("show airports in red")
    await person.says("show countries")
    await named(person, "World")
    await person.looks_at(13.4, 52.5, 6)
    await page.get_by_role("button", name="Hide countries").click()
    await person.misses("countries")
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("menuitem", name="Saved views").click()
    await page.get_by_label("Name of this view").fill("Airports near Berlin")
    await page.get_by_role("button", name="Save view").click()
    await expect(page.locator(".views-go")).to_contain_text("Airports near Berlin")
    await page.get_by_role("button", name="Show countries").click()
    await person.looks_at(0, 0, 2)
    await person.sees("countries")
    assert await violations(person) == []

    await page.get_by_role("button", name="Share this map").click()
    await page.get_by_role("button", name="Create view link").click()
    link = await page.get_by_label("View link", exact=True).input_value()
    viewer = await enter(link)
    await expect(viewer.page.locator(".map-name")).to_have_text("World")
    await expect(viewer.page.locator("button.map-name")).to_have_count(0)
    await viewer.sees("countries")
    await viewer.page.get_by_role("button", name="Menu").click()
    await viewer.page.get_by_role("menuitem", name="Saved views").click()
    await expect(viewer.page.get_by_role("button", name="Save view")).to_have_count(0)
    await viewer.page.locator(".views-go").click()
    await viewer.misses("countries")
    await viewer.sees("airports")
    await viewer.wait_for("Math.abs(geoagent.map.getZoom() - 6) < 0.01")
    assert (await person.layers())[1]["visible"], "a saved view is of one page"
    await viewer.page.get_by_role("button", name="Leave saved view").click()
    await viewer.sees("countries")


async def test_the_first_page_lists_the_maps_of_this_browser(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    page = person.page
    await person.says("show airports in red")
    await named(person, "My airports")
    await person.wait_for("(localStorage['geoagent.maps'] ?? '').includes('data:image/jpeg')")
    first = page.url
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("menuitem", name="New map").click()
    await page.wait_for_url(lambda url: "/m/" in url and url != first)
    await person.ready()
    await expect(page.locator(".map-name")).to_have_text("Untitled map")
    await page.get_by_role("link", name="All maps").click()
    card = page.locator(".home-card")
    await expect(card).to_have_count(1)  # an empty map is not kept
    await expect(card).to_contain_text("My airports")
    await expect(card).to_contain_text("1 layer")
    size = await card.locator("img").evaluate("it => it.decode().then(() => it.naturalWidth)")
    assert size == 320
    assert await violations(person) == []
    await card.get_by_role("link").click()
    await page.wait_for_url(first)
    await person.ready()
    await person.sees("airports")
    await page.get_by_role("link", name="All maps").click()
    await card.hover()
    await page.get_by_role("button", name=re.compile("Remove My airports")).click()
    await expect(card).to_have_count(0)


async def test_the_projection_is_stored_with_the_map(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    await person.says("show airports in red")
    other = await enter(person.page.url)
    await person.page.get_by_role("button", name="Show as a globe").click()
    await other.wait_for("geoagent.map.getProjection()?.type === 'globe'")
    third = await enter(person.page.url)
    await third.wait_for("geoagent.map.getProjection()?.type === 'globe'")
    await third.page.get_by_role("button", name="Show as a flat map").click()
    await person.wait_for("geoagent.map.getProjection()?.type === 'mercator'")


async def test_a_link_to_this_view_leads_to_the_same_camera(enter: Enter, world: Server) -> None:
    person = await enter(world.url, permissions=["clipboard-read", "clipboard-write"])
    await person.says("show airports in red")
    await person.looks_at(13.4, 52.5, 7)
    await person.page.get_by_role("button", name="Menu").click()
    await person.page.get_by_role("menuitem", name="Copy link to this view").click()

    async def copied() -> str | None:
        """The browser has one clipboard for all its pages: what it held before is replaced a moment later."""
        text: str = await person.see("navigator.clipboard.readText()")
        return text if re.search(r"/m/[\w-]+#7\.00/52\.50000/13\.40000$", text) else None

    link = await until(copied)
    other = await enter(link)
    assert await other.see("[geoagent.map.getZoom(), Math.round(geoagent.map.getCenter().lat * 10)]") == [
        7,
        525,
    ]
    assert await other.see("location.hash") == ""
