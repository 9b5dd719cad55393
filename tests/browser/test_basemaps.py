"""Base maps of others: only when the settings name one, and from nowhere else than what they name."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from server.settings import Basemap
from tests.browser.conftest import Enter, Serve
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.elsewhere import MVT, PNG, Elsewhere, elsewhere, pmtiles, png
from tests.support.looking import until

FEWER_ROWS = True

PINK = (214, 51, 132)
pytestmark = pytest.mark.pixels


@pytest_asyncio.fixture(loop_scope="session")
async def there() -> AsyncIterator[Elsewhere]:
    async with elsewhere() as found:
        yield found


async def entered(enter: Enter, url: str, there: Elsewhere, **options: object) -> Person:
    """A person who accepts that the base map comes from there."""
    person = await enter(url, **options)
    allow(person, there)
    return person


def allow(person: Person, there: Elsewhere) -> None:
    person.troubles = [
        it for it in person.troubles if not it.startswith(f"fetched from elsewhere: {there.url}/")
    ]


async def test_raster_tiles_by_an_address_with_places(enter: Enter, serve: Serve, there: Elsewhere) -> None:
    there.files["*"] = (png(*PINK), "image/png")
    template = there.url + "/tiles/{z}/{x}/{y}.png"
    server = await serve(basemap_style=template, basemap_attribution="<b>Maps & Co")
    person = await entered(enter, server.url, there)
    await until(lambda: person.pixels(*PINK, near=4), pause=0.25)
    await person.says("show airports in red")
    await person.sees("airports")
    await expect(person.page.locator(".maplibregl-ctrl-attrib")).to_contain_text("<b>Maps & Co")
    policy = (await person.page.request.get(person.url)).headers["content-security-policy"]
    assert f"img-src 'self' data: blob: {there.url};" in policy
    assert policy.count(there.url) == 3, "for pictures, fonts and data; never for scripts"
    allow(person, there)
    assert all(path.startswith("/tiles/") for path, _ in there.asked)


async def test_an_archive_of_pictures_is_read_by_ranges(enter: Enter, serve: Serve, there: Elsewhere) -> None:
    archive = pmtiles(png(*PINK), PNG, {"name": "pink"})
    there.files["/world.pmtiles"] = (archive, "application/octet-stream")
    server = await serve(basemap_style=f"{there.url}/world.pmtiles")
    person = await entered(enter, server.url, there)
    await until(lambda: person.pixels(*PINK, near=4), pause=0.25)
    allow(person, there)
    assert there.asked
    assert all(wanted.startswith("bytes=") for _, wanted in there.asked)
    assert read(there) < len(archive) / 4, "nobody loads the whole archive"


def read(there: Elsewhere) -> int:
    """Bytes of the widest range that was asked for."""
    ends = [wanted.removeprefix("bytes=").split("-") for _, wanted in there.asked]
    return max(int(last) - int(first) + 1 for first, last in ends)


async def test_an_archive_of_vectors_is_drawn_in_our_colours_light_and_dark(
    enter: Enter, samples_url: str, serve: Serve, there: Elsewhere
) -> None:
    connection = await asyncpg.connect(samples_url)
    try:
        tile = await connection.fetchval(
            "SELECT ST_AsMVT(t, 'earth', 4096, 'g') FROM (SELECT ST_AsMVTGeom(ST_Transform("
            "ST_MakeEnvelope(-170, -80, 170, 80, 4326), 3857), ST_TileEnvelope(0, 0, 0)) AS g) AS t"
        )
    finally:
        await connection.close()
    metadata = {"vector_layers": [{"id": "earth", "fields": {}}]}
    there.files["/world.pmtiles"] = (pmtiles(tile, MVT, metadata), "application/octet-stream")
    server = await serve(basemap_style=f"{there.url}/world.pmtiles")
    person = await entered(enter, server.url, there)
    await until(lambda: person.pixels(247, 246, 242, near=2), pause=0.25)
    await person.page.get_by_role("button", name="Menu").click()
    await person.page.get_by_role("menuitemradio", name="Dark").click()
    await until(lambda: person.pixels(31, 38, 46, near=2), pause=0.25)
    await person.says("show airports in red")
    await person.sees("airports")
    allow(person, there)


async def test_a_style_may_read_an_archive(enter: Enter, serve: Serve, there: Elsewhere) -> None:
    archive = pmtiles(png(*PINK), PNG, {})
    there.files["/a.pmtiles"] = (archive, "application/octet-stream")
    source = {"type": "raster", "url": f"pmtiles://{there.url}/a.pmtiles", "tileSize": 256}
    style = {"version": 8, "sources": {"a": source}, "layers": [{"id": "a", "type": "raster", "source": "a"}]}
    there.files["/style.json"] = (json.dumps(style).encode(), "application/json")
    server = await serve(basemap_style=f"{there.url}/style.json")
    person = await entered(enter, server.url, there)
    await until(lambda: person.pixels(*PINK, near=4), pause=0.25)
    allow(person, there)


async def test_one_of_several_is_chosen_and_remembered(enter: Enter, serve: Serve, there: Elsewhere) -> None:
    there.files["*"] = (png(*PINK), "image/png")
    sea = Basemap(name="Sea", url=there.url + "/sea/{z}/{x}/{y}.png", attribution="Sea & Co")
    server = await serve(basemaps=(sea,))
    person = await entered(enter, server.url, there)
    page = person.page
    await person.says("show airports in red")
    await person.sees("airports")
    assert there.asked == [], "what nobody chose is not loaded"
    before = await person.see("[geoagent.map.getCenter(), geoagent.map.getZoom()]")
    await chooses(page, "Sea")
    await person.paints(*PINK, near=4, least=10_000)
    await person.paints(229, 36, 42, near=40)
    await expect(page.locator(".maplibregl-ctrl-attrib")).to_contain_text("Sea & Co")
    assert await person.see("[geoagent.map.getCenter(), geoagent.map.getZoom()]") == before
    await person.says("show countries")
    await person.sees("countries")
    order = await person.see("geoagent.map.getLayersOrder().map(it => geoagent.map.getLayer(it).source)")
    assert [order.index(source) for source in ("basemap", "countries", "airports")] == sorted(
        order.index(source) for source in ("basemap", "countries", "airports")
    )
    await person.reload()
    await person.sees("airports")
    await person.paints(*PINK, near=4, least=10_000)
    await chooses(page, "Built-in")
    await person.paints(217, 228, 234, near=3, least=1_000)
    await person.sees("airports")
    names = await person.see("geoagent.map.getLayersOrder()")
    assert names.index("airports:0") < names.index("basemap-seas")
    await page.get_by_role("button", name="Base map").press("Enter")
    await expect(page.get_by_role("menuitemradio", name="Built-in")).to_have_attribute("aria-checked", "true")
    assert await violations(person) == []
    allow(person, there)


async def chooses(page: Page, name: str) -> None:
    await page.get_by_role("button", name="Base map").press("Enter")
    await page.get_by_role("menuitemradio", name=name).press("Enter")
    await expect(page.get_by_role("button", name="Base map")).to_be_focused()


async def test_a_base_map_that_is_not_there_gives_way_to_the_built_in_one(
    enter: Enter, serve: Serve, there: Elsewhere
) -> None:
    server = await serve(basemap_style=f"{there.url}/gone.json")
    person = await entered(enter, server.url, there)
    await expect(person.page.locator(".toast-error")).to_contain_text(f"{urlsplit(there.url).netloc}: 404")
    await person.paints(217, 228, 234, near=3, least=10_000)
    person.troubles = [it for it in person.troubles if "404" not in it]
    allow(person, there)
