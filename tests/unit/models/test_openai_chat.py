"""Chat Completions, and the ways in which servers differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, ModelError, ToolSpec
from tests.support.model_server import Call, ModelServer, Raw, Reply, Say
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
GROQ = "groq:llama-3.3-70b"
USED = (
    AssistantMessage("", (ToolCall("call_1", "zoom_to", "{}"), ToolCall("toolu_ü", "zoom_to", "{}"))),
    ToolMessage((ToolResult("call_1", "zoom_to", "one"), ToolResult("toolu_ü", "zoom_to", "two"))),
)


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    whole = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(whole)}\n\n"


async def test_interleaved_fragments_are_separated_by_their_index(server: ModelServer, make: Make) -> None:
    calls = [Call("zoom_to", {"place": place}, piece=2) for place in ("Paris", "Rome", "Timbuktu")]
    server.script([Reply(*calls, interleave=True)])
    reply = await hear(make(GROQ))
    assert [json.loads(call.arguments)["place"] for call in reply.calls] == ["Paris", "Rome", "Timbuktu"]


@pytest.mark.parametrize("index", [0, None])
async def test_calls_without_a_proper_index_are_separated_by_their_id(
    index: int | None, server: ModelServer, make: Make
) -> None:
    def fragment(**fields: Any) -> dict[str, Any]:
        place = {} if index is None else {"index": index}
        return {"tool_calls": [{**place, "type": "function", **fields}]}

    server.script(
        [
            Raw(
                (
                    chunk(fragment(id="a", function={"name": "zoom_to", "arguments": '{"place":'})),
                    chunk(fragment(function={"arguments": ' "Paris"}'})),
                    chunk(fragment(id="b", function={"name": "zoom_to", "arguments": '{"place": "Rome"}'})),
                    chunk({}, "stop"),
                    "data: [DONE]\n\n",
                )
            )
        ]
    )
    reply = await hear(make(GROQ))
    assert [(call.id, json.loads(call.arguments)["place"]) for call in reply.calls] == [
        ("a", "Paris"),
        ("b", "Rome"),
    ]
    assert reply.end.finish == "tool_calls"


async def test_a_stream_that_ends_quietly_without_a_finish_is_asked_for_again(
    server: ModelServer, make: Make
) -> None:
    server.script([Raw((chunk({"role": "assistant", "content": ""}),)), Reply(Say("Whole."))])
    assert (await hear(make(GROQ))).text == "Whole."


async def test_results_are_tool_messages_with_the_ids_of_their_calls(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Done."))])
    await hear(make(GROQ), asking("go", *USED))
    system, user, assistant, one, two = server.requests[0].json["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert [call["id"] for call in assistant["tool_calls"]] == [one["tool_call_id"], two["tool_call_id"]]
    assert [one["content"], two["content"]] == ["one", "two"]
    assert all(isinstance(call["function"]["arguments"], str) for call in assistant["tool_calls"])


async def test_mistral_gets_ids_of_nine_letters_and_its_own_words(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Done."))])
    request = asking("go", *USED, tool_choice="required", max_output_tokens=99)
    reply = await hear(make("mistral:mistral-large"), request)
    body = server.requests[0].json
    ids = [call["id"] for call in body["messages"][2]["tool_calls"]]
    assert [len(one) for one in ids] == [9, 9]
    assert ids == [message["tool_call_id"] for message in body["messages"][3:]]
    assert (body["tool_choice"], body["max_tokens"]) == ("any", 99)
    assert "stream_options" not in body
    assert reply.end.usage.total_tokens == 0


async def test_thoughts_in_the_content_are_not_shown(server: ModelServer, make: Make) -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Hello."},
    ]
    server.script([Raw((chunk({"content": parts}), chunk({}, "stop"), "data: [DONE]\n\n"))])
    assert (await hear(make("mistral:magistral"))).text == "Hello."


@pytest.mark.parametrize(
    ("pieces", "answer"),
    [
        (("<think>\nShow them?</think>\n\nDone.",), "Done."),
        (("<th", "ink>Show", " them?</thi", "nk>", "\n\n", "Done", "."), "Done."),
        (("\n<think>", "</think>", "<think>again</think>", "Done."), "Done."),
        (("<think>cut off", " here"), ""),
        (("<thin", " ice"), "<thin ice"),
        (("<", "b"), "<b"),
        (("<",), "<"),
        (("Done: <think>", "is a tag</think>"), "Done: <think>is a tag</think>"),
    ],
)
async def test_thoughts_between_tags_are_not_shown(
    server: ModelServer, make: Make, pieces: tuple[str, ...], answer: str
) -> None:
    server.script(
        [Raw((*(chunk({"content": piece}) for piece in pieces), chunk({}, "stop"), "data: [DONE]\n\n"))]
    )
    assert (await hear(make(GROQ))).text == answer


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"message": "CUDA out of memory"}, "broke off with an error: CUDA out of memory"),
        ({"message": "Provider overloaded", "code": 502}, "has a problem (status 502: Provider overloaded)"),
        ({"message": "Slow down", "code": "429"}, "allows no more requests for now"),
    ],
)
async def test_an_error_inside_a_stream_is_told(
    server: ModelServer, make: Make, fault: dict[str, Any], told: str
) -> None:
    server.script([Raw((f"data: {json.dumps({'error': fault})}\n\n",))] * 4)
    with pytest.raises(ModelError) as raised:
        await hear(make(GROQ))
    assert told in str(raised.value)
    assert raised.value.retryable


async def test_odd_counts_and_arguments_of_servers_are_understood(server: ModelServer, make: Make) -> None:
    call = {
        "index": 0,
        "id": "a",
        "type": "function",
        "function": {"name": "zoom_to", "arguments": {"place": "Rome"}},
    }
    usage = '"usage": {"prompt_tokens": "12", "completion_tokens": null}'
    last = chunk({}, "tool_calls").replace('"id": "x"', f'"id": "x", {usage}')
    server.script([Raw(('data: {"id": "x", "choices": null}\n\n', chunk({"tool_calls": [call]}), last))])
    reply = await hear(make(GROQ))
    assert [json.loads(call.arguments) for call in reply.calls] == [{"place": "Rome"}]
    assert (reply.end.usage.input_tokens, reply.end.usage.output_tokens) == (12, 0)


async def test_a_content_filter_is_a_refusal(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("I"), finish="content_filter")])
    assert (await hear(make(GROQ))).end.finish == "refusal"


async def test_strict_tools_are_sent_only_where_the_provider_has_them(
    server: ModelServer, make: Make
) -> None:
    parameters = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    tool = ToolSpec("go", "", parameters, strict=True)
    server.script([Reply(Say("x"))] * 2)
    await hear(make("openai:gpt-4o@openai_chat"), asking(tools=[tool]))
    await hear(make(GROQ), asking(tools=[tool]))
    strict, loose = (request.json["tools"][0]["function"] for request in server.requests)
    assert strict["strict"] is True
    assert strict["parameters"]["required"] == ["a", "b"]
    assert "strict" not in loose
    assert loose["parameters"] == parameters
