"""A request fits the model's context: long results are shortened, then old turns go, and pairs stay together."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.core import Agent, AssistantMessage, ModelRequest, ToolMessage, UserMessage, tool
from agents.core.testing import ScriptedModel
from agents.core.tokens import MIN_BYTES_PER_TOKEN, message_size
from agents.core.tools.results import content_of, shorten
from tests.unit.core.scripted import call, is_whole, results_of

CONTEXT = 4096


class Reader(Agent):
    instructions = "You read books."

    @tool
    def read(self, page: int, length: int = 2000) -> dict[str, Any]:
        """Read a page."""
        return {"page": page, "text": f"page {page} " + "x" * length}


def sent_bytes(request: ModelRequest) -> int:
    """What the request is made of, counted without the code under test."""
    texts = [
        *request.system,
        *(json.dumps(dict(tool.parameters)) + tool.description for tool in request.tools),
    ]
    for message in request.messages:
        if isinstance(message, ToolMessage):
            texts += [result.content for result in message.results]
        else:
            texts.append(message.text)
            if isinstance(message, AssistantMessage):
                texts += [one.arguments for one in message.calls]
    return sum(len(text.encode()) for text in texts)


def fits(request: ModelRequest, context: int = CONTEXT) -> bool:
    return sent_bytes(request) / MIN_BYTES_PER_TOKEN < context


async def test_every_request_of_a_long_turn_fits_the_context() -> None:
    model = ScriptedModel(*[[call("read", page=page)] for page in range(20)], "done", context_tokens=CONTEXT)
    agent = Reader(model)
    assert (await agent.run("read all")).text == "done"
    assert sent_bytes(model.requests[1]) > 2000
    assert all(fits(request) for request in model.requests)
    assert all(is_whole(list(request.messages)) for request in model.requests)
    assert all(request.messages[0] == UserMessage("read all") for request in model.requests)
    last = results_of(model.requests[-1].messages)[-1]
    assert '"page":19' in last.content
    assert "x" * 2000 in last.content
    assert all("x" * 2000 in result.content for result in results_of(agent.history))  # the history is whole


async def test_long_results_are_shortened_before_turns_are_dropped() -> None:
    model = ScriptedModel([call("read", page=1, length=10_000)], "It says x.", "fine", context_tokens=CONTEXT)
    agent = Reader(model)
    await agent.run("read page 1")
    await agent.run("thanks " + "y" * 1000)
    sent = model.requests[-1]
    assert [type(message) for message in sent.messages] == [
        UserMessage,
        AssistantMessage,
        ToolMessage,
        AssistantMessage,
        UserMessage,
    ]
    (result,) = results_of(sent.messages)
    assert len(result.content) < 1000
    assert "cut here" in result.content
    assert result.content.endswith("</data>")
    assert fits(sent)


async def test_the_oldest_turns_go_first() -> None:
    model = ScriptedModel(*["answer " + "z" * 1500] * 12, context_tokens=CONTEXT)
    agent = Reader(model)
    for number in range(12):
        await agent.run(f"question {number}")
    sent = model.requests[-1].messages
    asked = [message.text for message in sent if isinstance(message, UserMessage)]
    assert asked == [f"question {number}" for number in range(12 - len(asked), 12)]
    assert 3 < len(asked) < 12
    assert isinstance(sent[0], UserMessage)
    assert len(agent.history) == 24


async def test_a_result_that_is_too_long_by_itself_is_shortened() -> None:
    model = ScriptedModel([call("read", page=1, length=50_000)], "done", context_tokens=CONTEXT)
    assert (await Reader(model).run("read")).status == "done"
    assert fits(model.requests[-1])
    assert results_of(model.requests[-1].messages)[0].content.endswith("</data>")


async def test_a_context_that_takes_not_even_the_smallest_request_is_named_with_its_size() -> None:
    model = ScriptedModel("never", name="compatible:tiny", context_tokens=2048)
    finished = await Reader(model).run("read this: " + "y" * 20_000)
    assert (finished.status, finished.reason) == ("failed", "context_exceeded")
    assert "compatible:tiny" in finished.text
    assert "2,048 tokens" in finished.text
    assert "about 5," in finished.text
    assert model.requests == []


@pytest.mark.parametrize("most", [50, 200, 1990, 2000])
def test_a_cut_result_keeps_its_data_mark_closed(most: int) -> None:
    whole = content_of({"rows": ["x" * 100] * 50})
    short = shorten(whole, most)
    assert len(short) < most + 100
    assert short.count("<data>") == short.count("</data>") == 1
    assert short.endswith("</data>")
    assert shorten("plain words " * 100, most).count("</data>") == 0


def test_what_is_sent_back_unread_counts_as_well() -> None:
    plain = AssistantMessage("done")
    thoughtful = AssistantMessage("done", opaque={"anthropic": {"blocks": [{"thinking": "é" * 1000}]}})
    assert 2000 < message_size(thoughtful) - message_size(plain) < 2100


@pytest.mark.parametrize(("own_limit", "limit"), [(2000, None), (None, 2000), (3000, 2000)])
async def test_the_limit_of_a_reply_is_kept_free_as_a_whole(own_limit: int | None, limit: int | None) -> None:
    """Servers refuse a request whose messages and limit exceed the context together."""
    model = ScriptedModel([call("read", page=1, length=50_000)], "done", context_tokens=8192)
    model.max_output_tokens = own_limit
    reader = Reader(model)
    reader.max_output_tokens = limit
    assert (await reader.run("read")).status == "done"
    assert fits(model.requests[-1], 8192 - 2000)


async def test_a_limit_larger_than_the_context_leaves_half_of_it_for_the_request() -> None:
    model = ScriptedModel("done", context_tokens=CONTEXT)
    model.max_output_tokens = 32_000
    assert (await Reader(model).run("read")).status == "done"
