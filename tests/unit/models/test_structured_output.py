"""Models that are held to one JSON schema for every reply."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, ToolSpec
from agents.models.adapters.structured_output import AnswerTap, reply_schema
from tests.support.model_server import ModelServer, Reply, Say
from tests.unit.models.asking import ADD, ZOOM, asking, hear

Make = Callable[..., Model]
CHAT = "vllm:qwen@structured_output"
NAMES = [
    CHAT,
    "openai:gpt-4o@structured_output",
    "ollama:gemma3@structured_output",
    "anthropic:claude-haiku-4-5@structured_output",
]
CALL = json.dumps({"tool": "zoom_to", "arguments": {"place": "Paris"}})


def schema_sent(body: dict[str, Any]) -> dict[str, Any]:
    """Where each wire carries the schema of the reply."""
    found = (
        body.get("format")
        or (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        or (body.get("text") or {}).get("format", {}).get("schema")
        or (body.get("output_config") or {}).get("format", {}).get("schema")
    )
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", NAMES)
async def test_a_call_is_read_and_the_server_is_given_the_schema(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say(CALL))])
    reply = await hear(make(name))
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [
        ("zoom_to", {"place": "Paris"})
    ]
    assert (reply.text, reply.end.finish) == ("", "tool_calls")
    assert schema_sent(server.requests[0].json) == reply_schema([ADD, ZOOM])


@pytest.mark.parametrize("name", NAMES)
async def test_an_answer_streams_while_it_is_written(name: str, server: ModelServer, make: Make) -> None:
    answer = 'There are "many" airports:\n\u2708 \U0001f6eb and more.'
    server.script([Reply(Say(json.dumps({"answer": answer}), piece=3))])
    reply = await hear(make(name))
    assert reply.text == answer
    assert len(reply.deltas) > 5
    assert (reply.calls, reply.end.finish) == ([], "stop")


async def test_a_reply_that_is_no_json_is_sent_back_with_the_fault(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Sure, I will zoom!")), Reply(Say('{"instrument": 1}')), Reply(Say(CALL))])
    reply = await hear(make(CHAT))
    assert [call.name for call in reply.calls] == ["zoom_to"]
    assert reply.end.usage.input_tokens == 300
    corrections = [request.json["messages"][-1]["content"] for request in server.requests[1:]]
    assert "not one JSON object" in corrections[0]
    assert 'neither "tool" nor "answer"' in corrections[1]


async def test_words_that_never_become_json_are_shown_as_they_are(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("I only talk."))] * 3)
    reply = await hear(make(CHAT))
    assert (reply.text, reply.calls) == ("I only talk.", [])


async def test_json_in_a_fence_with_words_around_it_is_good_enough(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say(f"Here you go:\n```json\n{CALL}\n```"))])
    assert [call.name for call in (await hear(make(CHAT))).calls] == ["zoom_to"]
    assert len(server.requests) == 1


async def test_old_calls_are_shown_in_the_form_that_is_asked_for(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say('{"answer": "Done."}'))])
    said = AssistantMessage("", (ToolCall("c1", "zoom_to", '{"place": "Paris"}'),))
    result = ToolMessage((ToolResult("c1", "zoom_to", "moved"),))
    await hear(make(CHAT), asking("go", said, result))
    _, _, call, corrections = server.requests[0].json["messages"]
    assert json.loads(call["content"]) == {"tool": "zoom_to", "arguments": {"place": "Paris"}}
    assert corrections["role"] == "user"
    assert "moved" in corrections["content"]


async def test_without_tools_only_an_answer_is_possible(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say('{"answer": "Hi."}'))])
    assert (await hear(make(CHAT), asking("hi", tools=()))).text == "Hi."
    assert "anyOf" not in schema_sent(server.requests[0].json)


def test_a_required_tool_leaves_no_room_for_an_answer() -> None:
    schema = reply_schema([ADD, ZOOM], required=True)
    assert [list(variant["properties"]) for variant in schema["anyOf"]] == [["tool", "arguments"]] * 2


def test_definitions_of_a_tool_move_to_the_top_and_references_follow() -> None:
    parameters = {
        "type": "object",
        "properties": {"where": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Place"}}}},
    }
    schema = reply_schema([ToolSpec("go", "", parameters), ZOOM])
    place = schema["$defs"]["go.Place"]
    assert place["properties"]["next"] == {"$ref": "#/$defs/go.Place"}
    assert schema["anyOf"][0]["properties"]["arguments"]["properties"]["where"] == {
        "$ref": "#/$defs/go.Place"
    }


@given(st.text(max_size=60), st.booleans(), st.integers(1, 9))
def test_an_answer_can_be_read_in_any_pieces(answer: str, plain: bool, piece: int) -> None:
    written = json.dumps({"answer": answer}, ensure_ascii=plain)
    tap = AnswerTap()
    read = "".join(tap.feed(written[at : at + piece]) for at in range(0, len(written), piece))
    assert read == answer
