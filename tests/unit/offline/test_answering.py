"""How the offline model speaks: in pieces, with the tools that are offered, and whatever the tables are called."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.core import (
    AssistantMessage,
    Completed,
    Delta,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolFailed,
    ToolSpec,
    UserMessage,
)
from agents.geo_agent import GeoAgent
from agents.offline import OfflineModel, suggestions
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRLINES, AIRPORTS, CITIES, COUNTRIES, PARKS_OF_CITY
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat


async def test_a_failing_tool_is_told_as_a_failure_and_stops_the_rest() -> None:
    class Broken(World):
        def __init__(self) -> None:
            super().__init__()

            async def add_layer(draft: Any) -> Any:
                raise ToolFailed("The database did not answer in time.")

            self.map.add_layer = add_layer  # type: ignore[method-assign]

    chat = Chat(Broken())
    answer = await chat("show airports in red and zoom to Ulm")
    assert answer == (
        "That did not work: The database did not answer in time.\n\nI did not go on to “zoom to Ulm”."
    )
    assert [name for name, _ in chat.calls] == ["add_map_layer"]


async def test_a_fault_while_looking_values_up_is_no_fault_of_the_turn() -> None:
    world = World()

    async def query(*_: Any, **__: Any) -> Any:
        raise RuntimeError("connection lost: password=secret")

    world.data.query = query  # type: ignore[method-assign]
    answer = await Chat(world)("show airports in Germany")
    assert "something went wrong while I looked it up" in answer
    assert "secret" not in answer


async def test_new_tables_are_part_of_the_language_at_once() -> None:
    chat = Chat()
    assert "no table here is about “bus stops”" in await chat("show bus stops")
    table, rows = make_table(
        "data.busStops", "POINT", "", [("id", "integer", "")], [(1, (1.0, 1.0)), (2, (2.0, 2.0))]
    )
    chat.world.registry.add(table)
    chat.world.data.rows["data.busStops"] = rows  # type: ignore[index]
    await chat("show bus stops")
    assert chat.calls == [("add_map_layer", {"table": "data.busStops"})]


@pytest.mark.parametrize("name", ["select", "My Table", 'naïve"quote', "naïve-täble", "表", "2024_results"])
async def test_odd_names_of_tables_and_columns_can_be_said(name: str) -> None:
    columns = [("id", "integer", ""), ("order", "integer", ""), ("größe m", "number", "")]
    quoted = '"' + name.replace('"', '""') + '"' if "." in name or '"' in name else name
    two = [(1, 5, 2.5, (1.0, 1.0)), (2, 7, 9.0, (2.0, 2.0))]
    table, rows = make_table(f"data.{quoted}", "POINT", "", columns, two)  # type: ignore[arg-type]
    table = table.model_copy(update={"name": name})
    chat = Chat(World((table, rows)))
    await chat(f"show {name} in red" if name != 'naïve"quote' else "show naïve quote in red")
    assert chat.failed == []
    assert len(chat.layers) == 1
    await chat("only the ones with größe above 5")
    assert next(iter(chat.layers.values())).count == 1


async def test_markup_in_the_data_stays_text() -> None:
    table, rows = make_table(
        "data.notes",
        "POINT",
        "",
        [("id", "integer", ""), ("name", "text", "")],
        [(1, "<img src=x> **bold** [a](b)", (0.0, 0.0))],
    )
    answer = await Chat(World((table, rows)))("list the notes")
    assert "<img" not in answer.replace("\\<img", "")
    assert "**bold**" not in answer


async def test_the_answer_is_streamed_in_small_pieces_that_join_to_it() -> None:
    chat = Chat()
    pieces = []
    async for event in chat.agent.events("what tables are there?"):
        if isinstance(event, Delta):
            pieces.append(event.text)
    assert len(pieces) > 10
    assert max(map(len, pieces)) <= 24
    last = chat.agent.history[-1]
    assert isinstance(last, AssistantMessage)
    assert "".join(pieces) == last.text


async def _asked(request: ModelRequest) -> tuple[str, list[ToolCall], Completed]:
    text, calls, completed = "", [], None
    stream: AsyncIterator[Any] = OfflineModel().stream(request)
    async for event in stream:
        if isinstance(event, TextDelta):
            text += event.text
        elif isinstance(event, ToolCall):
            calls.append(event)
        else:
            completed = event
    assert completed is not None
    return text, calls, completed


async def test_only_offered_tools_are_called() -> None:
    agent = GeoAgent(OfflineModel(), **World().ports)
    tools = (ToolSpec("list_tables", "", {}), ToolSpec("cannot_do", "", {}))
    text, calls, completed = await _asked(
        ModelRequest([UserMessage("show airports")], tools=tools, context=agent)
    )
    assert [call.name for call in calls] == ["cannot_do"]
    assert completed.finish == "tool_calls"
    assert completed.usage.total_tokens == 0
    text, calls, completed = await _asked(ModelRequest([UserMessage("show airports")], context=agent))
    assert calls == []
    assert "add_map_layer is not offered" in text
    request = ModelRequest([UserMessage("list tables")], tools=tools, context=agent, tool_choice="none")
    assert (await _asked(request))[1] == []


async def test_without_a_map_it_says_what_it_is() -> None:
    text, calls, completed = await _asked(ModelRequest([UserMessage("hello")]))
    assert "only works with a map" in text
    assert (calls, completed.finish, completed.model) == ([], "stop", "offline")


async def test_an_empty_registry_is_told_with_the_way_out() -> None:
    world = World(AIRLINES)
    world.registry._keep([])
    for phrase in ("show airports", "what tables are there?", "help", "hello", "qwertz"):
        answer = await Chat(world)(phrase)
        assert answer
        if phrase != "hello":
            assert "geoagent load" in answer or "no table" in answer


async def test_every_suggestion_works_as_it_stands_wherever_it_is_offered() -> None:
    for world in (World(), World(AIRPORTS), World(COUNTRIES, CITIES), World(PARKS_OF_CITY), World(AIRLINES)):
        chat = Chat(world)
        for _ in range(3):
            lines = suggestions(world.registry, world.map.layers(), limit=12)
            assert len(lines) == len(set(lines))
            for line in lines:
                tried = Chat(world)
                before = world.map.layers()
                answer = await tried(line)
                assert tried.failed == []
                assert "cannot_do" not in [name for name, _ in tried.calls], (line, answer)
                assert "understand" not in answer, (line, answer)
                assert "Which" not in answer, (line, answer)
                assert tried.calls or "already" in answer
                while world.map.layers() != before and tried.calls and tried.calls[0][0] not in ("undo",):
                    await world.map.undo()
            if not lines:
                break
            await chat(lines[0])


async def test_a_layer_that_has_the_words_of_its_request_as_its_name_shows_another_place() -> None:
    chat = Chat()
    for text in ("show airports in red", "show airports in Germany"):
        await chat.agent.chat(text)
    assert "where country is Peru" in str(await chat.agent.chat("now in Peru instead"))
    assert [layer.count for layer in chat.agent.map.layers()] == [14, 1]
