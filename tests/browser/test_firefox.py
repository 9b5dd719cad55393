"""A second browser: what a newcomer does first works in Firefox as in Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from server.app import Server
from tests.browser.firefox import LEFT, PAGE_UP, Page, firefox

FEWER_ROWS = True

DRAWN = """(() => {
    const map = geoagent.map;
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === "airports");
    return layers.length > 0 && map.queryRenderedFeatures({ layers }).length > 100;
})()"""


@pytest_asyncio.fixture(loop_scope="session")
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with firefox(tmp_path) as opened:
        yield opened


LAYER = "geoagent.state.layers[0]"


async def test_a_question_puts_a_layer_on_the_map_that_can_be_styled_and_filtered(
    page: Page, world: Server
) -> None:
    await page.open(world.url)
    await page.wait_for("!!(window.geoagent?.state && window.geoagent.map.loaded())")
    assert "Firefox" in await page.see("navigator.userAgent")
    await page.says("show airports in red")
    await page.wait_for(DRAWN)
    assert await page.see("document.querySelector('.layer-name').innerText.trim()") == "airports"
    assert "airports" in await page.see("document.querySelector('.messages').innerText")
    assert page.console == []
    whole = await page.see(f"{LAYER}.count")

    # By keys, a slider changes the map at once, and for everyone when the key is released.
    await page.clicks('[data-layer="airports"] .layer-name')
    await page.types(".style-editor input[type=range]", *[LEFT] * 4)
    await page.wait_for(f"{LAYER}.opacity === 0.8")
    await page.clicks(".style-kinds button:nth-child(3)")
    await page.wait_for(f"{LAYER}.style.kind === 'graduated'")

    await page.clicks("#layer-tab-filter")
    await page.clicks("#layer-tab-panel .button.plain")
    await page.types(".condition select", *"elevation_m")
    await page.wait_for("document.querySelectorAll('.condition .range-bars rect').length > 5")
    await page.types(".condition input[type=range]", PAGE_UP)
    await page.clicks("#layer-tab-panel button[type=submit]")
    await page.wait_for(f"{LAYER}.filter?.args[0].property === 'elevation_m'")
    await page.wait_for(DRAWN)
    high = await page.see(f"{LAYER}.count")
    assert 0 < high < whole

    await page.clicks(".layer-inspector .side-head .icon-button")
    await page.says("only the ones in Peru")
    assert 0 < await page.see(f"{LAYER}.count") < high
    assert page.console == []
