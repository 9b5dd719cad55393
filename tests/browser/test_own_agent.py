"""The subclass of GeoAgent in docs/agents.md, used in a browser."""

from __future__ import annotations

import sys
from pathlib import Path

import asyncpg
import pytest
from playwright.async_api import expect

from tests.browser.conftest import ROOT, Enter, Serve
from tests.support.models import ScriptedModel


async def test_the_documented_subclass_answers_with_its_own_tool(
    enter: Enter, samples_url: str, serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (ROOT / "docs/agents.md").read_text().partition("```python\n# parks.py\n")[2].partition("```")[0]
    (tmp_path / "parks.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    connection = await asyncpg.connect(samples_url)
    await connection.execute("CREATE TABLE data.parks AS SELECT 1 AS id, 'Kruger' AS name, '5:30' AS opens")
    await connection.close()
    model = ScriptedModel([("park_hours", {"table": "data.parks"})], ["Kruger opens at 5:30."])
    try:
        server = await serve(model, agent="parks:ParksAgent")
        person = await enter(server.url)
        assert await person.says("when do the parks open?") == "Kruger opens at 5:30."
        await expect(person.page.get_by_text("Opening hours of 1 parks")).to_be_visible()
    finally:
        sys.modules.pop("parks", None)
    tools = {tool.name: tool for tool in model.requests[0].tools}
    assert "data.parks" in str(tools["park_hours"])
    assert "add_map_layer" in tools
