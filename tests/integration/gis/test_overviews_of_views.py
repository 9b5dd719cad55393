"""Views over large tables have overviews, unless different people or times would see different rows."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from agents.domain import Layer, Legend, Style, Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.overviews import build
from server.gis.overviews.build import SESSION, OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, WEIGHT, OverviewRow, OverviewStore
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom, OverviewStatements
from server.gis.tiles.projection import read_crs
from server.gis.tiles.statement import LayerStatements

MANY = 10**12


@pytest_asyncio.fixture(loop_scope="session")
async def session(database: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[asyncpg.Connection]:
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))
    opened = await asyncpg.connect(database.url, server_settings=SESSION)
    await opened.execute(
        """DROP TABLE IF EXISTS data.pings CASCADE;
        CREATE TABLE data.pings (id serial PRIMARY KEY, value int, geom geometry(Point, 4326));
        INSERT INTO data.pings (value, geom) SELECT n, ST_SetSRID(ST_MakePoint(n % 300 - 150, n % 100 - 50), 4326)
        FROM generate_series(1, 3000) AS n; ANALYZE data.pings"""
    )
    yield opened
    await opened.close()


async def seen(database: Database) -> tuple[Table, TableState]:
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    table = registry.get("data.seen")
    return table, await DataVersions(database.owner).of(table, 0)


async def built(
    database: Database, session: asyncpg.Connection, condition: str, hiding: str = ""
) -> OverviewRow:
    """What is known of the overviews of a view, once a worker has had its turn."""
    await session.execute(f"CREATE VIEW data.seen AS SELECT * FROM data.pings WHERE {condition}; {hiding}")
    table, state = await seen(database)
    store = OverviewStore(database.owner)
    work = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1000)
    assert await work.is_due(table, state, 1, fresh=True)
    await OverviewBuilder(store, 0.5, MANY).build(session, table, state)
    assert not await work.is_due(table, state, 1, fresh=True)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    return row


async def test_the_weights_are_the_rows_of_the_view(database: Database, session: asyncpg.Connection) -> None:
    row = await built(database, session, "value % 2 = 0 AND ST_X(geom) > -140")
    assert row.ladder is not None
    rows = await session.fetchval("SELECT count(*) FROM data.seen")
    assert row.ladder.rows == rows < 1500
    for band in row.ladder.bands:
        assert rows == await session.fetchval(f'SELECT sum("{WEIGHT}")::bigint FROM {SCHEMA}.{band.name}')


async def test_low_zoom_of_a_view_is_drawn_from_its_overviews(
    database: Database, session: asyncpg.Connection
) -> None:
    row = await built(database, session, "value > 100")
    assert row.ladder is not None
    table, _ = await seen(database)
    layer = Layer(
        id="a",
        table=table.id,
        name="seen",
        geometry_type="point",
        style=Style(),
        legend=Legend(title="seen"),
        count=2900,
    )
    async with database.tile_pool.acquire() as connection:
        base = LayerStatements(table, layer, await read_crs(connection, 4326, table.id))
        low = LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1000)
        tile = Tile(0, 0, 0)
        found = await low.statements(connection, base, tile, tile.degrees())
        assert isinstance(found, OverviewStatements)
        statement = found.at(0)
        drawn = await connection.fetchrow(
            statement.text, *statement.arguments(found.crs, tile, tile.mercator())
        )
    assert drawn["total"] == row.ladder.rows


@pytest.mark.parametrize(
    "condition", ["current_user = 'nobody'", "value > random() * 10", "now() > '2000-01-01'"]
)
async def test_a_view_that_depends_on_its_reader_or_the_time_has_none(
    database: Database, session: asyncpg.Connection, condition: str
) -> None:
    row = await built(database, session, condition)
    assert row.ladder is None
    assert row.error == "the rows of the view may depend on who reads them or when"


@pytest.mark.parametrize(
    "hiding",
    [
        "ALTER TABLE data.pings ENABLE ROW LEVEL SECURITY",
        "ALTER VIEW data.seen SET (security_invoker = true)",
    ],
)
async def test_a_view_of_rows_that_are_hidden_from_some_has_none(
    database: Database, session: asyncpg.Connection, hiding: str
) -> None:
    row = await built(database, session, "value > 100", hiding)
    assert row.ladder is None
    assert row.error == "the view shows different rows to different roles"


async def test_another_definition_is_another_version_of_the_data(
    database: Database, session: asyncpg.Connection
) -> None:
    await session.execute("CREATE VIEW data.seen AS SELECT * FROM data.pings WHERE value > 100")
    _, before = await seen(database)
    _, same = await seen(database)
    await session.execute("CREATE OR REPLACE VIEW data.seen AS SELECT * FROM data.pings WHERE value > 200")
    _, after = await seen(database)
    assert before.version == same.version != after.version
