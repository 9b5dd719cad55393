"""One operation that is measured, with the SQL of by_hand.sql for the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.operations.data import Town
from tests.bench.operations.in_geopandas import Answer

BY_HAND = {
    block.partition("\n")[0].removeprefix("-- "): block.partition("\n")[2]
    for block in Path(__file__).with_name("by_hand.sql").read_text().strip().split("\n\n")[1:]
}


class Case(NamedTuple):
    """`note` tells apart what one operation is measured on; `rows` how many rows go in, by the size of the town.

    `plane` says that GeoPandas has to bring what it reads into a plane first, because the question is in metres."""

    operation: str
    note: str
    arguments: dict[str, Any]
    geopandas: Callable[[Town], Answer] | None = None
    rows: Callable[[int], int] = lambda rows: rows
    plane: bool = False

    @property
    def name(self) -> str:
        return f"{self.operation}: {self.note}"

    @property
    def sql(self) -> str | None:
        """The last statement of its block in by_hand.sql, a SELECT."""
        block = BY_HAND.get(self.name)
        return None if block is None else block.rpartition(";\n")[2]

    @property
    def first(self) -> str:
        """What stands before it."""
        before, end, _ = BY_HAND.get(self.name, "").rpartition(";\n")
        return before + end


def tenth(rows: int) -> int:
    return rows // 10


def hundredth(rows: int) -> int:
    return max(10, rows // 100)


def thousandth(rows: int) -> int:
    return max(16, rows // 1000)
