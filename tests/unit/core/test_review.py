"""The review of answers: a hook objects once, and nobody sees the answer that was taken back."""

from __future__ import annotations

from agents.core import Agent, AssistantMessage, Limits, Message, UserMessage, hook, tool
from agents.core.loop.events import AssistantText, Delta, Finished
from agents.core.model import ModelError
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of

OBJECTION = "Five is wrong: answer again."


class Careful(Agent):
    """Objects to the figure 5."""

    @tool
    def count(self) -> int:
        return 4

    @hook.review
    async def _no_fives(self, text: str) -> str | None:
        return OBJECTION if "5" in text else None


def streamed(events: list[object]) -> list[str]:
    return [event.text for event in events if isinstance(event, Delta)]


def finished(events: list[object]) -> Finished:
    assert isinstance(events[-1], Finished)
    return events[-1]


async def test_a_rejected_answer_is_written_again_and_leaves_no_trace() -> None:
    model = Scripted(["I counted. ", "There are ", "5 books. ", "Bye."], "There are 4 books.", "Next.")
    agent = Careful(model)
    events = await events_of(agent, "how many?")
    assert finished(events).text == "There are 4 books."
    assert (finished(events).status, finished(events).steps) == ("done", 2)
    assert "".join(streamed(events)) == "I counted. There are ", (
        "what may be shown, and nothing of another answer"
    )
    assert [event.text for event in events if isinstance(event, AssistantText)] == ["There are 4 books."]
    rejected, objection = model.requests[1].messages[-2:]
    assert (rejected.text, objection) == ("I counted. There are 5 books. Bye.", UserMessage(OBJECTION))
    kept: list[Message] = [UserMessage("how many?"), AssistantMessage("There are 4 books.")]
    assert agent.history == kept
    await agent.run("and now?")
    assert list(model.requests[2].messages) == [*kept, UserMessage("and now?")]


async def test_a_good_answer_costs_one_request_and_streams_by_sentences() -> None:
    model = Scripted(["I ", "counted. There", " are 4", " books. Six ", "shelves."])
    events = await events_of(Careful(model))
    assert len(model.requests) == 1
    assert streamed(events) == ["I ", "counted. There", " are 4 books. Six ", "shelves."]
    assert finished(events).text == "I counted. There are 4 books. Six shelves."


async def test_an_answer_is_rejected_once() -> None:
    model = Scripted("There are 5.", "There are still 5.")
    events = await events_of(Careful(model))
    assert len(model.requests) == 2
    assert finished(events).text == "There are still 5."


async def test_after_an_objection_the_model_can_look_again() -> None:
    model = Scripted("There are 5.", ["Let me see.", call("count")], ["There are ", "5, no, 4."])
    agent = Careful(model)
    events = await events_of(agent)
    assert finished(events).text == "There are 5, no, 4."
    assert len(model.requests) == 3
    assert [result.data for result in results_of(agent.history)] == [4]
    assert is_whole(agent.history)
    assert streamed(events)[-2:] == ["There are ", "5, no, 4."]


async def test_without_another_answer_the_rejected_one_is_sent() -> None:
    failing = Careful(Scripted("There are 5.", [ModelError("overloaded", "Too busy.")]))
    silent = Careful(Scripted("There are 5.", " "))
    short = Careful(Scripted("There are 5.", "never asked for"), limits=Limits(steps=1))
    for agent in (failing, silent, short):
        events = await events_of(agent)
        assert (finished(events).text, finished(events).status) == ("There are 5.", "done")
        assert agent.history[-1] == AssistantMessage("There are 5.")
    assert len(short.model.requests) == 1  # type: ignore[attr-defined]


async def test_what_is_said_before_calls_is_not_reviewed() -> None:
    model = Scripted(["I expect 5.", call("count")], "There are 4.")
    events = await events_of(Careful(model))
    assert len(model.requests) == 2
    assert "".join(streamed(events)) == "I expect 5.There are 4."
