"""Sharing: a link that only shows, frames on other pages, people's names, pointers, selections, and following."""

from __future__ import annotations

import re

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Enter, Serve
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True


async def opens_sharing(page: Page) -> None:
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("menuitem", name="Share this map").click()
    await expect(page.get_by_role("dialog")).to_be_visible()


async def view_link(person: Person) -> str:
    await opens_sharing(person.page)
    dialog = person.page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Create view link").click()
    link = await dialog.get_by_label("View link", exact=True).input_value()
    await dialog.get_by_role("button", name="Close").click()
    return link


async def named(person: Person, name: str) -> None:
    await opens_sharing(person.page)
    await person.page.get_by_label("Your name").fill(name)
    await person.page.keyboard.press("Tab")
    await person.page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await expect(person.page.get_by_role("dialog")).to_have_count(0)


async def test_a_view_link_shows_the_map_live_and_offers_nothing_that_changes_it(
    person: Person, enter: Enter
) -> None:
    await person.says("show airports in red")
    link = await view_link(person)
    assert re.search(r"/m/view_[\w-]{22}$", link)
    viewer = await enter(link)
    await viewer.sees("airports")
    page = viewer.page
    await expect(page.locator(".view-only")).to_have_text("View only")
    assert await viewer.see("document.querySelector('.map-name').clientWidth") >= 80, "the name can be read"
    await expect(viewer.box).to_have_count(0)
    for gone in ("Undo", "Browse and add data", "Hide airports", "Reorder airports", "Ask again"):
        await expect(page.get_by_role("button", name=gone)).to_have_count(0)
    await page.get_by_role("button", name="Actions for airports").click()
    await expect(page.get_by_role("menuitem", name="Zoom to")).to_be_visible()
    items = await page.get_by_role("menuitem").all_inner_texts()
    assert not {"Rename", "Remove", "Duplicate"} & {item.strip() for item in items}
    await page.keyboard.press("Escape")
    assert await violations(viewer) == []

    await person.says("show countries")
    await viewer.sees("countries")
    whole = await viewer.see("JSON.stringify(geoagent.state) + document.documentElement.outerHTML")
    assert person.page.url.rsplit("/", 1)[1] not in whole

    async with page.expect_navigation():
        await page.get_by_role("button", name="Make a copy").click()
    await viewer.ready()
    await viewer.says("remove the airports")
    await until(lambda: has_layers(viewer, ["countries"]))
    assert len(await person.layers()) == 2


async def test_a_withdrawn_link_says_so_at_once(person: Person, enter: Enter) -> None:
    await person.says("show airports")
    viewer = await enter(await view_link(person))
    viewer.outages_expected = True
    await opens_sharing(person.page)
    await person.page.get_by_role("button", name="Revoke view link").click()
    await expect(viewer.page.get_by_role("alert")).to_contain_text("This link no longer works")
    await expect(viewer.page.locator(".layers, .viewer-note")).to_have_count(0)
    await viewer.page.goto(f"{viewer.page.url}?embed=1")
    await expect(viewer.page.get_by_role("alert")).to_contain_text("This link no longer works")
    # A new map may not be framed.
    await expect(viewer.page.get_by_role("link", name="Start a new map")).to_have_count(0)


async def test_the_sharing_dialog_is_accessible_and_copies(person: Person) -> None:
    await person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await opens_sharing(person.page)
    dialog = person.page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Create view link").click()
    await dialog.get_by_role("button", name="Copy: Embed in a web page").click()

    async def copied() -> bool:
        frame = await person.see("navigator.clipboard.readText()")
        return bool(
            re.fullmatch(r'<iframe src="http://[^"]+/m/view_[\w-]{22}\?embed=1" [^<]+></iframe>', frame)
        )

    await until(copied)
    assert await violations(person) == []
    await person.page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)


@pytest.mark.parametrize("allowed", [True, False])
async def test_only_pages_that_the_server_names_may_frame_a_map(
    serve: Serve, browser: Browser, enter: Enter, allowed: bool
) -> None:
    link = ""

    async def page_of_others(request: web.Request) -> web.Response:
        body = f'<!doctype html><title>News</title><iframe src="{link}?embed=1" width="900" height="600"></iframe>'
        return web.Response(text=body, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", page_of_others)
    hosts = TestServer(app)
    await hosts.start_server()
    origin = f"http://127.0.0.1:{hosts.port}"
    server = await serve(embed_origins=(origin,) if allowed else ())
    person = await enter(server.url)
    await person.says("show airports in red")
    link = await view_link(person)
    page = await browser.new_page()
    await page.goto(origin)
    if allowed:
        await until(lambda: len(page.frames) > 1 and "/m/view_" in page.frames[1].url)
        inside = page.frames[1]
        await until(lambda: inside.evaluate("window.geoagent?.state?.layers.length === 1"))
        await expect(inside.locator(".layer-name")).to_have_text("airports")
        await expect(inside.get_by_role("link", name="Open full map")).to_be_visible()
        await expect(inside.locator(".chat")).to_have_count(0)
    else:
        await until(lambda: len(page.frames) > 1 and page.frames[1].url.startswith("chrome-error:"))
    await page.close()
    await hosts.close()


async def test_a_frame_that_is_lower_than_the_world_shows_its_middle(person: Person, enter: Enter) -> None:
    await person.says("show countries")
    frame = await enter(f"{await view_link(person)}?embed=1", width=600, height=400)
    await frame.sees("countries")
    middle = await frame.see("geoagent.map.getCenter().lng")
    assert abs(middle) < 90, "it is beside the panel, and the other side of the world is not in the middle"


async def test_in_a_small_frame_nothing_lies_on_anything_else(person: Person, enter: Enter) -> None:
    await person.says("show countries")
    frame = await enter(f"{await view_link(person)}?embed=1", width=300, height=200)
    link = await frame.page.get_by_role("link", name="Open full map").bounding_box()
    panel = await frame.page.locator(".layers").bounding_box()
    assert link is not None
    assert panel is not None
    assert panel["x"] + panel["width"] <= link["x"]


async def test_names_pointers_and_selections_are_seen_by_the_others(person: Person, enter: Enter) -> None:
    await person.says("show airports in red")
    other = await enter(person.page.url)
    await named(person, "Ann")
    await named(other, "Ben")
    await expect(person.page.locator(".people-count")).to_have_text("2")

    async def points() -> bool:
        await other.page.mouse.move(500, 400)
        await other.page.mouse.move(520, 410)
        return await person.page.locator(".pointer").count() == 1

    await until(points, pause=0.2)
    await expect(person.page.locator(".pointer")).to_have_text("Ben")
    shown = await person.page.locator(".pointer").evaluate(
        "it => getComputedStyle(it.querySelector('span')).backgroundColor"
    )
    listed = await person.page.locator(".face").first.evaluate("it => getComputedStyle(it).backgroundColor")
    assert shown == listed

    await other.sees("airports")
    point = await other.point_of("airports")
    await other.page.mouse.click(point["x"], point["y"])
    marks = "geoagent.map.getLayersOrder().filter(it => it.includes(':mark-0')).length"
    await person.wait_for(marks)
    await other.page.get_by_role("button", name="Close").first.click()
    await person.wait_for(f"{marks} === 0")

    await other.says("hello")
    await expect(person.page.locator(".author")).to_have_text("Ben")
    assert await violations(person) == []
    await other.page.context.close()
    await expect(person.page.locator(".pointer")).to_have_count(0)


async def test_what_is_being_typed_as_name_stays_while_the_map_changes(person: Person, enter: Enter) -> None:
    other = await enter(person.page.url)
    await opens_sharing(person.page)
    field = person.page.get_by_label("Your name")
    await field.fill("Ben")
    await other.says("show airports in red")
    await person.lists("airports")
    await person.page.get_by_role("button", name="Create view link").click()
    await expect(person.page.get_by_label("View link", exact=True)).to_be_visible()
    await expect(field).to_have_value("Ben")
    await other.wait_for("geoagent.state.known.some(it => it.name === 'Ben')")


async def test_a_name_is_kept_over_a_reload(person: Person, enter: Enter) -> None:
    other = await enter(person.page.url)
    await named(other, "Ben")
    await other.reload()
    await person.wait_for("geoagent.state.known.some(it => it.name === 'Ben')")


async def test_another_user_is_followed_until_the_map_is_moved(person: Person, enter: Enter) -> None:
    other = await enter(person.page.url)
    await named(other, "Ben")
    page = person.page
    await person.wait_for("geoagent.state.known.some(it => it.name === 'Ben')")

    async def follows() -> bool:
        if await page.get_by_role("menu").count() == 0:
            await page.get_by_role("button", name="2 people on this map").click()
        ben = page.get_by_role("menuitemradio", name="Ben")
        if await ben.count() > 0:
            await ben.click()
        return await page.get_by_text("Following Ben").count() > 0

    await until(follows, pause=0.2)
    await expect(page.get_by_text("Following Ben")).to_be_visible()
    await other.looks_at(8, 47, 6)
    await person.wait_for("Math.abs(geoagent.map.getCenter().lng - 8) < 1 && geoagent.map.getZoom() > 5")
    box = await page.locator(".map canvas").bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 500, box["y"] + 500)
    await page.mouse.wheel(0, 300)
    await expect(page.get_by_text("Following Ben")).to_have_count(0)
    await other.looks_at(100, 10, 6)
    await other.says("hello")
    await expect(page.locator(".bubble")).to_have_text("hello")
    assert await person.see("geoagent.map.getCenter().lng") < 50


async def test_a_phone_shows_a_view_link_too(person: Person, enter: Enter) -> None:
    await person.says("show airports in red")
    viewer = await enter(await view_link(person), width=390, height=844, dark=True)
    await viewer.sees("airports")
    await expect(viewer.page.get_by_role("button", name="Make a copy")).to_be_visible()
    assert await violations(viewer) == []


async def has_layers(person: Person, ids: list[str]) -> bool:
    return [layer["id"] for layer in await person.layers()] == ids
