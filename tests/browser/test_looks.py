"""Twenty states look as approved, within a tolerance: `LOOKS=1 pytest tests/browser/test_looks.py` renews the pictures.

Pictures are compared at a quarter of their size, where times and counts hardly matter and a panel that has moved,
vanished or lost its colours does. They are of the fonts of one machine, so others skip the comparison."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

import pytest
from playwright.async_api import Page

from server.app import Server
from tests.browser.conftest import ROOT, Enter
from tests.browser.person import Person

pytestmark = pytest.mark.pixels

APPROVED = ROOT / "tests" / "browser" / "approved"
FONTS = APPROVED / "fonts.json"
ARTIFACTS = ROOT / "tests" / "artifacts" / "looks"
MAX_DIFFERENT = 0.003
"""Share of the pixels that may differ visibly."""
HIDE_TURNS = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(".turn, .next-steps { visibility: hidden }");
    document.adoptedStyleSheets = [sheet];
}"""
"""The length of an answer depends on whether the map was drawn when it was written. In answers without a layer only
times differ, so the conversation is shown in pictures of its own."""

SHOW_TURNS = "() => { document.adoptedStyleSheets = []; }"

COMPARE = """async ([now, approved]) => {
    const decoded = async source => {
        const image = new Image();
        image.src = source;
        await image.decode();
        return image;
    };
    const pixels = (image, width, height) => {
        const canvas = new OffscreenCanvas(width, height);
        const pen = canvas.getContext("2d", { willReadFrequently: true });
        pen.imageSmoothingQuality = "high";
        pen.drawImage(image, 0, 0, width, height);
        return { canvas, data: pen.getImageData(0, 0, width, height).data };
    };
    const seen = await decoded("data:image/png;base64," + now);
    const [width, height] = [Math.round(seen.width / 4), Math.round(seen.height / 4)];
    const mine = pixels(seen, width, height);
    const file = await mine.canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
    const bytes = new Uint8Array(await file.arrayBuffer());
    const picture = btoa(String.fromCharCode(...bytes));
    if (approved === null) return { picture, different: 1 };
    // Both as they are kept, since the format loses colours of fine edges.
    const kept = pixels(await createImageBitmap(file), width, height);
    const theirs = pixels(await decoded("data:image/webp;base64," + approved), width, height);
    let different = 0;
    for (let i = 0; i < kept.data.length; i += 4) {
        const off = [0, 1, 2].map(at => Math.abs(kept.data[i + at] - theirs.data[i + at]));
        if (Math.max(...off) > 40) different++;
    }
    return { picture, different: different / (width * height) };
}"""

FONT_WIDTHS = """() => {
    const pen = document.createElement("canvas").getContext("2d");
    return ["sans-serif", "system-ui", "monospace"].map(family => {
        pen.font = `32px ${family}`;
        return Math.round(pen.measureText("Layers 12,579 طبقات").width);
    });
}"""


class Looks:
    """Compares states with their approved pictures, and names all that differ at the end."""

    def __init__(self) -> None:
        self.renews = bool(os.environ.get("LOOKS"))
        self.different: list[str] = []
        ARTIFACTS.mkdir(parents=True, exist_ok=True)

    async def at(self, person: Person, name: str, *, with_turns: bool = False) -> None:
        """Compare what is on the screen now."""
        # Where the pointer happens to rest, nothing is highlighted.
        await person.page.mouse.move(0, 0)
        await person.wait_for("geoagent.map.loaded() && !geoagent.map.isMoving()")
        await person.page.evaluate(SHOW_TURNS if with_turns else HIDE_TURNS)
        seen = base64.b64encode(await person.page.screenshot()).decode()
        place = APPROVED / f"{name}.webp"
        before = base64.b64encode(place.read_bytes()).decode() if place.exists() else None
        found: dict[str, Any] = await person.page.evaluate(COMPARE, [seen, before])
        picture = base64.b64decode(found["picture"])
        (ARTIFACTS / place.name).write_bytes(picture)
        if found["different"] <= MAX_DIFFERENT:
            return
        if self.renews:
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(picture)
        else:
            self.different.append(f"{name}: {found['different']:.1%} of the pixels differ")


@pytest.fixture
def looks() -> Looks:
    return Looks()


async def test_the_states_of_a_desktop_look_as_approved(enter: Enter, world: Server, looks: Looks) -> None:
    person = await enter(world.url, width=1440, height=900)
    page = person.page
    await same_fonts(person, looks)
    await looks.at(person, "first-visit")
    await thematic(person)
    await looks.at(person, "thematic")

    await page.locator('[data-layer="countries"] .layer-name').click()
    await page.locator(".limits-bars rect").first.wait_for()
    await looks.at(person, "style")
    await page.get_by_role("tab", name="Filter").click()
    await page.get_by_role("button", name="Add condition").click()
    await page.locator(".condition .range").wait_for()
    await looks.at(person, "filter")
    await page.get_by_role("button", name="Actions for countries").click()
    await looks.at(person, "layer-menu")
    await page.keyboard.press("Escape")

    for name, entry, seen in (
        ("catalogue", "Data", ".table-entry"),
        ("charts", "Charts", ".side .button"),
        ("views", "Saved views", ".side input"),
        ("comments", "Comments", ".side .button"),
        ("history", "History", ".history-list li"),
        ("share", "Share this map", "[role=dialog] input, dialog input"),
        ("export", "Export as a file…", "[role=dialog] select, dialog select"),
        ("print", "Print as PDF or PNG", "[role=dialog] select, dialog select"),
        ("palette", "Commands", ".palette [role=option]"),
    ):
        await page.get_by_role("button", name="Menu").click()
        await page.get_by_role("menuitem", name=entry, exact=True).click()
        await page.locator(seen).first.wait_for()
        await looks.at(person, name)
        await page.keyboard.press("Escape")
    await open_table(page)
    await looks.at(person, "table")
    assert looks.different == []


async def test_small_dark_and_arabic_pages_look_as_approved(
    enter: Enter, world: Server, looks: Looks
) -> None:
    person = await enter(world.url, width=1024, height=768, dark=True)
    await same_fonts(person, looks)
    await thematic(person)
    await looks.at(person, "dark-1024")
    page = person.page
    await page.set_viewport_size({"width": 390, "height": 844})
    await looks.at(person, "phone-dark")
    await page.emulate_media(color_scheme="light")
    await page.locator(".layers-title").click()
    await looks.at(person, "phone-layers")
    await page.locator(".layers-title").click()
    await page.locator(".head .menu > button").last.click()
    await looks.at(person, "phone-menu")

    other = await enter(page.url, width=1440, height=900, locale="ar")
    await other.sees("countries")
    await looks.at(other, "arabic")
    assert looks.different == []


async def test_a_conversation_looks_as_approved(enter: Enter, world: Server, looks: Looks) -> None:
    """Numbers with their sources, a table of rows, a question back, an error: what most answers consist of."""
    person = await enter(world.url, width=1440, height=900)
    await same_fonts(person, looks)
    for question in (
        "how many airports are there in Peru?",
        "which 5 countries have the most forests?",
        "show unicorns",
    ):
        await person.says(question)
    await looks.at(person, "conversation", with_turns=True)
    await person.page.set_viewport_size({"width": 390, "height": 844})
    await person.page.emulate_media(color_scheme="dark")
    await looks.at(person, "conversation-phone-dark", with_turns=True)
    assert looks.different == []


async def thematic(person: Person) -> None:
    await person.says("colour countries by population")
    await person.sees("countries")


async def open_table(page: Page) -> None:
    await page.get_by_role("button", name="Actions for countries").click()
    await page.get_by_role("menuitem", name="Open table").click()
    await page.locator(".grid-body .grid-row").first.wait_for()


async def same_fonts(person: Person, looks: Looks) -> None:
    """Skips the test where other fonts than those of the approved pictures are installed."""
    widths = await person.see(f"({FONT_WIDTHS})()")
    if looks.renews:
        APPROVED.mkdir(exist_ok=True)
        FONTS.write_text(json.dumps(widths) + "\n")
    elif json.loads(FONTS.read_text()) != widths:
        pytest.skip("The approved pictures were made with other fonts.")
