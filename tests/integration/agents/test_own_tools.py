"""The tools that docs/agents.md ends with work on a real server, for everyone on the map."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

PAGE = Path(__file__).parents[3] / "docs" / "agents.md"


async def test_the_modules_named_in_the_settings_add_their_tools(
    samples_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = PAGE.read_text().partition("```python\n# my_tools.py\n")[2].partition("```")[0]
    (tmp_path / "my_tools.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    model = ScriptedModel(
        [
            ("highest", {"table": "data.airports", "column": "elevation_m"}),
            ("highest", {"table": "data.airports", "column": "height"}),
            ("write_postcard", {"greeting": "Hello!"}),
        ],
        ["The highest one is on the list."],
    )
    try:
        async with local_server(samples_url, model, tools=("my_tools",)) as server, client(server) as one:
            await one.ask("join")
            await one.ask("layer_add", table="data.countries")
            assert (await one.says("which airport is the highest?"))["status"] == "done"
    finally:
        sys.modules.pop("my_tools", None)
    called = {event["call_id"]: event["name"] for event in one.named("tool_called")}
    assert sorted(called.values()) == ["highest", "highest", "write_postcard"]
    finished = {event["call_id"]: event for event in one.named("tool_finished")}
    first, second, third = (finished[call_id] for call_id in sorted(finished))
    assert (first["ok"], first["summary"]) == (True, "Found the highest elevation_m of data.airports")
    assert (second["ok"], third["ok"]) == (False, True)
    assert third["summary"].startswith("Hello! I am looking at ")
    told = str(model.requests[1].messages[-1])
    assert "has no column height" in told
    assert "elevation_m" in told
