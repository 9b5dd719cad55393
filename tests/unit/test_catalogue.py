"""Catalogues of tools name all of them, and what operations take is described."""

from __future__ import annotations

from typing import Any

import pytest

from server.cli.exports import tools_document
from server.gis.operations import OPERATIONS
from server.gis.operations.support.base import Operation


@pytest.mark.parametrize("format", ["json", "openai", "openai-chat", "anthropic"])
def test_every_format_names_every_tool(format: str) -> None:
    text = tools_document(format)
    for name in ("add_map_layer", "run_analysis", "cannot_do", "undo"):
        assert f'"{name}"' in text


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda operation: operation.name)
def test_every_argument_of_an_operation_is_described(operation: Operation[Any]) -> None:
    assert 20 < len(operation.summary) <= 120, "docs/extending.md#add-an-operation"
    for name, fragment in operation.arguments.model_json_schema()["properties"].items():
        inner = [each.get("description") for each in fragment.get("anyOf", ())]
        assert fragment.get("description") or any(inner), (name, "docs/extending.md#add-an-operation")
