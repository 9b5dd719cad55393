"""The catalogue of tools in docs/ is made by `geoagent tools`, and is what the code says now."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.cli.exports import tools_document

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("format", "name"), [("markdown", "tools.md"), ("openapi", "tools.openapi.json")])
def test_the_committed_catalogue_is_not_stale(format: str, name: str) -> None:
    assert (DOCS / name).read_text() == tools_document(format), (
        f"docs/{name} is stale; run: geoagent tools --format {format} --out docs/{name}"
    )


@pytest.mark.parametrize("format", ["json", "openai", "openai-chat", "anthropic"])
def test_every_format_names_every_tool(format: str) -> None:
    text = tools_document(format)
    for name in ("add_map_layer", "run_analysis", "cannot_do", "undo"):
        assert f'"{name}"' in text
