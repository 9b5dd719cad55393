"""A dataset on the server is registered in the catalogue; its table lists all rows, or says that it lists a sample."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from server.app import Server
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support import lake as datasets
from tests.support.children import temporary_folder
from tests.support.server import local_server

ROWS, SAMPLE = 2000, 200


@pytest.fixture(scope="module")
def lake_folder() -> Iterator[Path]:
    with temporary_folder("lake") as folder:
        datasets.hive(folder / "pings", ROWS // 2)
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(samples_url: str, lake_folder: Path) -> AsyncIterator[Server]:
    """A server with a lake, and the dataset registered once with a small sample."""
    async with local_server(samples_url, lake_paths=(lake_folder,)) as server:
        lake = Lake(server.database.owner, LakeStorage([lake_folder]), sample_rows=SAMPLE)
        await lake.add("tracks", str(lake_folder / "pings"))
        await server.registry.refresh(patience=5)
        yield server
        for each in await lake.tables():
            await lake.remove(each.table)


async def test_files_on_the_server_are_registered_by_a_form(person: Person, lake_folder: Path) -> None:
    page = person.page
    person.outages_expected = True  # the refusal is in the console, too
    await page.get_by_role("button", name="Browse and add data").click()
    await page.get_by_role("button", name="Register files on the server").click()
    form = page.get_by_role("form", name="Register files on the server")
    path = form.get_by_label("Path")
    await expect(path).to_be_focused()
    await path.fill("/etc")
    await form.get_by_role("button", name="Register").click()
    await expect(form.get_by_role("alert")).to_contain_text("outside of the folders")
    assert await violations(person) == []

    await path.fill(str(lake_folder / "pings"))
    await form.get_by_label("Table name").fill("pings")
    await form.get_by_role("button", name="Register").click()
    await expect(page.get_by_text("data.pings registered: 2,000 rows in 2 files.")).to_be_visible()
    await expect(form).to_have_count(0)
    await person.lists("pings")
    entry = page.get_by_role("listitem").filter(has=page.get_by_role("button", name="pings", exact=True))
    await expect(entry.get_by_text("Lake", exact=True)).to_be_visible()


async def test_a_table_lists_all_rows_of_the_files_and_says_where_it_lists_a_sample(person: Person) -> None:
    await person.says("show tracks")
    await person.page.get_by_role("button", name="Actions for tracks").click()
    await person.page.get_by_role("menuitem", name="Open table").click()
    panel = person.page.get_by_role("region", name="Table of tracks")
    grid = panel.get_by_role("grid")
    await expect(grid).to_have_attribute("aria-rowcount", str(ROWS))
    await expect(panel.get_by_role("note")).to_have_count(0)

    # Texts are not sorted over all files.
    await grid.get_by_role("button", name="kind", exact=True).click()
    await expect(panel.get_by_role("note")).to_contain_text("A sample of 200 of 2,000 rows")
    await expect(grid).to_have_attribute("aria-rowcount", str(SAMPLE))
    await expect(panel.get_by_role("row").nth(1)).to_be_visible()
    assert await violations(person) == []
