"""Everything that opens is usable by everybody too: axe finds nothing wrong in it, and the focus comes back from it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations_light_and_dark

FEWEST_ROWS = True

FOCUSED = """() => {
    const it = document.activeElement;
    if (it === document.body) return null;
    const style = getComputedStyle(it);
    const own = (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
    const around = it.closest(".search-field, .composer, .range");
    const label = it.ariaLabel || it.textContent.trim() || it.title || it.labels?.[0]?.textContent
        || document.getElementById(it.getAttribute("aria-labelledby") ?? "")?.textContent || it.placeholder || "";
    return {
        name: label, html: it.outerHTML.slice(0, 120), shown: it.checkVisibility({ visibilityProperty: true }),
        marked: own || (around !== null && getComputedStyle(around).outlineStyle !== "none")
            || (around !== null && getComputedStyle(around).boxShadow !== "none"),
    };
}"""


ESCAPE_AT_ONCE = """() => {
    window.pressed = [];
    new MutationObserver(changes => {
        const opened = changes.flatMap(it => [...it.addedNodes]).find(it => it.matches?.(".side, .figure-sheet"));
        if (opened === undefined) return;
        pressed.push(opened.className);
        const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(key);
    }).observe(document.body, { childList: true, subtree: true });
}"""


async def opens(page: Page, place: int) -> None:
    """The menu's entry at this place, in any language."""
    await page.locator(".head .menu > button").last.click()
    await page.locator(".head .menu [role^=menuitem]").nth(place).click()


@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing_wrong_in_what_opens(enter: Enter, world: Server, width: int) -> None:
    person = await enter(world.url, width=width, height=844, locale="ar")
    page = person.page
    await person.says("show airports in red")
    await person.says("chart elevation of airports")
    await expect(page.locator(".chart-marks").first).to_be_visible()
    await page.locator(".figure").first.click()
    await expect(page.locator(".figure-sheet .sql")).to_be_visible()
    assert await violations_light_and_dark(person) == []
    await page.keyboard.press("Escape")

    await opens(page, 3)
    await page.locator(".chart-new").click()
    await expect(page.locator(".chart-form")).to_be_visible()
    assert await violations_light_and_dark(person) == []
    await opens(page, 7)
    await page.locator(".history-list button").last.click()
    await expect(page.locator(".past")).to_be_visible()
    assert await violations_light_and_dark(person) == []
    await page.locator(".past .link").last.click()
    await opens(page, 8)
    await page.locator(".dialog-part > .button").click()
    await expect(page.locator(".dialog .copy-line")).to_have_count(3)
    assert await violations_light_and_dark(person) == []
    await page.keyboard.press("Escape")
    await expect(page.locator(".dialog")).to_have_count(0)

    if width < 700:
        await page.locator(".search-field").click()
    await page.get_by_role("combobox").first.fill("berlin")
    await expect(page.locator(".search-option").first).to_be_visible()
    assert await violations_light_and_dark(person) == []
    await page.keyboard.press("Enter")
    await expect(page.locator(".search-list")).to_be_hidden()
    await page.locator(".toolbar button").last.click()
    if width < 700:
        await page.locator(".toolbar .menu-item").last.click()
    await expect(page.locator(".tool-hint")).to_be_visible()
    assert await violations_light_and_dark(person) == []


async def test_the_focus_returns_from_what_closes(person: Person) -> None:
    page = person.page
    await person.says("show airports in red")
    menu = page.get_by_role("button", name="Menu", exact=True)
    for name, there in (
        ("Data", page.get_by_role("region", name="Data")),
        ("Charts", page.get_by_role("region", name="Charts")),
        ("History", page.get_by_role("region", name="History")),
        ("Share this map", page.get_by_role("dialog")),
    ):
        await menu.press("Enter")
        await page.get_by_role("menuitem", name=name, exact=True).press("Enter")
        await closes(there)
        await expect(menu).to_be_focused()
    actions = page.get_by_role("button", name="Actions for airports")
    await actions.press("Enter")
    await page.get_by_role("menuitem", name="Open table").press("Enter")
    await closes(page.get_by_role("region", name="Table of airports"))
    await expect(actions).to_be_focused()
    figure = page.locator(".figure").first
    await figure.press("Enter")
    await expect(page.locator(".figure-sheet")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(figure).to_be_focused()


async def test_escape_closes_what_has_just_opened(person: Person) -> None:
    """The key may come before the next frame, where a slow page has not drawn yet: it is sent as soon as the part is
    in the document."""
    page = person.page
    await person.says("show airports in red")
    await person.see(ESCAPE_AT_ONCE)
    menu = page.get_by_role("button", name="Menu", exact=True)
    for name in ("Data", "Charts", "History"):
        await menu.click()
        await page.get_by_role("menuitem", name=name, exact=True).click()
        await person.wait_for("pressed.splice(0).length > 0")
        await expect(page.get_by_role("region", name=name)).to_have_count(0)
        await expect(menu).to_be_focused()
    figure = page.locator(".figure").first
    await figure.click()
    await person.wait_for("pressed.splice(0).length > 0")
    await expect(page.locator(".figure-sheet")).to_have_count(0)
    await expect(figure).to_be_focused()


async def closes(there: Locator) -> None:
    await there.get_by_role("button", name="Close").press("Enter")
    await expect(there).to_have_count(0)


async def test_tab_leads_around_the_whole_page(person: Person) -> None:
    """Whatever the focus is on has a name, is in sight and is marked; no part keeps it, and all parts are reached."""
    page = person.page
    await person.says("show airports in red")
    await person.says("which tables are there?")
    await person.wait_for("document.querySelectorAll('.turn-actions button').length > 0")
    await person.box.focus()
    seen: list[dict[str, Any]] = []
    for _ in range(150):
        await page.keyboard.press("Tab")
        found = await person.see(FOCUSED)
        if found is None:
            # The browser's own bar comes after the page; once more leads back in.
            continue
        seen.append(found)
        if found["html"].startswith("<textarea"):
            break
    assert seen[-1]["html"].startswith("<textarea"), "the way around comes back to the box"
    assert [it for it in seen if not it["name"].strip() or not it["shown"] or not it["marked"]] == []
    names = " | ".join(it["name"] for it in seen)
    for part in (
        "Search",
        "Layers",
        "Undo",
        "Actions for airports",
        "Measure",
        "Zoom in",
        "Menu",
        "Copy answer",
    ):
        assert part in names
