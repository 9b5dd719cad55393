"""Operations run for real: by the runner, as the writing role, on sample data and on awkward tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
import pytest_asyncio
from geopandas import GeoDataFrame
from shapely import from_wkb
from sqlalchemy import text

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.receipt import StepReceipt
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.catalog.registry import Registry
from server.settings import OWN_SCHEMAS

_numbers = count(1)


@dataclass
class Answer:
    """A step's rows as a data frame (geometries as shapely's), and its receipt."""

    table: str
    rows: GeoDataFrame
    receipt: StepReceipt
    progress: list[Progress]


@dataclass
class Bench:
    """Runs operations by name. `make` creates a table in `data` and waits until the registry knows it."""

    database: Database
    registry: Registry
    _frames: dict[str, GeoDataFrame] = field(default_factory=dict, kw_only=True)

    async def frame(self, table_id: str) -> GeoDataFrame:
        """All rows of a table that no test of the module changes, in EPSG:4326. It is read once."""
        if table_id not in self._frames:
            rows = (await self.run("sample", source=table_id, n=1_000_000)).rows
            self._frames[table_id] = rows.set_geometry("geom", crs=4326).drop(columns="fid")
        return self._frames[table_id].copy()

    async def run(self, operation: str, budget: Budget | None = None, **arguments: Any) -> Answer:
        told: list[Progress] = []

        async def tell(progress: Progress) -> None:
            told.append(progress)

        runner = StepRunner(self.database.writer, self.registry, budget or Budget())
        step = PlannedStep(id="step_1", operation=operation, arguments=arguments, title=f"test {operation}")
        result = await runner.run(step, {}, f"{operation}_{next(_numbers)}", tell)
        rows = await self.rows(result.table.id)
        assert len(rows) == result.rows
        return Answer(result.table.id, rows, result.receipt, told)

    async def rows(self, table_id: str) -> GeoDataFrame:
        """The rows in the order of the key."""
        async with self.database.reader.connect() as connection:
            found = await connection.execute(text(f"SELECT * FROM {table_id} ORDER BY fid"))
            records = [dict(row) for row in found.mappings()]
        for record in records:
            if record.get("geom") is not None:
                record["geom"] = from_wkb(record["geom"])
        columns = list(records[0]) if records else list(found.keys())
        return GeoDataFrame(records, columns=columns)

    async def make(self, *statements: str) -> None:
        async with self.database.owner.begin() as connection:
            for statement in statements:
                await connection.exec_driver_sql(statement)
        await self.registry.refresh()
        await self.registry.settle()


@pytest.fixture(scope="module")
def samples_url(request: pytest.FixtureRequest) -> str:
    """In modules with `FEWER_ROWS = True` a third of the airports; references are computed from the same rows."""
    few = getattr(request.module, "FEWER_ROWS", False)
    url: str = request.getfixturevalue("fewer_samples_url" if few else "samples_url")
    return url


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bench(samples: Database) -> AsyncIterator[Bench]:
    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    yield Bench(samples, registry)
    await registry.stop()
