"""Histories from anywhere are repaired, trimmed and summarised without ever parting a call from its result."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from agents.core import (
    Agent,
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    ToolResult,
    UserMessage,
    dump_history,
    hook,
    load_history,
)
from agents.core.loop.history import repair, trim
from agents.core.loop.memory import Summary
from agents.core.tokens import estimate_tokens
from tests.unit.core.scripted import Scripted, is_whole


def result(number: int) -> ToolResult:
    return ToolResult(f"c{number}", "add", f"result {number}")


def asks(*numbers: int) -> AssistantMessage:
    return AssistantMessage("", tuple(ToolCall(f"c{number}", "add", "{}") for number in numbers))


numbers = st.lists(st.integers(0, 3), max_size=3)
messages = st.lists(
    st.one_of(
        st.sampled_from(["hi", "", "  "]).map(UserMessage),
        st.tuples(st.sampled_from(["well", ""]), numbers).map(
            lambda pair: AssistantMessage(pair[0], asks(*pair[1]).calls)
        ),
        numbers.map(lambda given: ToolMessage(tuple(result(number) for number in given))),
    ),
    max_size=10,
)


@given(messages)
def test_a_repaired_history_is_whole_says_something_everywhere_and_needs_no_second_repair(
    history: list[Message],
) -> None:
    repaired = repair(history)
    assert is_whole(repaired)
    assert repair(repaired) == repaired
    for message in repaired:
        if isinstance(message, UserMessage):
            assert message.text.strip()
        elif isinstance(message, AssistantMessage):
            assert message.text.strip() or message.calls
        else:
            assert message.results


def test_results_that_are_there_are_kept_and_only_the_others_are_made_up() -> None:
    repaired = repair(
        [
            UserMessage("go"),
            asks(1, 2, 2),
            ToolMessage((result(9), result(2))),
            ToolMessage((result(2), result(3))),
        ]
    )
    (closing,) = [message for message in repaired if isinstance(message, ToolMessage)]
    assert [(one.call_id, one.error) for one in closing.results] == [("c1", "cancelled"), ("c2", None)]


async def test_a_broken_history_that_is_handed_in_does_not_break_the_next_turn() -> None:
    model = Scripted("fine")
    broken: list[Message] = [ToolMessage((result(1),)), UserMessage("go"), asks(1), UserMessage(""), asks(2)]
    agent = Agent(model, history=broken)
    assert (await agent.run("and now?")).text == "fine"
    assert is_whole(list(model.requests[0].messages))
    assert agent.history[: len(broken)] == broken


@given(messages, st.integers(0, 200))
def test_trimming_never_parts_a_call_from_its_result(history: list[Message], budget: int) -> None:
    whole = repair(history)
    trimmed = trim(whole, budget)
    assert is_whole(trimmed)
    last_user = max(
        (index for index, message in enumerate(whole) if isinstance(message, UserMessage)), default=None
    )
    if last_user is not None:
        assert any(message is whole[last_user] for message in trimmed)
        others = [message for message in trimmed if message is not whole[last_user]]
        assert sum(map(estimate_tokens, others)) <= budget


def test_what_fits_the_budget_is_not_touched() -> None:
    whole = [UserMessage("go"), asks(1), ToolMessage((result(1),)), AssistantMessage("done")]
    assert trim(whole, 10_000) == whole


async def test_what_is_old_is_replaced_by_a_summary_once_and_the_beginning_stays_the_same() -> None:
    asked: list[int] = []

    async def summarise(old: Sequence[Message]) -> str:
        asked.append(len(old))
        return f"summary {len(asked)}"

    class Remembering(Agent):
        def __init__(self, model: Scripted) -> None:
            super().__init__(model)
            self.summary = Summary(summarise, over_tokens=400, keep_tokens=200)

        @hook.history
        async def shorten(self, messages: Sequence[Message]) -> Sequence[Message]:
            return await self.summary(messages)

    model = Scripted("an answer " * 20)
    agent = Remembering(model)
    for turn in range(14):
        await agent.run(f"question {turn} " + "x" * 100)
    sizes = [sum(map(estimate_tokens, request.messages)) for request in model.requests]
    assert max(sizes) < 600
    firsts = [request.messages[0] for request in model.requests]
    assert firsts[0] == UserMessage("question 0 " + "x" * 100)
    summaries = [first for first in firsts if isinstance(first, UserMessage) and "summary" in first.text]
    assert len(summaries) > len(set(summaries)) == len(asked)
    assert all(request.messages[-1].text.startswith("question") for request in model.requests)
    assert len(agent.history) == 28


def test_a_history_survives_being_stored_as_json() -> None:
    history: list[Message] = [
        UserMessage("go"),
        AssistantMessage("hm", asks(1).calls, {"anthropic": [1]}),
        ToolMessage(
            (ToolResult("c1", "add", "3", filled={"a": 1}, warnings=("careful",), ms=1.5, summary="Three"),)
        ),
        AssistantMessage("3"),
    ]
    assert load_history(json.loads(json.dumps(dump_history(history)))) == history
