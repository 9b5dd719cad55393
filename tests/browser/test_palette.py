"""The command palette, what is pasted onto the page, and how much lies over a phone's map."""

from __future__ import annotations

import asyncio

from playwright.async_api import Route, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations

PASTE = """text => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const target = document.activeElement ?? document.body;
    target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


OPENED = """async () => {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true, bubbles: true }));
    await new Promise(done => setTimeout(done));
    return document.activeElement.role;
}"""


async def test_every_command_is_found_by_its_name_and_run_by_enter(person: Person) -> None:
    page = person.page
    await person.says("show airports in red")
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Commands")
    await expect(palette.get_by_role("combobox")).to_be_focused()
    await expect(palette.get_by_role("option", name="Undo")).to_contain_text("Ctrl Z")
    assert await violations(person) == []
    await page.keyboard.type("open tab air")
    await expect(palette.get_by_role("option")).to_have_count(1)
    await page.keyboard.press("Enter")
    await expect(palette).to_have_count(0)
    await page.locator(".grid-body .grid-row").first.wait_for()
    assert await page.evaluate(OPENED) == "combobox", "the next key is the palette's"
    await page.keyboard.type("undo")
    await page.keyboard.press("Enter")
    await person.misses("airports")
    await page.keyboard.press("Control+k")
    await page.keyboard.press("Escape")
    await expect(palette).to_have_count(0)


async def test_what_is_typed_while_the_palette_loads_is_in_its_field(person: Person) -> None:
    page, loaded = person.page, asyncio.Event()

    async def late(route: Route) -> None:
        await loaded.wait()
        await route.continue_()

    await page.route("**/assets/palette-*.js", late)
    await page.keyboard.press("Control+k")
    await page.keyboard.type("rexd")
    await page.keyboard.press("Backspace")
    await page.keyboard.press("Backspace")
    loaded.set()
    field = page.get_by_role("dialog", name="Commands").get_by_role("combobox")
    await expect(field).to_be_focused()
    await page.keyboard.type("do")
    await expect(field).to_have_value("redo")
    await page.keyboard.press("Escape")
    await expect(page.locator(".composer textarea")).to_have_value("")


async def test_pasted_shapes_are_offered_for_upload_and_coordinates_are_looked_at(person: Person) -> None:
    page = person.page
    await page.evaluate(PASTE, '{"type": "Point", "coordinates": [13.4, 52.5]}')
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("pasted")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await page.locator(".map canvas").focus()
    await page.evaluate(PASTE, "POLYGON((13 52, 14 52, 14 53, 13 52))")
    await expect(dialog).to_contain_text("1 row")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await page.locator(".map canvas").focus()
    await page.evaluate(PASTE, "52.52, 13.405")
    await person.wait_for("Math.abs(geoagent.map.getCenter().lat - 52.52) < 0.05")


async def test_at_most_six_controls_lie_over_the_map_of_a_phone(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await person.says("show airports in red")
    shown = """() => [...document.querySelectorAll(".stage :is(button, input, summary)")].filter(it =>
        it.checkVisibility({ visibilityProperty: true }) && it.getBoundingClientRect().bottom < innerHeight * 0.5)
        .map(it => it.ariaLabel || it.title || it.textContent)"""
    assert len(await person.see(shown)) <= 6, await person.see(shown)
    await person.page.get_by_role("button", name="Map tools").tap()
    await person.page.get_by_role("menuitemradio", name="Measure").tap()
    await expect(person.page.locator(".tool-hint")).to_contain_text("Click along the line")
