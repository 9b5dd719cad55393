"""Shapes on which PostGIS crashes, or never comes back, are drawn and asked about without either."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.errors import GisError
from server.gis.export.sample import sample
from server.gis.export.source import Source
from server.gis.filters import normalize
from tests.integration.operations.awkward import AWKWARD, statements
from tests.integration.tiles.drawing import Atlas

MARKS = (
    "nowhere",
    "gaps",
    "extent",
    "not numbers",
    "off the earth",
    "curves",
    "solids",
    "mixed",
    "empty shapes",
)
TABLES = [name for name in AWKWARD if name.endswith(MARKS)]
TILES = ((0, 0, 0), (1, 1, 0), (3, 4, 3), (9, 256, 170), (14, 8192, 5460))
STYLES = (StyleSpec(), StyleSpec(label="t"), StyleSpec(kind="proportional", column="n"))
AREA = {"type": "Polygon", "coordinates": [[[-5, 45], [6, 45], [6, 55], [-5, 55], [-5, 45]]]}
ASKED = (
    "s_intersects",
    "s_within",
    "s_contains",
    "s_touches",
    "s_overlaps",
    "s_crosses",
    "s_disjoint",
    "s_equals",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def awkward(database: Database) -> Atlas:
    """One for all tests: a registry that is new looks into every table again."""
    atlas = Atlas(database)
    await atlas.execute(*statements())
    return atlas


@pytest.fixture
async def lasting_connection(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection that would be lost if PostgreSQL had to restart."""
    async with database.reader.connect() as connection:
        await connection.execute(text("SELECT 1"))
        yield connection
        assert await connection.scalar(text("SELECT 1")) == 1


@pytest.mark.parametrize("name", TABLES)
async def test_tiles_and_samples_are_made_or_refused(
    awkward: Atlas, lasting_connection: AsyncConnection, name: str
) -> None:
    for number, spec in enumerate(STYLES):
        try:
            layer = await awkward.layer(AWKWARD[name], spec, layer_id=name, version=number + 1)
            for tile in TILES:
                await awkward.tile(*tile, layer_id=name, version=number + 1)
            table = await awkward.table(AWKWARD[name])
            await sample(Source(awkward.database.reader, table, None), layer)
        except (GisError, DBAPIError):
            continue


@pytest.mark.parametrize("name", TABLES)
async def test_filters_are_answered_or_refused(
    awkward: Atlas, lasting_connection: AsyncConnection, name: str
) -> None:
    table = await awkward.table(AWKWARD[name])
    for op in ASKED:
        given = {"op": op, "args": [{"property": table.geometry_column}, AREA]}
        for asked in (given, {**given, "args": given["args"][::-1]}):
            try:
                await Source(awkward.database.reader, table, normalize(table, asked)).count()
            except GisError:
                continue
