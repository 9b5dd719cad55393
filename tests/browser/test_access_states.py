"""Axe finds nothing wrong in states that no other test looks at: tools in use, work in progress, a lost connection."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations_light_and_dark

SLOW = "buffer the cities by 50 km and dissolve them, then smooth them"


async def choose(person: Person, tool: str) -> None:
    page = person.page
    if await page.get_by_role("button", name="Map tools").is_visible():
        await page.get_by_role("button", name="Map tools").click()
        await page.get_by_role("menuitemradio", name=tool).click()
    else:
        await page.get_by_role("button", name=tool).click()


@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing_wrong_while_something_goes_on(
    enter: Enter, world: Server, width: int
) -> None:
    person = await enter(world.url, width=width, height=844)
    page = person.page
    await choose(person, "Draw features")
    drawing = page.locator(".draw")
    await expect(drawing).to_be_visible()
    assert await violations_light_and_dark(person) == []
    box = await drawing.bounding_box()
    assert box is not None
    assert box["height"] <= (120 if width < 700 else 160), "the map is seen below it"
    await drawing.get_by_role("button", name="Cancel").click()

    await choose(person, "Measure")
    await expect(page.locator(".tool-hint")).to_be_visible()
    await page.mouse.click(width * 0.4, 200)
    await page.mouse.click(width * 0.6, 240)
    assert await violations_light_and_dark(person) == []
    await page.keyboard.press("Escape")

    await person.box.fill(SLOW)
    await page.keyboard.press("Enter")
    await expect(page.locator(".step-progress")).to_be_visible()
    assert await violations_light_and_dark(person) == []
    await page.get_by_role("button", name="Stop").click()
    await expect(page.locator(".step-progress")).to_have_count(0)

    person.outages_expected = True
    await page.context.set_offline(True)
    await expect(page.locator(".banner")).to_contain_text("Offline")
    assert await violations_light_and_dark(person) == []
    await page.context.set_offline(False)
    await expect(page.locator(".banner")).to_have_count(0)
