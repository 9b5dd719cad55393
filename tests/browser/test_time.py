"""The time slider: which part of a layer's time is drawn, without new tiles, until it is applied for all."""

from __future__ import annotations

import re
from typing import Any

import asyncpg
import pytest_asyncio
from playwright.async_api import Locator, expect

from server.app import Server
from tests.browser.conftest import Enter, Serve
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until
from tests.support.quakes import APART, COUNT, FIRST, WITHOUT_TIME, make_quakes

FEWER_ROWS = True

MIDDLE = FIRST + APART * COUNT / 2


@pytest_asyncio.fixture(loop_scope="session")
async def quakes(world: Server, samples_url: str) -> None:
    await make_quakes(samples_url)
    await until(lambda: "data.quakes" in {table.id for table in world.registry.tables()})


def slider(person: Person) -> Locator:
    return person.page.get_by_role("region", name="Time of quakes")


async def opened(person: Person) -> Locator:
    """The slider of a new layer of all earthquakes, once their times are in the tiles."""
    await person.says("show quakes in orange")
    await person.sees("quakes")
    await person.page.get_by_role("button", name="Actions for quakes").click()
    await person.page.get_by_role("menuitem", name="Time slider").click()
    await slider(person).get_by_role("slider", name="From").wait_for()
    await until(lambda: some_timed(person), pause=0.1)
    await person.sees_all("quakes")
    return slider(person)


async def some_timed(person: Person) -> bool:
    return any("@time" in each["properties"] for each in await person.features("quakes"))


async def timed(person: Person) -> bool:
    """All are drawn, and those that have a time say it."""
    features = await person.features("quakes")
    return sum("@time" in each["properties"] for each in features) == COUNT - WITHOUT_TIME


async def drawn_times(person: Person) -> list[float]:
    return [each["properties"].get("@time", -1) for each in await person.features("quakes")]


async def test_a_window_shows_a_part_of_the_time_without_new_tiles(person: Person, quakes: None) -> None:
    time = await opened(person)
    [layer] = await person.layers()
    assert layer["style"]["time"] is None, "looking is this page's own"
    await expect(time).to_contain_text("All times: 2 Jan 2020 – 15 Dec 2021")
    assert await violations(person) == []
    asked: list[str] = []
    person.page.on("request", lambda request: asked.append(request.url))
    until_when = time.get_by_role("slider", name="To")
    await until_when.focus()
    for _ in range(3):
        await person.page.keyboard.press("PageDown")

    async def earlier() -> Any:
        times = await drawn_times(person)
        return 0 < len(times) < COUNT - WITHOUT_TIME and min(times) > 0 and times

    times = await until(earlier, pause=0.1)
    await expect(time).to_contain_text("Jan 2020")
    assert max(times) < FIRST + APART * COUNT
    assert [url for url in asked if "/tiles/" in url] == []
    assert (await person.layers())[0]["filter"] is None, "it is this page's own until it is applied"

    await person.page.keyboard.press("End")
    await until(lambda: timed(person), pause=0.1)


async def test_a_window_becomes_the_filter_for_all_and_can_be_undone(person: Person, quakes: None) -> None:
    time = await opened(person)
    await time.get_by_role("slider", name="From").fill("100")
    await time.get_by_role("button", name="Apply as filter").click()
    [layer] = await until(lambda: filtered(person))
    assert layer["filter"]["op"] == ">="
    assert layer["filter"]["args"][0] == {"property": "at"}
    assert 0 < layer["count"] < COUNT - WITHOUT_TIME

    async def late() -> bool:
        times = await drawn_times(person)
        return len(times) == layer["count"] and min(times) >= MIDDLE - APART

    await until(late, pause=0.1)
    await expect(time.get_by_role("slider", name="From")).to_have_value("100")
    await person.page.get_by_role("button", name="Undo").click()
    await until(lambda: unfiltered(person))


async def filtered(person: Person) -> list[dict[str, Any]]:
    return [layer for layer in await person.layers() if layer["filter"] is not None]


async def unfiltered(person: Person) -> list[dict[str, Any]]:
    return [layer for layer in await person.layers() if layer["filter"] is None]


async def test_it_plays_until_it_is_stopped_or_the_page_is_hidden(person: Person, quakes: None) -> None:
    time = await opened(person)
    window = time.get_by_role("slider", name="Selected range")
    await time.get_by_role("button", name="Play").click()
    seen: set[str] = set()

    async def moves() -> bool:
        seen.add(await window.get_attribute("aria-valuetext") or "")
        return len(seen) > 2

    await until(moves, pause=0.1)

    async def part() -> bool:
        return 0 < await person.count("quakes") < COUNT / 4

    await until(part, pause=0.1)
    await person.see(
        "Object.defineProperty(document, 'hidden', { value: true, configurable: true }),"
        " document.dispatchEvent(new Event('visibilitychange'))"
    )
    await expect(time.get_by_role("button", name="Play")).to_be_visible()
    await time.get_by_role("button", name="Close").click()
    await expect(slider(person)).to_have_count(0)

    async def whole() -> bool:
        return await person.count("quakes") == COUNT

    await until(whole, pause=0.1)


async def test_the_window_is_moved_by_the_pointer(person: Person, quakes: None) -> None:
    time = await opened(person)
    await time.get_by_role("slider", name="To").fill("40")
    window = time.get_by_role("slider", name="Selected range")
    await until(lambda: window.evaluate("it => parseFloat(it.style.width) < 60"))
    box = await window.bounding_box()
    assert box is not None
    mouse = person.page.mouse
    await mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    await mouse.down()
    await mouse.move(box["x"] + box["width"] * 1.5, box["y"] + 10, steps=4)
    await mouse.up()

    async def moved() -> bool:
        first, last = [
            int(await time.get_by_role("slider", name=name).input_value()) for name in ("From", "To")
        ]
        return 30 <= first <= 50 and last - first == 40

    await until(moved, pause=0.1)


async def test_looking_at_times_changes_nothing_for_others(
    person: Person, enter: Enter, quakes: None
) -> None:
    other = await enter(person.page.url)
    before = await person.see("geoagent.state.seq")
    await person.says("show airports in red")
    await person.page.get_by_role("button", name="Actions for airports").click()
    await expect(person.page.get_by_role("menuitem", name="Open table")).to_be_visible()
    await expect(person.page.get_by_role("menuitem", name="Time slider")).to_have_count(0)
    await person.page.keyboard.press("Escape")
    await opened(person)
    await other.sees("quakes")
    await expect(slider(other)).to_have_count(0)
    events = await person.see("geoagent.state.seq")
    await slider(person).get_by_role("combobox", name="Date column").select_option("day")
    await until(lambda: some_timed(person), pause=0.1)
    assert before < events == await person.see("geoagent.state.seq")


async def test_the_slider_offers_years_after_the_column_is_confirmed(person: Person, quakes: None) -> None:
    time = await opened(person)
    await time.get_by_role("combobox", name="Date column").select_option("year")
    first = time.get_by_role("slider", name="From")
    await expect(first).to_have_attribute("max", "1")
    await expect(first).to_have_attribute("aria-valuetext", "2020")
    await until(lambda: all_of_them(person), pause=0.1)
    await first.focus()
    await person.page.keyboard.press("ArrowRight")

    async def only_2021() -> bool:
        return set(await drawn_times(person)) == {2021}

    await until(only_2021, pause=0.1)


async def all_of_them(person: Person) -> bool:
    return set(await drawn_times(person)) == {2020, 2021}


async def test_on_a_phone_the_slider_stands_above_the_sheet(
    enter: Enter, world: Server, quakes: None
) -> None:
    person = await enter(world.url, width=390, height=844, has_touch=True, is_mobile=True, dark=True)
    await person.page.locator(".layers-title").tap()
    time = await opened(person)
    await time.get_by_role("button", name="Play").tap()
    await time.get_by_role("button", name="Pause").tap()
    assert await violations(person) == []
    assert await person.see("document.documentElement.scrollWidth") == 390
    dates = await time.locator("output").bounding_box()
    assert dates is not None
    assert dates["height"] < 28, "the dates are on one line"
    apply = await time.get_by_role("button", name="Apply as filter").bounding_box()
    assert apply is not None
    assert apply["height"] >= 44, "a finger needs room"
    box, sheet = await time.bounding_box(), await person.page.locator(".chat").bounding_box()
    assert box is not None
    assert sheet is not None
    assert box["y"] + box["height"] <= sheet["y"] + 1


PINGS = """
CREATE TABLE data.pings AS SELECT n AS id, timestamptz '2020-01-01 00:00Z' + n * interval '1 hour' AS at, ST_SetSRID(
  ST_MakePoint(8 + n % 250 / 50.0, 46 + (n / 250) / 60.0), 4326)::geometry(Point, 4326) AS geom
FROM generate_series(0, 59999) AS n;
ALTER TABLE data.pings ADD PRIMARY KEY (id);
CREATE INDEX ON data.pings USING gist (geom);
ANALYZE data.pings;
"""


async def test_representatives_of_many_rows_tell_how_many_lie_in_the_window(
    enter: Enter, serve: Serve, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(PINGS)
    finally:
        await connection.close()
    server = await serve(overview_rows=20_000, large_table=20_000)
    person = await enter(server.url)
    await person.says("show pings")
    await person.sees("pings")
    await person.looks_at(10.5, 48, 4)
    row = person.page.locator('[data-layer="pings"]')
    await expect(row.locator(".thinned")).to_contain_text("represent about 60,000 in view")
    await person.page.get_by_role("button", name="Actions for pings").click()
    await person.page.get_by_role("menuitem", name="Time slider").click()
    time = person.page.get_by_role("region", name="Time of pings")
    first = time.get_by_role("slider", name="From")
    await first.wait_for()
    await expect(time).to_contain_text("All times: 1 Jan 2020 – 4 Nov 2026")
    await first.fill("100")
    # The second half, by the representatives that a hash chose.
    await expect(row.locator(".thinned")).to_contain_text(
        re.compile("^Sample: .* represent about (2[89]|3[0-2]),")
    )
    assert all(each["properties"]["@time"] > 1_685_000_000 for each in await person.features("pings"))
    await time.get_by_role("button", name="Apply as filter").click()
    await expect(row).to_contain_text("30,000 features")
    # So many are drawn from the table itself.
    await expect(row.locator(".thinned")).to_have_count(0)
