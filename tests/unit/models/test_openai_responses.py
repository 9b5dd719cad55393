"""The Responses adapter, through OpenAI's SDK, against a server that speaks the published wire format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.model import Model, ModelError
from tests.support.model_server import Call, Fault, ModelServer, Refuse, Reply, Say, Think
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAME = "openai:gpt-5.1"


async def test_text_arrives_in_pieces_with_usage_and_cost(server: ModelServer, make: Make) -> None:
    server.script(
        [Reply(Say("Hello, world of maps."), input_tokens=1000, cached_tokens=400, output_tokens=50)]
    )
    heard = await hear(make(NAME))
    assert heard.text == "Hello, world of maps."
    assert len(heard.deltas) > 1
    assert heard.end.finish == "stop"
    assert heard.end.model == NAME
    assert heard.end.usage.cached_tokens == 400
    assert heard.end.usage.cost == pytest.approx((600 * 1.25 + 400 * 0.125 + 50 * 10) / 1e6)


async def test_reasoning_items_go_back_where_they_were(server: ModelServer, make: Make) -> None:
    server.script(
        [
            Reply(
                Think("secret thoughts"), Say("Adding."), Call("add_map_layer", {"table": "t"}, id="call_1")
            ),
            Reply(Say("Done.")),
        ]
    )
    model = make(NAME)
    first = await hear(model)
    said = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    result = ToolMessage((ToolResult("call_1", "add_map_layer", "20,000 features"),))
    await hear(model, asking("show airports", said, result))
    asked = server.requests[1].json
    assert asked["store"] is False
    assert asked["include"] == ["reasoning.encrypted_content"]
    user, thought, words, call, output = asked["input"]
    assert user == {"role": "user", "content": "show airports"}
    assert thought["encrypted_content"] == "secret thoughts"
    assert words["content"] == "Adding."
    assert (call["call_id"], call["name"]) == ("call_1", "add_map_layer")
    assert output == {"type": "function_call_output", "call_id": "call_1", "output": "20,000 features"}


async def test_the_thoughts_of_another_model_are_not_sent(server: ModelServer, make: Make) -> None:
    server.script([Reply(Think("x"), Call("zoom_to", {}, id="call_1")), Reply(Say("Done."))])
    first = await hear(make(NAME))
    said = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    result = ToolMessage((ToolResult("call_1", "zoom_to", "ok"),))
    await hear(make("openai:gpt-5-mini"), asking("go", said, result))
    assert [item.get("type", "user") for item in server.requests[1].json["input"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]


async def test_a_refusal_is_text_and_says_that_it_is_one(server: ModelServer, make: Make) -> None:
    server.script([Reply(Refuse("I cannot help with that."))])
    heard = await hear(make(NAME))
    assert heard.text == "I cannot help with that."
    assert heard.end.finish == "refusal"


async def test_a_reply_cut_off_by_length_says_so(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Once upon a"), finish="length")])
    assert (await hear(make(NAME))).end.finish == "length"


async def test_ids_of_other_providers_are_made_acceptable_in_pairs(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Done."))])
    said = AssistantMessage("", (ToolCall("functions.zoom:0 " + "x" * 80, "zoom_to", "{}"),))
    result = ToolMessage((ToolResult("functions.zoom:0 " + "x" * 80, "zoom_to", "ok"),))
    await hear(make(NAME), asking(UserMessage("go"), said, result))
    _, call, output = server.requests[0].json["input"]
    assert call["call_id"] == output["call_id"]
    assert len(call["call_id"]) <= 64


async def test_a_refused_key_is_named_by_its_variable_and_never_shown(
    server: ModelServer, make: Make
) -> None:
    server.script([Fault(401, "Incorrect API key provided: sk-test-0123456789abcdef", "invalid_api_key")])
    with pytest.raises(ModelError) as caught:
        await hear(make(NAME))
    assert caught.value.code == "refused_key"
    assert "OPENAI_API_KEY" in str(caught.value)
    assert "sk-test" not in str(caught.value)
