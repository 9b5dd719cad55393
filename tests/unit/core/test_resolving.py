"""Arguments that the model left out are filled from state, and everyone is told."""

from __future__ import annotations

from typing import Annotated, Any

from agents.core import Agent, Param, ToolBox, ToolFailed, ToolStarted, tool
from tests.unit.core.scripted import Scripted, call, events_of, one_result, results_of


class MapAgent(Agent):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.layers: list[str] = []

    def only_layer(self) -> str | None:
        return self.layers[0] if len(self.layers) == 1 else None

    async def free_id(self, arguments: dict[str, Any]) -> str:
        number = 1
        while f"{arguments['table']}_{number}" in self.layers:
            number += 1
        return f"{arguments['table']}_{number}"

    @tool(
        sequential=True,
        params={"table": {"type": "string"}, "layer_id": {"type": "string", "resolve": free_id}},
    )
    def add(self, table: str, layer_id: str) -> str:
        self.layers.append(layer_id)
        return f"added {layer_id}"

    @tool
    def style(
        self, color: str, layer: Annotated[str, Param(enum=lambda self: self.layers, resolve=only_layer)]
    ) -> str:
        return f"{layer} is {color}"


async def test_a_resolver_fills_what_the_model_left_out_and_says_so() -> None:
    agent = MapAgent(Scripted("x"))
    agent.layers = ["rivers"]
    result = await one_result(agent, call("style", color="blue"))
    assert result.ok
    assert result.filled == {"layer": "rivers"}
    assert result.content == 'rivers is blue\nFilled in for you: {"layer":"rivers"}'


async def test_a_filled_parameter_is_not_demanded_of_the_model() -> None:
    model = Scripted("done")
    await MapAgent(model).run("go")
    add, style = model.requests[0].tools
    assert add.parameters["required"] == ["table"]
    assert style.parameters["required"] == ["color"]


async def test_what_the_model_gave_is_not_touched() -> None:
    agent = MapAgent(Scripted("x"))
    agent.layers = ["rivers", "roads"]
    result = await one_result(agent, call("style", color="blue", layer="roads"))
    assert (result.content, result.filled) == ("roads is blue", {})


async def test_where_the_resolver_cannot_say_the_argument_is_missing() -> None:
    agent = MapAgent(Scripted("x"))
    agent.layers = ["rivers", "roads"]
    result = await one_result(agent, call("style", color="blue"))
    assert result.error == "invalid_arguments"
    assert "layer is required and missing" in result.content
    assert '"roads"' in result.content


async def test_a_resolver_may_look_at_the_other_arguments_and_at_what_calls_before_it_did() -> None:
    agent = MapAgent(Scripted([call("add", table="roads"), call("add", table="roads")], "done"))
    events = await events_of(agent)
    assert [result.content.splitlines()[0] for result in results_of(agent.history)] == [
        "added roads_1",
        "added roads_2",
    ]
    started = [event for event in events if isinstance(event, ToolStarted)]
    assert [event.arguments["layer_id"] for event in started] == ["roads_1", "roads_2"]


async def test_what_a_resolver_fills_is_checked_too() -> None:
    @tool(params={"table": {"type": "string", "enum": ["a", "b"], "resolve": lambda: "not shown"}})
    def show(table: str) -> str:
        return table

    result = await ToolBox([show]).invoke("show", {})
    assert result.error == "invalid_arguments"
    assert "table is required and missing" in result.content


async def test_an_invalid_optional_argument_may_be_dropped_with_a_warning() -> None:
    @tool(params={"color": {"type": "string", "enum": ["red", "blue"], "drop_invalid": True}})
    def paint(name: str, color: str = "grey") -> str:
        return f"{name} in {color}"

    result = await ToolBox([paint]).invoke("paint", {"name": "roads", "color": "rde"})
    assert result.ok
    assert result.content.startswith("roads in grey\nNote: color:")
    assert len(result.warnings) == 1


async def test_a_resolver_may_refuse_in_words_and_its_bugs_stay_inside() -> None:
    def refuse() -> str:
        raise ToolFailed("there is no map yet")

    def bug() -> str:
        raise KeyError("internal name")

    @tool(params={"a": {"type": "string", "resolve": refuse}})
    def one(a: str) -> str:
        return a

    @tool(params={"a": {"type": "string", "resolve": bug}})
    def two(a: str) -> str:
        return a

    box = ToolBox([one, two])
    assert (await box.invoke("one", {})).content == "there is no map yet"
    broken = await box.invoke("two", {})
    assert broken.error == "failed"
    assert "internal name" not in broken.content


async def test_callables_may_be_bound_methods_of_any_object() -> None:
    class State:
        names = ("a", "b", "c")

        def all(self) -> tuple[str, ...]:
            return self.names

        def some(self, values: tuple[str, ...], message: str) -> list[str]:
            return [value for value in values if value != "c"]

        def guess(self, arguments: dict[str, Any]) -> str:
            return self.names[int(arguments["index"])]

    state = State()

    @tool(
        params={"name": {"type": "string", "enum": state.all, "narrow": state.some, "resolve": state.guess}}
    )
    def show(index: int, name: str) -> str:
        return name

    box = ToolBox([show])
    assert (await box.invoke("show", {"index": 1})).data == "b"
    assert (await box.invoke("show", {"index": 1, "name": "c"})).error == "invalid_arguments"
    assert (await box.invoke("show", {"index": 2})).error == "invalid_arguments"
