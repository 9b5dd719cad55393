"""A result without geometry is a table in the conversation: it is read, opened, charted and exported there."""

from __future__ import annotations

import csv

from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve
from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.integration.analysis.asking import hand_over
from tests.support.models import ScriptedModel

QUESTION = "summarise countries by continent with total population"


async def test_rows_are_in_the_conversation_and_the_whole_table_opens_below_the_map(
    enter: Enter, serve: Serve
) -> None:
    model = ScriptedModel(
        hand_over("people on each continent"),
        [("summarise", {"source": "data.countries", "by": ["continent"], "title": "People by continent"})],
        [("finish", {"summary": "Each continent has a row."})],
        ["Here they are."],
    )
    person = await enter((await serve(model)).url)
    await person.says("how many people live on each continent?")
    card = person.page.locator(".result-table")
    await expect(card.get_by_role("columnheader", name="continent")).to_be_visible()
    await expect(card.get_by_role("row")).to_have_count(9)
    await expect(card.get_by_role("columnheader", name="fid")).to_have_count(0)
    assert await violations(person) == []
    await card.get_by_role("button", name="Open table").click()
    panel = person.page.locator(".table-panel")
    await expect(panel.locator(".grid-body .grid-row")).to_have_count(8)
    head = panel.get_by_role("columnheader", name="continent")
    await head.get_by_role("button", name="Actions for continent").click()
    await expect(head.get_by_role("menuitem", name="Edit filter")).to_have_count(0)
    await head.get_by_role("menuitem", name="Statistics").click()
    await expect(panel.get_by_role("status")).to_contain_text("8")
    await person.reload()
    await expect(person.page.locator(".result-table").get_by_role("row")).to_have_count(9)


async def test_rows_that_the_answer_has_are_not_shown_twice(person: Person) -> None:
    await person.says(QUESTION)
    await expect(
        person.page.locator(".result-table").get_by_role("button", name="Open table")
    ).to_be_visible()
    await expect(person.page.get_by_role("columnheader", name="continent")).to_have_count(1)


async def test_a_number_of_an_analysis_shows_its_steps_with_method_and_sql(person: Person) -> None:
    await person.says("how many people live within 100 km of Paris?")
    answer = person.page.locator(".answer").last
    await expect(answer).to_contain_text("Interpreted as Paris, France.")
    await expect(answer).not_to_contain_text("geodesic")
    await answer.locator(".figure").first.click()
    sheet = person.page.locator(".figure-sheet")
    await expect(sheet.locator(".evidence")).to_contain_text("Measured on the WGS 84 spheroid (geodesic)")
    await expect(sheet.locator(".evidence .sql pre").last).to_contain_text("CREATE TABLE")
    await expect(sheet.get_by_role("columnheader", name="fid")).to_have_count(0)
    assert await violations(person) == []


async def test_it_is_exported_as_a_sheet_without_our_key(person: Person) -> None:
    await person.says(QUESTION)
    await person.page.locator(".result-table").get_by_role("button", name="Export").click()
    dialog = person.page.get_by_role("dialog")
    await expect(dialog.get_by_label("Format")).to_have_value("csv")
    async with person.page.expect_download() as started:
        await dialog.get_by_role("button", name="Export", exact=True).click()
    file = await (await started.value).path()
    rows = list(csv.DictReader(file.read_text("utf-8-sig").splitlines()))
    assert len(rows) == 8
    assert "fid" not in rows[0]
    assert {"Africa", "Asia", "Europe"} <= {row["continent"] for row in rows}


async def test_it_is_charted(person: Person) -> None:
    await person.says(QUESTION)
    await person.page.locator(".result-table").get_by_role("button", name="New chart").click()
    panel = person.page.get_by_role("region", name="Charts")
    await panel.get_by_label("Group by").select_option("continent")
    await panel.get_by_role("button", name="Create chart").click()
    await expect(panel.locator(".chart-marks")).to_be_visible()
    await expect(panel.locator(".chart")).to_contain_text("8 rows")
