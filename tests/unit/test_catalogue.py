"""The catalogue of tools in docs/ is made by `geoagent tools`, and is what the code says now."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from server.cli.exports import tools_document
from server.cli.operations import PART, operations_table
from server.cli.pages import filled
from server.gis.operations import OPERATIONS
from server.gis.operations.support.base import Operation

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(("format", "name"), [("markdown", "tools.md"), ("openapi", "tools.openapi.json")])
def test_the_committed_catalogue_is_not_stale(format: str, name: str) -> None:
    assert (DOCS / name).read_text() == tools_document(format), (
        f"docs/{name} is stale; run: .venv/bin/geoagent tools --format {format} --out docs/{name}"
        " (docs/architecture.md, Add a tool)"
    )


@pytest.mark.parametrize("format", ["json", "openai", "openai-chat", "anthropic"])
def test_every_format_names_every_tool(format: str) -> None:
    text = tools_document(format)
    for name in ("add_map_layer", "run_analysis", "cannot_do", "undo"):
        assert f'"{name}"' in text


def test_the_table_of_operations_is_not_stale() -> None:
    page = (DOCS / "analysis.md").read_text()
    assert page == filled(page, PART, operations_table()), (
        "docs/analysis.md is stale; run: .venv/bin/geoagent operations --out docs/analysis.md"
        " (docs/architecture.md, Add an operation)"
    )


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda operation: operation.name)
def test_every_argument_of_an_operation_is_described(operation: Operation[Any]) -> None:
    assert 20 < len(operation.summary) <= 120
    for name, fragment in operation.arguments.model_json_schema()["properties"].items():
        inner = [each.get("description") for each in fragment.get("anyOf", ())]
        assert fragment.get("description") or any(inner), name
