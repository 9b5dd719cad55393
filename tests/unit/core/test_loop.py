"""The loop: until the model calls no more tools, or a limit is reached; one generator, drained by `run` and `chat`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from agents.core import (
    Agent,
    AssistantMessage,
    AssistantText,
    Completed,
    Delta,
    Finished,
    Limits,
    ModelError,
    ToolContext,
    ToolDone,
    ToolMessage,
    ToolRetry,
    ToolStarted,
    Usage,
    UserMessage,
    register_client_adapter,
    tool,
)
from agents.core import clients as client_adapters
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of


class Adder(Agent):
    @tool
    def add(self, a: int, b: int) -> int:
        """Add two numbers."""
        return a + b

    @tool
    async def wait(self, seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "waited"

    @tool(retries=1)
    def picky(self, word: str) -> str:
        if word != "please":
            raise ToolRetry("say please")
        return "thank you"


async def test_chat_returns_the_final_text_and_sends_it_to_the_socket() -> None:
    sent: list[Any] = []
    agent = Adder(Scripted([call("add", a=1, b=2)], "three"), None, sent.append)
    assert await agent.chat("1 + 2?") == "three"
    assert sent == [{"type": "ai_response", "message": "three"}]


async def test_the_socket_may_be_async() -> None:
    sent: list[Any] = []

    async def emit(payload: dict[str, Any]) -> None:
        sent.append(payload)

    await Adder(Scripted("hello"), socket_emit=emit).chat("hi")
    assert sent == [{"type": "ai_response", "message": "hello"}]


async def test_an_agent_that_cannot_reach_its_socket_still_answers(caplog: pytest.LogCaptureFixture) -> None:
    def emit(payload: dict[str, Any]) -> None:
        raise ConnectionError("gone")

    with caplog.at_level(logging.ERROR):
        assert await Adder(Scripted("hello"), socket_emit=emit).chat("hi") == "hello"
    assert "gone" in caplog.text


async def test_a_turn_is_reported_as_events_and_stored_as_messages() -> None:
    asked = call("add", a=1, b=2)
    agent = Adder(Scripted(["Let me ", "see.", asked], ["It is ", "3."]))
    events = await events_of(agent, "1 + 2?")
    assert [type(event) for event in events] == [
        Delta,
        Delta,
        AssistantText,
        ToolStarted,
        ToolDone,
        Delta,
        Delta,
        AssistantText,
        Finished,
    ]
    assert events[2] == AssistantText("Let me see.")
    assert events[-2] == AssistantText("It is 3.", final=True)
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert (finished.text, finished.status, finished.steps) == ("It is 3.", "done", 2)
    assert finished.usage == Usage(20, 10)
    assert agent.history == [
        UserMessage("1 + 2?"),
        AssistantMessage("Let me see.", (asked,)),
        ToolMessage((results_of(agent.history)[0],)),
        AssistantMessage("It is 3."),
    ]


async def test_text_before_a_tool_call_does_not_end_the_turn() -> None:
    agent = Adder(Scripted(["One moment.", call("add", a=1, b=1)], ["And now", call("add", a=2, b=2)], "4"))
    finished = await agent.run("go")
    assert (finished.text, finished.steps) == ("4", 3)


async def test_a_later_turn_sees_the_earlier_ones_and_requests_do_not_change_afterwards() -> None:
    model = Scripted("one", "two")
    agent = Adder(model)
    await agent.run("first")
    await agent.run("second")
    assert [len(request.messages) for request in model.requests] == [1, 3]
    assert model.requests[1].messages[1] == AssistantMessage("one")


async def test_a_history_may_be_handed_in_and_an_agent_keeps_its_own() -> None:
    before = [UserMessage("hi"), AssistantMessage("hello")]
    model = Scripted("again")
    agent = Adder(model, history=before)
    await agent.run("how are you?")
    assert len(model.requests[0].messages) == 3
    assert len(before) == 2


async def test_the_model_repairs_a_faulty_call() -> None:
    agent = Adder(Scripted([call("add", a=1)], [call("add", a=1, b="x")], [call("add", a="1", b=2.0)], "3"))
    finished = await agent.run("go")
    assert [result.error for result in results_of(agent.history)] == [
        "invalid_arguments",
        "invalid_arguments",
        None,
    ]
    assert finished.text == "3"


@pytest.mark.parametrize(
    ("limits", "reason", "word"),
    [
        (Limits(steps=3), "steps", "3 steps"),
        (Limits(tokens=40), "tokens", "40 tokens"),
        (Limits(cost=0.05), "cost", "0.05 US dollars"),
        (Limits(seconds=0.05), "seconds", "0.05 seconds"),
    ],
)
async def test_a_limit_ends_the_turn_with_a_clear_message(limits: Limits, reason: str, word: str) -> None:
    numbers = iter(range(1000))
    model = Scripted(
        lambda request: [
            call("add", a=next(numbers), b=1),
            call("wait", seconds=0.01),
            Completed(Usage(10, 5, cost=0.02)),
        ]
    )
    agent = Adder(model, limits=limits)
    finished = await agent.run("go on for ever")
    assert (finished.status, finished.reason) == ("limit", reason)
    assert word in finished.text
    assert agent.history[-1] == AssistantMessage(finished.text)
    assert is_whole(agent.history)


async def test_the_time_limit_stops_a_tool_and_a_model_in_the_middle() -> None:
    agent = Adder(Scripted([call("wait", seconds=10)], "never"), limits=Limits(seconds=0.05))
    assert (await agent.run("go")).reason == "seconds"
    assert results_of(agent.history)[0].error == "cancelled"
    agent.model = Scripted(["I think ", lambda: asyncio.sleep(10)])
    finished = await agent.run("go")
    assert finished.reason == "seconds"
    assert agent.history[-2:] == [AssistantMessage("I think "), AssistantMessage(finished.text)]
    assert is_whole(agent.history)


async def test_a_byte_identical_failing_call_ends_the_turn_at_the_third_time() -> None:
    model = Scripted([call("add", a=1)])
    agent = Adder(model)
    finished = await agent.run("go")
    assert (finished.status, finished.reason) == ("limit", "identical_failures")
    assert len(model.requests) == 3
    assert "failed 3 times" in finished.text


async def test_failing_calls_that_differ_do_not_count_as_identical() -> None:
    model = Scripted([call("add", a=1)], [call("add", a=2)], [call("add", a=3)], [call("add", a=4)], "done")
    assert (await Adder(model).run("go")).status == "done"


async def test_a_tool_is_closed_for_the_turn_once_its_retries_are_used_up() -> None:
    model = Scripted(
        [call("picky", word="now")],
        [call("picky", word="hey")],
        [call("picky", word="please")],
        "well",
        "bye",
    )
    agent = Adder(model)
    await agent.run("go")
    errors = [result.error for result in results_of(agent.history)]
    assert errors == ["retry", "retry", "failed"]
    assert "closed for this turn" in results_of(agent.history)[-1].content


async def test_what_a_provider_reports_is_passed_on_as_the_end_of_the_turn() -> None:
    agent = Adder(Scripted([ModelError("refused_key", "The key in OPENAI_API_KEY was refused.")]))
    finished = await agent.run("go")
    assert (finished.status, finished.reason) == ("failed", "refused_key")
    assert finished.text == "The key in OPENAI_API_KEY was refused."
    assert agent.history == [UserMessage("go")]


async def test_an_error_in_the_middle_of_a_reply_keeps_what_was_said() -> None:
    agent = Adder(
        Scripted(["I was say", ModelError("unavailable", "The line broke.", retryable=True)], "fine")
    )
    assert (await agent.run("go")).reason == "unavailable"
    assert agent.history == [UserMessage("go"), AssistantMessage("I was say")]
    assert (await agent.run("again")).status == "done"


async def test_a_bug_in_an_adapter_ends_the_turn_without_its_internals(
    caplog: pytest.LogCaptureFixture,
) -> None:
    agent = Adder(Scripted([RuntimeError("token sk-123")]))
    with caplog.at_level(logging.ERROR):
        finished = await agent.run("go")
    assert (finished.status, finished.reason) == ("failed", "internal")
    assert "sk-123" not in finished.text
    assert "sk-123" in caplog.text


async def test_a_reply_that_ends_too_early_is_an_error() -> None:
    class Cut(Scripted):
        async def stream(self, request: Any) -> Any:
            async for event in super().stream(request):
                if not isinstance(event, Completed):
                    yield event

    assert (await Adder(Cut("half a")).run("go")).reason == "bad_reply"


async def test_an_empty_answer_is_said_to_be_one() -> None:
    agent = Adder(Scripted([Completed()]))
    finished = await agent.run("go")
    assert (finished.status, finished.reason) == ("done", "empty")
    assert finished.text == "The model ended without an answer."


@pytest.mark.parametrize("finish", ["length", "refusal"])
async def test_the_reason_why_an_answer_ended_is_reported(finish: Any) -> None:
    finished = await Adder(Scripted(["I cannot", Completed(finish=finish)])).run("go")
    assert (finished.status, finished.reason) == ("done", finish)


@pytest.mark.parametrize(
    ("said", "finish", "shown"),
    [
        ("The largest are", "length", "The largest are\n\n(The answer is cut off here"),
        ("", "length", "The model used up its limit of tokens"),
        ("", "refusal", "The model's provider refused to answer"),
        ("I will not.", "refusal", "I will not."),
    ],
)
async def test_an_answer_that_was_not_finished_says_so(said: str, finish: Any, shown: str) -> None:
    finished = await Adder(Scripted([said, Completed(finish=finish)])).run("go")
    assert finished.text.startswith(shown)


async def test_one_agent_runs_one_turn_at_a_time() -> None:
    gate = asyncio.Event()
    agent = Adder(Scripted([gate.wait, "done"]))
    first = asyncio.create_task(agent.run("one"))
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="in the middle of a turn"):
        await agent.run("two")
    gate.set()
    assert (await first).status == "done"


async def test_turns_on_histories_of_their_own_run_beside_each_other() -> None:
    model = Scripted(lambda request: [lambda: asyncio.sleep(0.01), str(len(request.messages))])
    agent = Adder(model)
    one, two = [UserMessage("hi"), AssistantMessage("hello")], []
    results = await asyncio.gather(agent.run("a", history=one), agent.run("b", history=two), agent.run("c"))
    assert [finished.text for finished in results] == ["3", "1", "1"]
    assert [len(history) for history in (one, two, agent.history)] == [4, 2, 2]


async def test_a_text_is_needed_to_begin() -> None:
    with pytest.raises(ValueError, match="text"):
        await Adder(Scripted("x")).run("  ")


async def test_the_context_of_the_agent_reaches_the_model() -> None:
    model = Scripted("x")
    state = object()
    await Adder(model, context=state).run("go")
    assert model.requests[0].context is state


async def test_a_providers_client_becomes_a_model_by_the_registered_adapter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Client:
        pass

    made: list[Any] = []

    def make(client: Any, name: str) -> Scripted:
        made.append((client, name))
        return Scripted("from the client", name=name)

    monkeypatch.setattr(client_adapters, "_makers", [])
    with pytest.raises(TypeError, match="no adapter is registered"):
        Agent(Client(), "some-model")
    register_client_adapter(make)
    with pytest.raises(TypeError, match="name of a model"):
        Agent(Client())
    client = Client()
    assert await Agent(client, "some-model").chat("hi") == "from the client"
    assert made == [(client, "some-model")]


async def test_a_tool_with_a_limit_of_its_own_does_not_use_up_the_turn() -> None:
    @tool(sequential=True)
    async def long_work(context: ToolContext) -> str:
        """Takes longer than the turn may."""
        with context.own_time():
            await asyncio.sleep(0.3)
        return "worked"

    agent = Agent(Scripted([call("long_work")], "done"), toolbox=[long_work], limits=Limits(seconds=0.2))
    finished = await agent.run("go")
    assert (finished.status, finished.text) == ("done", "done")
    assert results_of(agent.history)[0].content == "worked"


async def test_usage_without_a_known_price_does_not_add_up_to_a_complete_one() -> None:
    priced, unpriced = Usage(10, 5, cost=0.5), Usage(10, 5)
    assert (priced + priced).cost == 1.0
    assert (priced + unpriced).cost is None
    assert (unpriced + priced + priced).cost is None
    assert (Usage() + priced).cost == 0.5


async def test_a_model_without_prices_ends_a_turn_that_has_a_limit_on_cost() -> None:
    model = Scripted([call("add", a=1, b=1), Completed(Usage(10, 5))])
    finished = await Adder(model, limits=Limits(cost=1.0)).run("go")
    assert (finished.status, finished.reason) == ("limit", "unknown_cost")
    assert "price" in finished.text
    assert len(model.requests) == 1


async def test_a_reply_that_does_not_end_is_ended_by_its_size() -> None:
    agent = Adder(Scripted(["word "] * 1000), limits=Limits(reply_characters=100))
    events = await events_of(agent, "go on for ever")
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.status == "failed"
    assert "longer than 100 characters" in finished.text
    assert sum(len(event.text) for event in events if isinstance(event, Delta)) <= 100
