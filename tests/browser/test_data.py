"""Looking at the data itself: the catalogue, files that are brought, the table of a layer, a feature's whole row."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.browser.person import Person
from tests.support.looking import until

FEWER_ROWS = True


async def test_a_table_is_found_in_the_catalogue_and_put_on_the_map(person: Person) -> None:
    page = person.page
    await page.get_by_role("button", name="Browse and add data").click()
    await page.get_by_role("searchbox", name="Search tables").fill("airport")
    await expect(page.locator(".table-entry").first).to_contain_text("airports")
    await page.locator(".table-name").first.click()
    await expect(page.locator(".table-columns")).to_contain_text("elevation_m")
    await expect(page.locator(".noted")).to_contain_text("elevation_ft")
    shapes = "geoagent.map.querySourceFeatures('geoagent-preview').length"
    await until(lambda: page.evaluate(shapes), pause=0.1)
    assert await person.layers() == []
    await page.get_by_role("button", name="Add to map: data.airports").click()
    await person.sees("airports")
    await page.keyboard.press("Escape")
    await until(lambda: page.evaluate(f"{shapes} === 0"), pause=0.1)


async def test_a_file_that_is_brought_becomes_a_layer(person: Person) -> None:
    place = {
        "type": "Feature",
        "properties": {"name": "Here", "visitors": 12},
        "geometry": {"type": "Point", "coordinates": [8.5, 47.4]},
    }
    content = json.dumps({"type": "FeatureCollection", "features": [place]}).encode()
    page = person.page
    await page.get_by_role("button", name="Browse and add data").click()
    brought: FilePayload = {"name": "my places.geojson", "mimeType": "application/json", "buffer": content}
    await page.locator('input[type="file"]').set_input_files(brought)
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Load", exact=True).click()
    [layer] = await until(lambda: person.layers(), pause=0.1)
    assert layer["count"] == 1
    assert await person.sees(layer["id"]) == 1

    broken: FilePayload = {"name": "broken.geojson", "mimeType": "application/json", "buffer": b"no"}
    person.outages_expected = True  # the browser notes the refusal in its console
    await page.get_by_role("button", name="Browse and add data").click()
    await page.locator('input[type="file"]').set_input_files(broken)
    await expect(dialog.get_by_role("alert")).to_contain_text("broken.geojson")
    assert len(await person.layers()) == 1


async def test_the_table_of_a_layer_is_sorted_scrolled_and_linked_with_the_map(person: Person) -> None:
    await person.says("show airports in red")
    page = person.page
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    table = page.get_by_role("grid")
    await expect(table).to_have_attribute("aria-rowcount", "9435")
    height = table.get_by_role("columnheader", name="elevation_m")
    for order in ("ascending", "descending"):
        await height.get_by_role("button", name="elevation_m", exact=True).click()
        await expect(height).to_have_attribute("aria-sort", order)
    first = table.locator(".grid-body .grid-row").first
    await expect(first).to_contain_text("14,422")
    await first.click()
    await expect(page.locator(".focus-chip")).to_contain_text("1 selected in airports")
    await person.wait_for("geoagent.map.getLayersOrder().some(it => it === 'airports:mark-point')")

    await first.focus()
    for _ in range(2):
        await page.keyboard.press("ArrowDown")
    third = table.locator('[aria-rowindex="4"]')
    await expect(third).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(third).to_have_attribute("aria-selected", "true")

    # The row with the focus stays when it is scrolled away, and the arrow keys go on from it.
    await table.evaluate("it => it.scrollTo(0, 5000)")
    await expect(table.locator('[aria-rowindex="160"]')).to_be_visible()
    await expect(third).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(table.locator('[aria-rowindex="5"]')).to_be_focused()
    await expect(table.locator('[aria-rowindex="5"]')).to_be_in_viewport()

    await table.evaluate("it => it.scrollTo(0, it.scrollHeight)")
    last = table.locator('[aria-rowindex="9436"]')
    await expect(last).to_be_visible()
    await expect(last.get_by_role("gridcell").first).not_to_be_empty()
    assert await table.locator(".grid-body .grid-row").count() < 40, "only the rows in view are drawn"


async def test_columns_of_a_table_are_set_wider_and_hidden(person: Person) -> None:
    await person.says("show airports in red")
    page = person.page
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    name, city = (page.locator(f'[role=columnheader][data-column="{it}"]') for it in ("name", "city"))

    async def width(of: Locator) -> float:
        box = await of.bounding_box()
        assert box is not None
        return box["width"]

    async def act(item: str) -> None:
        await name.get_by_role("button", name="Actions for name").click()
        await page.get_by_role("menuitem", name=item).click()

    widths = [await width(name), await width(city)]
    edge = await name.locator(".grid-edge").bounding_box()
    assert edge is not None
    await page.mouse.move(edge["x"] + 4, edge["y"] + 10)
    await page.mouse.down()
    await page.mouse.move(edge["x"] + 84, edge["y"] + 10, steps=4)
    await page.mouse.up()
    assert [await width(name), await width(city)] == pytest.approx([widths[0] + 80, widths[1]], abs=2)
    await act("Narrower")
    assert await width(name) == pytest.approx(widths[0] + 20, abs=2)

    await act("Hide column")
    await expect(name).to_have_count(0)
    await expect(page.get_by_role("grid")).to_be_focused()
    await city.get_by_role("button", name="Actions for city").click()
    await page.get_by_role("menuitem", name="Show hidden column").click()
    await expect(name).to_be_visible()


async def test_a_table_that_could_not_be_read_is_asked_for_again(person: Person) -> None:
    await person.says("show airports in red")
    page = person.page
    person.outages_expected = True
    await page.route("**/rows?*", lambda route: route.abort())
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    panel = page.locator(".table-panel")
    await expect(panel.get_by_role("alert")).to_contain_text("Offline")
    await page.unroute("**/rows?*")
    await panel.get_by_role("button", name="Try again").click()
    await expect(panel.get_by_role("grid")).to_have_attribute("aria-rowcount", "9435")
    await expect(panel.get_by_role("alert")).to_have_count(0)


async def test_a_feature_shows_its_whole_row_however_far_the_map_is_zoomed_out(person: Person) -> None:
    await person.says("show airports above 4000 m")
    await until(lambda: person.layers())
    [layer] = await person.layers()
    await person.sees(layer["id"])
    await person.looks_at(91, 31, 3)
    await person.sees(layer["id"])
    point = await person.point_of(layer["id"])
    await person.page.mouse.click(point["x"], point["y"])
    card = person.page.get_by_role("dialog", name="Details")
    await expect(card).to_contain_text("timezone")
    await expect(card).to_contain_text("elevation_ft")


async def test_a_column_of_the_table_tells_its_statistics_and_is_filtered_by(person: Person) -> None:
    await person.says("show airports above 1500 m")
    page = person.page
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    table = page.get_by_role("region", name="Table of airports")
    head = table.get_by_role("columnheader", name="elevation_m")
    await head.get_by_role("button", name="Actions for elevation_m").click()
    await head.get_by_role("menuitem", name="Statistics").click()
    told = table.locator(".statistics")
    await expect(told).to_contain_text("Rows368")
    await expect(told).to_contain_text("Median")
    await told.get_by_role("button", name="Close").click()
    await expect(told).to_have_count(0)
    await head.get_by_role("button", name="Actions for elevation_m").click()
    await head.get_by_role("menuitem", name="Filter").click()
    conditions = page.get_by_role("tabpanel", name="Filter").locator(".condition")
    await expect(conditions).to_have_count(2)
    await expect(conditions.last).to_contain_text("elevation_m")
