"""A newcomer's first five minutes, by typing and looking."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until

BASE_MAP = True
FEWER_ROWS = True


@pytest.mark.pixels
async def test_a_newcomer_sees_the_whole_product_work(person: Person, world: Server) -> None:
    await until(lambda: many_colours(person), pause=0.25)  # the base map is drawn

    answer = await person.says("show airports in red")
    assert "9,435" in answer
    [airports] = await person.layers()
    await person.sees(airports["id"])
    await person.paints(255, 0, 0, near=60, least=2000)

    await person.says("only the ones above 2000 m")
    high = await until(lambda: only_high(person, airports["id"]), pause=0.25)
    assert 0 < len(high) <= 130

    await person.says("colour countries by population")
    await person.sees("countries")
    legend = person.page.locator('[data-layer="countries"] .legend-rows li')
    await until(lambda: enough(legend, 5))
    await expect(legend.first.locator(".swatch")).to_have_css("background-color", "rgb(255, 255, 204)")
    await person.paints(255, 255, 204, near=30, least=500)  # the legend's first colour is on the map

    await person.says("remove the airports")
    await person.lists("countries")
    await person.misses(airports["id"])

    await person.says("reset the map")
    await person.lists()
    await person.misses("countries")

    await person.says("undo")
    await person.lists("countries")
    await person.sees("countries")


@pytest.mark.pixels
async def test_shapes_that_stay_where_they_are_are_painted_again_in_new_colours(person: Person) -> None:
    await person.says("show countries in blue")
    await person.sees_all("countries")
    await person.paints(0, 0, 255, near=130, least=2000)

    await person.says("colour countries by continent")
    for row in (0, 1, 2):
        swatch = person.page.locator('[data-layer="countries"] .legend-rows li .swatch').nth(row)
        await person.paints(*(await colour_of(swatch)), near=60, least=500)


async def test_a_suggestion_can_be_clicked_and_its_steps_opened(person: Person) -> None:
    await person.page.get_by_role("button", name="show airports in red").click()
    step = person.page.locator(".step-line").first
    await step.wait_for()
    await until(lambda: person.page.locator(".step-ok").count())
    await expect(step).to_have_attribute("aria-expanded", "false")
    await step.click()
    await expect(person.page.locator(".step-details")).to_contain_text("airports")


async def test_the_address_names_the_map_and_a_reload_keeps_everything(person: Person) -> None:
    await person.says("show airports in red")
    address = person.page.url
    assert "/m/" in address
    before = await person.see("({ layers: geoagent.state.layers, turns: geoagent.state.turns })")
    await person.reload()
    assert person.page.url == address
    after = await person.see("({ layers: geoagent.state.layers, turns: geoagent.state.turns })")
    assert after == before
    await expect(person.page.locator(".bubble")).to_have_text("show airports in red")
    await person.sees("airports")


async def test_the_agent_knows_that_a_layer_was_drawn(person: Person) -> None:
    """It waits two seconds for the browser's word; a busy machine may need another try."""
    for _ in range(4):
        await person.says("show airports in red")
        tool = [entry for entry in (await person.turns())[-1]["entries"] if entry["kind"] == "tool"][-1]
        drawn = await person.sees_all((await person.layers())[-1]["id"])
        if "drawn" in tool["result"] and "not confirmed" not in tool["result"]:
            break
        await person.says("reset the map")
    assert str(drawn) in tool["result"].replace(",", ""), "the number that the browser counted"


async def test_what_cannot_be_understood_is_said_and_changes_nothing(person: Person) -> None:
    answer = await person.says("please fold the map into a paper crane")
    assert answer
    assert await person.layers() == []


async def test_an_unknown_map_offers_a_new_one(enter: Enter, world: Server) -> None:
    somebody = await enter(world.url)
    await somebody.page.goto(f"{world.url}/m/there-is-no-such-map")
    note = somebody.page.get_by_role("alert")
    await expect(note).to_contain_text("There is no map at this address")
    # A message would go nowhere.
    await expect(somebody.box).to_have_count(0)
    await note.get_by_role("link", name="Start a new map").click()
    await somebody.ready()
    assert "/m/there-is-no-such-map" not in somebody.page.url


async def many_colours(person: Person) -> bool:
    return await person.colours() > 20


async def colour_of(swatch: Locator) -> tuple[int, int, int]:
    css: str = await swatch.evaluate("it => getComputedStyle(it).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", css)[:3])
    return red, green, blue


async def enough(things: Locator, least: int) -> bool:
    return await things.count() >= least


async def only_high(person: Person, layer_id: str) -> list[object] | None:
    features = await person.features(layer_id)
    heights = [feature["properties"].get("elevation_m") for feature in features]
    return list(features) if features and all(height and height > 2000 for height in heights) else None


async def test_the_conversation_is_there_before_the_map(browser: Browser, world: Server) -> None:
    """MapLibre is most of the page; nobody waits for it to begin."""
    page = await browser.new_page()
    arrived = asyncio.Event()

    async def hold(route: Route) -> None:
        await arrived.wait()
        await route.continue_()

    await page.route("**/assets/maplibre-*.js", hold)
    await page.goto(world.url)
    await page.locator(".composer textarea").fill("which tables are there?")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("airports").first).to_be_visible()
    await expect(page.locator("canvas")).to_have_count(0)
    arrived.set()
    await expect(page.locator("canvas")).to_have_count(1)
    await page.close()
