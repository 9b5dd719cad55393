"""Several people on one map, and the same things by hand as by words."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until
from tests.support.wire import wires

FEWER_ROWS = True


async def test_a_second_browser_sees_each_change_as_it_happens(person: Person, enter: Enter) -> None:
    other = await enter(person.page.url)
    await expect(person.page.locator(".people-count")).to_have_text("2")

    await person.says("show airports in red")
    await other.sees("airports")
    await expect(other.page.locator(".bubble")).to_have_text("show airports in red")

    await other.says("colour countries by population")
    await person.sees("countries")
    await person.lists("airports", "countries")
    await other.lists("airports", "countries")

    await person.page.get_by_role("button", name="Hide airports").click()
    await other.misses("airports")
    await other.page.get_by_role("button", name="Undo", exact=True).click()
    await person.sees("airports")


async def test_the_camera_of_others_moves_only_when_they_wish(person: Person, enter: Enter) -> None:
    other = await enter(person.page.url)
    before = await other.see("geoagent.map.getCenter().toArray()")
    await person.says("zoom to Switzerland")
    await person.wait_for("geoagent.map.getZoom() > 4")
    assert await other.see("geoagent.map.getCenter().toArray()") == before
    await other.page.get_by_role("button", name="Go there").click()
    await other.wait_for("geoagent.map.getZoom() > 4")


async def test_layers_are_changed_by_hand(person: Person) -> None:
    await person.says("show airports in red")
    await person.says("show countries")
    page = person.page

    grip = page.get_by_role("button", name="Reorder airports")
    order = await until(lambda: both(person))
    await grip.focus()
    await page.keyboard.press("ArrowUp" if order[1] == "airports" else "ArrowDown")
    await until(lambda: named(person, order[::-1]))
    await until(lambda: drawn_in(person, order))  # bottom first on the map, top first in the panel

    row = page.locator('[data-layer="airports"]')
    await row.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Rename").click()
    await page.keyboard.type("Aerodromes")
    await page.keyboard.press("Enter")
    await expect(row.locator(".layer-name")).to_have_text("Aerodromes")

    await row.get_by_role("button", name="Actions for Aerodromes").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await expect(row).to_have_count(0)
    await page.locator(".map canvas").focus()
    await page.keyboard.press("Control+z")
    await expect(row.locator(".layer-name")).to_have_text("Aerodromes")
    await person.sees("airports")


async def test_style_and_filter_are_edited_by_hand(person: Person) -> None:
    await person.says("show airports")
    page = person.page
    row = page.locator('[data-layer="airports"]')
    await row.locator(".layer-name").click()
    inspector = page.get_by_role("region", name="Style and filter of airports")
    await inspector.get_by_role("button", name="Graduated colours").click()
    colours = inspector.get_by_role("group", name="Show as")
    await colours.get_by_label("Column").select_option("elevation_m")
    await expect(row.locator(".legend-title")).to_contain_text("elevation")

    await inspector.get_by_role("tab", name="Filter").click()
    await inspector.get_by_role("button", name="Add condition").click()
    await inspector.get_by_label("Column").select_option("elevation_m")
    await inspector.get_by_label("Comparison").select_option(">")
    await inspector.get_by_label("Value").fill("3000")
    await inspector.get_by_role("button", name="Apply").click()
    await expect(row.locator(".badge")).to_contain_text("elevation_m > 3,000")
    [layer] = await person.layers()
    assert 0 < layer["count"] < 130
    assert layer["style"]["kind"] == "graduated"


async def test_the_past_can_be_looked_at_and_brought_back(person: Person) -> None:
    await person.says("show airports in red")
    await person.says("remove the airports")
    page = person.page
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("menuitem", name="History").click()
    await page.get_by_role("button", name="Added airports").click()
    await person.sees("airports")
    assert await person.layers() == [], "looking changes nothing"
    await page.get_by_role("button", name="Restore").click()
    await until(lambda: person.layers())
    await person.lists("airports")
    await page.get_by_role("button", name="Undo", exact=True).click()
    await expect(page.locator(".layer-name")).to_have_count(0)


@pytest.mark.pixels
async def test_map_and_conversation_are_saved_as_files(person: Person) -> None:
    await person.says("show airports in red")
    page = person.page
    for item, start in (("Save as image", b"\x89PNG"), ("Save the conversation", b"# GeoAgent")):
        await page.get_by_role("button", name="Menu").click()
        async with page.expect_download() as caught:
            await page.get_by_role("menuitem", name=item).click()
        path = await (await caught.value).path()
        content = path.read_bytes()
        assert content.startswith(start)
        assert len(content) > (20_000 if start == b"\x89PNG" else 60)


async def named(person: Person, names: list[str]) -> bool:
    return await person.names() == names


async def both(person: Person) -> list[str] | None:
    names = await person.names()
    return names if len(names) == 2 else None


async def drawn_in(person: Person, order: list[str]) -> bool:
    return await layer_order(person) == order


async def layer_order(person: Person) -> list[str]:
    """The ids of the layers that MapLibre draws, bottom first."""
    order: list[str] = await person.see(
        "[...new Set(geoagent.map.getLayersOrder().filter(it => it.includes(':')).map(it => it.split(':')[0]))]"
    )
    return order


async def test_of_a_crowd_the_head_of_the_page_tells_how_many_there_are(person: Person) -> None:
    address, _, map_id = person.page.url.partition("/m/")
    async with wires(address, 60) as crowd:
        await asyncio.gather(*(each.ask("join", {"map_id": map_id}) for each in crowd))
        await expect(person.page.locator(".people-count")).to_have_text("61")
        await expect(person.page.get_by_role("button", name="61 people on this map")).to_be_visible()
    await expect(person.page.locator(".people-count")).to_have_count(0)
