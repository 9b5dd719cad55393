"""Hooks and override methods: an agent's own steps before, in and after the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.core import (
    Agent,
    AssistantMessage,
    Message,
    ToolCall,
    ToolFailed,
    ToolResult,
    UserMessage,
    hook,
    tool,
)
from agents.core.loop.memory import keep_within
from agents.core.loop.reply import DATA_RULE
from tests.unit.core.scripted import Scripted, call, results_of


class Base(Agent):
    instructions = "You are helpful."

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.log: list[str] = []

    @tool
    def add(self, a: int, b: int) -> int:
        return a + b

    @tool
    def shout(self, word: str) -> str:
        return word.upper()

    @hook.system
    def base_part(self) -> str:
        return "base"


async def test_system_parts_come_in_declared_order_base_class_first() -> None:
    class Child(Base):
        @hook.system
        async def first(self) -> str:
            return "first"

        @hook.system
        def nothing(self) -> None:
            return None

        @hook.system
        def second(self) -> str:
            return f"second {len(self.history)}"

    model = Scripted([call("add", a=1, b=2)], "done")
    await Child(model).run("go")
    assert model.requests[0].system == [DATA_RULE, "You are helpful.", "base", "first", "second 1"]
    assert model.requests[1].system[-1] == "second 3"


async def test_the_system_message_may_be_overridden_as_a_text_or_a_list_sync_or_async() -> None:
    class Text(Agent):
        def _system_messages(self) -> str:
            return "only this"

    class Async(Agent):
        async def _system_messages(self) -> list[str]:
            return ["one", "two"]

    for kind, expected in ((Text, ["only this"]), (Async, ["one", "two"])):
        model = Scripted("x")
        await kind(model).run("go")
        assert model.requests[0].system == expected


async def test_the_final_text_is_finalised_and_then_goes_through_the_response_hooks() -> None:
    class Final(Agent):
        def _finalize_response(self, text: str) -> str:
            return text.strip()

        @hook.response
        async def quote(self, text: str) -> str:
            return f"“{text}”"

        @hook.response
        def look(self, text: str) -> None:
            self.seen = text

    agent = Final(Scripted("  well  "))
    assert await agent.chat("go") == "“well”"
    assert agent.seen == "“well”"
    assert agent.history[-1] == AssistantMessage("  well  ")


async def test_before_and_after_a_tool_hooks_see_and_change_what_passes() -> None:
    class Watching(Base):
        @hook.before_tool
        async def note(self, call: ToolCall, arguments: dict[str, Any]) -> None:
            self.log.append(f"before {call.name} {arguments}")

        @hook.before_tool("add")
        def double(self, call: ToolCall, arguments: dict[str, Any]) -> dict[str, Any]:
            return {key: value * 2 for key, value in arguments.items()}

        @hook.after_tool("shout")
        def quiet(self, call: ToolCall, result: ToolResult) -> ToolResult:
            return ToolResult(call.id, call.name, result.content.lower())

        @hook.after_tool
        def count(self, call: ToolCall, result: ToolResult) -> None:
            self.log.append(f"after {result.content}")

    agent = Watching(Scripted([call("add", a=1, b=2), call("shout", word="Hey")], "done"))
    await agent.run("go")
    assert [result.content for result in results_of(agent.history)] == ["<data>\n6\n</data>", "hey"]
    assert agent.log == [
        "before add {'a': 1, 'b': 2}",
        "after <data>\n6\n</data>",
        "before shout {'word': 'Hey'}",
        "after hey",
    ]


async def test_a_before_hook_refuses_a_call_in_its_own_words_and_invalid_calls_do_not_reach_it() -> None:
    class Guarded(Base):
        @hook.before_tool
        def guard(self, call: ToolCall, arguments: dict[str, Any]) -> None:
            self.log.append(call.name)
            raise ToolFailed("not on a Sunday")

        @hook.after_tool
        def seen(self, call: ToolCall, result: ToolResult) -> None:
            self.log.append(str(result.error))

    agent = Guarded(Scripted([call("add", a=1, b=2), call("add", a="x")], "done"))
    await agent.run("go")
    assert [result.error for result in results_of(agent.history)] == ["failed", "invalid_arguments"]
    assert results_of(agent.history)[0].content == "not on a Sunday"
    assert sorted(agent.log) == ["add", "failed", "invalid_arguments"]


async def test_a_hook_that_breaks_after_a_tool_does_not_take_its_result_away() -> None:
    class Broken(Base):
        @hook.after_tool
        def audit(self, call: ToolCall, result: ToolResult) -> None:
            raise OSError("disk full")

    agent = Broken(Scripted([call("shout", word="hey")], "done"))
    assert (await agent.run("go")).status == "done"
    assert results_of(agent.history)[0].content == "HEY"


async def test_a_history_hook_changes_what_the_model_sees_and_not_the_history() -> None:
    class Forgetful(Agent):
        @hook.history
        def short(self, messages: Sequence[Message]) -> Sequence[Message]:
            return keep_within(12)(messages)

    model = Scripted("one", "two", "three")
    agent = Forgetful(model)
    for text in ("a first long question", "a second long question", "third?"):
        await agent.run(text)
    assert model.requests[2].messages[0] != UserMessage("a first long question")
    assert model.requests[2].messages[-1] == UserMessage("third?")
    assert len(agent.history) == 6


async def test_a_subclass_may_override_a_hook_or_take_it_away() -> None:
    class Other(Base):
        def base_part(self) -> str:
            return "other"

    class Silent(Base):
        base_part = None  # this is how a hook is taken away

    other, silent = Scripted("x"), Scripted("x")
    await Other(other).run("go")
    await Silent(silent).run("go")
    assert other.requests[0].system[-1] == "other"
    assert silent.requests[0].system[-1] == "You are helpful."
