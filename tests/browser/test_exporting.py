"""The dialog that exports layers: several in one file, in a reference system, and what a format changes is said."""

from __future__ import annotations

from pathlib import Path

import pyogrio
import pytest
from playwright.async_api import Locator, expect

from server.transfers import deliveries
from tests.browser.person import Person
from tests.browser.test_access import violations


async def opened(person: Person) -> Locator:
    await person.page.get_by_role("button", name="Menu", exact=True).click()
    await person.page.get_by_role("menuitem", name="Export as a file").click()
    dialog = person.page.get_by_role("dialog")
    await expect(dialog.get_by_label("Format")).to_have_value("gpkg")
    return dialog


async def fetched(person: Person, dialog: Locator, folder: Path) -> Path:
    async with person.page.expect_download() as started:
        await dialog.get_by_role("button", name="Export", exact=True).click()
    download = await started.value
    path = folder / download.suggested_filename
    await download.save_as(path)
    return path


async def test_layers_are_exported_together_in_another_system(person: Person, tmp_path: Path) -> None:
    await person.says("show airports in Italy")
    await person.says("show countries in Europe")
    dialog = await opened(person)
    assert await violations(person) == []
    await dialog.get_by_label("Coordinate system").fill("EPSG:3035")
    await dialog.get_by_label("File name").fill("europe")
    path = await fetched(person, dialog, tmp_path)
    assert path.name == "europe.gpkg"
    layers = {name: pyogrio.read_info(path, layer=name) for name in pyogrio.list_layers(path)[:, 0]}
    assert {info["crs"] for info in layers.values()} == {"EPSG:3035"}
    shown = {layer["name"]: layer["count"] for layer in await person.layers()}
    assert {name: info["features"] for name, info in layers.items()} == shown
    await expect(dialog.get_by_role("status")).to_contain_text("europe.gpkg")


async def test_what_cannot_be_written_and_what_a_format_changes_are_said(
    person: Person, tmp_path: Path
) -> None:
    await person.says("show airports in Italy")
    dialog = await opened(person)
    person.outages_expected = True  # The browser notes the refusal on its console.
    await dialog.get_by_label("Coordinate system").fill("EPSG:999999")
    await dialog.get_by_role("button", name="Export", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_contain_text("not known to this database")
    await dialog.get_by_label("Coordinate system").fill("")
    await dialog.get_by_label("Format").select_option("shp")
    usual_name = await dialog.get_by_label("File name").get_attribute("placeholder")
    path = await fetched(person, dialog, tmp_path)
    assert path.name == f"{usual_name}.zip"
    assert pyogrio.read_info(path)["features"] == 117
    await expect(dialog.get_by_role("status")).to_contain_text("country_code as country_co")
    await expect(dialog.get_by_role("alert")).to_have_count(0)


async def test_a_large_file_shows_how_many_rows_are_written(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "PROGRESS_INTERVAL_S", 0.02)
    await person.says("show airports")
    dialog = await opened(person)
    await dialog.get_by_label("Format").select_option("geojson")
    await person.page.evaluate(
        """() => {
          window.progressTexts = [];
          const look = () => {
            const shown = document.querySelector(".export-progress");
            if (shown) window.progressTexts.push([shown.textContent, shown.querySelector("progress").value]);
          };
          new MutationObserver(look).observe(document.body,
            { subtree: true, childList: true, characterData: true, attributes: true });
        }"""
    )
    await fetched(person, dialog, tmp_path)
    seen = await person.page.evaluate("window.progressTexts")
    assert any(words.endswith(" of 28,298 rows") and 0 < share < 100 for words, share in seen), seen
    await expect(dialog.locator(".export-progress")).to_have_count(0)


async def test_features_far_outside_of_a_system_are_left_out_on_request(
    person: Person, tmp_path: Path
) -> None:
    await person.says("show airports")
    dialog = await opened(person)
    outside = dialog.get_by_label("Shapes far outside")
    await expect(outside).to_have_count(0)
    person.outages_expected = True  # The browser notes the refusal on its console.
    await dialog.get_by_label("Coordinate system").fill("EPSG:2154")
    await dialog.get_by_role("button", name="Export", exact=True).click()
    await expect(dialog.get_by_role("alert")).to_contain_text("far outside of the area of use of EPSG:2154")
    await outside.select_option("drop")
    path = await fetched(person, dialog, tmp_path)
    rows = pyogrio.read_info(path)["features"]
    status = dialog.get_by_role("status")
    await expect(status).to_contain_text(f"{28_298 - rows:,} of 28,298 features")
    await expect(status.get_by_role("link", name=path.name)).to_be_visible()
    assert await violations(person) == []
