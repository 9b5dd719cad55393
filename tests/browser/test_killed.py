"""The server is killed in the middle of an analysis: what is on the page afterwards, and how it goes on."""

from __future__ import annotations

import asyncpg
from playwright.async_api import expect

from tests.browser.conftest import Enter
from tests.browser.test_access import violations
from tests.browser.test_outage import SLOW
from tests.support.ports import reserved_port
from tests.support.server import Child

FEWER_ROWS = True

ANALYSIS = "geoagent.state.turns[0]?.entries.find(it => it.kind === 'analysis')"


async def test_an_analysis_that_was_cut_short_says_so_and_can_be_run_again(
    enter: Enter, samples_url: str
) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(SLOW)
    await connection.close()
    with reserved_port() as port:
        child = await Child.start(samples_url, port=port)
        try:
            person = await enter(child.url)
            page = person.page
            await person.box.fill("buffer many by 20 km")
            await page.keyboard.press("Enter")
            await person.wait_for(f"{ANALYSIS}?.status === 'running'")
            await expect(page.locator(".step-progress")).to_be_visible()
            person.outages_expected = True
        finally:
            await child.kill()
        await expect(page.locator(".banner")).to_contain_text("Offline")
        again = await Child.start(samples_url, port=port)
        try:
            await person.wait_for("(geoagent.state.turns[0]?.end ?? null) === 'interrupted'")
            await expect(page.locator(".banner")).to_be_hidden()
            # Nothing turns or grows any more, and it is said why.
            assert await person.see(f"{ANALYSIS}.status") in ("failed", "stopped")
            await expect(page.locator(".step-progress, .spinner, .thinking")).to_have_count(0)
            await expect(page.locator(".ending")).to_contain_text("The server was restarted")
            await expect(page.get_by_role("button", name="Stop", exact=True)).to_have_count(0)
            assert await person.layers() == []
            assert await violations(person) == []
            fresh = await enter(page.url)
            await expect(fresh.page.locator(".ending")).to_contain_text("The server was restarted")
            await expect(fresh.page.locator(".step-progress, .spinner, .thinking")).to_have_count(0)

            await page.get_by_role("button", name="Ask again", exact=True).click()
            await person.wait_for("geoagent.state.turns[1]?.entries.some(it => it.kind === 'analysis')")
            await page.get_by_role("button", name="Stop", exact=True).click()
            await person.wait_for("geoagent.state.turns[1].end === 'cancelled'")
            assert "9,435" in await person.says("how many airports are there?")
            fresh.outages_expected = True  # the server goes before the page does
        finally:
            await again.stop()
