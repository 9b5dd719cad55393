"""What every adapter has to do alike, each through its provider's own SDK against the provider's wire format."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable

import pytest

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult
from agents.core.model import Model, ModelError, TextDelta
from agents.models import close
from agents.models.errors import translate
from agents.models.providers import Catalogue
from tests.support.looking import PATIENCE
from tests.support.model_server import Call, Fault, ModelServer, Refuse, Reply, Say
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAMES = ["openai:gpt-5.1", "groq:llama-3.3-70b", "anthropic:claude-haiku-4-5", "ollama:qwen3:8b"]
WRITES_JSON_TEXT = NAMES[:3]
"""Ollama parses arguments itself, so malformed ones cannot come over its wire; it also has no refusals."""

every_wire = pytest.mark.parametrize("name", NAMES)
wires_with_json_text = pytest.mark.parametrize("name", WRITES_JSON_TEXT)


@every_wire
async def test_text_streams_and_usage_is_counted(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("There are 20,000 airports."), input_tokens=120, output_tokens=9)])
    reply = await hear(make(name))
    assert reply.text == "There are 20,000 airports."
    assert len(reply.deltas) >= 3
    assert (reply.end.usage.input_tokens, reply.end.usage.output_tokens) == (120, 9)
    assert (reply.end.finish, reply.end.model) == ("stop", name)


@every_wire
async def test_a_call_in_fragments_becomes_whole(name: str, server: ModelServer, make: Make) -> None:
    arguments = {"table": "data.airports", "color": "café \u2708 \U0001f6eb"}
    server.script([Reply(Call("add_map_layer", arguments, piece=1))])
    reply = await hear(make(name))
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("add_map_layer", arguments)]
    assert reply.end.finish == "tool_calls"


@every_wire
async def test_parallel_calls_keep_their_order_and_have_ids_of_their_own(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(*(Call("zoom_to", {"place": str(n)}) for n in range(5)))])
    reply = await hear(make(name))
    assert [json.loads(call.arguments)["place"] for call in reply.calls] == list("01234")
    assert len({call.id for call in reply.calls}) == 5


@every_wire
async def test_text_before_and_between_calls_is_kept(name: str, server: ModelServer, make: Make) -> None:
    server.script(
        [Reply(Say("First."), Call("zoom_to", {}), Say("Second."), Call("zoom_to", {"place": "x"}))]
    )
    reply = await hear(make(name))
    assert reply.text.replace("\n\n", "") == "First.Second."
    assert len(reply.calls) == 2


@every_wire
async def test_a_call_without_arguments_is_an_empty_object(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Call("zoom_to", {}))])
    assert [call.arguments for call in (await hear(make(name))).calls] == ["{}"]


@wires_with_json_text
async def test_malformed_arguments_are_passed_on_as_they_are(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Call("zoom_to", '{"place": "Par'))])
    assert [call.arguments for call in (await hear(make(name))).calls] == ['{"place": "Par']


@every_wire
async def test_malformed_arguments_in_the_history_do_not_break_the_next_request(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("Sorry."))])
    refusal = AssistantMessage("", (ToolCall("call_1", "zoom_to", '{"place": "Par'),))
    result = ToolMessage(
        (ToolResult("call_1", "zoom_to", "malformed JSON", ok=False, error="malformed_json"),)
    )
    assert (await hear(make(name), asking("go", refusal, result))).text == "Sorry."
    assert "Par" in json.dumps(server.requests[0].json)


@wires_with_json_text
async def test_a_refusal_says_that_it_is_one(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Refuse("I will not."))])
    reply = await hear(make(name))
    assert (reply.text, reply.end.finish) == ("I will not.", "refusal")


@every_wire
async def test_a_reply_that_is_too_long_says_so(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Once upon a time"), finish="length")])
    assert (await hear(make(name))).end.finish == "length"


@every_wire
async def test_a_conversation_begun_by_any_model_goes_on_with_any_other(
    name: str, server: ModelServer, make: Make
) -> None:
    history: list[object] = ["show airports"]
    for other in NAMES:
        server.script([Reply(Say("Yes."), Call("zoom_to", {"place": "a"}), Call("zoom_to", {"place": "b"}))])
        reply = await hear(make(other), asking(*history))  # type: ignore[arg-type]
        history.append(AssistantMessage(reply.text, tuple(reply.calls), reply.end.opaque))
        history.append(ToolMessage(tuple(ToolResult(call.id, call.name, "ok") for call in reply.calls)))
    server.script([Reply(Say("All done."))])
    assert (await hear(make(name), asking(*history, "thanks"))).text == "All done."  # type: ignore[arg-type]


@every_wire
@pytest.mark.parametrize(
    ("fault", "code", "hint"),
    [
        (
            Fault(400, "tools[0].name is wrong", "invalid_request_error"),
            "bad_request",
            "tools[0].name is wrong",
        ),
        (Fault(400, "prompt is too long: 300000 tokens"), "context_exceeded", "larger context"),
        (Fault(401, "bad key sk-test-0123456789abcdef"), "refused_key", "_API_KEY"),
        (Fault(404, "no such model"), "unknown_model", ""),
        (Fault(429, "insufficient_quota", "insufficient_quota"), "rate_limited", "credit"),
    ],
)
async def test_what_cannot_be_mended_is_not_tried_again(
    name: str, fault: Fault, code: str, hint: str, server: ModelServer, make: Make
) -> None:
    server.script([fault, Reply(Say("never asked"))])
    with pytest.raises(ModelError) as caught:
        await hear(make(name))
    assert caught.value.code == code
    assert hint in str(caught.value)
    assert "sk-test" not in str(caught.value)
    assert len(server.requests) == 1


@every_wire
@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_a_passing_fault_is_tried_again(
    name: str, status: int, server: ModelServer, make: Make
) -> None:
    server.script([Fault(status), Fault(status), Reply(Say("Back."))])
    assert (await hear(make(name))).text == "Back."
    assert len(server.requests) == 3


@every_wire
async def test_a_fault_that_lasts_is_reported(
    name: str, server: ModelServer, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    server.script([Fault(500)] * 3)
    with pytest.raises(ModelError, match="has a problem") as caught:
        await hear(make(name))
    assert [record.message.count("Trying again") for record in caplog.records] == [1, 1]
    assert caught.value.code == "unavailable"
    assert server.left == 0


@every_wire
async def test_retry_after_is_honoured(name: str, server: ModelServer, make: Make) -> None:
    server.script([Fault(429, headers={"Retry-After": "0.4"}), Reply(Say("Now."))])
    started = time.monotonic()
    assert (await hear(make(name))).text == "Now."
    assert time.monotonic() - started >= 0.4


@every_wire
async def test_a_wait_that_is_too_long_is_reported_instead(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Fault(429, headers={"Retry-After": "3600"}), Reply(Say("never asked"))])
    with pytest.raises(ModelError, match="3600 seconds") as caught:
        await hear(make(name))
    assert caught.value.retry_after == 3600
    assert len(server.requests) == 1


@every_wire
async def test_a_stream_cut_before_any_text_is_asked_for_again(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script(
        [Reply(Call("zoom_to", {"place": "Paris, the capital of France"}), cut=1), Reply(Say("Whole."))]
    )
    assert (await hear(make(name))).text == "Whole."


@every_wire
async def test_a_stream_cut_in_the_middle_of_text_is_an_error_and_nothing_is_said_twice(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script(
        [Reply(Say("one two three four five six seven", piece=3), cut=6), Reply(Say("never asked"))]
    )
    pieces: list[str] = []

    async def listen() -> None:
        async for event in make(name).stream(asking()):
            assert isinstance(event, TextDelta)
            pieces.append(event.text)

    with pytest.raises(ModelError, match="in the middle") as caught:
        await listen()
    assert caught.value.code == "unavailable"
    assert "one two three".startswith("".join(pieces)[:10])
    assert len(server.requests) == 1


@every_wire
async def test_a_model_that_never_begins_runs_into_a_timeout(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("x"), stall=0, keep_alive=name != NAMES[3])])
    with pytest.raises(ModelError, match="did not begin to answer") as caught:
        await hear(make(name, first_token=0.3, attempts=1))
    assert caught.value.code == "timeout"
    await asyncio.wait_for(server.hung_up.wait(), PATIENCE)


@every_wire
async def test_a_model_that_falls_silent_runs_into_a_timeout(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("one two three four five six seven", piece=3), stall=6)])
    with pytest.raises(ModelError, match="stopped writing") as caught:
        await hear(make(name, between_tokens=0.3))
    assert caught.value.code == "timeout"
    assert len(server.requests) == 1


@every_wire
async def test_a_slow_model_is_not_interrupted(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("slow and steady wins the race", piece=3), pause=0.15)])
    started = time.monotonic()
    reply = await hear(make(name, between_tokens=1, first_token=1.2))
    assert reply.text == "slow and steady wins the race"
    assert time.monotonic() - started > 1.2


@every_wire
async def test_a_slow_reader_is_not_taken_for_a_silent_model(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("one two"), pause=0.02)])
    async for _ in make(name, between_tokens=0.4).stream(asking()):
        await asyncio.sleep(0.6)


@every_wire
async def test_cancelling_closes_the_http_stream(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("one two three four five six seven", piece=3), stall=6)])
    begun = asyncio.Event()

    async def listen() -> None:
        async for _ in make(name).stream(asking()):
            begun.set()

    task = asyncio.create_task(listen())
    await asyncio.wait_for(begun.wait(), PATIENCE)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(server.hung_up.wait(), PATIENCE)


@every_wire
async def test_closing_the_iterator_closes_the_http_stream(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("one two three four five six seven", piece=3), stall=8)])
    events = make(name).stream(asking())
    await anext(events)
    await events.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(server.hung_up.wait(), PATIENCE)


@every_wire
async def test_many_replies_at_once_do_not_mix(name: str, server: ModelServer, make: Make) -> None:
    server.script([lambda body: Reply(Say(f"heard: {json.dumps(body).count('echo')}"), pause=0.005)] * 8)
    model = make(name)
    reply = await asyncio.gather(*(hear(model, asking("echo " * n)) for n in range(1, 9)))
    assert [one.text for one in reply] == [f"heard: {n}" for n in range(1, 9)]


@every_wire
async def test_a_reply_can_come_in_one_piece(name: str, server: ModelServer, make: Make) -> None:
    arguments = {"table": "data.airports", "color": "café"}
    server.script([Reply(Say("Both."), Call("add_map_layer", arguments), Call("zoom_to")), Fault(401)])
    model = make(name, quirks={"streaming": False})
    reply = await hear(model)
    assert not server.requests[0].json.get("stream")
    assert reply.text == "Both."
    assert [json.loads(call.arguments) for call in reply.calls] == [arguments, {}]
    assert (reply.end.finish, reply.end.usage.total_tokens) == ("tool_calls", 120)
    with pytest.raises(ModelError, match="_API_KEY"):
        await hear(model)


@wires_with_json_text
async def test_a_refusal_in_one_piece_says_that_it_is_one(name: str, server: ModelServer, make: Make) -> None:
    server.script([Reply(Refuse("I will not."))])
    reply = await hear(make(name, quirks={"streaming": False}))
    assert (reply.text, reply.end.finish) == ("I will not.", "refusal")


@every_wire
async def test_a_connection_is_used_again_and_closed_at_last(
    name: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("One."), Call("zoom_to")), Reply(Say("Two.")), Reply(Say("Three."))])
    model = make(name)
    await hear(model)
    await hear(model)
    await close(model)
    await hear(model)
    first, second, third = (request.port for request in server.requests)
    assert first == second
    assert third != first


async def test_a_server_that_is_not_there_is_named(make: Make, server: ModelServer) -> None:
    models = [make(name, attempts=1) for name in NAMES]
    await server.stop()
    for model in models:
        with pytest.raises(ModelError, match=r"\(127\.0\.0\.1:\d+\) could not be reached") as caught:
            await hear(model)
        assert caught.value.code == "unavailable"


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "refusal",
    [
        "request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it",
        "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    ],
)
async def test_a_context_that_is_smaller_than_configured_is_reported_with_the_setting(
    status: int, refusal: str, server: ModelServer, make: Make
) -> None:
    server.script([Fault(status, refusal), Reply(Say("never asked"))])
    model = make("compatible:llama")
    with pytest.raises(ModelError) as caught:
        await hear(model)
    assert caught.value.code == "context_exceeded"
    for part in (model.name, f"{model.context_tokens:,} tokens", "`context_tokens`", refusal):
        assert part in str(caught.value)
    assert len(server.requests) == 1


def test_sizes_in_the_error_message_are_reported() -> None:
    class Refused(Exception):
        status_code = 400
        body = {
            "error": {
                "message": "the request exceeds the limit",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": 9000,
                "n_ctx": 4096,
            }
        }

    config = Catalogue.load().config("ollama", "llama", {})
    assert "9000 tokens for a context of 4096" in str(translate(Refused(), config))


@wires_with_json_text
async def test_arguments_without_an_end_are_cut_off_while_they_are_written(
    name: str, server: ModelServer, make: Make
) -> None:
    endless = '{"place": "' + "far " * 200_000
    server.script([Reply(Call("zoom_to", endless, piece=100), pause=0.001)])
    with pytest.raises(ModelError) as fault:
        await hear(make(name), asking(reply_characters=1_000))
    assert (fault.value.code, fault.value.retryable) == ("bad_reply", False)
    assert "longer than 1,000 characters" in str(fault.value)
    await asyncio.wait_for(server.hung_up.wait(), PATIENCE)
