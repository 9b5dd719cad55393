"""The request that a model gets as the analyst stays small, however many tables and columns there are."""

from __future__ import annotations

import json

from agents.analyst import Analyst, outcome_facts
from agents.domain import Column, Table
from agents.geo.choices import MOST_INPUTS
from server.maps.analyses import OFFERED
from tests.support.models import ScriptedModel
from tests.unit.geo_agent.tables import EVERYTHING
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import MemoryAnalysis, Outcome


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


def enum_of(request: object, tool: str) -> list[str]:
    (spec,) = [each for each in request.tools if each.name == tool]  # type: ignore[attr-defined]
    return list(spec.parameters["properties"]["source"]["enum"])


async def test_of_many_tables_every_operation_offers_the_few_that_matter() -> None:
    world = world_of(*(wide(number, 12) for number in range(2000)))
    model = ScriptedModel([("describe_table", {"table": "data.airports"})], ["ok"])
    await Analyst(model, **world.ports, session=RealAnalysis(world)).chat("airports near things")
    first, second = model.requests
    assert len(enum_of(first, "buffer")) <= MOST_INPUTS
    assert enum_of(first, "buffer") == enum_of(first, "nearest")
    assert "data.airports" in enum_of(second, "buffer")  # it has come across it
    assert sum(len(json.dumps(each.parameters)) for each in first.tools) < 150_000
    assert "search_tables" in "\n".join(first.system)


async def test_of_few_tables_all_are_offered_and_their_columns_are_told() -> None:
    world = World()
    model = ScriptedModel(["ok"])
    await Analyst(model, **world.ports, session=RealAnalysis(world)).chat("airports near cities")
    (request,) = model.requests
    assert enum_of(request, "buffer") == [table.id for table in world.registry.tables()]
    assert "elevation_m number" in "\n".join(request.system)


async def test_of_a_wide_table_the_columns_that_a_step_added_are_seen() -> None:
    table = wide(1, 500)
    added = Column(name="distance_m", kind="number", sql_type="double precision")
    made = table.model_copy(update={"columns": (*table.columns, added)})
    facts = outcome_facts(Outcome("step_1", made, 5, ()))
    assert facts["columns"][0] == "attribute_0 (number)"
    assert facts["columns"][-1] == "distance_m (number)"
    assert len(facts["columns"]) < 60
    world = world_of(table)
    model = ScriptedModel([("describe_table", {"table": table.id})], ["ok"])
    await Analyst(model, **world.ports, session=RealAnalysis(world)).chat("things")
    content = model.requests[1].messages[-1].results[0].content
    assert len(content) < 20_000
    assert "attribute_499" in content
