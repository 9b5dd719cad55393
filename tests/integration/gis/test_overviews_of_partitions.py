"""Overviews of partitioned and of inherited tables: bands of full tiles, and renewal in parts."""

from __future__ import annotations

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.overviews import build
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.changed_cells import watch
from server.gis.overviews.dense import points, shapes
from server.gis.overviews.ladder import SCHEMA, OverviewStore
from server.gis.overviews.placing import read_placing
from tests.integration.gis.test_dense_bands import AREA, ROWS, SHARE, TOWN, content, dense_tiles, town
from tests.integration.gis.test_overview_renewal import CHANGES, renew
from tests.integration.gis.test_overviews import MANY, built, check, looked_at

__all__ = ("dense_tiles",)
PARTITIONED = """
DROP TABLE IF EXISTS data.things_low, data.things_high;
DROP SEQUENCE IF EXISTS data.numbers;
CREATE SEQUENCE data.numbers START 10001;
ALTER TABLE data.things RENAME TO before;
CREATE TABLE data.things (id int DEFAULT nextval('data.numbers'), name text, value int,
  geom geometry({kind}, 4326)) PARTITION BY RANGE (id);
CREATE TABLE data.things_low PARTITION OF data.things FOR VALUES FROM (MINVALUE) TO (250);
CREATE TABLE data.things_mid PARTITION OF data.things FOR VALUES FROM (250) TO (2000) PARTITION BY LIST (id);
CREATE TABLE data.things_mid_rest PARTITION OF data.things_mid DEFAULT;
CREATE TABLE data.things_high (note int, geom geometry({kind}, 4326), value int, name text, id int NOT NULL);
ALTER TABLE data.things_high DROP COLUMN note;
ALTER TABLE data.things ATTACH PARTITION data.things_high FOR VALUES FROM (2000) TO (MAXVALUE);
INSERT INTO data.things (id, name, value, geom) SELECT id, name, value, geom FROM data.before;
DROP TABLE data.before;
ALTER TABLE data.things ADD PRIMARY KEY (id);
CREATE INDEX ON data.things USING gist (geom); ANALYZE data.things"""
INHERITED = """
CREATE TABLE data.things_more (note text) INHERITS (data.things);
INSERT INTO data.things_more (id, value, geom) SELECT id, value, geom FROM data.things WHERE id % 2 = 0;
DELETE FROM ONLY data.things WHERE id % 2 = 0;
CREATE INDEX ON data.things_more USING gist (geom); ANALYZE data.things; ANALYZE data.things_more"""
KINDS = {"partitioned": PARTITIONED, "inherited": INHERITED}
DIRECTLY = {
    "partitioned": (
        "DELETE FROM data.things_low WHERE id BETWEEN 20 AND 30",
        "INSERT INTO data.things_high (id, value, geom) SELECT id + 40000, 3, geom FROM data.things_mid WHERE id < 260",
        "UPDATE data.things SET id = id + 20000 WHERE id BETWEEN 40 AND 50",
    ),
    "inherited": (
        "DELETE FROM data.things_more WHERE id < 30",
        "UPDATE ONLY data.things SET value = 9 WHERE id < 90",
    ),
}


@pytest.mark.parametrize(
    ("kind", "shape", "by"), [("Polygon", AREA, "partitioned"), ("Point", "place", "inherited")]
)
async def test_full_tiles_have_bands_that_are_renewed_in_parts(
    database: Database, session: asyncpg.Connection, kind: str, shape: str, by: str
) -> None:
    await town(session, kind, shape)
    await session.execute(KINDS[by].format(kind=kind))
    found, rows = await built(database, session, SHARE)
    assert found is not None
    assert rows == ROWS
    assert found.is_dense(*TOWN)
    await check(session, found, rows)
    for change in (*CHANGES, *DIRECTLY[by]):
        await session.execute(change)
        table, state, found = await renew(database, session)
        assert found is not None, change
        await check(session, found, await session.fetchval("SELECT count(*) FROM data.things"))
    assert found is not None
    parts = await content(session, found)
    await OverviewBuilder(OverviewStore(database.owner), SHARE, MANY).build(session, table, state)
    row = await OverviewStore(database.owner).row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert parts == await content(session, row.ladder)


@pytest.mark.parametrize(
    "change",
    [
        "TRUNCATE data.things_low",
        "ALTER TABLE data.things DETACH PARTITION data.things_low",
        "DROP TABLE data.things_mid",
        "ALTER TABLE data.things_high DISABLE TRIGGER geoagent_insert",
        "DROP INDEX data.things_geom_idx",
    ],
)
async def test_other_partitions_lead_to_a_full_pass(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(points, "DENSE_POINTS", MANY)
    monkeypatch.setattr(shapes, "DENSE_ROWS", MANY)
    await town(session, "Point", "place")
    await session.execute(PARTITIONED.format(kind="Point"))
    await built(database, session, SHARE)
    await session.execute(change)
    await session.execute("DELETE FROM data.things WHERE id = 2300")
    _, _, found = await renew(database, session)
    is_index = "INDEX" in change
    # Without the index rows are still found, only slower.
    assert (found is not None) == is_index
    if not is_index:
        whole, rows = await built(database, session, SHARE)
        assert whole is not None
        await check(session, whole, rows)


async def test_a_detached_partition_notes_its_own_changes(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))
    await town(session, "Point", "place")
    await session.execute(PARTITIONED.format(kind="Point"))
    await built(database, session, SHARE)
    await session.execute("ALTER TABLE data.things DETACH PARTITION data.things_high")
    table, state = await looked_at(database, "data.things_high")
    placed = await read_placing(session, table)
    assert placed is not None
    assert await watch(session, table, state, placed[0])
    await session.execute("DELETE FROM data.things_high WHERE id = 2300")
    assert await session.fetchval(f"SELECT count(*) FROM {SCHEMA}.d{state.relid}") == 1
    _, of = await looked_at(database)
    store = OverviewStore(database.owner)
    await session.execute("DROP TABLE data.things")
    await OverviewBuilder(store, SHARE, MANY).drop(session, of.relid)
    await session.execute("DELETE FROM data.things_high WHERE id = 2301")
