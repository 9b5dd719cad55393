"""Bringing files: what they become is decided in one panel, and what came of them is on the map and in sight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyogrio
import shapely
from playwright.async_api import Locator, expect

from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_results import in_view
from tests.support.looking import until

FEWER_ROWS = True

PLACES = {"first": [(9.0, 47.0), (9.4, 47.2)], "second": [(9.1, 47.1)]}


def geopackage(path: Path) -> None:
    """Two layers of points in the east of Switzerland."""
    for place, (layer, points) in enumerate(PLACES.items()):
        shapes = pa.array(shapely.to_wkb(shapely.points(points)), pa.binary())
        named = pa.array([f"{layer} {number}" for number in range(len(points))])
        pyogrio.write_arrow(
            pa.table({"name": named, "geom": shapes}),
            path,
            layer=layer,
            driver="GPKG",
            geometry_name="geom",
            geometry_type="Point",
            crs="EPSG:4326",
            append=place > 0,
        )


def geojson(longitude: float, latitude: float) -> dict[str, Any]:
    shape = {"type": "Point", "coordinates": [longitude, latitude]}
    feature = {"type": "Feature", "properties": {"name": "here"}, "geometry": shape}
    return {"type": "FeatureCollection", "features": [feature]}


async def bring(person: Person, *files: Path) -> Locator:
    """Chooses files in the catalogue; the panel of uploads."""
    await person.page.get_by_role("button", name="Browse and add data").click()
    await person.page.locator("input[type=file]").set_input_files(files)
    return person.page.get_by_role("dialog", name="Upload files")


async def shown_before_loading(person: Person) -> int:
    return int(await person.see("geoagent.map.querySourceFeatures('geoagent-preview').length"))


async def shows_a_result(person: Person) -> bool:
    """Whether the map has a layer of an analysis."""
    return any(each["table"].startswith("analysis.") for each in await person.layers())


async def test_files_are_chosen_named_and_looked_at_in_one_panel(person: Person, tmp_path: Path) -> None:
    page = person.page
    package, table, spot = tmp_path / "places.gpkg", tmp_path / "income.csv", tmp_path / "countries.geojson"
    geopackage(package)
    table.write_text("land,income\nCH,81\nDE,48\nFR,41\n")
    spot.write_text(json.dumps(geojson(8.5, 47.4)))
    await person.looks_at(-100, 40, 4)
    person.outages_expected = True  # refusals are told in the console, too
    panel = await bring(person, package, table, spot)

    # The file of several layers says which there are.
    second = panel.get_by_role("checkbox", name="second")
    await expect(second).not_to_be_checked()
    await second.check()
    await expect(panel.get_by_text("3 rows · 2 columns · no geometry")).to_be_visible()
    taken = panel.get_by_role("listitem").filter(has_text="countries.geojson")
    await expect(taken.get_by_text("1 row · 1 column · points")).to_be_visible()
    await until(lambda: shown_before_loading(person), pause=0.1)
    assert await person.layers() == [], "nothing is loaded before the person says so"
    assert await violations(person) == []

    # The name that is taken is offered with a number.
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_role("status")).to_have_text(
        "countries exists already; this will be countries_2."
    )
    await expect(panel.get_by_role("alert")).to_have_count(0)
    await expect(taken.get_by_label("Table name")).to_have_value("countries_2")
    await taken.get_by_role("checkbox").uncheck()
    await expect(panel.get_by_text("3 rows in the new table income")).to_be_visible()
    assert await person.sees("second") == 1
    await panel.get_by_role("button", name="Join to countries by land = iso_a2 3 of 3 values match").click()
    await until(lambda: in_view(person, "second"), pause=0.1)
    await expect(page.get_by_text("join income to countries by iso_a2 = land").first).to_be_visible()
    await until(lambda: shows_a_result(person), pause=0.1)


async def test_all_layers_of_a_file_become_one_table(person: Person, tmp_path: Path) -> None:
    package = tmp_path / "places.gpkg"
    geopackage(package)
    person.outages_expected = True  # the refusal that names the layers is told in the console, too
    panel = await bring(person, package)
    await expect(panel.get_by_text("2 layers in places.gpkg")).to_be_visible()
    await panel.get_by_role("button", name="Choose all").click()
    await expect(panel.get_by_role("checkbox", name="first")).to_be_checked()
    await expect(panel.get_by_role("checkbox", name="second")).to_be_checked()
    await panel.get_by_role("button", name="Make one table of all").click()
    await expect(panel.get_by_role("listitem")).to_have_count(1)
    await panel.get_by_label("Table name").fill("everywhere")
    assert await violations(person) == []
    await expect(panel.get_by_text("3 rows · 2 columns · points")).to_be_visible()
    await expect(panel.get_by_text("2 layers were united: first, second.")).to_be_visible()
    await panel.get_by_role("button", name="Load", exact=True).click()

    async def all_drawn() -> bool:
        return len(await person.features("everywhere")) == 3

    await until(all_drawn, pause=0.1)


async def test_files_that_are_loaded_together_are_all_in_view(person: Person, tmp_path: Path) -> None:
    west, east = tmp_path / "west.geojson", tmp_path / "east.geojson"
    west.write_text(json.dumps(geojson(-60.0, 10.0)))
    east.write_text(json.dumps(geojson(40.0, 50.0)))
    panel = await bring(person, west, east)
    await expect(panel.get_by_label("Table name")).to_have_count(2)
    await panel.get_by_role("button", name="Load", exact=True).click()
    for name in ("west", "east"):
        await expect(panel.get_by_text(f"1 row in the new table {name}")).to_be_visible()
        await until(lambda name=name: in_view(person, name), pause=0.1)


async def test_rows_are_appended_to_an_upload_or_take_its_place(person: Person, tmp_path: Path) -> None:
    page = person.page
    trees, more, other = tmp_path / "trees.csv", tmp_path / "more.csv", tmp_path / "other.csv"
    trees.write_text("name,lon,lat\nlime,8.5,47.4\noak,8.6,47.5\n")
    more.write_text("name,lon,lat\nash,8.7,47.6\n")
    other.write_text("species,lon,lat\nash,8.7,47.6\n")
    panel = await bring(person, trees)
    await expect(panel.get_by_label("Rows go to")).to_have_count(0)
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_text("2 rows in the new table trees")).to_be_visible()
    assert await person.sees_all("trees") == 2
    await panel.get_by_role("button", name="Close").last.click()

    # What does not fit says why, and can still become something else.
    person.outages_expected = True
    panel = await bring(person, other)
    await panel.get_by_label("Rows go to").select_option(label="Append to trees")
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_role("alert")).to_contain_text(
        "The file has no column name, which the table has."
    )
    assert (await person.layers())[0]["count"] == 2
    await panel.get_by_role("button", name="Cancel").click()

    panel = await bring(person, more)
    await panel.get_by_label("Rows go to").select_option(label="Append to trees")
    assert await violations(person) == []
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_text("1 row appended to trees, which now has 3")).to_be_visible()

    async def drawn(count: int) -> bool:
        return (await person.layers())[0]["count"] == count and await person.count("trees") > 0

    await until(lambda: drawn(3), pause=0.1)
    await page.keyboard.press("Escape")
    panel = await bring(person, more)
    await panel.get_by_label("Rows go to").select_option(label="Replace trees")
    await expect(panel.get_by_text("All rows of trees are replaced")).to_be_visible()
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_text("trees replaced: it now has 1 row")).to_be_visible()
    await until(lambda: drawn(1), pause=0.1)
    assert len(await person.layers()) == 1


async def test_the_reference_system_is_shown_and_corrected_before_loading(
    person: Person, tmp_path: Path
) -> None:
    places = tmp_path / "metres.csv"
    places.write_text('name,wkt\nBern,"POINT(600000 200000)"\n')
    person.outages_expected = True  # without a reference system the file is refused
    panel = await bring(person, places)
    await expect(panel.get_by_role("alert")).to_contain_text("Give its EPSG code")
    srid = panel.get_by_label("Reference system (EPSG)")
    await srid.fill("21781")
    await srid.press("Enter")
    await expect(panel.get_by_text("CH1903 / LV03")).to_be_visible()
    await until(lambda: shown_before_loading(person), pause=0.1)
    await person.wait_for("Math.abs(geoagent.map.getCenter().lat - 46.95) < 2")

    # It was another one: the file moves on the map, still before it is loaded.
    await srid.fill("3857")
    await srid.press("Enter")
    await expect(panel.get_by_text("WGS 84 / Pseudo-Mercator")).to_be_visible()
    await person.wait_for("Math.abs(geoagent.map.getCenter().lat - 1.8) < 1")
    assert await person.layers() == []
    await panel.get_by_role("button", name="Cancel").click()
    await person.wait_for("geoagent.map.querySourceFeatures('geoagent-preview').length === 0")
