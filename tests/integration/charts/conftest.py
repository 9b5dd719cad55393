"""Charts drawn for real, as the reader, on the sample data and on tables that a test makes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest_asyncio
from sqlalchemy import text

from agents.charts import ChartDraft
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.charts import Charts, ComputedChart
from server.gis.filters import normalize
from server.settings import OWN_SCHEMAS


@dataclass
class Desk:
    database: Database
    registry: Registry
    charts: Charts

    async def draw(self, kind: Any, table: str, filter: Any = None, **fields: Any) -> ComputedChart:
        """A chart of a table, or with `filter` of a layer that has this filter."""
        held = None if filter is None else normalize(self.registry.get(table), filter)
        return await self.charts.draw(ChartDraft(kind=kind, **fields), table, held)

    async def frame(self, question: str) -> pd.DataFrame:
        """Rows for the reference, all of them."""
        async with self.database.reader.connect() as connection:
            found = await connection.execute(text(question))
            return pd.DataFrame(found.mappings().all(), columns=list(found.keys()))

    async def make(self, *statements: str) -> None:
        async with self.database.owner.begin() as connection:
            for statement in statements:
                await connection.exec_driver_sql(statement)
        await self.registry.refresh()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def desk(samples: Database) -> AsyncIterator[Desk]:
    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    yield Desk(samples, registry, Charts(samples.reader, registry))
    await registry.stop()
