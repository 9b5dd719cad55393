"""Pointing with a finger and with a double click: what is drawn stays, and the map does not move under it."""

from __future__ import annotations

import time

import pytest
from playwright.async_api import CDPSession, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.browser.test_pointing import chosen

FEWER_ROWS = True

Points = list[tuple[float, float]]
PACE_S = 0.05


async def drag(touch: CDPSession, points: Points) -> None:
    """One finger, along these points of the page, at the pace of a person: after a fling Chromium ignores a tap."""
    began = time.time()
    kinds = ["touchStart", *["touchMove"] * (len(points) - 1)]
    for number, (kind, (x, y)) in enumerate(zip(kinds, points, strict=True)):
        touched = {"type": kind, "timestamp": began + number * PACE_S, "touchPoints": [{"x": x, "y": y}]}
        await touch.send("Input.dispatchTouchEvent", touched)
    ended = {"type": "touchEnd", "timestamp": began + 2 * len(points) * PACE_S, "touchPoints": []}
    await touch.send("Input.dispatchTouchEvent", ended)


async def zoom(person: Person) -> float:
    return float(await person.see("geoagent.map.getZoom()"))


async def test_bins_of_a_chart_are_chosen_by_a_finger_drawn_over_them(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await person.says("show airports above 1500 m")
    await person.says("histogram of elevation")
    bars = person.page.locator(".turn .chart-marks")
    await bars.scroll_into_view_if_needed()
    box = await bars.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] - 30
    touch = await person.page.context.new_cdp_session(person.page)
    await drag(touch, [(box["x"] + box["width"] * share, y) for share in (0.5, 0.6, 0.7, 0.9)])
    await expect(bars.get_by_role("option", selected=True).nth(2)).to_be_attached()
    await expect(bars.get_by_role("option").first).to_have_attribute("aria-selected", "false")


async def test_bars_and_points_are_chosen_by_a_finger_drawn_down_over_them(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    touch = await person.page.context.new_cdp_session(person.page)
    for request in (
        "chart population by continent of countries",
        "scatter plot of population and area of countries",
    ):
        await person.says(request)
        marks = person.page.locator(".turn").last.locator(".chart-marks")
        await marks.scroll_into_view_if_needed()
        box = await marks.bounding_box()
        assert box is not None
        along = ((0.02, 0.05), (0.03, 0.5), (0.5, 0.8), (0.97, 0.97))
        await drag(touch, [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in along])
        await expect(marks.get_by_role("option", selected=True).nth(1)).to_be_attached()


async def test_box_lasso_and_area_are_drawn_with_a_finger(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=820, height=1180, has_touch=True, is_mobile=True)
    page = person.page
    await person.says("show airports in red")
    await person.looks_at(8.5, 47.4, 7)
    await person.sees("airports")
    touch = await page.context.new_cdp_session(page)
    chip = page.locator(".focus-chip")
    before = await zoom(person)

    area = await chosen(person, "Select features with a box")
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    await drag(touch, [(x - 60, y - 60), (x - 20, y - 20), (x + 20, y + 20), (x + 60, y + 60)])
    await expect(chip).to_contain_text("selected in airports")

    await chip.get_by_role("button", name="Remove").click()
    await chosen(person, "Select features with a lasso")
    ring = [
        (-150, -150),
        (0, -150),
        (150, -150),
        (150, 0),
        (150, 150),
        (0, 150),
        (-150, 150),
        (-150, 0),
        (-149, -148),
    ]
    await drag(touch, [(x + dx, y + dy) for dx, dy in ring])
    await expect(chip).to_contain_text("selected in airports")

    # A tool that was put away by a drag does not end the next one at its first tap.
    await chosen(person, "Draw an area")
    await expect(page.get_by_role("button", name="Finish")).to_be_disabled()
    for dx, dy in ((-80, -80), (80, -80), (80, 80)):
        await page.touchscreen.tap(x + dx, y + dy)
    await page.get_by_role("button", name="Finish").tap()
    await expect(chip).to_contain_text("Drawn area")
    assert await zoom(person) == before

    await chosen(person, "Measure")
    for dx in (-80, 80, 80):
        await page.touchscreen.tap(x + dx, y)
    await expect(page.locator(".tool-hint")).to_contain_text(" km")
    await page.get_by_role("button", name="Cancel").tap()
    await chosen(person, "Select features with a box")
    for corner in (-60, 60):
        await page.touchscreen.tap(x + corner, y + corner)
    await expect(chip).to_contain_text("selected in airports")
    assert await zoom(person) == before


async def test_a_lasso_may_end_where_it_began_and_a_double_click_ends_an_area_without_zooming(
    person: Person,
) -> None:
    page = person.page
    await person.says("show airports in red")
    await person.looks_at(8.5, 47.4, 7)
    await person.sees("airports")
    chip = page.locator(".focus-chip")
    area = await chosen(person, "Select features with a lasso")
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    mouse = page.mouse
    await mouse.move(x - 150, y - 150)
    await mouse.down()
    for dx, dy in ((150, -150), (150, 150), (-150, 150), (-150, -149)):
        await mouse.move(x + dx, y + dy, steps=6)
    await mouse.up()
    await expect(chip).to_contain_text("selected in airports")
    await page.wait_for_timeout(50)  # a click that was still to come would have come
    await expect(chip).to_contain_text("selected in airports")

    before = await zoom(person)
    await chosen(person, "Draw an area")
    for dx, dy in ((-80, -80), (80, -80)):
        await mouse.click(x + dx, y + dy)
    await mouse.dblclick(x + 80, y + 80)
    await person.wait_for("document.querySelector('.tool-hint') === null")
    await expect(chip).to_contain_text("Drawn area")
    assert await zoom(person) == before


async def test_the_menu_of_a_column_stands_in_the_middle_of_its_header(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    page = person.page
    await person.says("show airports in red")
    await page.locator(".layers-title").tap()
    await page.get_by_role("button", name="Actions for airports").tap()
    await page.get_by_role("menuitem", name="Open table").tap()
    await page.locator(".grid-body .grid-row").first.wait_for()
    await expect(page.locator(".layers.closed")).to_have_count(1)
    head = await page.locator(".grid-head .grid-row").bounding_box()
    icon = await page.locator(".grid-head .icon-button .icon").first.bounding_box()
    assert head is not None
    assert icon is not None
    assert icon["y"] + icon["height"] / 2 == pytest.approx(head["y"] + head["height"] / 2, abs=1)
    assert await violations(person) == []


async def test_the_controls_above_a_map_stand_in_one_line(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    boxes = [await person.page.locator(it).bounding_box() for it in (".search", ".layers", ".toolbar")]
    assert [(box["y"], box["height"]) for box in boxes if box is not None] == [(12, 46)] * 3


SMALLER_THAN_A_FINGER = """them => them.filter(it => {
    const box = it.getBoundingClientRect();
    if (box.width === 0) return false;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const isHit = off => it.contains(document.elementFromPoint(x, y + off));
    return !isHit(0) || !isHit(-20) || !isHit(20);
}).map(it => it.getAttribute("aria-label") || it.textContent)"""


FREE_POINT = """() => {
    const map = geoagent.map;
    const box = map.getContainer().getBoundingClientRect();
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === "airports");
    for (const { geometry } of map.queryRenderedFeatures({ layers })) {
        const { x, y } = map.project(geometry.coordinates);
        if (document.elementFromPoint(box.x + x, box.y + y)?.closest(".map") !== null) return [box.x + x, box.y + y];
    }
    return null;
}"""
"""Where on the page an airport is drawn that nothing covers."""


async def visible_point(person: Person) -> tuple[float, float]:
    x, y = await person.page.evaluate(FREE_POINT)
    return x, y


async def test_the_open_list_of_layers_leaves_its_room_to_the_card_of_a_feature(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    page = person.page
    await person.says("show airports in red")
    await page.locator(".layers-title").tap()
    await expect(page.locator('[data-layer="airports"]')).to_be_visible()
    await person.looks_at(10, 40, 2)
    await person.sees("airports")
    await page.touchscreen.tap(*await visible_point(person))
    card = page.locator(".inspector")
    await expect(card).to_be_visible()
    await expect(page.locator('[data-layer="airports"]')).to_be_hidden()
    below, head = await card.bounding_box(), await page.locator(".layers").bounding_box()
    assert below is not None
    assert head is not None
    assert head["y"] + head["height"] <= below["y"]
    await card.get_by_role("button", name="Close").tap()
    await expect(page.locator('[data-layer="airports"]')).to_be_visible()


async def test_what_a_finger_taps_is_large_enough_for_it(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    page = person.page

    async def small(controls: str) -> list[str]:
        await page.locator(controls).first.wait_for()
        found: list[str] = await page.locator(controls).evaluate_all(SMALLER_THAN_A_FINGER)
        return found

    await person.says("show airports in red")
    assert await small(".handle, .logo, .focus-chip button") == []
    await page.locator(".layers-title").tap()
    await page.get_by_role("button", name="Actions for airports").tap()
    await page.get_by_role("menuitem", name="Filter").tap()
    await page.get_by_role("button", name="Add condition").tap()
    assert await small(".condition > select, .between-ends input") == []
    await page.keyboard.press("Control+k")
    assert await small(".palette-list li:nth-child(-n+5)") == []
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Menu").tap()
    await page.get_by_role("menuitem", name="History").tap()
    assert await small(".history-list button") == []


async def test_the_fields_of_a_dialog_are_large_enough_for_a_finger(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await person.page.get_by_role("button", name="Share this map").tap()
    fields = person.page.get_by_role("dialog").locator("input")
    await expect(fields).to_have_count(2)
    assert await fields.evaluate_all("them => them.map(it => it.offsetHeight >= 44)") == [True, True]
