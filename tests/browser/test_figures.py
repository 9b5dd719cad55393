"""Numbers in answers: which are underlined, what a click tells, the features behind them, and what nothing backs."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import local_server

ICELAND = {"op": "=", "args": [{"property": "country"}, "Iceland"]}
COUNT = ("count_features", {"table": "data.airports", "filters": ICELAND})
TOP = (
    "query_features",
    {
        "table": "data.cities",
        "columns": ["name", "population"],
        "sort": "population",
        "descending": True,
        "limit": 3,
    },
)
SHOW = ("add_map_layer", {"table": "data.airports", "layer_id": "airports", "color": "red"})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(samples_url: str, model: ScriptedModel) -> AsyncIterator[Server]:
    async with local_server(samples_url, model) as server:
        yield server


async def test_a_click_on_a_number_tells_its_query_and_its_rows(person: Person, model: ScriptedModel) -> None:
    model.then([COUNT], ["There are **79** airports in Iceland."])
    await person.says("how many airports are there in Iceland?")
    page = person.page
    sheet = page.locator(".figure-sheet")
    await page.get_by_role("button", name="79", exact=True).click()
    await expect(sheet).to_be_focused()
    await expect(sheet.get_by_role("heading", name="79", exact=True)).to_be_visible()
    await expect(sheet.locator(".sql pre")).to_contain_text("'Iceland'")
    await expect(sheet.locator("tbody tr")).to_have_count(6)
    await expect(sheet.locator("tbody tr").first).to_contain_text("Iceland")
    first = await sheet.locator("tbody tr").first.inner_text()
    await sheet.get_by_role("button", name="Next").click()
    await expect(sheet.locator(".figure-pages")).to_contain_text("7–12 of 79")
    await expect(sheet.locator("tbody tr").first).not_to_have_text(first)
    await page.keyboard.press("Escape")
    await expect(sheet).to_have_count(0)
    await expect(page.get_by_role("button", name="79", exact=True)).to_be_focused()


async def test_a_number_that_nothing_backs_says_so(person: Person, model: ScriptedModel) -> None:
    made_up = ["79 airports, and 7,777 pilots."]
    model.then([COUNT], made_up, made_up)  # Also when it is asked to write the answer again.
    await person.says("how many?")
    page = person.page
    unfounded = page.locator(".figure.unfounded")
    await expect(unfounded).to_have_text("7,777 (Unverified)")
    assert "No tool returned this number" in str(await unfounded.get_attribute("title"))
    await unfounded.focus()
    await page.keyboard.press("Enter")
    sheet = page.locator(".figure-sheet")
    await expect(sheet).to_contain_text("No tool returned this number")
    await expect(sheet.locator(".sql")).to_have_count(0)


async def test_the_features_of_a_number_are_highlighted_where_a_layer_draws_them(
    person: Person, model: ScriptedModel
) -> None:
    model.then([SHOW], ["Done."])
    await person.says("show airports")
    await person.sees("airports")
    model.then([COUNT], ["There are 79."])
    await person.says("how many in Iceland?")
    await person.page.get_by_role("button", name="79", exact=True).click()
    await person.page.get_by_role("button", name="Show on the map").click()
    mark = "airports:mark-point"
    marked = f"geoagent.map.getLayer('{mark}') ? geoagent.map.getFilter('{mark}')[2][1].length : 0"
    assert await until(lambda: person.see(marked), pause=0.1) == 79
    west = "geoagent.map.getBounds().getWest()"
    await person.wait_for(f"{west} > -40 && {west} < -20")


async def test_without_a_layer_they_are_added_as_one(person: Person, model: ScriptedModel) -> None:
    model.then([TOP], ["The largest has 24,874,500 people."])
    await person.says("which city is the largest?")
    await person.page.get_by_role("button", name="24,874,500").click()
    sheet = person.page.locator(".figure-sheet")
    await expect(sheet.locator("tbody tr")).to_have_count(1)
    await expect(sheet.locator("tbody tr")).to_contain_text("Shanghai")
    await sheet.get_by_role("button", name="Add as layer").click()
    layers = await until(person.layers, pause=0.1)
    assert [(layer["table"], layer["count"]) for layer in layers] == [("data.cities", 1)]
    await expect(sheet.get_by_role("button", name="Show on the map")).to_be_visible()


async def test_it_is_so_after_a_reload_and_in_a_second_browser(
    person: Person, model: ScriptedModel, enter: Enter
) -> None:
    made_up = ["There are 79, or 7,777."]
    model.then([COUNT], made_up, made_up)  # Also when it is asked to write the answer again.
    await person.says("how many?")
    await person.reload()
    other = await enter(person.page.url, locale="ar")
    for one, told in ((person, "Unverified"), (other, "غير موثَّق")):
        await expect(one.page.locator(".figure.unfounded")).to_contain_text(told)
        await one.page.locator(".figure:not(.unfounded)").click()
        await expect(one.page.locator(".figure-sheet .sql pre")).to_contain_text("SELECT count(*)")
        await expect(one.page.locator(".figure-sheet tbody tr")).to_have_count(6)


async def test_on_a_phone_the_sheet_is_within_the_page(
    world: Server, model: ScriptedModel, enter: Enter
) -> None:
    person = await enter(world.url, width=390, height=844, dark=True)
    model.then([COUNT], ["There are 79."])
    await person.says("how many?")
    await person.page.locator(".figure").click()
    sheet = person.page.locator(".figure-sheet")
    await expect(sheet.locator("tbody tr")).to_have_count(6)
    box = await sheet.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert await person.see("document.documentElement.scrollWidth") <= 390
