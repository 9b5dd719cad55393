"""Two layers, or two moments of the history, are compared by a line that moves over the map."""

from __future__ import annotations

import re

from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True

SHOWN = """([which, id]) => {
    const map = window.geoagent[which];
    const layers = (map?.getLayersOrder() ?? []).filter(it => map.getLayer(it).source === id);
    return layers.length === 0 ? 0 : map.queryRenderedFeatures({ layers }).length;
}"""


async def shows(person: Person, which: str, *layer_ids: str) -> None:
    """Waits until the map (`map` or `beside`) draws exactly these of the two layers."""

    async def is_so() -> bool:
        drawn = [
            name for name in ("airports", "countries") if await person.page.evaluate(SHOWN, [which, name]) > 0
        ]
        return drawn == list(layer_ids)

    await until(is_so, pause=0.25)


def line(person: Person) -> Locator:
    return person.page.get_by_role("separator", name="Position of the divider")


async def test_two_layers_are_compared_and_a_click_picks_from_the_side_where_it_is(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url)
    page = person.page
    await person.says("show countries")
    await person.says("show airports in red")
    await person.looks_at(13.4, 52.5, 6)
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Compare with another layer").click()
    await expect(line(person)).to_be_focused()
    await shows(person, "map", "airports")
    await shows(person, "beside", "countries")
    assert await violations(person) == []

    await page.keyboard.press("End")
    await expect(line(person)).to_have_attribute("aria-valuenow", "100")
    await page.keyboard.press("Home")
    await page.mouse.click(500, 560)
    await expect(page.locator(".inspector-layer")).to_have_text("countries")
    await page.get_by_label("Layer on the left").select_option("countries")
    await shows(person, "map", "countries")
    await shows(person, "beside", "airports")

    box = await line(person).bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, 300)
    await page.mouse.down()
    await page.mouse.move(400, 300)
    await page.mouse.up()
    await expect(line(person)).to_have_attribute("aria-valuenow", re.compile("4[1-9]|5[0-4]"))
    await person.looks_at(0, 45, 5)
    assert await person.see("Math.abs(geoagent.beside.getCenter().lat - 45) < 0.01")

    assert (await person.layers())[0]["visible"], "comparing is private"
    await page.get_by_role("button", name="End comparison").click()
    await shows(person, "map", "airports", "countries")
    assert await person.see("geoagent.beside") is None


async def test_a_moment_of_the_history_is_compared_with_now(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    page = person.page
    await person.says("show countries")
    await person.says("show airports in red")
    await person.looks_at(13.4, 52.5, 6)
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("menuitem", name="History").click()
    await page.get_by_role("button", name="Added countries").click()
    await page.get_by_role("button", name="Compare with now").click()
    await shows(person, "map", "countries")
    await shows(person, "beside", "airports", "countries")
    await page.get_by_role("button", name="Back to now").click()
    await expect(line(person)).to_have_count(0)
    await shows(person, "map", "airports", "countries")


async def test_a_comparison_ends_with_its_layer(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    await person.says("show countries")
    await person.says("show airports in red")
    await person.page.get_by_role("button", name="Actions for airports").click()
    await person.page.get_by_role("menuitem", name="Compare with another layer").click()
    await expect(line(person)).to_be_visible()
    await person.says("remove countries")
    await expect(line(person)).to_have_count(0)
