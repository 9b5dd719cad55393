"""Bringing files: what they become is decided in one dialog, and what came of them is on the map and in sight."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyogrio
import shapely
from playwright.async_api import expect

from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_results import in_view
from tests.support.looking import until

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


async def test_files_are_chosen_named_and_looked_at_in_one_dialog(person: Person, tmp_path: Path) -> None:
    page = person.page
    package, table, spot = tmp_path / "places.gpkg", tmp_path / "income.csv", tmp_path / "countries.geojson"
    geopackage(package)
    table.write_text("iso_a2,income\nCH,81\nDE,48\nFR,41\n")
    spot.write_text(json.dumps(geojson(8.5, 47.4)))
    await person.looks_at(-100, 40, 4)
    await page.get_by_role("button", name="Browse and add data").click()
    await page.locator("input[type=file]").set_input_files([package, table, spot])
    dialog = page.get_by_role("dialog", name="Upload files")
    assert await violations(person) == []
    person.outages_expected = True  # refusals are told in the console, too
    await dialog.get_by_role("button", name="Upload", exact=True).click()

    # The file of several layers says which there are; the name that is taken is offered with a number.
    second = dialog.get_by_role("checkbox", name="second")
    await expect(second).not_to_be_checked()
    await second.check()
    await expect(dialog.get_by_text("already a table called countries")).to_be_visible()
    taken = dialog.get_by_role("listitem").filter(has_text="countries.geojson")
    await expect(taken.get_by_label("Table name")).to_have_value("countries_2")
    await taken.get_by_role("checkbox").uncheck()
    await expect(dialog.get_by_text("3 rows · no geometry")).to_be_visible()
    await expect(dialog.get_by_role("button", name="Join to countries by iso_a2")).to_be_visible()

    await dialog.get_by_role("button", name="Upload", exact=True).click()
    assert await person.sees("second") == 1
    await dialog.get_by_role("button", name="Join to countries by iso_a2").click()
    await until(lambda: in_view(person, "second"), pause=0.1)
    await expect(page.get_by_text("join countries to income by iso_a2 = iso_a2").first).to_be_visible()


async def test_all_layers_of_a_file_become_one_table(person: Person, tmp_path: Path) -> None:
    page = person.page
    package = tmp_path / "places.gpkg"
    geopackage(package)
    await page.get_by_role("button", name="Browse and add data").click()
    await page.locator("input[type=file]").set_input_files([package])
    dialog = page.get_by_role("dialog", name="Upload files")
    person.outages_expected = True  # the refusal that names the layers is told in the console, too
    await dialog.get_by_role("button", name="Upload", exact=True).click()
    await expect(dialog.get_by_text("2 layers in places.gpkg")).to_be_visible()
    await dialog.get_by_role("button", name="Choose all").click()
    await expect(dialog.get_by_role("checkbox", name="first")).to_be_checked()
    await expect(dialog.get_by_role("checkbox", name="second")).to_be_checked()
    await dialog.get_by_role("button", name="Make one table of all").click()
    await expect(dialog.get_by_role("listitem")).to_have_count(1)
    await dialog.get_by_label("Table name").fill("everywhere")
    assert await violations(person) == []
    await dialog.get_by_role("button", name="Upload", exact=True).click()
    await expect(dialog.get_by_text("3 rows · point · EPSG:4326")).to_be_visible()
    await expect(dialog.get_by_text("2 layers were united: first, second.")).to_be_visible()

    async def all_drawn() -> bool:
        return len(await person.features("everywhere")) == 3

    await until(all_drawn, pause=0.1)
