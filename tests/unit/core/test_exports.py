"""Tools in each provider's words, and as catalogues."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from agents.core import ToolBox, tool
from agents.core.model import ToolSpec
from agents.core.tools.exports import json_schema, markdown, openapi
from agents.models.adapters import anthropic, openai_chat, openai_responses
from agents.models.tool_formats import FORMATS


class Stop(BaseModel):
    name: str
    day: datetime.date | None = None


@tool(strict=True, params={"table": {"type": "string", "enum": lambda: ["roads", "rivers"]}})
def show(
    table: str,
    color: str | None = None,
    kind: Literal["line", "fill"] = "line",
    tags: list[str] | None = None,
    stops: list[Stop] | None = None,
) -> str:
    """Show a table on the map.

    It stays there.

    Args:
        table: which | one
        color: a CSS colour
    """
    return table


@tool(strict=True)
def free(settings: dict[str, str], name: str) -> str:
    """Anything."""
    return name


async def specs() -> Sequence[ToolSpec]:
    return (await ToolBox([show, free]).snapshot()).specs


async def test_every_provider_gets_its_own_form() -> None:
    given = await specs()
    assert json_schema(given)[0].keys() == {"name", "description", "parameters"}
    assert anthropic.tool_definitions(given)[0].keys() == {"name", "description", "input_schema"}
    assert openai_responses.tool_definitions(given)[0].keys() == {
        "type",
        "name",
        "description",
        "parameters",
        "strict",
    }
    chat = openai_chat.tool_definitions(given)[0]
    assert (chat["type"], chat["function"]["name"]) == ("function", "show")


async def test_strict_mode_requires_everything_and_lets_optionals_be_null() -> None:
    given = await specs()
    strict = openai_responses.tool_definitions(given)[0]
    parameters = strict["parameters"]
    assert strict["strict"] is True
    assert parameters["required"] == ["table", "color", "kind", "tags", "stops"]
    assert parameters["additionalProperties"] is False
    assert parameters["properties"]["table"]["enum"] == ["roads", "rivers"]
    assert parameters["properties"]["color"] == {"type": ["string", "null"], "description": "a CSS colour"}
    assert parameters["properties"]["kind"] == {
        "anyOf": [{"type": "string", "enum": ["line", "fill"]}, {"type": "null"}]
    }
    stop = parameters["properties"]["stops"]["items"]
    assert stop["required"] == ["name", "day"]
    assert stop["additionalProperties"] is False
    assert "default" not in json.dumps(parameters)


async def test_what_strict_mode_cannot_say_is_sent_without_it() -> None:
    loose = openai_responses.tool_definitions(await specs())[1]
    assert loose["strict"] is False
    assert loose["parameters"]["properties"]["settings"]["additionalProperties"] == {"type": "string"}


async def test_a_strict_call_with_nulls_for_what_is_left_out_runs() -> None:
    @tool(strict=True)
    def paint(name: str, color: str = "red", size: int | None = None) -> str:
        return f"{name} {color} {size}"

    result = await ToolBox([paint]).invoke("paint", {"name": "roads", "color": None, "size": None})
    assert result.content == "roads red None"


async def test_exporting_changes_nothing() -> None:
    given = await specs()
    before = json.dumps([spec.parameters for spec in given])
    for export in FORMATS.values():
        export(given)
    assert json.dumps([spec.parameters for spec in given]) == before


def test_the_markdown_catalogue_is_a_table_for_each_tool() -> None:
    text = markdown(ToolBox([show]).static().specs, title="Tools of the map")
    assert text.startswith("# Tools of the map\n\n## `show`\n\nShow a table on the map.\n\nIt stays there.\n")
    assert "| `table` | string | yes | which \\| one |" in text
    assert "| `kind` | one of `line`, `fill` |  | (default `line`) |" in text
    assert "| `tags` | array of string |  |  |" in text


async def test_the_openapi_document_resolves_all_its_references() -> None:
    class Node(BaseModel):
        name: str
        children: list[Node] = []

    def draw(tree: Any) -> str:
        return ""

    Node.model_rebuild()
    draw.__annotations__["tree"] = Node
    document = openapi(ToolBox([draw, show]).static().specs)
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == {"/tools/draw", "/tools/show"}
    text = json.dumps(document)
    assert "#/$defs" not in text
    for reference in {part.split('"')[0] for part in text.split('"$ref": "')[1:]}:
        target: Any = document
        for key in reference.removeprefix("#/").split("/"):
            target = target[key]
        assert target["type"] == "object"


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_of_the_catalogue_is_text_or_json(name: str) -> None:
    made = FORMATS[name](ToolBox([show]).static().specs)
    assert "show" in (made if isinstance(made, str) else json.dumps(made))
