"""Pictures of the main states, as a person sees them: `PICTURES=1 pytest tests/browser/test_pictures.py` renews docs/.

Every run makes them in tests/artifacts and checks that something is on them; docs/ is written when asked to, or where
a picture is missing, so that a test run changes no file of the repository."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import ROOT, Enter
from tests.browser.person import Person

BASE_MAP = True

pytestmark = pytest.mark.pixels

ARTIFACTS = ROOT / "tests" / "artifacts"
DOCS = ROOT / "docs"
USUAL = {"width": 1280, "height": 800}


async def test_pictures_of_the_main_states(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    page = person.page
    await keep(person, "pictures/first-visit.png")
    for request in (
        "colour countries by population",
        "show airports in red",
        "only the ones above 2000 m",
    ):
        await person.says(request)
    await person.sees("airports")
    await page.set_viewport_size({"width": 1440, "height": 900})
    await keep(person, "screenshot.png")
    await page.set_viewport_size(USUAL)
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    await page.locator(".grid-body .grid-row").first.wait_for()
    await keep(person, "pictures/table.png")
    await page.get_by_role("region", name="Table of airports").get_by_role("button", name="Close").click()
    await page.locator('[data-layer="countries"] .layer-name').click()
    await page.locator(".limits-bars rect").first.wait_for()
    await keep(person, "pictures/style.png")

    await page.set_viewport_size({"width": 390, "height": 844})
    await person.reload()
    await person.sees("countries")
    await keep(person, "pictures/phone.png")
    await page.set_viewport_size(USUAL)
    await page.emulate_media(color_scheme="dark")
    await keep(person, "pictures/dark.png")


async def test_the_picture_of_an_analysis_that_runs(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    await person.says("chart population by continent of countries")
    await expect(person.page.locator(".chart-marks").first).to_be_visible()
    await keep(person, "pictures/chart.png")
    await person.box.fill("buffer the cities by 50 km and dissolve them, then smooth them")
    await person.page.keyboard.press("Enter")
    await expect(person.page.locator(".step-progress")).to_be_visible()
    await keep(person, "pictures/analysis.png")
    await person.box.fill("and then")
    await expect(person.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
    await person.page.get_by_role("button", name="Stop").click()
    await person.wait_for("(geoagent.state.turns[1]?.end ?? null) !== null")


async def keep(person: Person, name: str) -> None:
    await person.wait_for("geoagent.map.loaded() && !geoagent.map.isMoving()")
    assert await person.colours() > 20
    made = ARTIFACTS / name
    await person.page.screenshot(path=made)
    publish(made, DOCS / name)


def publish(made: Path, place: Path) -> None:
    if os.environ.get("PICTURES") or not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(made, place)
