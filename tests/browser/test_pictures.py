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


async def test_the_picture_of_the_readme(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=1440, height=900)
    await thematic_map(person)
    await keep(person, "screenshot.png")


async def test_pictures_of_the_other_main_states(enter: Enter, world: Server) -> None:
    person = await enter(world.url)
    await keep(person, "pictures/first-visit.png")
    await thematic_map(person)
    page = person.page
    await page.get_by_role("button", name="Actions for airports").click()
    await page.get_by_role("menuitem", name="Open table").click()
    await page.locator(".grid-body .grid-row").first.wait_for()
    await keep(person, "pictures/table.png")
    await page.get_by_role("region", name="Table of airports").get_by_role("button", name="Close").click()
    await page.locator('[data-layer="countries"] .layer-name').click()
    await page.locator(".limits-bars rect").first.wait_for()
    await keep(person, "pictures/style.png")

    for name, options in (("phone", {"width": 390, "height": 844}), ("dark", {"dark": True})):
        other = await enter(page.url, **options)
        await other.sees("countries")
        await keep(other, f"pictures/{name}.png")


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


async def thematic_map(person: Person) -> None:
    await person.says("colour countries by population")
    await person.says("show airports in red")
    await person.says("only the ones above 2000 m")
    await person.sees("airports")


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
