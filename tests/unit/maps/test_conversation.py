"""What the model is reminded of: whole turns, every call answered, within a budget."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agents.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from server.maps.log.events import Event
from server.maps.turns.conversation import conversation, tokens


class Log:
    """Events as a map would have them."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers: Iterator[int] = count(1)

    def add(self, turn: str | None, event: str, /, **payload: Any) -> Log:
        self.events.append(Event("m", next(self._numbers), event, turn, datetime.now(UTC), payload))
        return self

    def turn(self, turn: str, asked: str, said: str) -> Log:
        self.add(turn, "user_message", text=asked)
        self.add(turn, "tool_called", call_id="c", name="count", arguments={"table": "t"})
        self.add(turn, "tool_finished", call_id="c", name="count", ok=True, summary="5", result="5 rows")
        self.add(turn, "ai_response", message=said, final=True)
        return self.add(turn, "turn_finished", status="done")


def kinds(messages: list[Message]) -> list[str]:
    return [type(message).__name__ for message in messages]


def test_a_turn_that_is_not_finished_is_left_out() -> None:
    log = Log().turn("a", "one", "1").add("b", "user_message", text="two")
    assert [one.text for one in conversation(log.events) if isinstance(one, UserMessage)] == ["one"]


def test_a_turn_whose_beginning_was_cut_off_is_left_out() -> None:
    log = Log().add("a", "ai_response", message="?", final=True).add("a", "turn_finished").turn("b", "x", "y")
    assert kinds(conversation(log.events)) == [
        "UserMessage",
        "AssistantMessage",
        "ToolMessage",
        "AssistantMessage",
    ]


def test_turns_that_overlap_in_the_log_are_separated() -> None:
    """A message is queued while another is answered."""
    log = Log().add("a", "user_message", text="one").add("b", "user_message", text="two")
    log.add("a", "ai_response", message="1", final=True).add("a", "turn_finished")
    log.add("b", "ai_response", message="2", final=True).add("b", "turn_finished")
    messages = conversation(log.events)
    assert messages == [UserMessage("one"), AssistantMessage("1"), UserMessage("two"), AssistantMessage("2")]


def test_calls_made_at_once_stay_together_and_later_ones_apart() -> None:
    log = Log().add("a", "user_message", text="x")
    log.add("a", "ai_response", message="First.", final=False)
    for call in ("1", "2"):
        log.add("a", "tool_called", call_id=call, name="count", arguments={})
    for call in ("2", "1"):
        log.add("a", "tool_finished", call_id=call, name="count", ok=True, summary=call, result=call)
    log.add("a", "tool_called", call_id="3", name="count", arguments={})
    log.add("a", "tool_finished", call_id="3", name="count", ok=False, summary="no", result="")
    log.add("a", "ai_response", message="Done.", final=True).add("a", "turn_finished")
    _, both, results, third, failed, said = conversation(log.events)
    assert isinstance(both, AssistantMessage)
    assert isinstance(results, ToolMessage)
    assert isinstance(third, AssistantMessage)
    assert isinstance(failed, ToolMessage)
    assert (both.text, [call.id for call in both.calls]) == ("First.", ["1", "2"])
    assert [result.content for result in results.results] == ["1", "2"]
    assert [call.id for call in third.calls] == ["3"]
    assert (failed.results[0].ok, failed.results[0].content) == (False, "no")
    assert said == AssistantMessage("Done.")


def test_a_call_without_a_result_gets_one() -> None:
    log = (
        Log().add("a", "user_message", text="x").add("a", "tool_called", call_id="1", name="n", arguments={})
    )
    log.add("a", "ai_response", message="Stopped.", final=True).add("a", "turn_finished")
    results = conversation(log.events)[2]
    assert isinstance(results, ToolMessage)
    assert [(one.call_id, one.ok, one.error) for one in results.results] == [("1", False, "cancelled")]


@given(st.lists(st.text(max_size=400), max_size=30), st.integers(0, 3000))
def test_it_never_takes_more_than_the_budget_and_keeps_the_newest(said: list[str], budget: int) -> None:
    log = Log()
    for number, words in enumerate(said):
        log.turn(f"t{number}", f"question {number}", words)
    messages = conversation(log.events, budget)
    assert tokens(messages) <= budget
    asked = [message.text for message in messages if isinstance(message, UserMessage)]
    assert asked == [f"question {number}" for number in range(len(said))][len(said) - len(asked) :]
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.calls:
            following = messages[at + 1]
            assert isinstance(following, ToolMessage)
            assert [one.call_id for one in following.results] == [call.id for call in message.calls]


def test_what_a_model_keeps_with_its_answer_is_found_again_however_old_the_turn_is() -> None:
    log = Log()
    for number in range(9):
        log.add(f"t{number}", "user_message", text="go")
        log.add(
            f"t{number}",
            "ai_response",
            message="gone",
            final=True,
            memory={"offline": {"layers": [str(number)]}},
        )
        log.add(f"t{number}", "turn_finished", status="done")
    answers = [one for one in conversation(log.events) if isinstance(one, AssistantMessage)]
    assert [one.memory["offline"]["layers"] for one in answers] == [[str(number)] for number in range(9)]


def test_data_marks_that_older_versions_stored_unclosed_are_closed() -> None:
    log = (
        Log().add("a", "user_message", text="x").add("a", "tool_called", call_id="1", name="n", arguments={})
    )
    cut = '<data>\n{"rows":[1,2,3\n[cut here: 900 more characters]'
    log.add("a", "tool_finished", call_id="1", name="n", ok=True, summary="3 rows", result=cut)
    log.add("a", "ai_response", message="Three.", final=True).add("a", "turn_finished")
    results = conversation(log.events)[2]
    assert isinstance(results, ToolMessage)
    assert results.results[0].content == f"{cut}\n</data>"
