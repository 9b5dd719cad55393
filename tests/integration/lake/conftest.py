"""A registry, and a lake in a folder of the test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
import pytest_asyncio

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.lake.register import Lake, LakeReport
from server.gis.lake.sample import SAMPLE_ROWS
from server.gis.lake.storage import LakeStorage
from server.settings import OWN_SCHEMAS
from tests.support.children import temporary_folder

_numbers = count(1)


@dataclass
class LakeBench:
    """`add` registers under a name of its own and waits until the registry knows the table."""

    database: Database
    registry: Registry
    lake: Lake
    folder: Path

    async def add(
        self, path: Path, srid: int | None = None, sample_rows: int = SAMPLE_ROWS
    ) -> tuple[LakeReport, Table]:
        lake = Lake(self.database.owner, LakeStorage([self.folder]), sample_rows)
        report = await lake.add(f"lake_{next(_numbers)}", str(path), srid=srid)
        await self.registry.refresh(patience=5)
        return report, self.registry.get(report.table)


@pytest.fixture(scope="module")
def lake_folder() -> Iterator[Path]:
    with temporary_folder("lake") as folder:
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lakes(samples: Database, lake_folder: Path) -> AsyncIterator[LakeBench]:
    registry = Registry(samples.reader, OWN_SCHEMAS, samples.listen)
    await registry.start()
    lake = Lake(samples.owner, LakeStorage([lake_folder]))
    yield LakeBench(samples, registry, lake, lake_folder)
    for each in await lake.tables():
        await lake.remove(each.table)
    await registry.stop()
