"""Thoughts that servers of Chat Completions want to see again beside the calls that came of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, ModelError
from tests.support.model_server import Fault, ModelServer, Raw, Reply, Say
from tests.unit.models.asking import Heard, asking, hear
from tests.unit.models.test_openai_chat import chunk

Make = Callable[..., Model]
MODEL = "compatible:thinker"
SIGNED = {"google": {"thought_signature": "c2lnbmVk"}}
DEMAND = "The `reasoning_content` in the thinking mode must be passed back to the API."
EARLIER: list[Any] = [
    "go",
    AssistantMessage("", (ToolCall("call_1", "zoom_to", "{}"),)),
    ToolMessage((ToolResult("call_1", "zoom_to", "ok"),)),
    "thanks",
]


def thoughtful() -> Raw:
    call = {"id": "call_1", "type": "function", "function": {"name": "zoom_to", "arguments": "{}"}}
    return Raw(
        (
            chunk({"role": "assistant", "reasoning_content": "They want "}),
            chunk({"reasoning_content": "Paris."}),
            chunk({"tool_calls": [{"index": 0, **call, "extra_content": SIGNED}]}),
            chunk({"tool_calls": [{"index": 1, **call, "id": "call_2"}]}),
            chunk({}, "tool_calls"),
            "data: [DONE]\n\n",
        )
    )


def history(reply: Heard) -> list[Any]:
    results = ToolMessage(tuple(ToolResult(call.id, call.name, "ok") for call in reply.calls))
    return ["go", AssistantMessage(reply.text, tuple(reply.calls), reply.end.opaque), results]


def assistant(server: ModelServer, request: int = -1) -> dict[str, Any]:
    messages = server.requests[request].json["messages"]
    return next(message for message in messages if message["role"] == "assistant")


async def test_thoughts_and_signatures_go_back_with_the_calls(server: ModelServer, make: Make) -> None:
    server.script([thoughtful(), Reply(Say("Done."))])
    model = make(MODEL)
    reply = await hear(model)
    assert (reply.text, [call.id for call in reply.calls]) == ("", ["call_1", "call_2"])
    await hear(model, asking(*history(reply)))
    sent = assistant(server)
    assert sent["reasoning_content"] == "They want Paris."
    assert [call.get("extra_content") for call in sent["tool_calls"]] == [SIGNED, None]


async def test_a_reply_in_one_piece_keeps_its_thoughts_too(server: ModelServer, make: Make) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "zoom_to", "arguments": "{}"}}
    message = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "They want Paris.",
        "tool_calls": [{**call, "extra_content": SIGNED}],
    }
    whole = {"id": "x", "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    server.script([Raw((json.dumps(whole),), kind="application/json"), Fault(400)])
    model = make(MODEL, quirks={"streaming": False})
    reply = await hear(model)
    with pytest.raises(ModelError):
        await hear(model, asking(*history(reply)))
    sent = assistant(server)
    assert sent["reasoning_content"] == "They want Paris."
    assert sent["tool_calls"][0]["extra_content"] == SIGNED


async def test_no_other_model_is_sent_them(server: ModelServer, make: Make) -> None:
    server.script([thoughtful(), Reply(Say("Done."))])
    reply = await hear(make(MODEL))
    await hear(make("compatible:another"), asking(*history(reply)))
    sent = assistant(server)
    assert "reasoning_content" not in sent
    assert not any("extra_content" in call for call in sent["tool_calls"])


async def test_a_server_that_misses_thoughts_of_earlier_turns_gets_empty_ones(
    server: ModelServer, make: Make
) -> None:
    """Thoughts are not stored with a map, so its earlier turns have none."""

    def demanding(body: dict[str, Any]) -> Fault | Reply:
        called = [message for message in body["messages"] if message.get("tool_calls")]
        if all("reasoning_content" in message for message in called):
            return Reply(Say("Done."))
        return Fault(400, DEMAND, "invalid_request_error")

    server.script([demanding] * 4)
    model = make(MODEL)
    assert (await hear(model, asking(*EARLIER))).text == "Done."
    assert assistant(server)["reasoning_content"] == ""
    assert (await hear(model, asking(*EARLIER))).text == "Done."
    assert len(server.requests) == 3, "from then on it is asked with them at once"


async def test_a_server_that_goes_on_missing_them_is_reported(server: ModelServer, make: Make) -> None:
    server.script([Fault(400, DEMAND)] * 4)
    with pytest.raises(ModelError, match="must be passed back"):
        await hear(make(MODEL), asking(*EARLIER))
    assert len(server.requests) == 2
