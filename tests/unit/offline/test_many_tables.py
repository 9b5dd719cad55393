"""Thousands of tables make no more work of reading a request, also where its words mean many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agents.domain import Column, Table
from agents.geo.tools import Catalogue
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.parser import parse
from tests.support.work import calls
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import MemoryRegistry, World
from tests.unit.offline.chatting import Chat

KINDS = ("roads", "rivers", "schools", "wells")


def many(count: int) -> Sequence[Table]:
    common = (
        Column(name="id", kind="integer", sql_type="integer"),
        Column(name="elevation_m", kind="number", sql_type="float8", comment="Above the sea"),
        Column(name="geom", kind="geometry", sql_type="geometry(Point,4326)"),
    )
    return [
        Table(
            id=f"data.{name}", schema_name="data", name=name, columns=(*common, own(number)),
            comment=f"Of district {number}",
            geometry_column="geom", geometry_type="POINT", srid=4326,
        )
        for number in range(count)
        for name in (f"{KINDS[number % len(KINDS)]}_{number}",)
    ]  # fmt: skip


def own(number: int) -> Column:
    return Column(name=f"reading_{number}", kind="number", sql_type="float8", comment=f"Gauge {number}")


@pytest.mark.parametrize(
    "text", ["find tables about wells of district 3", "show wells_3", "buffer roads_0 by 1 km", "show wells"]
)
def test_a_request_is_read_among_10_000_tables_with_hardly_more_work_than_among_100(text: str) -> None:
    few, more = MemoryRegistry(many(100)), MemoryRegistry(many(10_000))
    Vocabulary(more, ())  # makes the index of the tables, once for a version of the registry
    spent = []
    for registry in (few, few, more):
        vocabulary = Vocabulary(registry, ())
        spent.append(calls(lambda vocabulary=vocabulary: parse(text, vocabulary, None, 0)))  # type: ignore[misc]
    _warming_up, at_100, at_10_000 = spent
    assert at_10_000 < 3 * at_100


def flagged(count: int) -> MemoryRegistry:
    """Tables with eight yes/no columns each."""
    flags = [
        [("id", "integer", ""), *((f"is_f{n}_{at}", "boolean", "") for at in range(8))] for n in range(count)
    ]
    return MemoryRegistry(
        [make_table(f"data.things_{n}", "POINT", "", each, [])[0] for n, each in enumerate(flags)]
    )


@pytest.mark.parametrize("text", ["which frob has the most wibbles per zone", "show the purple frobs"])
def test_words_are_looked_up_among_all_columns_without_going_through_them(text: str) -> None:
    few, more = flagged(10), flagged(480)
    spent = []
    for registry in (few, few, more, more):
        vocabulary = Vocabulary(registry, ())
        spent.append(calls(lambda vocabulary=vocabulary: parse(text, vocabulary, None, 0)))  # type: ignore[misc]
    _warming_up, among_10, _too, among_480 = spent
    assert among_480 < 1.5 * among_10


class OfAMap(MemoryRegistry):
    """Shared tables, and a result that only one map reads."""

    def __init__(self, everybody: MemoryRegistry, result: Table) -> None:
        super().__init__([*everybody.tables(), result])
        self._everybody = everybody

    def shared(self) -> Sequence[Table]:
        return self._everybody.shared()


def test_a_map_with_a_result_of_its_own_adds_only_that_to_the_words_for_10_000_tables() -> None:
    everybody = MemoryRegistry(many(10_000))
    result = Table(id="data.my_lakes", schema_name="data", name="my_lakes", columns=(), is_private=True)
    Vocabulary(everybody, ())
    registry = OfAMap(everybody, result)
    found: list[Vocabulary] = []
    assert calls(lambda: found.append(Vocabulary(registry, ()))) < 200
    for words, tables in ((("my", "lake"), ["data.my_lakes"]), (("well", "3"), ["data.wells_3"])):
        match = found[0].match_table(words)
        assert match is not None
        assert [table.id for table in match.found] == tables


def test_a_turn_of_such_a_map_offers_the_tables_without_going_through_all() -> None:
    everybody = MemoryRegistry(many(10_000))
    result = Table(id="analysis.near", schema_name="analysis", name="near", columns=(), is_result=True)
    Catalogue(everybody)
    registry = OfAMap(everybody, result)
    found: list[Catalogue] = []
    assert calls(lambda: found.append(Catalogue(registry))) < 100
    assert len(found[0].table_ids) == len(found[0].by_id) == 10_001
    assert found[0].result_ids == ("analysis.near",)


async def test_a_value_is_not_looked_up_in_hundreds_of_tables_that_a_noun_may_mean() -> None:
    columns = [("id", "integer", ""), ("kind", "text", "")]
    world = World(
        *(make_table(f"data.wells_{n}", "POINT", "", columns, [(1, "deep", (1.0, 1.0))]) for n in range(300))
    )
    asked: list[str] = []
    query = world.data.query

    async def counted(table: str, *arguments: Any, **options: Any) -> Any:
        asked.append(table)
        return await query(table, *arguments, **options)

    world.data.query = counted  # type: ignore[method-assign]
    chat = Chat(world)
    answer = await chat("show the deep wells")
    assert "Which table do you mean" in answer
    assert "and 292 more" in answer
    assert len(set(asked)) <= 20
    assert len(answer) < 1000
    answer = await chat("the one of 250")
    assert [layer.table for layer in chat.layers.values()] == ["data.wells_250"], answer


@pytest.mark.parametrize("opener", ["find tables about", "find data about", "search tables on"])
async def test_a_search_for_tables_is_no_request_for_their_rows(opener: str) -> None:
    chat = Chat()
    await chat(f"{opener} airports")
    assert [name for name, _ in chat.calls] == ["search_tables"]
