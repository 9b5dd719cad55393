"""A tool that asks first, as people see it: a card for everyone on the map, answered by mouse or keyboard."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Enter, Serve
from tests.browser.test_access import violations_light_and_dark
from tests.support.models import ScriptedModel

TOOLS = '''
from agents.core import tool


@tool(requires_approval=True)
def publish_report(title: str) -> str:
    """Publish a report for everybody to read."""
    return f"{title} is published."
'''


async def test_a_question_is_seen_by_all_and_answered_with_the_keyboard(
    enter: Enter, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "report_tools.py").write_text(TOOLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = ScriptedModel([("publish_report", {"title": "Lakes"})], ["It is out."], ["Hello."])
    try:
        server = await serve(model, tools=("report_tools",))
        one = await enter(server.url)
        other = await enter(one.page.url)
        await one.box.fill("publish the report")
        await one.page.keyboard.press("Enter")
        for person in (one, other):
            card = person.page.get_by_role("group", name="Publish report")
            await expect(card).to_contain_text("Lakes")
            await expect(person.page.get_by_role("status").filter(has_text="Publish")).to_be_attached()
        assert await violations_light_and_dark(one) == []
        await one.box.fill("hello")
        await one.page.keyboard.press("Enter")
        await expect(one.page.get_by_text("Queued until the question above is answered")).to_be_visible()
        await other.reload()
        allow = other.page.get_by_role("button", name="Allow", exact=True)
        await allow.focus()
        await other.page.keyboard.press("Tab")
        refuse = other.page.get_by_role("button", name="Deny")
        await expect(refuse).to_be_focused()
        await allow.focus()
        await other.page.keyboard.press("Enter")
        for person in (one, other):
            await expect(person.page.get_by_text("It is out.").first).to_be_visible()
            await expect(person.page.get_by_text("Hello.").first).to_be_visible()
            await expect(person.page.get_by_role("button", name="Allow", exact=True)).to_have_count(0)
        await one.wait_for("geoagent.state.turns.every(it => it.end !== null)")
        assert [turn["end"] for turn in await one.turns()] == ["done", "done"]
        one.outages_expected = other.outages_expected = True  # the server goes before the pages do
    finally:
        sys.modules.pop("report_tools", None)
