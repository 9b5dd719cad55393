"""Everybody can use it: by keyboard, with a screen reader, on a phone, in the dark, from right to left."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import ROOT, Enter
from tests.browser.person import Person
from tests.support.looking import until

FEWEST_ROWS = True

AXE = (ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js").read_text()
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ALL_RULES = {"type": "tag", "values": TAGS}
RULES_ON_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""A theme changes nothing but colours, which no other rule reads."""
ONLY_VIOLATIONS = {"resultTypes": ["violations"], "preload": {"assets": ["media"]}}
"""No rule of these reads the style sheets, which axe would fetch and parse again for each look."""
SCHEMES: tuple[tuple[Literal["light", "dark"], dict[str, Any]], ...] = (
    ("light", ALL_RULES),
    ("dark", RULES_ON_COLOURS),
)


async def violations(person: Person, rules: dict[str, Any] = ALL_RULES) -> list[str]:
    if await person.see("typeof axe === 'undefined'"):
        await person.page.evaluate(AXE)
    found: dict[str, Any] = await person.page.evaluate(
        "([runOnly, more]) => axe.run(document, { runOnly, ...more })",
        [rules, ONLY_VIOLATIONS],
    )
    return [
        f"{rule['id']}: {rule['help']} ({node['html'][:160]})"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


async def violations_light_and_dark(person: Person) -> list[str]:
    found = []
    for scheme, rules in SCHEMES:
        await person.page.emulate_media(color_scheme=scheme)
        await expect(person.page.locator("html")).to_have_attribute("data-theme", scheme)
        found += [f"{scheme}: {violation}" for violation in await violations(person, rules)]
    return found


@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing_wrong(enter: Enter, world: Server, width: int) -> None:
    person = await enter(world.url, width=width, height=844)
    assert await violations_light_and_dark(person) == []
    await person.says("colour countries by population")
    await person.sees("countries")
    page = person.page
    if width < 700:
        await page.locator(".layers-title").click()
    await page.locator(".step-line").first.click()
    await page.locator('[data-layer="countries"] .layer-name').click()
    await page.get_by_role("tab", name="Filter").click()
    await page.get_by_role("button", name="Add condition").click()
    assert await violations_light_and_dark(person) == []
    if width < 700:
        await page.locator(".layers-title").click()  # it gave way to the inspector
    await page.get_by_role("button", name="Actions for countries").click()
    assert await violations_light_and_dark(person) == []
    await page.get_by_role("menuitem", name="Open table").click()
    await page.locator(".grid-body .grid-row").first.wait_for()
    for place, seen in (("History", ".history-list li"), ("Data", ".table-entry")):
        await page.get_by_role("button", name="Menu").click()
        await page.get_by_role("menuitem", name=place, exact=True).click()
        await page.locator(seen).first.wait_for()
        assert await violations_light_and_dark(person) == []


@pytest.mark.parametrize("width", [1280, 390])
async def test_axe_finds_nothing_wrong_in_what_is_seen_of_layers(
    enter: Enter, world: Server, width: int
) -> None:
    person = await enter(world.url, width=width, height=844)
    page = person.page
    await person.says("show airports in red")
    if width < 700:
        await page.locator(".layers-title").click()
    await page.locator('[data-layer="airports"] .layer-name').click()
    inspector = page.get_by_role("region", name="Style and filter of airports")
    kinds = inspector.locator(".style-kinds button")
    await expect(kinds).to_have_count(8)
    for place in range(await kinds.count()):
        await kinds.nth(place).click()
        await expect(kinds.nth(place)).to_have_attribute("aria-pressed", "true")
        assert await violations_light_and_dark(person) == [], await kinds.nth(place).inner_text()

    await page.keyboard.press("Escape")
    await person.says("colour countries by population")
    if width < 700 and not await page.locator('[data-layer="countries"]').is_visible():
        await page.locator(".layers-title").click()
    await page.locator('[data-layer="countries"] .layer-name').click()
    await page.get_by_label("Height column").select_option("population")
    await person.wait_for("geoagent.map.getPitch() > 0")
    assert await violations_light_and_dark(person) == []

    await page.goto(f"{page.url.split('?')[0]}?embed=1")
    await person.ready()
    await person.sees("countries")
    assert await violations_light_and_dark(person) == []


async def test_everything_can_be_done_by_keyboard(person: Person) -> None:
    page = person.page
    await person.box.focus()
    await page.keyboard.type("show airports in red")
    await page.keyboard.press("Enter")
    await person.sees("airports")

    await page.keyboard.press("ArrowUp")
    await expect(person.box).to_have_value("show airports in red")
    await person.box.fill("colour @cou")
    await page.get_by_role("option", name="data.countries").wait_for()
    await page.keyboard.press("Tab")
    await expect(person.box).to_have_value("colour data.countries ")

    menu = page.get_by_role("button", name="Actions for airports")
    await menu.focus()
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("menuitem", name="Show only this layer")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(menu).to_be_focused()


async def test_answers_are_announced(person: Person) -> None:
    await person.says("show airports in red")
    status = person.page.locator('.conversation [role="status"]')
    await expect(status).to_contain_text("948")


async def test_a_phone_shows_the_map_under_a_sheet(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    assert await person.see("document.documentElement.scrollWidth") == 390
    await person.says("show airports in red")
    await person.sees("airports")
    handle = person.page.get_by_role("button", name="Hide the conversation")
    await handle.tap()
    await handle.tap()
    await expect(person.page.get_by_role("button", name="Show the conversation")).to_be_visible()
    # The sheet slides: its height is that of its last frame a moment later.
    await person.wait_for("document.querySelector('.chat').getBoundingClientRect().height < 200")
    await expect(person.box).to_be_visible()
    await person.page.locator(".layers-title").tap()
    await expect(person.page.locator('[data-layer="airports"]')).to_be_visible()
    assert await person.see("document.documentElement.scrollWidth") == 390


async def test_another_language_turns_the_page_around(enter: Enter, world: Server) -> None:
    person = await enter(world.url, locale="ar")
    await expect(person.page.locator("html")).to_have_attribute("dir", "rtl")
    await expect(person.page.get_by_role("heading", name="الطبقات")).to_be_visible()
    chat = await person.page.locator(".chat").bounding_box()
    assert chat is not None
    assert chat["x"] == 0
    await person.says("show airports in red")
    await expect(person.page.locator(".answer")).to_contain_text("أُضيفت الطبقة")
    await expect(person.page.locator(".step-title")).to_have_text("إضافة طبقة")
    panel = await person.page.locator(".layers").bounding_box()
    control = await person.page.locator(".maplibregl-ctrl-zoom-in").bounding_box()
    assert panel is not None
    assert control is not None
    assert control["x"] + control["width"] < panel["x"], "the panel covers no control"
    await person.says("airports within 50 km of cities in Switzerland")
    await person.page.locator(".step-line").nth(1).click()
    evidence = person.page.locator(".step-details .evidence")
    await expect(evidence).to_contain_text("قيست المسافات على مجسّم WGS 84")
    await person.says("what can you do?")
    help_ = person.page.locator(".answer", has_text="أعمل دون نموذج لغوي")
    await expect(help_.get_by_role("button", name=re.compile("كم عدد"))).to_be_visible()
    spoken = person.page.locator('.conversation [role="status"]')
    await expect(spoken).to_contain_text("كم عدد")
    await expect(spoken).not_to_contain_text("how many")


@pytest.mark.pixels
async def test_the_theme_changes_without_a_reload(person: Person) -> None:
    await person.says("show airports in red")
    await person.sees("airports")
    page = person.page
    light = await person.colours()
    await person.paints(217, 228, 234, near=3, least=10_000)
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("menuitemradio", name="Dark").click()
    await until(lambda: dark_water(person))
    assert light > 0
    await person.sees("airports")  # the layers stay


async def dark_water(person: Person) -> bool:
    return await person.pixels(18, 23, 29, near=3) > 10_000
