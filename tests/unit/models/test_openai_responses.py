"""The Responses adapter, through OpenAI's SDK, against a server that speaks the published wire format."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.model import Model, ModelError
from agents.models import model_for_client
from tests.support.looking import PATIENCE
from tests.support.model_server import Call, Fault, ModelServer, Raw, Refuse, Reply, Say, Think
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAME = "openai:gpt-5.1"


async def test_text_arrives_in_pieces_with_usage_and_cost(server: ModelServer, make: Make) -> None:
    server.script(
        [Reply(Say("Hello, world of maps."), input_tokens=1000, cached_tokens=400, output_tokens=50)]
    )
    reply = await hear(make(NAME))
    assert reply.text == "Hello, world of maps."
    assert len(reply.deltas) > 1
    assert reply.end.finish == "stop"
    assert reply.end.model == NAME
    assert reply.end.usage.cached_tokens == 400
    assert reply.end.usage.cost == pytest.approx((600 * 1.25 + 400 * 0.125 + 50 * 10) / 1e6)


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
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    result = ToolMessage((ToolResult("call_1", "add_map_layer", "20,000 features"),))
    await hear(model, asking("show airports", answer, result))
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
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    result = ToolMessage((ToolResult("call_1", "zoom_to", "ok"),))
    await hear(make("openai:gpt-5-mini"), asking("go", answer, result))
    assert [item.get("type", "user") for item in server.requests[1].json["input"]] == [
        "user",
        "function_call",
        "function_call_output",
    ]


async def test_a_refusal_is_text_and_says_that_it_is_one(server: ModelServer, make: Make) -> None:
    server.script([Reply(Refuse("I cannot help with that."))])
    reply = await hear(make(NAME))
    assert reply.text == "I cannot help with that."
    assert reply.end.finish == "refusal"


async def test_a_reply_cut_off_by_length_says_so(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Once upon a"), finish="length")])
    assert (await hear(make(NAME))).end.finish == "length"


async def test_ids_of_other_providers_are_made_acceptable_in_pairs(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Done."))])
    answer = AssistantMessage("", (ToolCall("functions.zoom:0 " + "x" * 80, "zoom_to", "{}"),))
    result = ToolMessage((ToolResult("functions.zoom:0 " + "x" * 80, "zoom_to", "ok"),))
    await hear(make(NAME), asking(UserMessage("go"), answer, result))
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


async def test_a_reasoning_item_without_its_encrypted_content_does_not_go_back(
    server: ModelServer, make: Make
) -> None:
    server.script([Reply(Think(""), Call("zoom_to", {}, id="call_1")), Reply(Say("Done."))])
    model = make(NAME)
    first = await hear(model)
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    await hear(model, asking("go", answer, ToolMessage((ToolResult("call_1", "zoom_to", "ok"),))))
    kinds = [item.get("type", "user") for item in server.requests[1].json["input"]]
    assert kinds == ["user", "function_call", "function_call_output"]


async def test_a_stored_reasoning_item_without_encrypted_content_is_dropped(
    server: ModelServer, make: Make
) -> None:
    items = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "message", "role": "assistant", "content": "Hm.", "phase": "commentary"},
    ]
    server.script([Reply(Say("Done."))])
    answer = AssistantMessage("Hm.", opaque={"openai_responses": {"model": NAME, "items": items}})
    await hear(make(NAME), asking("go", answer, "and?"))
    assert [item.get("type", "user") for item in server.requests[0].json["input"]] == [
        "user",
        "message",
        "user",
    ]


async def test_a_model_that_refuses_to_give_its_thoughts_is_asked_without_them(
    server: ModelServer, make: Make
) -> None:
    refusal = Fault(400, "Encrypted content is not supported with this model.", "invalid_request_error")
    server.script([refusal, Reply(Say("Hi.")), Reply(Say("Hi again."))])
    model = make("openai:gpt-6-of-another-kind")
    assert (await hear(model)).text == "Hi."
    assert (await hear(model)).text == "Hi again."
    assert ["include" in request.json for request in server.requests] == [True, False, False]


async def test_requests_at_once_that_are_refused_their_thoughts_are_all_asked_without_them(
    server: ModelServer, make: Make
) -> None:
    refusal = Fault(400, "Encrypted content is not supported with this model.", "invalid_request_error")
    server.script([lambda body: refusal if "include" in body else Reply(Say("Hi."))] * 6)
    model = make("openai:gpt-6-of-another-kind", attempts=1)
    reply = await asyncio.gather(*(hear(model) for _ in range(3)))
    assert [one.text for one in reply] == ["Hi.", "Hi.", "Hi."]


@pytest.mark.parametrize(
    "name", ["gpt-5-chat-latest", "gpt-5.4-chat-latest", "gpt-6-chat", "gpt-5-search-api"]
)
def test_chat_models_are_known_not_to_reason(name: str, make: Make) -> None:
    model: Any = make(f"openai:{name}")
    assert not model.config.quirks.reasoning


@pytest.mark.parametrize(
    "name", ["openai:gpt-5.1", "openai:gpt-5.1@openai_chat", "anthropic:claude-haiku-4-5"]
)
@pytest.mark.parametrize(
    "kind", ["application/json", "text/html; charset=utf-8", "application/octet-stream", "text/event-stream"]
)
async def test_a_reply_that_is_no_stream_is_reported_with_its_beginning_and_advice(
    server: ModelServer, make: Make, name: str, kind: str
) -> None:
    server.script([Raw(('{"id": "x", "object": "chat.completion"}',), kind)])
    with pytest.raises(ModelError) as caught:
        await hear(make(name, attempts=1))
    text = str(caught.value)
    assert caught.value.code == "bad_reply"
    assert kind.partition(";")[0] in text
    assert '"object": "chat.completion"' in text
    assert "`streaming`" in text


async def test_a_server_that_cannot_be_reached_is_named_once(make: Make) -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url="http://127.0.0.1:9/v1", api_key="sk-none")
    model = model_for_client(client, "some-model")
    with pytest.raises(ModelError) as caught:
        await hear(model)
    assert str(caught.value).count("127.0.0.1:9") == 1
    await client.close()


@pytest.mark.parametrize(
    "name", ["openai:gpt-5.1", "openai:gpt-5.1@openai_chat", "anthropic:claude-haiku-4-5"]
)
async def test_of_an_endless_reply_that_is_no_stream_only_the_start_is_read(
    server: ModelServer, make: Make, name: str
) -> None:
    server.script([Raw(("<html>busy " + "." * 5000, *("." * 5000 for _ in range(20_000))), "text/html")])
    with pytest.raises(ModelError, match="busy") as caught:
        await hear(make(name, attempts=1))
    assert caught.value.code == "bad_reply"
    await asyncio.wait_for(server.hung_up.wait(), PATIENCE)


async def test_events_that_come_as_plain_text_are_a_stream(server: ModelServer, make: Make) -> None:
    answer = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [{"delta": {"content": "Hello "}}, {"delta": {"content": "you"}, "finish_reason": "stop"}]
    events = [f"data: {json.dumps({**answer, 'choices': [{'index': 0, **chunk}]})}\n\n" for chunk in chunks]
    server.script([Raw(("da", events[0][2:], *events[1:], "data: [DONE]\n\n"), "text/plain; charset=utf-8")])
    assert (await hear(make("openai:gpt-5.1@openai_chat", attempts=1))).text == "Hello you"


async def test_words_that_come_as_plain_text_are_no_stream(server: ModelServer, make: Make) -> None:
    server.script([Raw(("database is down",), "text/plain")])
    with pytest.raises(ModelError, match="database is down"):
        await hear(make("openai:gpt-5.1@openai_chat", attempts=1))


@pytest.mark.parametrize("named", ["in an item", "at the end"])
async def test_text_that_was_not_streamed_is_said_at_the_end(
    named: str, server: ModelServer, make: Make
) -> None:
    """Proxies exist that only pretend to stream."""
    item = {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Hello.", "annotations": []}],
    }
    response = {"id": "r", "status": "completed", "output": [item], "usage": {"output_tokens": 2}}
    events = [
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]
    sent = events if named == "in an item" else events[1:]
    server.script([Raw(tuple(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in sent))])
    reply = await hear(make(NAME))
    assert (reply.text, reply.end.usage.output_tokens) == ("Hello.", 2)
