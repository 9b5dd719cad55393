"""A database that goes away in an analysis: the page says so, and one press tries again."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve
from tests.integration.analysis.asking import LARGE_CITIES, hand_over
from tests.support.broken_steps import break_off, steps_held
from tests.support.models import ScriptedModel

ANALYSIS = (hand_over(), [LARGE_CITIES], [("finish", {"summary": "These are the large cities."})])


@pytest.mark.parametrize("width", [1440, 390])
async def test_an_analysis_that_lost_the_database_invites_to_try_again(
    enter: Enter, samples_url: str, serve: Serve, width: int
) -> None:
    model = ScriptedModel(*ANALYSIS[:2])
    server = await serve(model)
    me = await enter(server.url, width=width)
    async with steps_held(samples_url) as database:
        await me.box.fill("which cities are large?")
        await me.page.keyboard.press("Enter")
        first = await break_off(database)
        await expect(me.page.get_by_text("the database connection was lost").first).to_be_visible()
        await break_off(database, but=first)
    await expect(
        me.page.get_by_text("The database became unreachable while “Large cities” ran").first
    ).to_be_visible()
    model.then(*ANALYSIS, ["These are the large cities."])
    await me.page.get_by_role("button", name="Try again").click()
    await expect(me.page.get_by_text("These are the large cities.").first).to_be_visible()
    turns = await me.turns()
    assert [turn["end"] for turn in turns] in (["failed", None], ["failed", "done"])
