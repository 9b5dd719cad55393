"""A step sees its tables as they were when it began, whatever others do to them meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from server.gis.analysis import storage
from server.gis.analysis.runner import StepRunner
from tests.integration.operations.conftest import Bench


async def test_rows_that_are_changed_between_two_portions_are_met_once(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    await bench.make(
        "CREATE TABLE data.busy (id int PRIMARY KEY, n int, geom geometry(Point, 4326))",
        "INSERT INTO data.busy SELECT i, 0, ST_SetSRID(ST_MakePoint(i % 100, i / 100), 4326)"
        " FROM generate_series(1, 2000) AS i",
        "ANALYZE data.busy",
    )
    check_room = StepRunner._check_room
    changes = 0

    async def changing(self: StepRunner, *arguments: Any) -> None:
        nonlocal changes
        changes += 1
        if changes == 1:
            await bench.make("UPDATE data.busy SET n = n + 1")
        await check_room(self, *arguments)

    monkeypatch.setattr(storage, "PORTION_PAGES", 1)
    monkeypatch.setattr(storage, "SHORT_COST", 0.0)
    monkeypatch.setattr(StepRunner, "_check_room", changing)
    rows = (await bench.run("calculate", source="data.busy", name="half", expression="n / 2")).rows
    assert changes > 2
    assert sorted(rows.id) == list(range(1, 2001))
    assert set(rows.n) == {0}
