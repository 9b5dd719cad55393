"""A layer that changes while its tiles are on their way, or after they failed, is drawn as it is now."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from playwright.async_api import Error, Route

from server.app import Server
from tests.browser.person import Person
from tests.support.looking import until
from tests.support.server import client

FEWEST_ROWS = True


async def test_a_filter_that_comes_while_tiles_are_loading_is_drawn(person: Person, world: Server) -> None:
    released, held = asyncio.Event(), 0

    async def hold(route: Route) -> None:
        nonlocal held
        held += 1
        await released.wait()
        await route.continue_()

    await person.page.route("**/tiles/*/airports/1/**", hold)
    asked = asyncio.create_task(person.says("show airports"))
    await until(lambda: held > 0)
    async with client(world) as other:
        await other.ask("join", map_id=await person.see("geoagent.state.mapId"))
        await other.ask("layer_update", layer_id="airports", filter="id <= 30")
    await person.wait_for("geoagent.state.layers[0].version > 1")
    released.set()
    await asked

    await until(lambda: has_only_first(person), pause=0.1)


async def test_a_filter_that_comes_with_another_colour_is_drawn(person: Person, world: Server) -> None:
    await person.says("show airports")
    assert await person.sees_all("airports") > 30
    async with client(world) as other:
        await other.ask("join", map_id=await person.see("geoagent.state.mapId"))
        style = {"kind": "single", "color": "#ff0000", "size": 9}
        await other.ask("layer_update", layer_id="airports", filter="id <= 30", style=style)
    await until(lambda: has_only_first(person), pause=0.1)


async def test_a_change_that_is_taken_back_while_its_tiles_are_loading_is_not_drawn(
    person: Person, world: Server
) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    await person.says("show airports")
    everything = await person.sees_all("airports")
    async with client(world) as other:
        await other.ask("join", map_id=await person.see("geoagent.state.mapId"))
        await person.page.route("**/tiles/*/airports/2/**", hold)
        await other.ask("layer_update", layer_id="airports", filter="id <= 30")
        await until(lambda: len(held) > 0)
        # For a range of zooms MapLibre parses the tiles again that it has.
        await other.ask("layer_update", layer_id="airports", style={"kind": "single", "max_zoom": 19})
        await person.wait_for("geoagent.state.layers[0].version === 3")
        await other.ask("layer_update", layer_id="airports", filter=None)
        await person.wait_for("geoagent.state.layers[0].version === 4 && geoagent.map.areTilesLoaded()")
    for route in held:
        with suppress(Error):
            await route.continue_()
    await person.says("how many countries are there?")
    assert len(await person.features("airports")) == min(everything, 1000)


async def test_a_change_of_a_layer_is_drawn_where_its_tiles_failed(person: Person, world: Server) -> None:
    person.outages_expected = True
    await person.page.route("**/tiles/*/airports/1/**", lambda route: route.fulfill(status=500))
    await person.says("show airports")
    await person.misses("airports")
    async with client(world) as other:
        await other.ask("join", map_id=await person.see("geoagent.state.mapId"))
        await other.ask("layer_update", layer_id="airports", filter="id <= 30")
    await person.sees("airports")


async def has_only_first(person: Person) -> bool:
    """Whether the airports that the filter lets pass are on the screen, and no others."""
    ids = [each["id"] for each in await person.features("airports")]
    return bool(ids) and max(ids) <= 30
