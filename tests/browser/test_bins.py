"""Cells that count what lies in them: said in words, explained by the legend, opened by a click."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import expect

from tests.browser.person import Person
from tests.support.looking import until


async def cells(person: Person, layer: str) -> list[dict[str, Any]]:
    """The attributes of the cells in view, each cell once."""
    found = {
        each["properties"]["@cell"]: each["properties"]
        for each in await person.features(layer)
        if "@cell" in each["properties"]
    }
    return list(found.values())


async def test_a_layer_becomes_hexagons_and_clusters_that_split(person: Person) -> None:
    page = person.page
    await person.says("show airports")
    await person.sees("airports")
    await person.says("hexbins of airports by average elevation")
    found = await until(lambda: cells(person, "airports"), pause=0.1)
    (layer,) = await person.layers()
    assert layer["style"]["kind"] == "hexbin"
    assert {"count", "mean of elevation_m"} <= found[0].keys()
    assert sum(each["count"] for each in found) <= layer["count"]
    await expect(page.locator(".legend").first).to_contain_text("Average: elevation (m)")

    await person.looks_at(8.5, 47.4, 5)
    found = await until(lambda: cells(person, "airports"), pause=0.1)
    box = await page.locator(".map").bounding_box()
    assert box is not None
    await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    inspector = page.locator(".inspector")
    await expect(inspector).to_contain_text("count")
    await expect(inspector).to_contain_text("mean of elevation_m")
    await page.keyboard.press("Escape")

    await person.says("cluster the airports")

    async def circles() -> list[dict[str, Any]]:
        return [each for each in await cells(person, "airports") if "mean of elevation_m" not in each]

    await until(circles, pause=0.1)
    await person.sees_all("airports")
    before = await circles()
    await person.looks_at(8.5, 47.4, 8)

    async def split() -> bool:
        now = await circles()
        return bool(now) and max(each["count"] for each in now) < max(each["count"] for each in before)

    await until(split, pause=0.1)
    await person.says("show airports as points")

    async def points() -> bool:
        return any("@cell" not in each["properties"] for each in await person.features("airports"))

    await until(points, pause=0.1)


async def test_the_card_of_a_cell_says_how_many_of_its_features_are_listed(person: Person) -> None:
    page = person.page
    await person.says("hexbins of airports")
    await person.sees("airports")
    await person.looks_at(8.5, 47.4, 2)
    # Not a cell of the zoom before, which is drawn until the tiles of this one are there.
    await person.wait_for(
        "geoagent.map.queryRenderedFeatures(geoagent.map.project([8.5, 47.4]))"
        ".some((cell) => cell.properties.count > 50)"
    )
    box = await page.locator(".map").bounding_box()
    assert box is not None
    async with page.expect_request("**/rows?*") as asked:
        await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "total=" in (await asked.value).url, (
        "the cell knows how many there are, so they are not counted again"
    )
    inspector = page.locator(".inspector")
    # The cell and 50 of the airports in it; a click near its edge finds the outline of the next one, too.
    await expect(inspector).to_contain_text("Only 50 features of this cell are listed")
    await expect(inspector).to_contain_text(re.compile("1 of 5[12]"))
