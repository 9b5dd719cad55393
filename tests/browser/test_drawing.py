"""What a person draws becomes a layer: shapes snap to each other, can be changed, and are saved like a file."""

from __future__ import annotations

from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until

CORNER_OF_LINE = """geoagent.map.querySourceFeatures("geoagent-drawing-linestring")
    .flatMap(({ geometry }) => geometry.coordinates)
    .map(position => geoagent.map.project(position))
    .some(({ x, y }) => Math.hypot(x - 450, y - 420) <= 1)"""


async def click(person: Person, *places: tuple[int, int]) -> None:
    """Clicks on the map, each time with a move of the pointer before, as a hand does it."""
    box = await person.page.locator(".map").bounding_box()
    assert box is not None
    for x, y in places:
        await person.page.mouse.move(box["x"] + x, box["y"] + y)
        await person.page.mouse.click(box["x"] + x, box["y"] + y)


async def test_drawn_shapes_become_a_layer(person: Person) -> None:
    page = person.page
    await person.looks_at(10, 45, 4)
    await page.get_by_role("button", name="Draw features").click()
    panel = page.get_by_role("group", name="Draw features")
    save = panel.get_by_role("button", name="as a layer")
    await expect(save).to_be_disabled()
    await click(person, (450, 300), (600, 300), (600, 420), (450, 420), (450, 300))
    await expect(save).to_have_text("Save 1 shape as a layer")
    await panel.get_by_role("button", name="Line", exact=True).click()
    await click(person, (455, 416), (560, 520), (560, 520))
    await expect(save).to_have_text("Save 2 shapes as a layer")
    assert await until(lambda: person.see(CORNER_OF_LINE), pause=0.1), (
        "the line begins at the corner of the area"
    )
    await panel.get_by_role("button", name="Edit shapes").click()
    await click(person, (560, 519))
    await panel.get_by_role("button", name="Delete the shape").click()
    await expect(save).to_have_text("Save 1 shape as a layer")

    await save.click()
    await expect(panel).to_have_count(0)
    await page.get_by_role("button", name="Load", exact=True).click()
    layers = await until(person.layers, pause=0.1)
    assert [(layer["geometry_type"], layer["count"]) for layer in layers] == [("polygon", 1)]
    await person.sees(layers[0]["id"])


async def test_a_phone_draws_by_touch(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True)
    page = person.page
    await page.get_by_role("button", name="Map tools").tap()
    await (
        page.get_by_role("menuitemcheckbox", name="Draw features")
        .or_(page.get_by_role("menuitemradio", name="Draw features"))
        .tap()
    )
    panel = page.get_by_role("group", name="Draw features")
    await panel.get_by_role("button", name="Point", exact=True).tap()
    await page.touchscreen.tap(200, 330)
    await expect(panel.get_by_role("button", name="as a layer")).to_have_text("Save 1 shape as a layer")
    assert await person.see("document.documentElement.scrollWidth") == 390
    await panel.get_by_role("button", name="Cancel").tap()
    await expect(panel).to_have_count(0)
