"""Pointing at things on the map: what is selected or drawn is what "these" and "here" mean in the next message."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until


async def chosen(person: Person, tool: str) -> dict[str, float]:
    """Takes up a tool, once it can be used; where the map is on the page."""
    await person.page.get_by_role("button", name=tool).click()
    await expect(person.page.locator(".tool-hint")).not_to_contain_text("Loading")
    box = await person.page.locator(".map").bounding_box()
    assert box is not None
    return dict(box)


async def focus_of_last(person: Person) -> dict[str, Any]:
    focus: dict[str, Any] = (await person.turns())[-1]["focus"]
    return focus


async def test_a_box_selects_features_and_they_travel_with_the_message(person: Person) -> None:
    await person.says("show airports in red")
    await person.sees("airports")
    await person.looks_at(8.5, 47.4, 7)
    await person.sees("airports")
    area = await chosen(person, "Select features with a box")
    mouse = person.page.mouse
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    await mouse.move(x - 60, y - 60)
    await mouse.down()
    await mouse.move(x + 60, y + 60, steps=4)
    await mouse.up()
    chip = person.page.locator(".focus-chip")
    await expect(chip).to_contain_text("selected in airports")
    await person.says("which tables are there?")
    focus = await focus_of_last(person)
    assert focus["layer_id"] == "airports"
    assert 0 < len(focus["feature_ids"]) <= 500

    await chip.get_by_role("button", name="Remove").click()
    await expect(chip).to_contain_text("This view")
    await person.says("which tables are there?")
    focus = await focus_of_last(person)
    assert not focus.get("feature_ids"), "what was let go never leaks into the next message"
    west, south, east, north = focus["bounds"]
    assert west < 8.5 < east
    assert south < 47.4 < north


async def test_a_lasso_takes_what_is_within_and_leaves_its_bay(person: Person) -> None:
    await person.says("show countries")
    await person.says("show airports in red")
    await person.sees("airports")
    await person.looks_at(8.5, 47.4, 7)
    await person.sees("airports")
    area = await chosen(person, "Select features with a lasso")
    mouse = person.page.mouse
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    corners = [(-150, -150), (150, -150), (150, 150), (0, -100), (-150, 150)]
    await mouse.move(x - 150, y - 150)
    await mouse.down()
    for dx, dy in corners[1:]:
        await mouse.move(x + dx, y + dy, steps=8)
    await mouse.up()
    chip = person.page.locator(".focus-chip")
    await expect(chip).to_contain_text("selected in airports")
    await person.says("which tables are there?")
    chosen_ids = set((await focus_of_last(person))["feature_ids"])
    seen = await person.page.evaluate(PLACED, [x - area["x"], y - area["y"]])
    inside = {each["id"] for each in seen if each["y"] < -110 and abs(each["x"]) < 140 and each["y"] > -140}
    bay = {each["id"] for each in seen if each["y"] > 0 and abs(each["x"]) < each["y"] / 2}
    assert inside
    assert bay
    assert inside <= chosen_ids, "all that lies within is taken"
    assert not bay & chosen_ids, "what the line goes around is not"


PLACED = """([x, y]) => {
    const map = window.geoagent.map;
    return map.queryRenderedFeatures({ layers: ["airports:0"] }).map(it => {
        const at = map.project(it.geometry.coordinates);
        return { id: it.id, x: at.x - x, y: at.y - y };
    });
}"""


async def test_more_than_can_be_selected_is_said(person: Person) -> None:
    await person.says("show airports in red")
    await person.sees("airports")
    await person.looks_at(-95, 40, 3.5)
    await person.sees("airports")
    area = await chosen(person, "Select features with a box")
    mouse = person.page.mouse
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    await mouse.move(x - 150, y - 150)
    await mouse.down()
    await mouse.move(x + 150, y + 150, steps=4)
    await mouse.up()
    await expect(person.page.locator(".toast-error")).to_contain_text("Only the first 500 of")
    await expect(person.page.locator(".focus-chip")).to_contain_text("500 selected in airports")


@pytest.mark.pixels
async def test_a_drawn_area_travels_with_the_message(person: Person) -> None:
    area = await chosen(person, "Draw an area")
    mouse = person.page.mouse
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    for dx, dy in ((-80, -80), (80, -80), (80, 80)):
        await mouse.move(x + dx, y + dy)
        await mouse.click(x + dx, y + dy)
    await person.page.get_by_role("button", name="Finish").click()
    await expect(person.page.locator(".focus-chip")).to_contain_text("Drawn area")
    await person.paints(255, 176, 0, near=40)  # its outline is on the map
    await person.says("which tables are there?")
    focus = await focus_of_last(person)
    assert focus["area"]["type"] == "Polygon"
    [ring] = focus["area"]["coordinates"]
    assert ring[0] == ring[-1]
    assert len(ring) == 4


async def test_distances_are_measured_on_the_earth(person: Person) -> None:
    await person.looks_at(0, 0, 5)
    area = await chosen(person, "Measure")
    mouse = person.page.mouse
    x, y = area["x"] + area["width"] / 2, area["y"] + area["height"] / 2
    per_degree = await person.see("geoagent.map.project([1, 0]).x - geoagent.map.project([0, 0]).x")
    await mouse.click(x, y)
    await mouse.move(x + 2 * per_degree, y)
    hint = person.page.locator(".tool-hint")
    await until(lambda: is_about(hint, 222.4))
    await mouse.dblclick(x + 2 * per_degree, y)
    await mouse.move(x + 2 * per_degree, y + 3 * per_degree)
    await person.page.wait_for_timeout(300)
    assert await is_about(hint, 222.4), "the pointer moves a line that was ended"
    await mouse.click(x, y)
    await mouse.move(x + per_degree, y)
    await until(lambda: is_about(hint, 111.2))
    button = person.page.get_by_role("button", name="Measure", exact=True)
    await button.focus()
    await person.page.keyboard.press("Escape")
    await expect(hint).to_have_count(0)
    await expect(button).to_have_attribute("aria-pressed", "false")


async def test_the_keyboard_measures_and_selects(person: Person) -> None:
    page = person.page
    await person.says("show airports in red")
    await person.looks_at(8.5, 47.4, 7)
    await person.sees("airports")
    await page.get_by_role("button", name="Measure", exact=True).focus()
    await page.keyboard.press("Enter")
    hint = page.locator(".tool-hint")
    await expect(hint).to_contain_text("Click along the line")
    await expect(hint.locator(".tool-keys")).to_be_visible()
    await page.keyboard.press("Space")
    await page.keyboard.press("ArrowRight")
    await expect(hint).to_contain_text(" km")
    await page.keyboard.press("Escape")
    await expect(hint).to_have_count(0)

    await person.looks_at(8.5, 47.4, 7)
    await chosen(person, "Select features with a box")
    await page.keyboard.press("Space")
    for key, moved in (("ArrowRight", "lng > 8.6"), ("ArrowDown", "lat < 47.3")):
        await page.keyboard.press(key)
        await person.wait_for(f"!geoagent.map.isMoving() && geoagent.map.getCenter().{moved}")
    await page.keyboard.press("Space")
    await expect(page.locator(".focus-chip")).to_contain_text("selected in airports")


async def is_about(hint: Any, kilometres: float) -> bool:
    text = await hint.locator("span").inner_text()
    return text.endswith(" km") and abs(float(text.removesuffix(" km")) - kilometres) < 3


async def test_a_layer_is_moved_by_dragging(person: Person) -> None:
    await person.says("show airports in red")
    await person.says("show countries")
    await expect(person.page.locator(".layer .grip")).to_have_count(2)
    before = await person.names()
    await person.page.locator(".layer .grip").first.drag_to(person.page.locator(".layer .grip").last)
    await until(lambda: turned(person, before[::-1]))


async def test_a_layer_is_moved_by_a_finger(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True)
    await person.says("show airports in red")
    await person.says("show countries")
    await person.page.locator(".layers-title").tap()
    before = await person.names()
    assert len(before) == 2
    grips = person.page.locator(".layer .grip")
    first, last = await grips.first.bounding_box(), await grips.last.bounding_box()
    assert first is not None
    assert last is not None
    touch = await person.page.context.new_cdp_session(person.page)
    x, start, end = first["x"] + 10, first["y"] + 16, last["y"] + 40
    await touch.send(
        "Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": start}]}
    )
    for part in (0.3, 0.6, 1.0):
        at = {"x": x, "y": start + (end - start) * part}
        await touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [at]})
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    await until(lambda: turned(person, before[::-1]))


async def turned(person: Person, names: list[str]) -> bool:
    drawn = [layer["name"] for layer in reversed(await person.layers())]
    return drawn == names


async def test_one_of_rows_whose_long_ids_browsers_would_round_is_selected_alone(
    person: Person, world: Server, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        "CREATE TABLE data.posts (id bigint PRIMARY KEY, name text, geom geometry(Point, 4326));"
        "INSERT INTO data.posts SELECT 1750000000000000000 + n, 'post ' || n, ST_Point(10 + n, 20, 4326)"
        " FROM generate_series(1, 6) n; GRANT SELECT ON data.posts TO PUBLIC"
    )
    await connection.close()
    await until(lambda: any(one.id == "data.posts" and one.columns for one in world.registry.tables()))
    await person.says("show posts")
    await person.looks_at(13, 20, 5)
    await person.sees("posts")
    middle = await chosen(person, "Select features with a box")
    x, y = middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2
    mouse = person.page.mouse
    await mouse.move(x - 10, y - 10)
    await mouse.down()
    await mouse.move(x + 10, y + 10, steps=4)
    await mouse.up()
    await expect(person.page.locator(".focus-chip")).to_contain_text("1 selected in posts")
    marked = "geoagent.map.queryRenderedFeatures().filter(({ layer }) => layer.id === 'posts:mark-point')"
    assert await until(lambda: person.see(f"{marked}.map(({{ properties }}) => properties.name)")) == [
        "post 3"
    ]
    assert "1" in await person.says("how many posts are selected?")
    assert (await focus_of_last(person))["feature_ids"] == ["1750000000000000003"]
