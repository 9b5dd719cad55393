"""Files that hold several tables are brought through the panel of uploads: workbooks and File Geodatabases."""

from __future__ import annotations

from pathlib import Path

import geopandas
from playwright.async_api import expect
from shapely import Point

from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_uploads import bring, shows_a_result
from tests.integration.exchange.test_ingest import archive
from tests.integration.exchange.test_layers import contents, workbook
from tests.support.looking import until

LAYERS = {"wells": [(2_700_000, 1_250_000)], "trees": [(2_701_000, 1_251_000), (2_702_000, 1_252_000)]}


def geodatabase(path: Path) -> Path:
    """A zipped File Geodatabase of two layers in the east of Switzerland, in the national grid."""
    folder = path / "town.gdb"
    for layer, points in {
        "wells": [(2_700_000, 1_250_000)],
        "trees": [(2_701_000, 1_251_000), (2_702_000, 1_252_000)],
    }.items():
        shapes = geopandas.GeoDataFrame(
            {"name": [f"{layer} {number}" for number in range(len(points))]},
            geometry=[Point(*each) for each in points],
            crs="EPSG:2056",
        )
        shapes.to_file(folder, driver="OpenFileGDB", layer=layer)
    return archive(path / "town.zip", contents(folder, "town.gdb"))


async def test_the_layers_of_a_geodatabase_are_chosen_and_drawn(person: Person, tmp_path: Path) -> None:
    person.outages_expected = True  # the refusal that names the layers is told in the console, too
    panel = await bring(person, geodatabase(tmp_path))
    await expect(panel.get_by_text("2 layers in town.zip")).to_be_visible()
    await panel.get_by_role("button", name="Choose all").click()
    await expect(panel.get_by_text("CH1903+ / LV95 · detected")).to_have_count(2)  # both layers are read
    await panel.get_by_role("button", name="Load", exact=True).click()

    async def both_drawn() -> bool:
        return len(await person.features("wells")) == 1 and len(await person.features("trees")) == 2

    await until(both_drawn, pause=0.1)
    assert await violations(person) == []


async def test_sheets_of_a_workbook_become_tables_that_are_shown_joined_and_charted(
    person: Person, tmp_path: Path
) -> None:
    page = person.page
    income = {"iso_a2": ["CH", "DE", "FR"], "income": [81, 48, 41]}
    book = workbook(
        tmp_path / "regions.xlsx", income=income, age={"iso_a2": ["CH", "DE"], "age": [42.7, 45.9]}
    )
    person.outages_expected = True  # the refusal that names the sheets is told in the console, too
    panel = await bring(person, book)
    await expect(panel.get_by_text("2 layers in regions.xlsx")).to_be_visible()
    await panel.get_by_role("button", name="Choose all").click()
    for rows in (2, 3):
        await expect(panel.get_by_text(f"{rows} rows · 2 columns · no geometry")).to_be_visible()
    await panel.get_by_role("button", name="Load", exact=True).click()
    await expect(panel.get_by_text("3 rows in the new table income")).to_be_visible()
    await expect(panel.get_by_text("2 rows in the new table age")).to_be_visible()
    loaded = panel.locator(".upload-outcome", has_text="3 rows in the new table income")
    await loaded.get_by_role("button", name="Join to countries by iso_a2").click()
    await expect(page.get_by_text("join income to countries by iso_a2 = iso_a2").first).to_be_visible()
    await until(lambda: shows_a_result(person), pause=0.1)
    await person.says("bar chart of income by iso_a2 in income")
    await expect(page.locator(".chart-marks").first).to_be_visible()
    await expect(page.get_by_text("of 3 rows").first).to_be_visible()
