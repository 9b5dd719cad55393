"""The requests that a model gets as the analyst stay small, however many tables, columns and operations there are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.analyst import Analyst
from agents.core import AssistantMessage, ModelRequest, ToolMessage
from agents.core.testing import ScriptedModel
from agents.core.tokens import tokens_of
from agents.domain import Column, Table
from agents.geo.operation_tools import FIRST_OPERATIONS, found_operations, output_facts
from agents.ports import StepOutcome
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.tables import EVERYTHING
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import MemoryAnalysis

MAX_FIRST_REQUEST = 8000
"""Tokens, as bytes / 4."""


class RealAnalysis(MemoryAnalysis):
    """With the operations as they are offered."""

    def operations(self) -> tuple:  # type: ignore[type-arg, override]
        return OFFERED


def wide(number: int, columns: int) -> Table:
    named = tuple(
        Column(name=f"attribute_{place}", kind="number", sql_type="double precision")
        for place in range(columns)
    )
    return Table(
        id=f"data.things_{number}", schema_name="data", name=f"things_{number}", key=("id",), columns=named,
        geometry_column="geom", geometry_type="POINT", srid=4326, row_estimate=1000,
    )  # fmt: skip


def world_of(*tables: Table) -> World:
    return World(*EVERYTHING, *((table, []) for table in tables))


async def analysed(
    world: World, *replies: Any, goal: str = "airports near cities"
) -> tuple[Analyst, ScriptedModel]:
    """An analysis by a model that plays these replies."""
    model = ScriptedModel(*replies)
    analyst = Analyst(model, **world.ports, session=RealAnalysis(world))
    await analyst.chat(goal)
    return analyst, model


def tools_of(request: ModelRequest) -> list[str]:
    return [spec.name for spec in request.tools]


def tokens_in(request: ModelRequest) -> int:
    """The request as bytes / 4, tools as OpenAI's API takes them."""
    tools = [
        {"name": s.name, "description": s.description, "parameters": s.parameters} for s in request.tools
    ]
    texts = [*request.system, json.dumps(tools, ensure_ascii=False, separators=(",", ":"))]
    for message in request.messages:
        if isinstance(message, ToolMessage):
            texts += [result.content for result in message.results]
        else:
            texts.append(message.text)
            if isinstance(message, AssistantMessage):
                texts += [call.arguments for call in message.calls]
    return tokens_of(sum(len(text.encode()) for text in texts))


def last_result(request: ModelRequest) -> str:
    message = request.messages[-1]
    assert isinstance(message, ToolMessage)
    return message.results[-1].content


@pytest.mark.parametrize("count", [3, 30, 2000])
async def test_the_first_request_is_small_with_any_number_of_tables(count: int) -> None:
    world = World(*EVERYTHING[:3], *((wide(number, 12), []) for number in range(count - 3)))
    _, model = await analysed(world, "ok")
    assert tokens_in(model.requests[0]) < MAX_FIRST_REQUEST


async def test_tables_are_listed_in_one_place() -> None:
    _, model = await analysed(World(), "ok")
    (request,) = model.requests
    assert "data.airports" in "\n".join(request.system)
    assert "elevation_m, elevation_ft number" in "\n".join(request.system)
    assert "data.airports" not in json.dumps([spec.parameters for spec in request.tools])


async def test_of_many_tables_the_few_that_matter_are_listed() -> None:
    world = world_of(*(wide(number, 12) for number in range(2000)))
    _, model = await analysed(world, "ok", goal="airports near things")
    said = "\n".join(model.requests[0].system)
    assert "data.airports" in said
    assert said.count("data.things_") < 60
    assert "search_tables" in said


async def test_the_beginning_of_every_request_is_the_same() -> None:
    world = World()
    step = ("filter", {"source": "data.airports", "filter": "elevation_m > 0", "title": "High"})
    _, model = await analysed(
        world, [step], [("find_operation", {"text": "hull"})], [("finish", {"summary": "Done."})]
    )
    first, *others = model.requests
    for request in others:
        assert list(request.system) == list(first.system)
        assert request.tools[: len(first.tools)] == first.tools


async def test_operations_beyond_the_first_dozen_are_shown_once_they_are_looked_for() -> None:
    _, model = await analysed(
        World(), [("find_operation", {"text": "group nearby points into clusters"})], "ok"
    )
    first, second = model.requests
    assert set(FIRST_OPERATIONS) <= set(tools_of(first))
    assert "cluster" not in tools_of(first)
    assert "cluster" in tools_of(second)
    assert '"name":"cluster"' in last_result(second)
    named = next(spec for spec in first.tools if spec.name == "find_operation").description
    assert all(info.name in named for info in OFFERED if info.name not in FIRST_OPERATIONS)


async def test_what_a_plan_names_is_shown_as_well() -> None:
    plan = {"steps": [{"operation": "hull", "title": "Outline"}]}
    _, model = await analysed(World(), [("plan", plan)], "ok")
    assert "hull" in tools_of(model.requests[1])


async def test_an_operation_that_is_not_shown_runs_when_it_is_called() -> None:
    analyst, _ = await analysed(World(), [("explode", {"source": "data.countries", "title": "Parts"})], "ok")
    assert [outcome.step for outcome in analyst.session.outcomes()] == ["step_1"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("convex hull", "hull"),
        ("hexagonal cells", "grid"),
        ("voronoi polygons", "voronoi"),
        ("moran autocorrelation", "autocorrelation"),
        ("append the rows of one table to another", "merge"),
        ("reprojct", "reproject"),
    ],
)
def test_operations_are_found_by_what_they_do(text: str, name: str) -> None:
    assert name in [info.name for info in found_operations(OFFERED, text)]


async def test_a_step_may_be_used_by_a_later_call_of_the_same_reply() -> None:
    analyst, model = await analysed(
        World(),
        [
            (
                "filter",
                {"source": "data.airports", "filter": {"op": ">", "args": [{"property": "elevation_m"}, 0]}},
            ),
            ("centroid", {"source": "step_1"}),
            ("query_features", {"table": "step_2", "limit": 1}),
        ],
        [("finish", {"summary": "Done."})],
    )
    message = model.requests[1].messages[-1]
    assert isinstance(message, ToolMessage)
    assert [result.ok for result in message.results] == [True, True, True]
    assert analyst.finished


async def test_a_reference_to_nothing_is_refused_in_a_line_with_the_nearest_names() -> None:
    _, model = await analysed(World(), [("buffer", {"source": "data.airprts", "distance": "5 km"})], "ok")
    refusal = last_result(model.requests[1])
    assert "data.airports" in refusal
    assert len(refusal) < 300


async def test_a_wrong_argument_is_refused_with_its_own_schema_only() -> None:
    _, model = await analysed(
        World(),
        [("spatial_join", {"source": "data.cities", "other": "data.countries", "rows": "each"})],
        "ok",
    )
    refusal = last_result(model.requests[1])
    assert '"aggregate","all","matched"' in refusal
    assert "distance" not in refusal.partition("other parameters")[0]
    assert len(refusal) < 800


@pytest.mark.parametrize(
    "ending", [("finish", {"summary": "All done."}), ("cannot_do", {"reason": "No table has rivers"})]
)
async def test_finish_and_cannot_do_end_the_analysis_without_another_model_call(ending: Any) -> None:
    step = (
        "filter",
        {"source": "data.airports", "filter": {"op": ">", "args": [{"property": "elevation_m"}, 0]}},
    )
    analyst, model = await analysed(World(), [step], [ending], "never")
    assert len(model.requests) == 2
    assert analyst.ended
    last = analyst.history[-1]
    assert isinstance(last, AssistantMessage)
    assert last.text in ("All done.", "I cannot do that: No table has rivers.")


async def test_a_finish_that_is_refused_does_not_end_it() -> None:
    analyst, model = await analysed(
        World(), [("finish", {"summary": "There are 12,345."})], [("cannot_do", {"reason": "x"})]
    )
    assert len(model.requests) == 2
    assert not analyst.finished


async def test_of_a_wide_table_the_columns_that_a_step_added_are_seen() -> None:
    table = wide(1, 500)
    added = Column(name="distance_m", kind="number", sql_type="double precision")
    made = table.model_copy(update={"columns": (*table.columns, added)})
    facts = output_facts(StepOutcome("step_1", made, 5, ()))
    assert facts["columns"][0] == "attribute_0 (number)"
    assert facts["columns"][-1] == "distance_m (number)"
    assert len(facts["columns"]) < 60
    assert (facts["geometry"], facts["crs"], facts["rows"]) == ("POINT", "EPSG:4326", 5)
    _, model = await analysed(world_of(table), [("describe_table", {"table": table.id})], "ok")
    content = last_result(model.requests[1])
    assert len(content) < 20_000
    assert "attribute_499" in content


async def test_analysts_share_the_schemas_and_checks_of_their_operations() -> None:
    """To make them takes 40 ms, in which the server does nothing else."""
    (one, _), (other, _) = [await analysed(World(), ["There is nothing to do."]) for _ in range(2)]
    for info in OFFERED:
        assert one.toolbox.get(info.name).blueprint is other.toolbox.get(info.name).blueprint
