"""Anthropic's content blocks."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.core import Agent, hook, tool
from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.model import Model, ModelError
from tests.support.model_server import Call, ModelServer, Raw, Reply, Say, Think
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]
NAME = "anthropic:claude-haiku-4-5"


def event(kind: str, **fields: object) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


async def test_parallel_results_go_back_in_one_user_message(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Done."))])
    answer = AssistantMessage(
        "Both.", (ToolCall("a", "zoom_to", '{"place": "x"}'), ToolCall("b", "zoom_to", "{}"))
    )
    results = ToolMessage(
        (ToolResult("a", "zoom_to", "ok"), ToolResult("b", "zoom_to", "no", ok=False, error="failed"))
    )
    await hear(make(NAME), asking("go", answer, results, UserMessage("and now?")))
    user, assistant, back = server.requests[0].json["messages"]
    assert [message["role"] for message in (user, assistant, back)] == ["user", "assistant", "user"]
    assert [block["type"] for block in assistant["content"]] == ["text", "tool_use", "tool_use"]
    assert assistant["content"][1]["input"] == {"place": "x"}
    one, two, text = back["content"]
    assert (one["tool_use_id"], one["is_error"]) == ("a", False)
    assert (two["tool_use_id"], two["is_error"]) == ("b", True)
    assert text["text"] == "and now?"


async def test_tools_the_stable_system_part_and_the_conversation_are_marked_for_the_cache(
    server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("Hi."))])
    await hear(make(NAME), asking("go", system=("stable", "changes")))
    body = server.requests[0].json
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
    assert ["cache_control" in part for part in body["system"]] == [True, False]
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}


async def test_cached_tokens_are_counted_and_cost_less(server: ModelServer, make: Make) -> None:
    server.script([Reply(Say("Hi."), input_tokens=1000, cached_tokens=800, output_tokens=10)])
    usage = (await hear(make(NAME))).end.usage
    assert (usage.input_tokens, usage.cached_tokens) == (1000, 800)
    assert usage.cost == pytest.approx((200 * 1 + 800 * 0.1 + 10 * 5) / 1e6)


async def test_signed_thoughts_go_back_to_the_model_that_had_them(server: ModelServer, make: Make) -> None:
    server.script([Reply(Think("signature"), Call("zoom_to", {}, id="a")), Reply(Say("x")), Reply(Say("x"))])
    first = await hear(make(NAME))
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    results = ToolMessage((ToolResult("a", "zoom_to", "ok"),))
    await hear(make(NAME), asking("go", answer, results))
    await hear(make("anthropic:claude-opus-4-5"), asking("go", answer, results))
    own, other = (request.json["messages"][1]["content"] for request in server.requests[1:])
    assert own[0] == {"type": "thinking", "thinking": "Hm.", "signature": "signature"}
    assert [block["type"] for block in other] == ["tool_use"]


async def test_an_error_inside_the_stream_is_tried_again(server: ModelServer, make: Make) -> None:
    overloaded = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    server.script([Raw((overloaded,)), Reply(Say("Back."))])
    assert (await hear(make(NAME))).text == "Back."


async def test_a_refused_request_inside_the_stream_is_reported(server: ModelServer, make: Make) -> None:
    server.script([Raw((event("error", error={"type": "invalid_request_error", "message": "odd"}),))])
    with pytest.raises(ModelError, match="odd") as caught:
        await hear(make(NAME))
    assert caught.value.code == "bad_request"


@pytest.mark.parametrize(("choice", "sent"), [("auto", "auto"), ("required", "any"), ("none", "none")])
async def test_the_choice_of_a_tool_is_put_in_anthropics_words(
    choice: str, sent: str, server: ModelServer, make: Make
) -> None:
    server.script([Reply(Say("x"))])
    await hear(make(NAME), asking(tool_choice=choice))
    assert server.requests[0].json["tool_choice"] == {"type": sent}


async def test_the_mark_for_the_cache_is_at_the_end_of_what_the_agent_calls_stable(
    server: ModelServer, make: Make
) -> None:
    class Clerk(Agent):
        def _system_messages(self) -> list[str]:
            return ["You look after the archive.", "Shelves: A, B."]

        @tool
        def count(self) -> int:
            """Count the books."""
            return 1

        @hook.system
        def now(self) -> str:
            return "It is noon."

    server.script([Reply(Say("Hi."))])
    await Clerk(make(NAME)).run("go")
    system = server.requests[0].json["system"]
    assert [part["text"] for part in system if "cache_control" in part] == ["Shelves: A, B."]
    assert system[-1]["text"] == "It is noon."


async def test_interleaved_thoughts_go_back_in_their_order(server: ModelServer, make: Make) -> None:
    server.script(
        [
            Reply(
                Think("first"), Say("Adding."), Call("add_map_layer", {"table": "t"}, id="a"),
                Think("second"), Call("zoom_to", {}, id="b"),
            ),
            Reply(Say("Done.")),
        ]
    )  # fmt: skip
    model = make(NAME)
    first = await hear(model)
    answer = AssistantMessage(first.text, tuple(first.calls), first.end.opaque)
    results = ToolMessage((ToolResult("a", "add_map_layer", "ok"), ToolResult("b", "zoom_to", "ok")))
    await hear(model, asking("go", answer, results))
    sent = server.requests[1].json["messages"][1]["content"]
    kinds = ["thinking", "text", "tool_use", "thinking", "tool_use"]
    assert [block["type"] for block in sent] == kinds
    assert [block["signature"] for block in sent if "signature" in block] == ["first", "second"]
    assert sent[1]["text"] == "Adding."
    assert sent[2]["input"] == {"table": "t"}


async def test_thoughts_of_a_reply_whose_calls_were_changed_are_left_out(
    server: ModelServer, make: Make
) -> None:
    server.script([Reply(Think("first"), Call("zoom_to", {}, id="a")), Reply(Say("Done."))])
    model = make(NAME)
    first = await hear(model)
    answer = AssistantMessage(first.text, (ToolCall("other", "zoom_to", "{}"),), first.end.opaque)
    await hear(model, asking("go", answer, ToolMessage((ToolResult("other", "zoom_to", "ok"),))))
    assert [block["type"] for block in server.requests[1].json["messages"][1]["content"]] == ["tool_use"]
