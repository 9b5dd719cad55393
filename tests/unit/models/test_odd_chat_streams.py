"""Streams of Chat Completions that are odd and in use: ids and indexes of calls, whole messages, faults without a
status."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from agents.core.model import Model, ModelError
from tests.support.model_server import ModelServer, Raw
from tests.unit.models.asking import hear
from tests.unit.models.test_openai_chat import chunk

Make = Callable[..., Model]
MODEL = "compatible:some"
DONE = "data: [DONE]\n\n"
PARIS, ROME = '{"place": "Paris"}', '{"place": "Rome"}'


def fragment(name: str | None, arguments: Any, call_id: str | None = None, index: int | None = 0) -> str:
    function = {"arguments": arguments} if name is None else {"name": name, "arguments": arguments}
    call: dict[str, Any] = {"index": index, "id": call_id, "type": "function", "function": function}
    return chunk({"tool_calls": [{key: value for key, value in call.items() if value is not None}]})


async def places(server: ModelServer, make: Make, *fragments: str) -> list[str]:
    server.script([Raw((*fragments, chunk({}, "tool_calls"), DONE))])
    reply = await hear(make(MODEL))
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    return [json.loads(call.arguments)["place"] for call in reply.calls]


@pytest.mark.parametrize("call_id", [None, ""])
async def test_parallel_calls_of_one_index_without_ids_are_separate(
    call_id: str | None, server: ModelServer, make: Make
) -> None:
    whole = [fragment("zoom_to", PARIS, call_id), fragment("zoom_to", ROME, call_id)]
    assert await places(server, make, *whole) == ["Paris", "Rome"]


async def test_a_name_that_is_repeated_in_every_fragment_begins_no_call(
    server: ModelServer, make: Make
) -> None:
    pieces = [fragment("zoom_to", piece) for piece in ("", PARIS[:8], PARIS[8:])]
    assert await places(server, make, *pieces) == ["Paris"]


async def test_fragments_of_one_call_with_an_id_each_stay_together(server: ModelServer, make: Make) -> None:
    pieces = [
        fragment("zoom_to", "", "a"),
        fragment(None, PARIS[:8], "b"),
        fragment(None, PARIS[8:], "c"),
    ]
    assert await places(server, make, *pieces) == ["Paris"]


async def test_further_fragments_of_a_second_call_with_the_same_index_are_its_own(
    server: ModelServer, make: Make
) -> None:
    pieces = [
        fragment("zoom_to", PARIS[:8], "a"),
        fragment(None, PARIS[8:]),
        fragment("zoom_to", ROME[:8], "b"),
        fragment(None, ROME[8:]),
    ]
    assert await places(server, make, *pieces) == ["Paris", "Rome"]


async def test_a_whole_message_as_the_only_chunk_is_read(server: ModelServer, make: Make) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "zoom_to", "arguments": PARIS}}
    message = {"role": "assistant", "content": "Here.", "tool_calls": [call]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    whole = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    server.script([Raw((f"data: {json.dumps(whole)}\n\n", DONE))])
    reply = await hear(make(MODEL))
    assert (reply.text, [call.arguments for call in reply.calls]) == ("Here.", [PARIS])


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ({"object": "error", "message": "The engine has died", "code": 500}, "The engine has died"),
        ({"object": "error", "message": "Slow down", "code": 429}, "allows no more requests for now"),
        ({"error": "Model is loading"}, "Model is loading"),
    ],
)
async def test_a_fault_in_the_place_of_a_chunk_is_told(
    fault: dict[str, Any], told: str, server: ModelServer, make: Make
) -> None:
    server.script([Raw((f"data: {json.dumps(fault)}\n\n", DONE))] * 3)
    with pytest.raises(ModelError) as raised:
        await hear(make(MODEL))
    assert told in str(raised.value)


async def test_a_stream_without_a_reply_is_no_fault_of_the_network(server: ModelServer, make: Make) -> None:
    server.script([Raw((DONE,))] * 3)
    with pytest.raises(ModelError, match="ended its reply too early") as raised:
        await hear(make(MODEL))
    assert raised.value.retryable


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('{"error": {"message": "Upstream is dead", "code": 502}}', "502"),
        ('{"choices": []}', "ended its reply too early"),
    ],
)
async def test_a_fault_with_status_200_is_told(body: str, told: str, server: ModelServer, make: Make) -> None:
    server.script([Raw((body,), kind="application/json")] * 3)
    with pytest.raises(ModelError, match=told):
        await hear(make(MODEL, quirks={"streaming": False}))


@pytest.mark.parametrize("content", [5, {"text": "Hi"}, ["Hi", None]])
async def test_content_of_unknown_shape_does_not_cost_the_reply(
    content: Any, server: ModelServer, make: Make
) -> None:
    server.script([Raw((chunk({"content": content}), chunk({"content": "Hello."}), chunk({}, "stop"), DONE))])
    assert (await hear(make(MODEL))).text == "Hello."
