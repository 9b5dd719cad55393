"""A dataset of files is registered in the page, drawn, and counted in zones on Spark: stopped once, then to the end."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect
from sqlalchemy import text

from server.app import Server
from server.spark.cluster import LocalCluster
from tests.bench.spark.data import ZONES, write_pings
from tests.browser.person import Person
from tests.support.children import temporary_folder
from tests.support.server import local_server

ROWS = 500_000
QUESTION = "how many pings per zone, on average per hour"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with temporary_folder("on-spark") as made:
        write_pings(made / "lake" / "pings", ROWS)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(samples_url: str, cluster: LocalCluster, folder: Path) -> AsyncIterator[Server]:
    """With 1,600 zones as `zones`, and the files in a folder that may be registered."""
    settings = {"spark": cluster.url, "spark_folder": folder / "rows", "lake_paths": (folder / "lake",)}
    async with local_server(samples_url, **settings) as server:
        async with server.database.owner.begin() as connection:
            await connection.execute(text(ZONES))
        await server.registry.refresh(patience=5)
        yield server


async def test_a_registered_dataset_is_counted_on_spark_stopped_and_counted_again(
    person: Person, folder: Path
) -> None:
    page = person.page
    await page.get_by_role("button", name="Browse and add data").click()
    await page.get_by_role("button", name="Register files on the server").click()
    form = page.get_by_role("form", name="Register files on the server")
    await form.get_by_label("Path").fill(str(folder / "lake" / "pings"))
    await form.get_by_label("Table name").fill("pings")
    await form.get_by_role("button", name="Register").click()
    await person.lists("pings")
    (pings,) = await person.layers()
    assert await person.sees_all(pings["id"]) > 100
    await page.keyboard.press("Escape")

    await person.box.fill(QUESTION)
    await page.keyboard.press("Enter")
    running = page.get_by_role("progressbar", name=re.compile("Apache Spark"))
    await expect(running).to_be_visible()
    await page.get_by_role("button", name="Stop", exact=True).click()
    await person.wait_for("geoagent.state.turns.at(-1).end === 'cancelled'")
    assert len(await person.layers()) == 1

    answer = await person.says(QUESTION)
    assert "1,600" in answer
    counted = (await person.layers())[-1]
    assert counted["style"]["column"] == "per_hour"
    assert await person.sees_all(counted["id"]) > 100
    end = (await person.turns())[-1]
    (analysis,) = [entry for entry in end["entries"] if entry["kind"] == "analysis"]
    assert "Apache Spark" in analysis["receipt"]["steps"][0]["engine"]
    figures = [figure for entry in end["entries"] for figure in entry.get("figures") or []]
    assert figures
    assert all(figure["source"] is not None for figure in figures)
