"""The map as one file: it opens from disk, offline, draws the layers, and asks nobody for anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import asyncpg
from playwright.async_api import Browser, Page, expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.browser.person import Person
from tests.support.looking import until

FEWER_ROWS = True

EVIL = "</script><script>document.title='owned'</script><!--<b>&\u2028"

TABLE = """
CREATE TABLE data.notes (id integer PRIMARY KEY, note text, geom geometry(Point, 4326));
INSERT INTO data.notes SELECT n, $1, ST_SetSRID(ST_MakePoint(n % 100 - 50, n / 100 * 0.5), 4326)
    FROM generate_series(1, 6000) AS n;
"""


async def saved(person: Person, folder: Path) -> Path:
    page = person.page
    await page.get_by_role("button", name="Menu").click()
    async with page.expect_download() as caught:
        await page.get_by_role("menuitem", name="Save as web page").click()
    path = folder / "map.html"
    await (await caught.value).save_as(path)
    return path


async def opened(browser: Browser, path: Path, locale: str = "en-GB") -> tuple[Page, list[str]]:
    """The file in a browser without a network; what it asked for, and what went wrong."""
    size: Any = {"width": 1280, "height": 800}
    context = await browser.new_context(viewport=size, offline=True, locale=locale)
    page = await context.new_page()
    troubles: list[str] = []
    page.on("request", lambda request: troubles.append(request.url) if leaves(request.url) else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    await page.goto(path.as_uri())
    await until(lambda: page.evaluate("!!window.geoagent?.map.loaded()"), pause=0.2)
    return page, [trouble for trouble in troubles if trouble != path.as_uri()]


def leaves(url: str) -> bool:
    return not url.startswith(("blob:", "data:", "file:"))


async def drawn(page: Page, layer_id: str) -> int:
    return int(
        await page.evaluate(
            "id => geoagent.map.queryRenderedFeatures({ layers: geoagent.map.getLayersOrder()"
            ".filter(it => it.startsWith(id + ':')) }).length",
            layer_id,
        )
    )


async def hidden(page: Page, layer_id: str) -> bool:
    return await drawn(page, layer_id) == 0


async def test_a_map_saved_as_a_file_opens_offline(person: Person, browser: Browser, tmp_path: Path) -> None:
    await person.says("colour countries by population")
    await person.says("show airports in red")
    await person.says("chart population by continent of countries")
    await person.page.get_by_role("button", name="Hide airports").click()
    await person.wait_for("geoagent.state.layers.some(it => !it.visible)")
    page, troubles = await opened(browser, await saved(person, tmp_path))
    await until(lambda: drawn(page, "countries"), pause=0.2)
    assert await drawn(page, "airports") == 0, "hidden as it was"
    await page.get_by_role("checkbox", name="airports").check()
    await until(lambda: drawn(page, "airports"), pause=0.2)
    await page.get_by_role("checkbox", name="countries").uncheck()
    await until(lambda: hidden(page, "countries"), pause=0.2)
    await page.get_by_role("checkbox", name="countries").check()
    chart = page.get_by_role("listbox", name="Total population by continent")
    await chart.get_by_role("option", name="Africa").focus()
    await page.keyboard.press("Home")
    await expect(chart.get_by_role("option", name="Asia: 4,542,820,143 · 50 rows")).to_be_focused()
    await expect(page.get_by_text("Asia: 4,542,820,143 · 50 rows", exact=True)).to_be_visible()
    legend = page.locator("#legend")
    await expect(legend).to_contain_text("airports")
    await expect(legend).to_contain_text("population")
    await expect(legend).to_contain_text("shapes simplified to about")
    await expect(page.get_by_text("Natural Earth")).to_be_visible()
    assert troubles == []
    await page.context.close()


async def test_the_file_runs_from_right_to_left_in_arabic(
    person: Person, browser: Browser, tmp_path: Path
) -> None:
    await person.says("colour countries by population")
    page, troubles = await opened(browser, await saved(person, tmp_path), locale="ar")
    assert troubles == []
    legend = await page.locator("#legend").bounding_box()
    control = await page.get_by_role("button", name="تكبير").bounding_box()
    assert legend is not None
    assert control is not None
    assert control["x"] + control["width"] < legend["x"], "the legend covers no control"
    await expect(page.locator(".maplibregl-ctrl-scale")).to_contain_text("كم")
    await page.context.close()


async def test_the_file_says_what_it_leaves_out_and_runs_nothing_from_tables(
    samples_url: str, world: Server, enter: Enter, browser: Browser, tmp_path: Path
) -> None:
    connection = await asyncpg.connect(samples_url)
    create, insert, _ = TABLE.split(";")
    await connection.execute(create)
    await connection.execute(insert, EVIL)
    await connection.close()
    person = await enter(world.url)
    await until(lambda: any(table.id == "data.notes" for table in world.registry.tables()))
    await person.says("show notes")
    path = await saved(person, tmp_path)
    assert path.read_text().count("</script>") == 3, "the file's own, and none from the table"
    page, troubles = await opened(browser, path)
    await until(lambda: drawn(page, "notes"), pause=0.2)
    await page.wait_for_function("geoagent.map.loaded()")
    await expect(page.locator("#legend")).to_contain_text("5,000 of 6,000 features")
    spot: dict[str, Any] = await page.evaluate(
        """() => {
            const { map } = window.geoagent;
            const [found] = map.queryRenderedFeatures({ layers: ["notes:0"] })
                .filter(it => map.project(it.geometry.coordinates).x > 400);
            return map.project(found.geometry.coordinates);
        }"""
    )
    await page.mouse.click(spot["x"], spot["y"])
    await expect(page.locator(".maplibregl-popup dd").nth(1)).to_contain_text(
        "</script><script>document.title"
    )
    assert await page.title() == "GeoAgent"
    assert troubles == []
    await page.screenshot(path=tmp_path / "file.png")
    await page.context.close()
