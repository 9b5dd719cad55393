"""Several results of one analysis: layers with their names on the map and in the panel, tables in the chat."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve
from tests.browser.test_access import violations
from tests.integration.analysis.asking import hand_over
from tests.support.models import ScriptedModel

FEWER_ROWS = True

SUMMARY = "The large cities, their countries and the areas around them are there."


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
async def test_all_named_results_are_shown(enter: Enter, serve: Serve, width: int, height: int) -> None:
    model = ScriptedModel(
        hand_over("large cities, how many each country has, and the areas around them"),
        [
            ("filter", {"source": "data.cities", "filter": "population > 8000000", "title": "Large cities"}),
            ("summarise", {"source": "step_1", "by": ["country"], "title": "Large cities by country"}),
            ("buffer", {"source": "step_1", "distance": "300 km", "title": "300 km around large cities"}),
        ],
        [("finish", {"summary": SUMMARY, "outputs": ["step_1", "step_2"]})],
        [SUMMARY],
    )
    person = await enter((await serve(model)).url, width=width, height=height)
    page = person.page
    await person.says("large cities, how many each country has, and the areas around them")
    table = page.locator(".result-table")
    await expect(table.get_by_text("Large cities by country")).to_be_visible()
    await expect(table.get_by_role("columnheader", name="country")).to_be_visible()
    layers = await person.layers()
    assert [layer["name"] for layer in layers] == ["300 km around large cities", "Large cities"]
    if width < 1024:
        await page.get_by_role("button", name="Layers").first.click()
    for layer in layers:
        assert await person.sees(layer["id"])
        await expect(page.locator(f'[data-layer="{layer["id"]}"]')).to_contain_text(layer["name"])
    assert await violations(person) == []
