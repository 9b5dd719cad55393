"""Tables of every kind of column, and styles drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa

from agents.domain import Cql2, Legend, Style, StyleSpec
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.styles import compute_style


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def places(database: Database) -> None:
    async with database.owner.begin() as connection:
        for statement in (
            'CREATE TABLE data.places (id int PRIMARY KEY, name text, kind text, pop int, "v a" float8, flag bool, '
            "same int, huge bigint, empty float8, zeros int, odd float8, at timestamptz, raw bytea, "
            "geom geometry(Point, 4326))",
            """INSERT INTO data.places SELECT n, 'place ' || n,
                CASE WHEN n % 10 = 0 THEN NULL ELSE (ARRAY['a', 'b', 'c'])[1 + n % 3] END,
                n * n, ln(n) - 2, n % 2 = 0, 5, 9007199254740993 + n % 2, NULL, greatest(0, n - 800),
                CASE WHEN n % 100 = 0 THEN 'NaN'::float8 WHEN n % 50 = 0 THEN 'Infinity' ELSE n END,
                '2020-01-01'::timestamptz + (n % 2) * interval '1 day', '\\x00',
                ST_SetSRID(ST_MakePoint(n / 10.0, n / 20.0), 4326) FROM generate_series(1, 1000) n""",
            "CREATE TABLE data.areas AS SELECT id, pop, kind, ST_Buffer(geom, 0.1)::geometry(Polygon, 4326) AS geom "
            "FROM data.places WHERE id <= 20",
            "CREATE TABLE data.ways AS SELECT id, pop, "
            "ST_MakeLine(geom, ST_Translate(geom, 1, 1))::geometry(LineString, 4326) AS geom FROM data.places "
            "WHERE id <= 20",
            "CREATE TABLE data.plain (id int PRIMARY KEY, name text)",
        ):
            await connection.exec_driver_sql(statement)


@pytest_asyncio.fixture(loop_scope="session")
async def registry(database: Database) -> Registry:
    known = Registry(database.reader, ("data",), None)
    await known.refresh()
    await known.settle()  # the extents, which a busy machine reads later
    return known


class Studio:
    def __init__(self, database: Database, registry: Registry) -> None:
        self._database, self._registry = database, registry

    async def draw(self, name: str, filter: Cql2 | None = None, **spec: Any) -> tuple[Style, Legend]:
        table = self._registry.get(f"data.{name}")
        return await compute_style(self._database.reader, table, filter, StyleSpec(**spec))

    async def rows(self, query: str) -> Sequence[Any]:
        async with self._database.owner.connect() as connection:
            return (await connection.execute(sa.text(query))).all()


@pytest.fixture
def studio(database: Database, registry: Registry) -> Studio:
    return Studio(database, registry)
