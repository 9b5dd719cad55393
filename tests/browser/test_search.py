"""The search box: a place, a coordinate, a layer or a table, by keyboard or pointer."""

from __future__ import annotations

from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True

COVERED_OPTIONS = """(() => {
    const list = document.querySelector("#search-results").getBoundingClientRect();
    return [...document.querySelectorAll(".search-option")].filter((option) => {
        const { left, right, top, bottom } = option.getBoundingClientRect();
        if (bottom > list.bottom) return false;
        return !option.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    }).map((option) => option.textContent);
})()"""


def box(person: Person) -> Locator:
    return person.page.get_by_role("combobox", name="Search for places")


async def looked_at(person: Person, longitude: float, latitude: float, near: float = 0.5) -> None:
    """Waits until the camera rests there."""

    async def there() -> bool:
        lng, lat, moving = await person.see(
            "(c => [c.lng, c.lat, geoagent.map.isMoving()])(geoagent.map.getCenter())"
        )
        return not moving and abs(lng - longitude) < near and abs(lat - latitude) < near

    await until(there, pause=0.1)


async def test_a_place_is_found_looked_at_and_marked(person: Person) -> None:
    page = person.page
    await page.keyboard.press("Control+/")
    await expect(box(person)).to_be_focused()
    await page.keyboard.type("zurich")
    places = page.get_by_role("group", name="Places").get_by_role("option")
    await expect(places.first).to_contain_text("Zürich")
    await expect(box(person)).to_have_attribute("aria-expanded", "true")
    chosen = page.locator('[role="option"][aria-selected="true"]')
    await expect(chosen).to_have_count(1)
    await expect(box(person)).to_have_attribute(
        "aria-activedescendant", await chosen.get_attribute("id") or ""
    )
    assert await violations(person) == []
    await page.keyboard.press("Enter")
    await looked_at(person, 8.55, 47.38)
    pin = page.get_by_role("img", name="Zürich")
    await expect(pin).to_be_visible()
    await expect(box(person)).to_have_attribute("aria-expanded", "false")
    await page.keyboard.press("Escape")
    await expect(box(person)).to_have_value("")
    await expect(pin).to_have_count(0)
    assert await person.layers() == [], "looking for a place adds nothing"


async def test_two_plain_numbers_are_offered_both_ways(person: Person) -> None:
    await box(person).fill("47.4, 8.5")
    options = person.page.get_by_role("group", name="Coordinates").get_by_role("option")
    await expect(options).to_have_count(2)
    await expect(options.first).to_contain_text("47.4° N, 8.5° E")
    await expect(options.last).to_contain_text("8.5° N, 47.4° E")
    await expect(options.last).to_contain_text("longitude, latitude")
    await person.page.keyboard.press("ArrowDown")
    await person.page.keyboard.press("Enter")
    await looked_at(person, 47.4, 8.5, near=0.1)
    await box(person).fill("33°30'S 70°30'W")
    await expect(options).to_have_count(1)
    await options.first.click()
    await looked_at(person, -70.5, -33.5, near=0.1)
    await expect(person.page.locator(".pin")).to_have_count(1)


async def test_a_layer_is_zoomed_to_and_a_table_added(person: Person) -> None:
    page = person.page
    await box(person).fill("airports")
    await page.get_by_role("group", name="Tables").get_by_role("option", name="airports").click()
    await person.sees("airports")
    await person.looks_at(100, 70, 6)
    await box(person).fill("AIRP")
    await page.get_by_role("group", name="Layers").get_by_role("option", name="airports").click()
    await person.wait_for("!geoagent.map.isMoving() && geoagent.map.getZoom() < 4")
    assert len(await person.layers()) == 1


async def test_what_is_not_there_is_said(person: Person) -> None:
    await box(person).fill("qqqqzzzz'; --")
    await expect(person.page.locator(".search-list")).to_contain_text("No results")
    await person.page.keyboard.press("Enter")
    await expect(box(person)).to_have_value("qqqqzzzz'; --")


async def test_on_a_phone_the_search_opens_over_the_map(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await expect(person.page.locator(".layers-title")).to_be_visible()
    await person.page.get_by_role("button", name="Hide the conversation").tap()
    await expect(person.page.locator(".sheet-full")).to_be_visible()
    await box(person).tap()
    await box(person).fill("san")
    places = person.page.get_by_role("group", name="Places").get_by_role("option")
    await expect(places).to_have_count(6)
    assert await person.see(COVERED_OPTIONS) == [], "the conversation lies over the results"
    await box(person).fill("paris")
    option = places.first
    await expect(option).to_contain_text("Paris")
    assert await person.see("document.documentElement.scrollWidth") == 390
    await option.tap()
    await looked_at(person, 2.35, 48.86, near=2)
    await expect(person.page.get_by_role("img", name="Paris")).to_be_visible()
