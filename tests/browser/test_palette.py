"""The command palette, what is pasted onto the page, and how much lies over a phone's map."""

from __future__ import annotations

import asyncio

from aiohttp import web
from aiohttp.test_utils import TestServer
from aiohttp.typedefs import Handler
from playwright.async_api import Route, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations

FEWER_ROWS = True

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


async def test_the_file_at_a_pasted_address_is_fetched_by_the_browser(person: Person) -> None:
    """Not by the server, and only where the other site lets pages read its files."""
    page, asked = person.page, list[str]()

    async def answer(request: web.Request) -> web.Response:
        asked.append(
            f"{request.path} {request.headers.get('Cookie', '')}{request.headers.get('Referer', '')}"
        )
        if request.path == "/gone.csv":
            return web.Response(status=404, headers={"Access-Control-Allow-Origin": "*"})
        shared = {} if "own" in request.path else {"Access-Control-Allow-Origin": "*"}
        return web.json_response({"type": "Point", "coordinates": [13.4, 52.5]}, headers=shared)

    async with TestServer(_app(answer)) as other:
        for path, words in (
            ("/own.geojson", "does not let other sites read its files"),
            ("/gone.csv", "status 404"),
            ("/page.html", "Paste the address of a file"),
        ):
            await page.locator(".map canvas").focus()
            await page.evaluate(PASTE, str(other.make_url(path)))
            await expect(page.locator(".toast").last).to_contain_text(words)
        await page.locator(".map canvas").focus()
        await page.evaluate(PASTE, str(other.make_url("/trees.geojson")))
        await expect(page.get_by_role("dialog")).to_contain_text("1 row")
        await expect(page.get_by_role("dialog")).to_contain_text("trees.geojson")
        there = str(other.make_url("/"))
    assert asked == ["/own.geojson ", "/gone.csv ", "/trees.geojson "]
    person.troubles[:] = [each for each in person.troubles if there not in each]


def _app(answer: Handler) -> web.Application:
    app = web.Application()
    app.router.add_get("/{name}", answer)
    return app


async def test_the_card_of_a_feature_does_not_cover_it(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=1024, height=768)
    await person.says("show airports in red")
    await person.looks_at(8.57, 50.03, 8)
    canvas, card = person.page.locator(".map canvas"), person.page.locator(".inspector")
    box = await canvas.bounding_box()
    assert box is not None
    feature = int((await person.features("airports"))[0]["id"])
    point, there = await person.point_of("airports", feature), (box["x"] + box["width"] - 200, box["y"] + 160)
    shift = f"[{point['x'] - there[0]}, {point['y'] - there[1]}]"
    await person.see(f"void geoagent.map.panBy({shift}, {{ animate: false }})")
    await person.wait_for("geoagent.map.loaded() && geoagent.map.areTilesLoaded()")
    await person.page.mouse.click(*there)
    await card.wait_for()
    await person.wait_for("!geoagent.map.isMoving()")
    over, at = await card.bounding_box(), await person.point_of("airports", feature)
    assert over is not None
    inside = over["x"] < at["x"] < over["x"] + over["width"]
    assert not (inside and over["y"] < at["y"] < over["y"] + over["height"]), (at, over)


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
