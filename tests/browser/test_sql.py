"""Raw SQL as a person sees it: the statement as it ran, and its rows as a table of texts."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import expect

from server.app import Server
from tests.browser.conftest import Enter
from tests.support.server import local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def allowing(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, sql=True) as server:
        yield server


async def test_the_statement_and_its_rows_are_shown(enter: Enter, allowing: Server) -> None:
    person = await enter(allowing.url)
    await person.says("sql: SELECT '<b onclick=x()>bold</b>' AS html, count(*) AS n FROM cities WHERE id < 0")
    await person.page.get_by_role("button", name="Run SQL").click()
    entry = person.page.locator(".step-details")
    await expect(entry.locator("pre")).to_contain_text('FROM "data"."cities"')
    await expect(entry.get_by_role("columnheader")).to_have_text(["html", "n"])
    await expect(entry.get_by_role("cell")).to_have_text(["<b onclick=x()>bold</b>", "0"])


async def test_the_slash_offers_it_where_it_is_allowed(enter: Enter, allowing: Server) -> None:
    person = await enter(allowing.url)
    await person.box.fill("/sq")
    await expect(person.page.get_by_role("option", name="/sql")).to_be_visible()
    await person.box.press("Enter")
    await expect(person.box).to_have_value("sql: SELECT ")
