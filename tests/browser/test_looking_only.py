"""Who came by a view link, control by control: what there is to press only looks, and nothing else is ever sent."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import Page, WebSocket, expect

from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_sharing import view_link

FEWEST_ROWS = True

LOOKS = [
    # the map
    "Zoom in", "Zoom out", "Drag to rotate; click to face north", "Show as a globe", "Full screen", "My location",
    "Select features with a box", "Select features with a lasso", "Measure", "Natural Earth",
    "Map tools", "Search for places, coordinates, layers and tables",
    # the page
    r"Layers ?\d*", "Menu", "Close", "Hide the conversation", "Show the conversation", r"\d+ people on this map",
    "Make a copy", "New map", "All maps", "Charts", "Saved views", "Comments", "History", "Share this map",
    "Copy link to this map", "Copy link to this view", "Commands",
    "Print as PDF or PNG", "Save as image", "Save as web page", "Save the conversation",
    "Light", "Dark", "System", "English", "العربية",
    # a layer, its table and its features
    "Actions for airports", "Zoom to layer", "Zoom to layer: airports", "Show only this layer", "Open table",
    "GeoJSON", "CSV", "GeoPackage", "FlatGeobuf", "GeoParquet",
    "Wider", "Narrower", "Hide column", r"column (Actions for )?\w+", "Previous", "Next",
    # the conversation
    "Copy answer", "Jump to latest", r"(done|failed|stopped).*", r"figure .*", "Copy SQL",
    r"Download evidence: (JSON|SQL)", "Show on the map",
    # charts
    r"Actions for chart .*", "Show as a table", "Show as a chart", "Save as PNG", "Save as SVG",
    "Save as CSV",
    # the past, and links
    r"Added .*", "Back to now", "Compare with now", "Your name", "View link", "Embed in a web page", r"Copy: .*",
]  # fmt: skip
SENDS = {"join", "leave", "introduce", "copy"}

CONTROLS = """() => [...document.querySelectorAll(
    "button, a[href], input, select, textarea, [role^=menuitem], [role=button], [role=slider], [contenteditable]"
)].filter(it => it.checkVisibility({ visibilityProperty: true }) && !it.disabled && !it.closest("[inert]")).map(it => {
    const kind = it.closest(".grid-head") ? "column " : it.matches(".figure") ? "figure " : "";
    const label = it.labels?.[0]?.textContent.trim();
    return kind + (it.ariaLabel || label || it.textContent.trim() || it.title).replace(/\\s+/g, " ");
})"""


def heard(socket: WebSocket, sent: list[str]) -> None:
    """Notes the names of the events that a page sends."""

    def note(frame: str | bytes) -> None:
        found = re.match(r"42\d*(\[.*)", frame) if isinstance(frame, str) else None
        if found:
            sent.append(json.loads(found[1])[0])

    socket.on("framesent", note)


async def only_looks(person: Person) -> None:
    """Everything on the page that can be pressed is known to change nothing."""
    offered: list[str] = await person.see(CONTROLS)
    assert offered
    assert [name for name in offered if not any(re.fullmatch(known, name) for known in LOOKS)] == []
    await expect(person.page.locator(".toast-error")).to_have_count(0)


async def opens(page: Page, name: str) -> None:
    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("menuitem", name=name, exact=True).click()


@pytest.mark.parametrize("width", [1280, 390])
async def test_every_control_of_a_view_link_only_looks(person: Person, enter: Enter, width: int) -> None:
    await person.says("show airports in red")
    await person.says("chart elevation of airports")
    viewer = await enter(await view_link(person), width=width, height=844)
    page, sent = viewer.page, list[str]()
    page.on("websocket", lambda socket: heard(socket, sent))
    await viewer.reload()
    await viewer.sees("airports")
    await expect(page.locator(".chart-marks").first).to_be_visible()
    await only_looks(viewer)

    await page.get_by_role("button", name="Menu", exact=True).click()
    await only_looks(viewer)
    await page.keyboard.press("Escape")
    await page.locator(".step-line").first.click()
    await page.locator(".figure").first.click()
    await expect(page.locator(".figure-sheet")).to_be_visible()
    await only_looks(viewer)
    await page.keyboard.press("Escape")

    await opens(page, "Charts")
    await page.locator(".charts figcaption .menu button").click()
    await only_looks(viewer)
    await page.keyboard.press("Escape")
    await opens(page, "History")
    await page.locator(".history-list button").last.click()
    await expect(page.locator(".past")).to_be_visible()
    await only_looks(viewer)
    await page.get_by_role("button", name="Back to now").click()
    await opens(page, "Share this map")
    await expect(page.get_by_label("View link", exact=True)).to_be_visible()
    await only_looks(viewer)
    await page.keyboard.press("Escape")

    if width < 700:
        await page.locator(".layers-title").click()
    await page.get_by_role("button", name="Actions for airports").click()
    await only_looks(viewer)
    await page.get_by_role("menuitem", name="Open table").click()
    await expect(page.locator(".grid-body .grid-row").first).to_contain_text(re.compile(r"\w"))
    await page.locator(".grid-body .grid-row").first.click()
    await only_looks(viewer)
    assert await violations(viewer) == []
    await page.keyboard.press("Control+z")
    await expect(page.locator(".toast")).to_contain_text("does not allow editing")
    await only_looks(viewer)
    assert set(sent) <= SENDS


async def test_dropping_a_file_or_drawing_asks_nothing_of_the_server(person: Person, enter: Enter) -> None:
    """Also what has no button is not done: files, keys, and what the map reports by itself."""
    await person.says("show airports in red")
    viewer = await enter(await view_link(person))
    page, sent = viewer.page, list[str]()
    page.on("websocket", lambda socket: heard(socket, sent))
    await viewer.reload()
    await viewer.sees("airports")
    await page.evaluate(
        """() => {
            const carried = new DataTransfer();
            carried.items.add(new File(["a,b"], "a.csv"));
            for (const name of ["dragover", "drop"])
                document.querySelector(".stage").dispatchEvent(
                    new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: carried }));
        }"""
    )
    await page.get_by_role("combobox", name="Search").fill("berlin")
    await expect(page.locator(".search-list")).to_contain_text("No results")
    await page.get_by_role("combobox", name="Search").fill("airp")
    await page.get_by_role("option", name="airports").click()
    await page.get_by_role("button", name="Select features with a box").click()
    await page.mouse.move(640, 300)
    await page.mouse.down()
    await page.mouse.move(760, 420, steps=4)
    await page.mouse.up()
    await viewer.wait_for("geoagent.map.loaded()")
    assert len(await viewer.layers()) == 1
    assert set(sent) <= SENDS
