"""The built-in base map is as fine as the zoom needs, and nothing blinks when finer land comes."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Request

from server.app import Server
from tests.browser.conftest import Enter

BASE_MAP = True

WATCH = """([lng, lat]) => {
    const map = geoagent.map;
    const gl = map.painter.context.gl;
    window.seen = new Set();
    map.on("render", () => {
        const { x, y } = map.project([lng, lat]);
        const pixel = new Uint8Array(4);
        const scale = map.getPixelRatio();
        gl.readPixels(x * scale, gl.drawingBufferHeight - y * scale, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
        seen.add([...pixel.slice(0, 3)].join(" "));
    });
}"""
"""Collects the colours of a place in all frames."""
SAHARA = (0.0, 23.0)
FINEST = ["borders-10m", "land-10m"]
LAND = "247 246 242"


@pytest.mark.pixels
async def test_land_is_as_fine_as_the_zoom_needs_and_never_blinks(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=700, height=500)
    page = person.page
    asked: list[str] = []

    def count(request: Request) -> None:
        asked.extend(re.findall(r"/((?:land|borders)-\d+m)-", request.url))

    page.on("request", count)
    await person.reload()
    assert sorted(asked) == ["borders-110m", "land-110m"]
    await page.evaluate(WATCH, SAHARA)
    for zoom, expected in ((4, ["borders-50m", "land-50m"]), (7, FINEST), (5, []), (3, []), (7, [])):
        asked.clear()
        await page.evaluate(
            "([center, zoom]) => void geoagent.map.jumpTo({ center, zoom })", [list(SAHARA), zoom]
        )
        await person.wait_for("geoagent.map.loaded()")
        assert sorted(asked) == expected
    assert await person.see("[...seen]") == [LAND]
    await person.see("void geoagent.map.jumpTo({ center: [10, 58], zoom: 7 })")
    await person.wait_for("geoagent.map.loaded()")
    assert await person.pixels(217, 228, 234, near=3) > 10_000, "the Skagerrak is water"


NAMED = """id => geoagent.map.queryRenderedFeatures({ layers: geoagent.map.getLayersOrder().filter(
    it => it === id || geoagent.map.getLayer(it).source === id && geoagent.map.getLayer(it).type === "symbol",
) }).map(it => it.properties.name)"""


async def test_countries_are_named_over_dense_labels_and_never_twice(enter: Enter, world: Server) -> None:
    person = await enter(world.url, width=900, height=600)
    await person.says("label cities by name")
    await person.looks_at(10, 50, 4)
    assert {"Germany", "France"} <= set(await person.page.evaluate(NAMED, "basemap-names"))
    assert len(await person.page.evaluate(NAMED, "cities")) > 20
    await person.says("label countries by name")
    await person.looks_at(-40, 70, 2)
    assert await person.page.evaluate(NAMED, "basemap-names") == []
    assert (await person.page.evaluate(NAMED, "countries")).count("Greenland") == 1
    await person.says("hide countries")
    await person.looks_at(-40, 70, 2)
    assert "Greenland" in await person.page.evaluate(NAMED, "basemap-names")
