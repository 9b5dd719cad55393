"""A tool that is busy or away ends the turn as failed, with words on when to try again."""

from __future__ import annotations

from agents.core import Agent, Finished, ToolUnavailable, tool
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of


class Archive(Agent):
    @tool
    def fetch(self, what: str) -> str:
        """Fetch a book."""
        if what == "closed":
            raise ToolUnavailable("The archive is closed. Try again at noon.")
        return what


async def test_a_tool_that_is_not_available_ends_the_turn_as_failed_with_its_message() -> None:
    model = Scripted([call("fetch", what="closed"), call("fetch", what="Emma")], "never said", "later")
    agent = Archive(model)
    last = (await events_of(agent))[-1]
    assert isinstance(last, Finished)
    assert (last.status, last.reason) == ("failed", "unavailable")
    assert last.text == "The archive is closed. Try again at noon."
    assert [(each.ok, each.error) for each in results_of(agent.history)] == [
        (False, "unavailable"),
        (True, None),
    ]
    assert is_whole(agent.history)
    assert len(model.requests) == 1
    assert (await agent.run("again")).status == "done"


async def test_the_host_says_which_exceptions_of_tools_mean_that_something_is_away() -> None:
    def why(error: Exception) -> str | None:
        return "The shelf is away. Try again." if isinstance(error, ConnectionError) else None

    class Shelf(Agent):
        @tool
        def fetch(self, what: str) -> str:
            """Fetch a book."""
            raise ConnectionError if what == "closed" else ValueError

    model = Scripted([call("fetch", what="closed")], [call("fetch", what="Emma")], "It is not there.")
    agent = Shelf(model, why_unavailable=why)
    away, broken = await agent.run("one"), await agent.run("another")
    assert (away.status, away.text) == ("failed", "The shelf is away. Try again.")
    assert (broken.status, broken.text) == ("done", "It is not there.")
    assert [each.error for each in results_of(agent.history)] == ["unavailable", "failed"]


async def test_an_agent_whose_helper_has_no_tool_available_ends_as_failed_too() -> None:
    helper = Archive(Scripted([call("fetch", what="closed")]), name="helper")
    agent = Agent(Scripted([call("ask_helper", task="fetch it")], "never said"), toolbox=[helper.as_tool()])
    last = (await events_of(agent))[-1]
    assert isinstance(last, Finished)
    assert (last.status, last.text) == ("failed", "The archive is closed. Try again at noon.")
