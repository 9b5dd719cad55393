"""The filter builder: real values to tick, and a range on the histogram of a number or date."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Locator, expect

from tests.browser.person import Person
from tests.browser.test_access import violations
from tests.support.looking import until

FEWEST_ROWS = True


async def condition_of(person: Person, column: str) -> Locator:
    """A new condition on a column, in the filter editor of the airports."""
    await person.says("show airports in red")
    await person.sees("airports")
    page = person.page
    await page.locator('[data-layer="airports"] .layer-name').click()
    await page.get_by_role("tab", name="Filter").click()
    await page.get_by_role("button", name="Add condition").click()
    editor = page.get_by_role("tabpanel", name="Filter")
    await editor.get_by_role("combobox", name="Column").select_option(column)
    return editor


async def filtered(person: Person) -> dict[str, Any] | None:
    [layer] = await person.layers()
    return layer if layer["filter"] is not None else None


async def test_real_values_are_offered_and_ticked(person: Person) -> None:
    editor = await condition_of(person, "country_code")
    await editor.get_by_role("combobox", name="Comparison").select_option("in")
    boxes = editor.get_by_role("checkbox")
    await expect(boxes.first).to_be_visible()
    await editor.get_by_role("textbox", name="Search values").fill("ch")
    swiss = editor.get_by_role("checkbox", name="CH")
    await expect(swiss).to_be_visible()
    await swiss.check()
    await editor.get_by_role("textbox", name="Search values").fill("")
    await expect(editor.get_by_role("checkbox", name="US")).to_be_visible()
    await expect(swiss).to_be_checked()
    assert await violations(person) == []
    await editor.get_by_role("button", name="Apply").click()
    layer = await until(lambda: filtered(person))
    assert layer["filter"] == {"op": "in", "args": [{"property": "country_code"}, ["CH"]]}
    assert 0 < layer["count"] < 500


async def test_numbers_are_cut_on_their_histogram(person: Person) -> None:
    editor = await condition_of(person, "elevation_m")
    await expect(editor.get_by_role("combobox", name="Comparison")).to_have_value("between")
    low = editor.get_by_role("slider", name="From")
    await expect(low).to_be_visible()
    await until(lambda: editor.locator(".range-bars rect").nth(5).count())
    most = int(await low.get_attribute("max") or 0)
    await low.fill(str(most // 2))
    start = editor.get_by_role("spinbutton", name="From")
    await expect(start).not_to_have_value("")
    least = float(await start.input_value())
    assert await violations(person) == []
    await editor.get_by_role("button", name="Apply").click()
    layer = await until(lambda: filtered(person))
    op, (column, low_value, high_value) = layer["filter"]["op"], layer["filter"]["args"]
    assert (op, column, low_value) == ("between", {"property": "elevation_m"}, least)
    assert high_value > low_value
    assert layer["count"] > 0
    await person.reload()
    await person.page.locator('[data-layer="airports"] .layer-name').click()
    await person.page.get_by_role("tab", name="Filter").click()
    await expect(editor.get_by_role("slider", name="From")).to_have_value(str(most // 2))
