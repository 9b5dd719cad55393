"""Enums, descriptions, defaults and bounds that are asked for at every model call, once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

from agents.core import Agent, Param, ToolBox, tool
from tests.unit.core.scripted import Scripted, call, results_of


class Atlas(Agent):
    tables: Sequence[str] = ("airports", "cities")
    asked = 0

    def table_names(self) -> Sequence[str]:
        self.asked += 1
        return self.tables

    @tool(params={"table": {"type": "string", "enum": table_names}})
    def show(self, table: str) -> str:
        """Show a table."""
        return f"showing {table}"

    @tool
    def count(self, table: Annotated[str, Param(enum=table_names)]) -> str:
        """Count the rows of a table."""
        return f"counting {table}"


def enum_of(model: Scripted, request: int, name: str) -> Any:
    spec = next(spec for spec in model.requests[request].tools if spec.name == name)
    return spec.parameters["properties"]["table"].get("enum")


async def test_every_model_call_sees_the_values_of_that_moment() -> None:
    model = Scripted([call("show", table="cities")], "done", "done")
    agent = Atlas(model)
    await agent.run("show me cities")
    agent.tables = ("rivers",)
    await agent.run("and now?")
    assert enum_of(model, 0, "show") == ["airports", "cities"]
    assert enum_of(model, 0, "count") == ["airports", "cities"]
    assert enum_of(model, 2, "show") == ["rivers"]


async def test_a_callable_shared_by_tools_is_asked_once_for_each_model_call() -> None:
    agent = Atlas(Scripted([call("show", table="cities"), call("count", table="cities")], "done"))
    await agent.run("go")
    assert agent.asked == 2  # two model calls, two tools, three checks


async def test_a_value_the_model_was_not_shown_never_runs_even_if_it_exists_by_now() -> None:
    agent = Atlas(Scripted("placeholder"))

    def create() -> None:
        agent.tables = ("airports", "cities", "brand_new")

    agent.model = Scripted(
        [create, call("show", table="brand_new")], [call("show", table="brand_new")], "done"
    )
    await agent.run("go")
    early, late = results_of(agent.history)
    assert early.error == "invalid_arguments"
    assert (late.ok, late.content) == (True, "showing brand_new")


async def test_a_value_that_has_gone_while_the_model_thought_is_still_what_it_was_shown() -> None:
    agent = Atlas(Scripted("placeholder"))
    names = ["airports"]
    agent.tables = names
    agent.model = Scripted([names.clear, call("show", table="airports")], "done")
    await agent.run("go")
    (result,) = results_of(agent.history)
    assert result.ok


async def test_an_async_callable_is_awaited() -> None:
    async def names() -> list[str]:
        return ["a", "b"]

    @tool(params={"table": {"enum": names}})
    def show(table: str) -> str:
        return table

    box = ToolBox([show])
    assert (await box.invoke("show", {"table": "a"})).ok
    refused = await box.invoke("show", {"table": "c"})
    assert '"a"' in refused.content
    assert refused.error == "invalid_arguments"


async def test_descriptions_defaults_and_bounds_may_be_callables_too() -> None:
    class Sizer(Agent):
        most = 5

        @tool(
            description=lambda self: f"Take up to {self.most}.",
            params={
                "count": {
                    "type": "integer",
                    "description": lambda self: f"at most {self.most}",
                    "maximum": lambda self: self.most,
                    "default": lambda self: self.most - 1,
                }
            },
            required=[],
        )
        def take(self, count: int) -> str:
            return f"took {count}"

    model = Scripted([call("take"), call("take", count=6), call("take", count=5)], "done")
    agent = Sizer(model)
    await agent.run("go")
    spec = model.requests[0].tools[0]
    assert spec.description == "Take up to 5."
    assert spec.parameters["properties"]["count"] == {
        "type": "integer",
        "description": "at most 5",
        "maximum": 5,
        "default": 4,
    }
    assert [result.error or result.content for result in results_of(agent.history)] == [
        "took 4",
        "invalid_arguments",
        "took 5",
    ]


async def test_an_enum_inside_a_list_is_dynamic_as_well() -> None:
    class Picker(Agent):
        @tool(
            params={"tables": {"type": "array", "items": {"type": "string", "enum": lambda self: ["a", "b"]}}}
        )
        def pick(self, tables: list[str]) -> str:
            return "+".join(tables)

        @tool
        def choose(self, tables: Annotated[list[str], Param(enum=lambda self: ["a"])]) -> str:
            return "+".join(tables)

    model = Scripted([call("pick", tables=["a", "x"]), call("choose", tables=["a", "a"])], "done")
    agent = Picker(model)
    await agent.run("go")
    pick, choose = model.requests[0].tools
    assert pick.parameters["properties"]["tables"]["items"]["enum"] == ["a", "b"]
    assert choose.parameters["properties"]["tables"]["items"]["enum"] == ["a"]
    refused, taken = results_of(agent.history)
    assert "tables[1]" in refused.content
    assert taken.content == "a+a"


async def test_an_enum_without_values_is_described_and_refuses_every_value() -> None:
    model = Scripted([call("show", table="airports")], "done")
    agent = Atlas(model)
    agent.tables = ()
    await agent.run("go")
    fragment = model.requests[0].tools[0].parameters["properties"]["table"]
    assert "enum" not in fragment
    assert fragment["description"].endswith("(None exists now.)")
    assert results_of(agent.history)[0].error == "invalid_arguments"


async def test_a_tool_that_needs_a_choice_is_offered_once_there_is_one() -> None:
    class Shelf(Agent):
        books: tuple[str, ...] = ()

        @tool(needs_choice=True)
        def read(self, book: Annotated[str, Param(enum=lambda self: self.books)]) -> str:
            return f"{book} is read"

        @tool
        def buy(self, title: str) -> str:
            self.books = (*self.books, title)
            return title

    model = Scripted(
        [call("read", book="Emma")], [call("buy", title="Emma")], [call("read", book="Emma")], "done"
    )
    shelf = Shelf(model)
    await shelf.run("go")
    offered = [[each.name for each in request.tools] for request in model.requests]
    assert offered == [["buy"], ["buy"], ["read", "buy"], ["read", "buy"]]
    refused, _, taken = results_of(shelf.history)
    assert (refused.error, taken.content) == ("invalid_arguments", "Emma is read")


async def test_nothing_is_rebuilt_when_nothing_changed() -> None:
    agent = Atlas(Scripted("done"))
    one = await agent.snapshots.take(agent.toolbox)
    again = await agent.snapshots.take(agent.toolbox)
    assert again is one
    agent.tables = ["airports", "cities"]
    assert await agent.snapshots.take(agent.toolbox) is one


async def test_a_change_replaces_only_the_tools_it_concerns() -> None:
    class Two(Atlas):
        @tool
        def fixed(self, number: int) -> str:
            return str(number)

    agent = Two(Scripted("done"))
    before = await agent.snapshots.take(agent.toolbox)
    agent.tables = ("rivers",)
    after = await agent.snapshots.take(agent.toolbox)
    assert after.views["fixed"] is before.views["fixed"]
    assert after.views["show"] is not before.views["show"]
    assert before.views["show"].spec.parameters["properties"]["table"]["enum"] == ["airports", "cities"]


async def test_a_long_enum_is_narrowed_to_what_the_message_is_about() -> None:
    def relevant(agent: Agent, values: Sequence[str], message: str) -> list[str]:
        return [value for value in values if value.split("_")[0] in message]

    class Narrowing(Agent):
        tables = [f"roads_{number}" for number in range(500)] + [f"rivers_{number}" for number in range(500)]

        @tool(params={"table": {"type": "string", "enum": lambda self: self.tables, "narrow": relevant}})
        def show(self, table: str) -> str:
            return table

    model = Scripted([call("show", table="rivers_3"), call("show", table="roads_3")], "done")
    agent = Narrowing(model)
    await agent.run("what rivers are there?")
    assert len(enum_of(model, 0, "show")) == 500
    shown, hidden = results_of(agent.history)
    assert shown.ok
    assert hidden.error == "invalid_arguments"
    assert "narrow" not in json.dumps(model.requests[0].tools[0].parameters)


async def test_tools_added_between_turns_are_there_in_the_next_one() -> None:
    model = Scripted("one", "two")
    agent = Atlas(model)
    await agent.run("a")

    @tool
    def extra() -> str:
        return "extra"

    agent.toolbox.register(extra)
    await agent.run("b")
    assert [spec.name for spec in model.requests[0].tools] == ["show", "count"]
    assert [spec.name for spec in model.requests[1].tools] == ["show", "count", "extra"]


async def test_two_first_turns_of_one_agent_with_an_async_enum_both_work() -> None:
    class Library(Agent):
        asked = 0

        async def shelves(self) -> list[str]:
            self.asked += 1
            for _ in range(10 if self.asked == 1 else 1):  # the second turn is told first
                await asyncio.sleep(0)
            return ["A", "B"]

        @tool(params={"shelf": {"type": "string", "enum": shelves}})
        def count(self, shelf: str) -> str:
            return f"counted {shelf}"

        @tool
        def static(self) -> str:
            return "always the same"

    agent = Library(Scripted([call("count", shelf="B"), call("static")], [call("static")], "done"))
    histories: list[list[Any]] = [[], []]
    ends = await asyncio.gather(*(agent.run("go", history=each) for each in histories))
    assert [end.status for end in ends] == ["done", "done"]
    assert all(result.ok for history in histories for result in results_of(history))


async def test_tools_that_change_while_values_are_awaited_are_shown_as_they_are_at_last() -> None:
    asking, answer = asyncio.Event(), asyncio.Event()

    class Library(Agent):
        async def shelves(self) -> list[str]:
            asking.set()
            await answer.wait()
            return ["A", "B"]

        @tool(params={"shelf": {"type": "string", "enum": shelves}})
        def count(self, shelf: str) -> str:
            return f"counted {shelf}"

    agent = Library(Scripted("done"))
    answer.set()
    await agent.snapshots.take(agent.toolbox)
    asking.clear()
    answer.clear()
    taking = asyncio.create_task(agent.snapshots.take(agent.toolbox))
    await asking.wait()
    (count,) = agent.toolbox
    agent.toolbox.register(count.but(name="count_again"))
    answer.set()
    snapshot = await taking
    assert [spec.name for spec in snapshot.specs] == ["count", "count_again"]
    for view in snapshot.views.values():
        assert view.spec.parameters["properties"]["shelf"]["enum"] == ["A", "B"]
        assert len(view.slots) == 1


async def test_a_value_that_changes_the_tools_each_time_it_is_asked_for_does_not_go_on_for_ever() -> None:
    class Restless(Agent):
        asked = 0

        def shelves(self) -> list[str]:
            self.asked += 1
            self.toolbox.register(extra.but(name=f"extra_{self.asked}"))
            return ["A"]

        @tool(params={"shelf": {"type": "string", "enum": shelves}})
        def count(self, shelf: str) -> str:
            return f"counted {shelf}"

    agent = Restless(Scripted("done"))
    extra = agent.toolbox.get("count").but()  # type: ignore[union-attr]
    snapshot = await agent.snapshots.take(agent.toolbox)
    assert all(len(view.slots) == 1 for view in snapshot.views.values())
