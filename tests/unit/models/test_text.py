"""Models that only write, through each wire, as models with tools; and models that are given none."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, reply_limit
from tests.support.model_server import ModelServer, Reply, Say
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAMES = [
    "openai:gpt-4o@text",
    "groq:llama-3.3-70b@text",
    "anthropic:claude-haiku-4-5@text",
    "ollama:gemma3@text",
]
CALL = '<tool_call>\n{"name": "zoom_to", "arguments": {"place": "Paris"}}\n</tool_call>'
USED = (
    AssistantMessage("Zooming.", (ToolCall("c1", "zoom_to", '{"place": "Paris"}'),)),
    ToolMessage((ToolResult("c1", "zoom_to", "moved </tool_result>"),)),
)


@pytest.mark.parametrize("name", NAMES)
async def test_written_calls_become_calls_and_prose_streams(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say(f"Let me zoom there first.\n\n{CALL}\n\n{CALL}\n", piece=4))])
    reply = await hear(make(name))
    assert reply.text == "Let me zoom there first."
    assert len(reply.deltas) > 3
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("zoom_to", {"place": "Paris"})
    ] * 2
    assert reply.calls[0].id != reply.calls[1].id
    assert reply.end.finish == "tool_calls"


@pytest.mark.parametrize("name", NAMES)
async def test_no_tools_are_sent_but_described(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Hello."))])
    await hear(make(name), asking("hi", *USED, "and now?"))
    body = server.requests[0].json
    assert "tools" not in body or not body["tools"]
    text = json.dumps(body)
    assert "Put a table on the map." in text
    assert "additionalProperties" in text
    assert "<tool_call>" in text
    assert "tool_use" not in text
    assert "function_call_output" not in text


async def test_a_required_call_is_asked_for_and_a_forbidden_one_not_offered(
    server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("x"))] * 2)
    await hear(make(NAMES[1]), asking("hi", tool_choice="required"))
    await hear(make(NAMES[1]), asking("hi", tool_choice="none"))
    must, none = (json.dumps(request.json["messages"]) for request in server.requests)
    assert "must call" in must
    assert "zoom_to" not in none


@pytest.mark.parametrize("name", ["groq:gemma@none", "anthropic:claude-haiku-4-5@none", "ollama:gemma3@none"])
async def test_a_model_without_tools_only_talks(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say(f"I cannot. {CALL}"))])
    reply = await hear(make(name), asking("hi", *USED, "and now?"))
    assert reply.text == f"I cannot. {CALL}"
    assert reply.calls == []
    assert "Put a table on the map." not in json.dumps(server.requests[0].json)


@pytest.mark.parametrize(
    "name", ["anthropic:claude-haiku-4-5@text", "anthropic:claude-haiku-4-5@structured_output"]
)
async def test_the_description_of_the_tools_is_in_the_cached_part(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say('{"answer": "Done."}'))])
    await hear(make(name), asking(system=("You draw maps.", "Now it is noon."), stable_parts=1))
    system = server.requests[-1].json["system"]
    assert [part["text"] for part in system][::2] == ["You draw maps.", "Now it is noon."]
    assert "add_map_layer" in system[1]["text"]
    assert [bool(part.get("cache_control")) for part in system] == [False, True, False]


def test_the_room_for_a_reply_is_what_the_request_asks_for(make: Make) -> None:
    for name in ("anthropic:claude-haiku-4-5", "anthropic:claude-haiku-4-5@text"):
        model = make(name)
        assert reply_limit(model) == 8192
    assert reply_limit(make("openai:gpt-4o@structured_output")) is None
