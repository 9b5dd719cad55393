"""A catalogue of more tables than it lists at once says so, and the others are found by searching."""

from __future__ import annotations

import asyncpg
from playwright.async_api import expect

from server.app import Server
from tests.browser.person import Person
from tests.support.looking import until

MANY = """
    DO $$ BEGIN
        FOR n IN 1 .. 205 LOOP
            EXECUTE format('CREATE TABLE data.%I (id integer PRIMARY KEY, geom geometry(Point, 4326))', 'survey_' || n);
        END LOOP;
    END $$
"""


async def test_a_long_catalogue_says_how_many_tables_it_does_not_list(
    person: Person, world: Server, samples_url: str
) -> None:
    database = await asyncpg.connect(samples_url)
    await database.execute(MANY)
    await database.close()
    await until(lambda: len(world.registry.tables()) == 208)
    page = person.page
    await page.get_by_role("button", name="Browse and add data").click()
    await expect(page.locator(".side-note")).to_have_text("200 of 208 tables. Search to find others.")
    await page.get_by_role("searchbox", name="Search tables").fill("survey 203")
    await expect(page.locator(".table-entry").first).to_contain_text("survey_203")
