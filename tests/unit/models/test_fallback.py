"""Chains of models."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from agents.core import Agent, Telemetry
from agents.core.model import Completed, Model, ModelError, ModelEvent, ModelRequest, TextDelta
from agents.core.testing import ScriptedModel
from agents.models.fallback import Fallback
from tests.support.model_server import Fault, ModelServer, Reply, Say
from tests.unit.models.asking import asking, hear

Make = Callable[..., Model]


class Scripted:
    """A model that says two words, or fails before or between them."""

    context_tokens = 1000

    def __init__(self, name: str, fails: str = "", code: str = "unavailable") -> None:
        self.name = name
        self.code = code
        self.fails = fails
        self.asked = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.asked += 1
        if self.fails == "before":
            raise ModelError(self.code, f"{self.name} is away.")
        yield TextDelta("one ")
        if self.fails == "between":
            raise ModelError("unavailable", f"{self.name} broke.")
        yield TextDelta("two")
        yield Completed()


async def test_the_next_model_takes_over_and_is_named() -> None:
    reply = await hear(Fallback([Scripted("a", "before"), Scripted("b")]))
    assert reply.text == "one two"
    assert reply.end.model == "b"


async def test_no_other_model_takes_over_in_the_middle_of_an_answer() -> None:
    second = Scripted("b")
    with pytest.raises(ModelError, match="a broke"):
        await hear(Fallback([Scripted("a", "between"), second]))
    assert second.asked == 0


async def test_when_all_fail_the_first_ones_reason_is_reported() -> None:
    with pytest.raises(ModelError, match="a is away"):
        await hear(Fallback([Scripted("a", "before"), Scripted("b", "before")]))


async def test_a_model_that_failed_rests_for_a_while() -> None:
    first, second = Scripted("a", "before"), Scripted("b")
    resting = Fallback([first, second], rest=60)
    await hear(resting)
    await hear(resting)
    assert (first.asked, second.asked) == (1, 2)
    eager = Fallback([first, second], rest=0)
    await hear(eager)
    await hear(eager)
    assert first.asked == 3


async def test_a_request_that_one_model_cannot_take_does_not_send_it_to_rest() -> None:
    first = Scripted("a", "before", "context_exceeded")
    chain = Fallback([first, Scripted("b")], rest=60)
    await hear(chain)
    await hear(chain)
    assert first.asked == 2


async def test_a_chain_of_real_adapters(server: ModelServer, make: Make) -> None:
    server.script([Fault(500)] * 3 + [Reply(Say("Claude here."))])
    reply = await hear(make("openai:gpt-5.1 | anthropic:claude-haiku-4-5"), asking("hi"))
    assert reply.end.model == "anthropic:claude-haiku-4-5"
    assert [request.path for request in server.requests] == ["/v1/responses"] * 3 + ["/v1/messages"]


async def counted(*models: Scripted) -> Telemetry:
    telemetry = Telemetry()
    await Agent(Fallback(models), telemetry=telemetry).run("go")
    return telemetry


async def test_a_primary_that_failed_is_in_the_telemetry_under_its_name() -> None:
    metrics = await counted(Scripted("a", "before"), Scripted("b"))
    assert metrics.models["a"].errors == {"unavailable": 1}
    assert metrics.models["b"].calls == 1
    assert metrics.models["b"].errors == {}
    assert set(metrics.models) == {"a", "b"}


@pytest.mark.parametrize("fails", ["before", "between"])
async def test_each_failure_of_a_chain_is_counted_once(fails: str) -> None:
    metrics = await counted(Scripted("a", "before"), Scripted("b", fails))
    assert {name: series.calls for name, series in metrics.models.items()} == {"a": 1, "b": 1}
    assert {name: sum(series.errors.values()) for name, series in metrics.models.items()} == {"a": 1, "b": 1}


async def test_what_a_model_keeps_with_its_reply_survives_the_chain() -> None:
    first = ScriptedModel(["hello", Completed(memory={"scripted": {"topic": "airports"}})], name="a")
    reply = await hear(Fallback([first]))
    assert reply.end.memory == {"scripted": {"topic": "airports"}}
    assert reply.end.model == "a"
