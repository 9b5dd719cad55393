"""The server goes away under somebody who is reading and typing, and comes back."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.conftest import Enter
from tests.support.ports import reserved_port
from tests.support.server import local_server

FEWEST_ROWS = True


async def test_a_restart_loses_nothing_and_needs_no_reload(enter: Enter, samples_url: str) -> None:
    with reserved_port() as port:
        async with local_server(samples_url, port=port) as server:
            person = await enter(server.url)
            await person.says("show airports in red")
            await person.see("window.notReloaded = true")
            person.outages_expected = True
        banner = person.page.locator(".banner")
        await expect(banner).to_contain_text("Offline")
        await person.box.fill("colour countries by population")
        await person.page.keyboard.press("Enter")
        await expect(person.page.locator(".question-note")).to_contain_text("when you are back online")

        async with local_server(samples_url, port=port):
            await person.wait_for("(geoagent.state.turns[1]?.end ?? null) === 'done'")
            await expect(banner).to_be_hidden()
            assert await person.see("window.notReloaded") is True
            turns = await person.turns()
            assert [turn["text"] for turn in turns] == [
                "show airports in red",
                "colour countries by population",
            ]
            # Nothing is missing, nothing doubled.
            await expect(person.page.locator(".bubble")).to_have_count(2)
            await person.lists("airports", "countries")
            await person.sees("countries")


async def test_events_that_were_missed_are_made_up_for(enter: Enter, samples_url: str) -> None:
    """Two servers on one database: the reader's goes away, the writer's goes on."""
    with reserved_port() as port:
        async with local_server(samples_url) as other:
            async with local_server(samples_url, port=port) as server:
                reader = await enter(server.url)
                writer = await enter(reader.page.url.replace(server.url, other.url))
                reader.outages_expected = True
            await expect(reader.page.locator(".banner")).to_contain_text("Offline")
            await writer.says("show airports in red")
            await writer.says("colour countries by population")
            assert await reader.turns() == []
            async with local_server(samples_url, port=port):
                await reader.wait_for("geoagent.state.turns.length === 2")
                assert await reader.see("geoagent.state.seq") == await writer.see("geoagent.state.seq")
                await reader.lists("airports", "countries")
                await reader.sees("airports")
            writer.outages_expected = True  # the other server goes before the page does
