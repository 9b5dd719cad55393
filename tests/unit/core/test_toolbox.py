"""ToolBoxes: named tools in a stable order, put together, taken apart, and called without an agent."""

from __future__ import annotations

import asyncio
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from agents.core import BaseTool, ToolBox, ToolCall, tool


@tool
def hello(name: str = "you") -> str:
    """Say hello.

    To anyone."""
    return f"hello {name}"


@tool
async def wait(seconds: float, word: str) -> str:
    """Wait, then speak."""
    await asyncio.sleep(seconds)
    return word


@tool
def broken() -> str:
    """Fail."""
    raise RuntimeError("secret detail")


def test_tools_are_found_by_name_in_the_order_of_their_registration() -> None:
    box = ToolBox([wait, hello])
    box.register(broken)
    assert box.names == ["wait", "hello", "broken"]
    assert box.has("hello")
    assert not box.has("nothing")
    assert box.get("nothing") is None
    assert len(box) == 3
    assert "wait" in box


def test_a_toolbox_renders_as_names_or_with_descriptions() -> None:
    box = ToolBox([hello, wait])
    assert box.render() == "- hello\n- wait"
    assert box.render(details=True) == "- hello: Say hello.\n- wait: Wait, then speak."


async def test_of_two_tools_with_one_name_the_later_one_wins_and_keeps_the_place() -> None:
    @tool(name="hello")
    def other() -> str:
        return "good evening"

    box = ToolBox([hello, wait]).extend(ToolBox([other]))
    assert box.names == ["hello", "wait"]
    assert (await box.invoke("hello")).content == "good evening"


def test_filter_rename_and_prefix_make_new_toolboxes() -> None:
    box = ToolBox([hello, wait, broken])
    assert box.filter(["broken", "hello"]).names == ["hello", "broken"]
    assert box.filter(lambda item: "e" in item.name).names == ["hello", "broken"]
    assert box.rename({"hello": "greet"}).names == ["greet", "wait", "broken"]
    assert box.prefix("map_").names == ["map_hello", "map_wait", "map_broken"]
    assert box.names == ["hello", "wait", "broken"]
    with pytest.raises(ValueError, match="same name"):
        box.rename({"hello": "wait"})


async def test_a_renamed_tool_is_called_by_its_new_name_only() -> None:
    box = ToolBox([hello]).rename({"hello": "greet"})
    assert (await box.invoke("greet", {"name": "Ada"})).content == "hello Ada"
    assert (await box.invoke("hello")).error == "unknown_tool"


def test_a_copy_goes_its_own_way() -> None:
    box = ToolBox([hello])
    other = box.copy()
    other.register(wait)
    other.remove("hello")
    assert (box.names, other.names) == (["hello"], ["wait"])
    box.clear()
    assert (box.names, (box + other).names) == ([], ["wait"])


async def test_an_unknown_tool_is_distinguished_from_a_failure() -> None:
    box = ToolBox([hello, broken])
    absent = await box.invoke("helo")
    failed = await box.invoke("broken")
    assert (absent.ok, absent.error) == (False, "unknown_tool")
    assert '"hello"' in absent.content
    assert (failed.ok, failed.error) == (False, "failed")
    assert "secret" not in failed.content


async def test_invoke_many_runs_side_by_side_and_pairs_in_the_order_of_the_calls() -> None:
    all_there = asyncio.Barrier(4)

    @tool
    async def meet(word: str) -> str:
        """Speak when all are there, which is never where one waits for another; the first comes last."""
        await asyncio.wait_for(all_there.wait(), 10)
        await asyncio.sleep(0.01 if word == "slow" else 0)
        return word

    calls = [
        ToolCall("slow", "meet", '{"word": "slow"}'),
        ToolCall("fast", "meet", '{"word": "fast"}'),
        ("nothing", {}),
        ("hello", {"name": "Ada"}),
    ]
    pairs = await ToolBox([hello, meet]).invoke_many([*calls, *calls])
    assert [result.content for _, result in pairs][:2] == ["slow", "fast"]
    assert [result.error for _, result in pairs][:4] == [None, None, "unknown_tool", None]
    assert all(call.id == result.call_id and call.name == result.name for call, result in pairs)


async def test_invoke_many_sequential_runs_one_after_the_other() -> None:
    order: list[str] = []

    @tool
    async def step(word: str, seconds: float) -> str:
        order.append(f"{word}>")
        await asyncio.sleep(seconds)
        order.append(f"<{word}")
        return word

    pairs = await ToolBox([step]).invoke_many_sequential(
        [("step", {"word": "a", "seconds": 0.01}), ("step", {"word": "b", "seconds": 0})]
    )
    assert order == ["a>", "<a", "b>", "<b"]
    assert [result.content for _, result in pairs] == ["a", "b"]


async def test_an_undecorated_function_or_method_is_taken_as_it_is() -> None:
    class Owner:
        def shout(self, word: str) -> str:
            """Shout it."""
            return word.upper()

    box = ToolBox([Owner().shout])
    assert (await box.invoke("shout", {"word": "hey"})).content == "HEY"


async def test_the_tools_of_a_package_are_gathered_by_import_and_no_two_gatherings_share_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "my_tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text(
        "from agents.core import BaseTool, tool\n"
        "@tool\ndef first() -> str:\n    return 'first'\n"
        "def helper() -> str:\n    return ''\n"
        "class Second(BaseTool):\n    name = 'second'\n    def execute(self, args):\n        return 'second'\n"
        "second = Second()\n"
    )
    (package / "two.py").write_text("from my_tools.one import first\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        box = ToolBox.gather("my_tools")
        assert box.names == ["first", "second"]
        assert (await box.invoke("second")).content == "second"
        box.clear()
        assert ToolBox.gather("my_tools").names == ["first", "second"]
    finally:
        for name in [name for name in sys.modules if name.startswith("my_tools")]:
            del sys.modules[name]


def test_a_module_is_gathered_without_what_it_imports_from_elsewhere() -> None:
    module: Any = types.ModuleType("gathered_here")
    module.hello = hello  # as `from ... import hello` would
    module.own = tool(lambda: "own")
    module.own.__module__ = "gathered_here"
    module.own.__tool__.name = "own"
    assert ToolBox.gather(module).names == ["own"]


def test_a_tool_registered_from_a_class_keeps_its_instance() -> None:
    class Counter(BaseTool):
        name = "count"

        def __init__(self) -> None:
            self.number = 0

        def execute(self, args: object) -> str:
            self.number += 1
            return str(self.number)

    counter = Counter()
    asyncio.run(ToolBox([counter]).invoke("count"))
    assert counter.number == 1


async def test_hidden_tools_stay_hidden_in_toolboxes_made_from_theirs() -> None:
    box = ToolBox([hello, wait, broken])
    box.hide(["hello", "wait"])
    made = [box.filter(["hello", "broken"]), box.filter(lambda item: True), box.rename({"hello": "greet"})]
    shown = [[spec.name for spec in (await each.snapshot()).specs] for each in made]
    assert shown == [["broken"], ["broken"], ["broken"]]
    assert made[0].hidden == {"hello"}
    assert made[2].hidden == {"greet", "wait"}


async def test_hidden_tools_stay_hidden_when_toolboxes_are_merged() -> None:
    box, other = ToolBox([hello]), ToolBox([wait, broken])
    other.hide(["wait"])
    for merged in (box + other, other + box, ToolBox([hello]).extend(other)):
        assert merged.hidden == {"wait"}
        assert {spec.name for spec in (await merged.snapshot()).specs} == {"hello", "broken"}
    assert (ToolBox([wait]) + other).hidden == {"wait"}
    assert (other + ToolBox([wait])).hidden == set(), "the later tool of a name wins"
