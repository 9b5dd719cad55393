"""Charts as people meet them: in an answer, in their panel, made by hand, and pointing at the map and back."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations, violations_light_and_dark
from tests.support.looking import until

FEWER_ROWS = True

MARKS = """id => {
    const map = window.geoagent.map;
    const layers = map.getLayersOrder().filter(it => it.startsWith(id + ":mark-hint"));
    if (layers.length === 0) return [];
    const named = it => id === "countries" ? it.properties.continent : String(it.id);
    return [...new Set(map.queryRenderedFeatures({ layers }).map(named))];
}"""


async def open_charts(person: Person) -> Locator:
    """The panel of charts."""
    await person.page.get_by_role("button", name="Menu", exact=True).click()
    await person.page.get_by_role("menuitem", name="Charts").click()
    panel = person.page.get_by_role("region", name="Charts")
    await expect(panel).to_be_visible()
    return panel


async def marked(person: Person, layer_id: str) -> list[str]:
    found: list[str] = await person.page.evaluate(MARKS, layer_id)
    return found


def plot(within: Locator) -> Locator:
    """The first chart."""
    return within.locator(".chart-plot svg").first


def part(within: Locator, name: str) -> Locator:
    """A mark of a chart by the beginning of what it says."""
    return within.get_by_role("option", name=name)


async def act(within: Locator, name: str) -> None:
    """Something in the menu of the first chart."""
    await within.get_by_role("button", name="Actions for chart").first.click()
    await within.page.get_by_role("menuitem", name=name).click()


async def with_bars(person: Person) -> Locator:
    """Countries on the map, and their population by continent in the panel."""
    await person.says("show countries")
    await person.sees("countries")
    answer = await person.says("chart population by continent of countries")
    assert "Total population by continent" in answer
    panel = await open_charts(person)
    await expect(plot(panel)).to_be_visible()
    return panel


async def test_a_chart_is_drawn_in_the_answer_and_stays_after_a_reload(person: Person) -> None:
    await person.says("show airports above 1500 m")
    await person.says("histogram of elevation")
    figure = person.page.locator(".turn .chart")
    await expect(figure.get_by_role("heading")).to_have_text("Airports by elevation (m)")
    await expect(figure).to_contain_text("368 rows")
    await expect(figure.get_by_role("option").first).to_be_visible()
    await person.reload()
    await expect(person.page.locator(".turn .chart").get_by_role("option").first).to_be_visible()


async def test_a_second_person_sees_the_chart_come_and_go(
    enter: Enter, world: Server, person: Person
) -> None:
    other = await enter(person.page.url)
    theirs = await open_charts(other)
    panel = await with_bars(person)
    await expect(theirs.locator(".chart h3")).to_have_text("Total population by continent")
    await act(panel, "Remove")
    await expect(theirs.locator(".chart")).to_have_count(0)
    await person.page.keyboard.press("Control+z")
    await expect(theirs.locator(".chart")).to_have_count(1)


async def test_pointing_at_a_bar_marks_its_features_on_the_map(person: Person) -> None:
    panel = await with_bars(person)
    await part(panel, "Africa").hover()
    await expect(panel.locator(".chart-note")).to_contain_text("Africa")
    await expect(panel.locator(".chart-note")).to_contain_text("56 highlighted on the map")

    async def all_african() -> bool:
        return await marked(person, "countries") == ["Africa"]

    await until(all_african, pause=0.2)
    await person.page.get_by_role("heading", name="Layers").hover()

    async def none() -> bool:
        return await marked(person, "countries") == []

    await until(none, pause=0.2)


async def test_a_click_on_a_bar_selects_its_features(person: Person) -> None:
    panel = await with_bars(person)
    await part(panel, "Africa").click()
    await panel.get_by_role("button", name="Close").click()
    await expect(person.page.locator(".focus-chip")).to_contain_text("56 selected in countries")


async def test_pointing_at_the_map_marks_the_bar(person: Person) -> None:
    panel = await with_bars(person)
    await person.looks_at(25, 0, 4)
    box = await person.page.locator(".map").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    outlines = panel.locator(".chart-marked rect")
    await expect(outlines).to_have_count(0)

    async def told() -> bool:
        await person.page.mouse.move(x, y)
        await person.page.mouse.move(x + 3, y + 3)
        return await outlines.count() == 1

    await until(told, pause=0.3)
    outline, bar = await outlines.bounding_box(), await part(panel, "Africa").bounding_box()
    assert outline is not None
    assert bar is not None
    assert all(abs(outline[side] - bar[side]) < 3 for side in ("x", "y", "width", "height"))


async def test_a_brush_selects_everything_below_it(person: Person) -> None:
    await person.says("show airports above 1500 m")
    await person.sees("airports")
    await person.says("histogram of elevation")
    panel = await open_charts(person)
    await expect(plot(panel)).to_be_visible()
    await plot(panel).scroll_into_view_if_needed()
    box = await plot(panel).bounding_box()
    assert box is not None
    mouse = person.page.mouse
    await mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    await mouse.down()
    await mouse.move(box["x"] + box["width"] - 2, box["y"] + 60, steps=6)
    await mouse.up()
    await person.page.get_by_role("heading", name="Layers").hover()
    await expect(person.page.locator(".chart-note")).to_contain_text("highlighted on the map")

    async def many() -> bool:
        return len(await marked(person, "airports")) > 5

    await until(many, pause=0.2)


async def test_everything_is_there_for_the_keyboard(person: Person) -> None:
    panel = await with_bars(person)
    keys = person.page.keyboard
    chart = panel.get_by_role("listbox", name="Total population by continent")
    first = chart.get_by_role("option", name="Asia: 4,542,820,143 · 50 rows")
    africa = chart.get_by_role("option", name="Africa: 1,276,348,384 · 56 rows")
    await panel.get_by_role("button", name="Actions for chart").focus()
    await keys.press("Tab")
    await expect(first).to_be_focused()
    await keys.press("ArrowRight")
    await expect(africa).to_be_focused()
    await expect(panel.locator(".chart-note")).to_contain_text("Africa: 1,276,348,384 · 56 rows")
    await keys.press("End")
    await expect(chart.get_by_role("option").last).to_be_focused()
    await keys.press("ArrowDown")
    await expect(first).to_be_focused()
    await keys.press("ArrowUp")
    await keys.press("Home")
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await expect(chart.get_by_role("option", selected=True)).to_have_count(1)
    await expect(africa).to_have_attribute("aria-selected", "true")
    assert await violations(person) == []
    # Away and back: the chart is one stop of the Tab key.
    await keys.press("Shift+Tab")
    await keys.press("Tab")
    await expect(africa).to_be_focused()

    async def selected() -> Any:
        return await person.page.locator(".focus-chip").count() or await marked(person, "countries")

    await until(selected, pause=0.2)
    await act(panel, "Show as a table")
    row = panel.get_by_role("row", name="Europe")
    await expect(row).to_contain_text("742,892,012")
    await row.get_by_role("button").focus()
    await expect(panel.locator(".chart-note")).to_contain_text("Europe")


async def test_a_chart_is_made_by_hand_from_a_layer(person: Person) -> None:
    await person.says("show airports above 1500 m")
    await person.page.get_by_role("button", name="Actions for airports").click()
    await person.page.get_by_role("menuitem", name="Chart", exact=True).click()
    panel = person.page.get_by_role("region", name="Charts")
    await panel.get_by_label("Type").select_option("Box plot")
    await panel.get_by_label("Group by").select_option("country_code")
    await expect(panel.get_by_role("combobox", name="Y", exact=True)).to_have_value("elevation_m")
    await panel.get_by_role("button", name="Create chart").click()
    await expect(panel.locator(".chart h3")).to_have_text("Elevation (m) by country code")
    await expect(part(panel, "").first).to_be_visible()
    await expect(panel.locator(".chart")).to_contain_text("368 rows")


async def test_a_chart_is_made_from_a_column_of_the_table(person: Person) -> None:
    await person.says("show airports above 1500 m")
    await person.page.get_by_role("button", name="Actions for airports").click()
    await person.page.get_by_role("menuitem", name="Open table").click()
    head = person.page.get_by_role("columnheader", name="elevation_m")
    await head.get_by_role("button", name="Actions for elevation_m").click()
    await head.get_by_role("menuitem", name="Chart of elevation_m").click()
    await expect(person.page.locator(".charts .chart h3")).to_have_text("Airports by elevation (m)")


async def test_a_filter_that_changed_is_said_and_taken_up_when_asked(person: Person) -> None:
    await person.says("show airports above 1500 m")
    await person.says("histogram of elevation")
    await person.says("only the ones above 3000 m")
    panel = await open_charts(person)
    figure = panel.locator(".chart")
    await expect(figure).to_contain_text("368 rows")
    await figure.get_by_role("button", name="The layer’s filter has changed").click()
    await expect(figure).to_contain_text("elevation_m > 3,000")
    await expect(figure.get_by_role("button", name="The layer’s filter has changed")).to_have_count(0)


@pytest.mark.pixels
async def test_a_chart_is_kept_as_a_picture_and_as_rows(person: Person) -> None:
    panel = await with_bars(person)
    async with person.page.expect_download() as picture:
        await act(panel, "Save as PNG")
    saved = await (await picture.value).path()
    assert (await picture.value).suggested_filename == "Total population by continent.png"
    assert saved.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert saved.stat().st_size > 5_000
    async with person.page.expect_download() as drawing:
        await act(panel, "Save as SVG")
    drawn = (await (await drawing.value).path()).read_text()
    assert drawn.startswith("<svg")
    assert "Total population by continent" in drawn
    assert "var(" not in drawn, "its colours are its own"
    assert drawn.count("<text") == drawn.count('unicode-bidi="plaintext"'), "Arabic runs to the left in it"
    async with person.page.expect_download() as rows:
        await act(panel, "Save as CSV")
    text = (await (await rows.value).path()).read_text()
    assert text.splitlines()[0] == "continent,sum of population,count"
    assert "Asia,4542820143.0,50" in text


async def test_charts_can_be_used_by_everybody(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844)
    panel = await with_bars(person)
    assert await violations_light_and_dark(person) == []
    await panel.get_by_role("button", name="New chart").click()
    await act(panel, "Show as a table")
    assert await violations_light_and_dark(person) == []
    assert not await person.see("document.documentElement.scrollWidth > innerWidth")


async def test_a_look_back_shows_the_charts_of_then_and_restore_brings_them_back(person: Person) -> None:
    page = person.page
    await person.says("chart population by continent of countries")
    await person.says("show airports in red")
    await page.locator(".chart figcaption .menu button").click()
    await page.get_by_role("menuitem", name="Remove").click()
    await person.wait_for("geoagent.state.charts.length === 0")

    await page.get_by_role("button", name="Menu", exact=True).click()
    await page.get_by_role("menuitem", name="History", exact=True).click()
    await page.get_by_role("button", name="Added airports").click()
    await expect(page.locator(".past")).to_be_visible()
    panel = await open_charts(person)
    await expect(part(panel, "").first).to_be_visible()
    # The past is looked at, not changed.
    await expect(panel.get_by_role("button", name="New chart")).to_have_count(0)
    await panel.locator("figcaption .menu button").click()
    await expect(page.get_by_role("menuitem")).to_have_text(
        ["Show as a table", "Save as PNG", "Save as SVG", "Save as CSV"]
    )
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Restore").click()
    await person.wait_for("geoagent.state.charts.length === 1")
    await expect(panel.get_by_role("button", name="New chart")).to_be_visible()
    await expect(panel.locator(".chart")).to_have_count(1)
