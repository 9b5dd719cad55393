"""Cells that count what lies in them: said in words, explained by the legend, opened by a click."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import asyncpg
from playwright.async_api import expect

from tests.browser.person import Person
from tests.browser.test_styling import inspector_of, style
from tests.support.looking import until

CORNERS = """geoagent.map.queryRenderedFeatures()
    .filter(({ properties, geometry }) => "@cell" in properties && geometry.type === "Polygon")
    .map(({ geometry }) => geometry.coordinates[0].length - 1)"""
"""How many corners each cell in view has; hexagons at the edge of the map have others than six."""


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


async def test_cells_are_chosen_sized_and_given_a_statistic_by_hand(person: Person, samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        highest, on_map = await connection.fetchrow(
            "SELECT max(elevation_m), count(*) FILTER (WHERE abs(ST_Y(geom)) < 85.05) FROM data.airports"
        )
    finally:
        await connection.close()
    await person.says("show airports")
    await person.sees("airports")
    await person.looks_at(0, 0, 0)
    [layer] = await person.layers()
    # Hexagons at the edges of the map go beyond them; squares do not.
    counts = {"hexbin": layer["count"], "grid": on_map}
    inspector = await inspector_of(person, "airports")

    async def drawn(
        wanted: dict[str, Any], *names: str, instead_of: Sequence[dict[str, Any]] = ()
    ) -> list[dict[str, Any]]:
        """The cells of all airports once they have this style and attributes, which some cells may lack.

        Until cells of another size are there, those of the size before are drawn, with the same attributes.
        """
        now = await style(person)
        found = await cells(person, "airports")
        are_there = {"count", *names} == {name for each in found for name in each} - {"@cell"}
        is_whole = sum(each["count"] for each in found) == counts.get(now["kind"])
        is_new = {each["@cell"] for each in found} != {each["@cell"] for each in instead_of}
        return found if are_there and is_whole and is_new and now.items() >= wanted.items() else []

    await inspector.get_by_role("button", name="Hexagons", exact=True).click()
    await until(lambda: drawn({"kind": "hexbin", "column": None}), pause=0.1)
    assert 6 in await person.see(CORNERS)

    await inspector.get_by_label("Column").select_option("elevation_m")
    await until(lambda: drawn({"column": "elevation_m"}, "mean of elevation_m"), pause=0.1)
    await inspector.get_by_label("Show").select_option("Largest")
    small = await until(lambda: drawn({"statistic": "max"}, "max of elevation_m"), pause=0.1)
    assert max(each.get("max of elevation_m", 0) for each in small) == highest
    await expect(person.page.locator(".legend").first).to_contain_text("Largest")

    await inspector.get_by_role("slider", name="Size").press("End")
    large = await until(lambda: drawn({"size": 100}, "max of elevation_m", instead_of=small), pause=0.1)
    assert len(large) < len(small) / 3
    assert max(each.get("max of elevation_m", 0) for each in large) == highest

    await inspector.get_by_role("button", name="Squares", exact=True).click()
    await until(lambda: drawn({"kind": "grid", "column": None}), pause=0.1)
    assert set(await person.see(CORNERS)) == {4}
    await person.page.get_by_role("button", name="Undo", exact=True).click()
    again = await until(lambda: drawn({"kind": "hexbin", "size": 100}, "max of elevation_m"), pause=0.1)
    assert len(again) == len(large)
