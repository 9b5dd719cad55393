"""The inspector of a layer: what is dragged shows here at once, and for everyone when it is let go."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.browser.test_access import violations, violations_light_and_dark
from tests.support.looking import until

FEWEST_ROWS = True

UNCOVERED = """([id, column]) => {
    const map = geoagent.map;
    if (!map.loaded() || map.isMoving()) return null;
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === id);
    const box = map.getContainer().getBoundingClientRect();
    for (const found of map.queryRenderedFeatures({ layers })) {
        if (found.properties[column] == null) continue;
        const { x, y } = map.project(found.geometry.coordinates);
        if (document.elementFromPoint(box.x + x, box.y + y) !== map.getCanvas()) continue;
        const [top] = map.queryRenderedFeatures([[x - 2, y - 2], [x + 2, y + 2]], { layers });
        if (top?.properties[column] != null) return { x: box.x + x, y: box.y + y };
    }
    return null;
}"""
"""Where on the page a point is drawn that has a value in the column, and that no panel covers."""


async def inspector_of(person: Person, layer: str) -> Locator:
    await person.page.locator(f'[data-layer="{layer}"] .layer-name').click()
    inspector = person.page.get_by_role("region", name=f"Style and filter of {layer}")
    await expect(inspector).to_be_visible()
    return inspector


async def paint(person: Person, layer: str, name: str) -> Any:
    """A paint property of the first style layer, as MapLibre draws it."""
    return await person.page.evaluate(
        "([id, name]) => geoagent.map.getPaintProperty(`${id}:0`, name)", [layer, name]
    )


async def style(person: Person) -> dict[str, Any]:
    [layer] = await person.layers()
    found: dict[str, Any] = layer["style"]
    return found


async def is_back(person: Person, before: dict[str, Any]) -> bool:
    return await style(person) == before


async def test_a_class_limit_moves_on_this_page_and_then_for_everyone(enter: Enter, world: Server) -> None:
    kim = await enter(world.url, width=1440, height=900)
    await kim.says("colour countries by population")
    await kim.sees("countries")
    lee = await enter(kim.page.url)
    await lee.sees("countries")
    before = await style(kim)
    drawn = await paint(kim, "countries", "fill-color")
    inspector = await inspector_of(kim, "countries")
    limit = inspector.get_by_role("slider", name="Limit of class 4")
    await expect(inspector.locator(".limits-bars rect").first).to_be_attached()
    await limit.scroll_into_view_if_needed()
    box = await limit.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 20
    await kim.page.mouse.move(x, y)
    await kim.page.mouse.down()
    await kim.page.mouse.move(x + 40, y, steps=4)

    async def previewed() -> bool:
        return await paint(kim, "countries", "fill-color") != drawn

    await until(previewed, pause=0.05)
    assert await style(kim) == before, "nothing is shared before it is let go"
    assert await paint(lee, "countries", "fill-color") == drawn
    await kim.page.mouse.up()

    async def shared() -> list[float] | None:
        breaks: list[float] = (await style(lee))["breaks"]
        return breaks or None

    breaks = await until(shared)
    assert breaks == sorted(breaks)

    async def drawn_for_others() -> bool:
        fill = json.dumps(await paint(lee, "countries", "fill-color"))
        return all(json.dumps(each).removesuffix(".0") in fill for each in breaks)

    await until(drawn_for_others)
    assert await violations(kim) == []
    await kim.reload()
    assert (await style(kim))["breaks"] == breaks
    await kim.page.get_by_role("button", name="Undo", exact=True).click()
    await until(lambda: is_back(lee, before))


async def test_a_class_limit_moves_by_keys(person: Person) -> None:
    await person.says("colour countries by population")
    inspector = await inspector_of(person, "countries")
    limit = inspector.get_by_role("slider", name="Limit of class 4")
    start = float(await limit.get_attribute("aria-valuenow") or 0)
    await limit.focus()
    await person.page.keyboard.press("ArrowRight")

    async def moved() -> bool:
        breaks = (await style(person))["breaks"]
        return bool(breaks) and breaks[-1] > start

    await until(moved)


async def test_a_class_of_the_legend_is_hidden_for_everyone_and_comes_back(
    enter: Enter, world: Server
) -> None:
    kim = await enter(world.url)
    await kim.says("colour countries by continent")
    lee = await enter(kim.page.url)
    everything = await lee.sees_all("countries")
    entry = kim.page.locator('[data-layer="countries"]').get_by_role("button", name="Africa")
    await entry.click()

    async def without_africa() -> bool:
        found = await lee.features("countries")
        return 0 < len(found) < everything and all(
            it["properties"].get("continent") != "Africa" for it in found
        )

    await until(without_africa, pause=0.25)
    await expect(entry).to_have_attribute("aria-pressed", "false")
    assert (await style(kim))["hidden"] == ["Africa"]
    assert await violations(kim) == []
    await lee.reload()
    await until(without_africa, pause=0.25)
    await kim.page.get_by_role("button", name="Undo", exact=True).click()

    async def all_back() -> bool:
        return await lee.count("countries") == everything

    await until(all_back, pause=0.25)


async def test_only_one_class_is_shown(person: Person) -> None:
    await person.says("colour countries by continent")
    await person.sees("countries")
    entry = person.page.locator('[data-layer="countries"]').get_by_role("button", name="Europe")
    await entry.focus()
    await person.page.keyboard.press("Shift+Enter")

    async def only_europe() -> bool:
        found = await person.features("countries")
        return bool(found) and all(it["properties"].get("continent") == "Europe" for it in found)

    await until(only_europe, pause=0.25)


async def test_a_ramp_is_seen_before_it_is_taken(person: Person) -> None:
    await person.says("colour countries by population")
    await person.sees("countries")
    before = await paint(person, "countries", "fill-color")
    inspector = await inspector_of(person, "countries")
    await inspector.get_by_role("button", name="Magma", exact=True).hover()

    async def differs() -> bool:
        return await paint(person, "countries", "fill-color") != before

    await until(differs, pause=0.05)
    assert (await style(person))["ramp"] is None
    await inspector.get_by_role("button", name="Magma", exact=True).click()

    async def taken() -> bool:
        return (await style(person))["ramp"] == "Magma"

    await until(taken)


async def test_a_slider_that_is_dragged_stays_when_somebody_else_changes_the_layer(
    enter: Enter, world: Server
) -> None:
    kim = await enter(world.url)
    await kim.says("show airports in red")
    lee = await enter(kim.page.url)
    inspector = await inspector_of(kim, "airports")
    slider = inspector.get_by_role("slider", name="Opacity")
    await slider.scroll_into_view_if_needed()
    before = await slider.input_value()
    box = await slider.bounding_box()
    assert box is not None
    await kim.page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    await kim.page.mouse.down()
    await kim.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] / 2, steps=4)
    entered = await slider.input_value()
    assert entered != before
    red = (await style(kim))["color"]
    await lee.says("colour airports blue")

    async def told() -> bool:
        return bool((await style(kim))["color"] != red)

    await until(told)
    await expect(slider).to_have_value(entered)
    await kim.page.mouse.up()

    async def shared() -> bool:
        [layer] = await lee.layers()
        return bool(layer["opacity"] == float(entered))

    await until(shared)
    assert (await style(lee))["color"] != red, "what the other one changed stays"


async def test_chosen_columns_are_shown_beside_the_pointer(person: Person) -> None:
    await person.says("show airports in red")
    await person.sees("airports")
    inspector = await inspector_of(person, "airports")
    await inspector.get_by_role("checkbox", name="elevation_m").check()

    async def shared() -> bool:
        return (await style(person))["tooltip"] == ["elevation_m"]

    await until(shared)
    point = await until(lambda: person.page.evaluate(UNCOVERED, ["airports", "elevation_m"]), pause=0.1)
    await person.page.mouse.move(point["x"], point["y"])
    await expect(person.page.locator(".hover-tip")).to_contain_text("elevation_m")
    await person.page.mouse.move(5, 5)
    await expect(person.page.locator(".hover-tip")).to_have_count(0)


async def test_columns_appear_beside_a_pointer_that_rests(person: Person) -> None:
    await person.says("show airports in red")
    inspector = await inspector_of(person, "airports")
    column = inspector.get_by_role("checkbox", name="elevation_m")
    tip = person.page.locator(".hover-tip")
    await column.check()
    point = await until(lambda: person.page.evaluate(UNCOVERED, ["airports", "elevation_m"]), pause=0.1)
    await column.uncheck()
    await person.wait_for("!geoagent.state.layers[0].style.tooltip?.length")
    await person.page.mouse.move(point["x"], point["y"])
    await expect(tip).to_have_count(0)
    await column.focus()
    await person.page.keyboard.press("Space")
    await expect(tip).to_contain_text("elevation_m")


async def test_axe_finds_nothing_wrong_in_the_inspector_on_an_arabic_phone(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url, width=390, height=844, locale="ar")
    await person.says("colour countries by population")
    await person.page.locator(".layers-title").click()
    await person.page.locator('[data-layer="countries"] .layer-name').click()
    await expect(person.page.locator(".layer-inspector .limits-bars rect").first).to_be_attached()
    assert await violations_light_and_dark(person) == []


async def test_names_of_columns_stand_next_to_their_boxes_on_an_arabic_page(
    enter: Enter, world: Server
) -> None:
    person = await enter(world.url, width=1024, height=768, locale="ar")
    await person.says("show airports in red")
    await person.page.locator('[data-layer="airports"] .layer-name').click()
    gap = """label => {
        const text = document.createRange();
        text.selectNodeContents(label.querySelector("span"));
        return label.querySelector("input").getBoundingClientRect().left - text.getBoundingClientRect().right;
    }"""
    distance = await person.page.locator(".checklist label").first.evaluate(gap)
    assert 4 <= distance <= 12


async def test_the_panel_of_layers_leaves_a_small_map_its_room_while_a_layer_is_styled(
    enter: Enter, world: Server
) -> None:
    narrow = await enter(world.url, width=1024, height=768)
    await narrow.says("show airports by elevation_m")
    await narrow.says("show countries by population")
    await inspector_of(narrow, "countries")
    await expect(narrow.page.locator('[data-layer="airports"] .legend')).to_be_hidden()
    await expect(narrow.page.locator('[data-layer="countries"] .legend')).to_be_visible()
    phone = await enter(narrow.page.url, width=390, height=844)
    await phone.page.locator(".layers-title").click()
    await phone.page.locator('[data-layer="airports"] .layer-name').click()
    await expect(phone.page.get_by_role("region", name="Style and filter of airports")).to_be_visible()
    await expect(phone.page.locator(".layer-list")).to_have_count(0)


async def test_areas_rise_by_a_column_and_the_map_is_tilted_for_who_asked(
    enter: Enter, world: Server
) -> None:
    kim = await enter(world.url)
    await kim.says("colour countries by population")
    await kim.sees("countries")
    lee = await enter(kim.page.url)
    inspector = await inspector_of(kim, "countries")
    await inspector.get_by_label("Height column").select_option("population")
    await kim.wait_for("geoagent.map.getLayer('countries:0')?.type === 'fill-extrusion'")
    await kim.wait_for("geoagent.map.getPitch() > 40")
    await expect(kim.page.locator(".layers .legend-note")).to_have_text("Height: population")
    assert await violations(kim) == []
    await lee.wait_for("geoagent.map.getLayer('countries:0')?.type === 'fill-extrusion'")
    assert await lee.see("geoagent.map.getPitch()") == 0
    await kim.sees("countries")

    await inspector.get_by_label("Metres per unit").fill("0.01")
    await inspector.get_by_label("Metres per unit").press("Enter")

    async def scaled() -> bool:
        return 0.01 in await paint(kim, "countries", "fill-extrusion-height")

    await until(scaled, pause=0.1)
    await kim.page.get_by_role("button", name="Undo", exact=True).click()
    await kim.page.get_by_role("button", name="Undo", exact=True).click()
    await kim.wait_for("geoagent.map.getLayer('countries:0')?.type === 'fill'")


async def test_what_is_asked_for_in_3d_is_seen_from_the_side_and_near(person: Person) -> None:
    answer = await person.says("show countries in Africa in 3D by population")
    assert "in 3D by `population`" in answer
    await person.wait_for("geoagent.map.getPitch() > 40")


LABELS = """() => {
    const map = geoagent.map;
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === "countries");
    const labels = layers.filter(it => map.getLayer(it).type === "symbol");
    if (labels.length === 0) return [];
    const found = map.queryRenderedFeatures({ layers: labels });
    return found.map(it => it.layer.layout["text-field"].sections.map(part => part.text).join(""));
}"""


@pytest.mark.parametrize(
    ("locale", "written"), [("en-GB", "New Zealand (4,885,500)"), ("en-IN", "New Zealand (48,85,500)")]
)
async def test_labels_are_made_of_columns_and_text(
    enter: Enter, world: Server, locale: str, written: str
) -> None:
    kim = await enter(world.url, width=1440, height=900, locale=locale)
    await kim.says("show countries")
    await kim.sees("countries")
    inspector = await inspector_of(kim, "countries")
    text = inspector.get_by_role("combobox", name="Text")
    await text.fill("{name} ({pop")
    offered = inspector.locator("datalist option")
    await expect(offered.first).to_have_attribute("value", re.compile(r"^\{name\} \(\{"))
    await text.fill("{name} ({population})")
    await expect(inspector.locator(".label-example")).to_have_text(re.compile(r"^\w.* \(\d[\d.,]+\)$"))
    await text.press("Enter")
    assert (await until(lambda: labelled(kim)))["label"] == "{name} ({population})"

    async def drawn() -> bool:
        return written in await kim.see(f"({LABELS})()")

    await until(drawn)
    await inspector.get_by_label("Insert").select_option("continent")
    await expect(text).to_have_value("{name} ({population}) {continent}")
    await text.fill("{nothing}")
    await text.press("Enter")
    await expect(kim.page.locator(".toast")).to_contain_text("nothing")


async def labelled(person: Person) -> dict[str, Any] | None:
    found = await style(person)
    return found if found["label"] else None


BEND = """(() => {
    const options = { fontSize: 48, buffer: 3, radius: 8, cutoff: 0.25, fontFamily: "sans-serif" };
    const { data, width, height } = geoagent.map.style.glyphManager.createRasterizer(options, 1).draw("(");
    const middle = Math.floor(height / 2) * width;
    let [sum, ink] = [0, 0];
    for (let x = 0; x < width; x++) [sum, ink] = [sum + data[middle + x] * x, ink + data[middle + x]];
    return sum / ink - (width - 1) / 2;
})()"""
"""How far to the right the middle of an opening bracket lies, as labels have it: to the left, unless it is mirrored."""


@pytest.mark.parametrize("locale", ["en-GB", "ar"])
async def test_brackets_of_labels_are_the_same_in_all_languages(
    enter: Enter, world: Server, locale: str
) -> None:
    person = await enter(world.url, locale=locale)
    assert await person.see(BEND) < 0
