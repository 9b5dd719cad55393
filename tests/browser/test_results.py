"""Results, uploads and selected rows out of sight: the way to them, beside the panels that lie over the map."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Route, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until

FEWER_ROWS = True

CORNERS = """([west, south, east, north]) => {
    const box = geoagent.map.getContainer().getBoundingClientRect();
    return [[west, south], [west, north], [east, south], [east, north]].map(corner => {
        const { x, y } = geoagent.map.project(corner);
        return [box.left + x, box.top + y];
    });
}"""


async def corners(person: Person, bounds: Any) -> list[tuple[float, float]]:
    """Where on the page the corners of these bounds are."""
    found: list[tuple[float, float]] = await person.page.evaluate(CORNERS, list(bounds))
    return found


async def is_free(person: Person, x: float, y: float) -> bool:
    """Whether the map itself is at this point of the page."""
    return bool(
        await person.page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y)?.closest('.map') !== null", [x, y]
        )
    )


async def in_view(person: Person, layer_id: str) -> bool:
    """Whether the layer is there, and all of it lies where the map can be seen."""
    found = [layer["bounds"] for layer in await person.layers() if layer["id"] == layer_id]
    points = [point for bounds in found for point in await corners(person, bounds)]
    return bool(points) and all([await is_free(person, x, y) for x, y in points])


async def test_the_first_result_is_looked_at_beside_the_panels_and_later_ones_are_offered(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url, width=1024, height=768)
    page = person.page
    await person.says("show airports in Italy in red")
    await until(lambda: in_view(person, "airports"), pause=0.1)

    await person.looks_at(-100, 40, 4)
    row = page.locator("[data-layer=airports]")
    await expect(row.get_by_role("button", name="Outside the view")).to_be_visible()
    centre = await person.see("geoagent.map.getCenter().toArray()")
    await person.says("show cities in Japan in blue")
    assert await person.see("geoagent.map.getCenter().toArray()") == centre, "the map is the person's own"
    await page.get_by_role("button", name="Zoom to result").click()
    await until(lambda: in_view(person, "cities"), pause=0.1)
    await expect(page.get_by_role("button", name="Zoom to result")).to_have_count(0)


async def test_hints_and_the_search_box_do_not_lie_over_one_another(enter: Enter, world: Server) -> None:
    for width in (1024, 390):
        person = await enter(world.url, width=width, height=800)
        if width < 700:
            await person.page.get_by_role("button", name="Map tools").click()
            await person.page.get_by_role("menuitemradio", name="Measure").click()
        else:
            await person.page.get_by_role("button", name="Measure").click()
        hint = await person.page.locator(".tool-hint").bounding_box()
        search = await person.page.locator(".search").bounding_box()
        assert hint is not None
        assert search is not None
        beside = hint["x"] >= search["x"] + search["width"] or hint["x"] + hint["width"] <= search["x"]
        assert beside or hint["y"] >= search["y"] + search["height"], width


async def test_a_selected_row_elsewhere_is_zoomed_to(person: Person) -> None:
    page = person.page
    await person.says("show cities")
    await person.looks_at(0, -60, 5)
    await page.get_by_role("button", name="Actions for cities").click()
    await page.get_by_role("menuitem", name="Open table").click()
    await page.locator(".grid-body .grid-row").first.click()
    await page.get_by_role("button", name="Zoom to the selection").click()
    await until(lambda: marked_in_view(person), pause=0.1)


async def marked_in_view(person: Person) -> bool:
    return bool(
        await person.see("geoagent.map.queryRenderedFeatures({ layers: ['cities:mark-point'] }).length")
    )


async def test_tiles_that_fail_later_are_said_on_the_row_and_tried_again(person: Person) -> None:
    page = person.page
    await person.says("show airports in red")
    await person.looks_at(8.5, 47.4, 6)
    await person.sees("airports")
    person.outages_expected = True

    async def fail(route: Route) -> None:
        await route.fulfill(status=500, body="{}")

    await page.route("**/tiles/**", fail)
    await person.page.evaluate("void geoagent.map.jumpTo({ center: [-100, 40], zoom: 6 })")
    row = page.locator("[data-layer=airports]")
    await expect(row.get_by_role("alert")).to_contain_text("could not be loaded")
    await page.unroute("**/tiles/**")
    await row.get_by_role("button", name="Try again").click()
    await person.sees("airports")
    await expect(row.get_by_role("alert")).to_have_count(0)
