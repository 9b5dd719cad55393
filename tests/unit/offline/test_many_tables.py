"""Thousands of tables make no more work of reading a request, also where its words mean many of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import pytest

from agents.domain import Column, Table
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.parser import parse
from tests.unit.geo_agent.world import MemoryRegistry

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


def calls(work: Callable[[], object]) -> int:
    """How many Python functions the work calls."""
    made = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal made
        made += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return made


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
    assert calls(lambda: found.append(Vocabulary(registry, ()))) < 100
    for words, tables in ((("my", "lake"), ["data.my_lakes"]), (("well", "3"), ["data.wells_3"])):
        match = found[0].match_table(words)
        assert match is not None
        assert [table.id for table in match.found] == tables
