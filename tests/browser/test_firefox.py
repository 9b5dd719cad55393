"""A second browser: what a newcomer does first works in Firefox as in Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from server.app import Server
from tests.browser.firefox import Page, firefox

DRAWN = """(() => {
    const map = geoagent.map;
    const layers = map.getLayersOrder().filter(it => map.getLayer(it).source === "airports");
    return layers.length > 0 && map.queryRenderedFeatures({ layers }).length > 100;
})()"""


@pytest_asyncio.fixture(loop_scope="session")
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with firefox(tmp_path) as opened:
        yield opened


async def test_a_question_puts_a_layer_on_the_map_in_firefox(page: Page, world: Server) -> None:
    await page.open(world.url)
    await page.wait_for("!!(window.geoagent?.state && window.geoagent.map.loaded())")
    assert "Firefox" in await page.see("navigator.userAgent")
    await page.says("show airports in red")
    await page.wait_for(DRAWN)
    assert await page.see("document.querySelector('.layer-name').innerText.trim()") == "airports"
    assert "airports" in await page.see("document.querySelector('.messages').innerText")
    assert page.console == []
