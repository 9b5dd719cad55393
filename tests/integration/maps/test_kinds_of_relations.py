"""Maps follow and thin whatever PostgreSQL can select from: materialized views, partitions, tables without a key."""

from __future__ import annotations

import aiohttp
import asyncpg
import pytest
from sqlalchemy.engine import make_url

from server.app import Server
from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.server import Client, client, local_server

ROWS = 3_000
SMALL = {"overview_rows": 1_000, "tile_points": 1_000}
"""Settings of the server for which so many rows are many."""
PLACED = """SELECT n AS id, n % 100 AS value, CAST(ST_SetSRID(ST_MakePoint((abs(hashint4(n)) % 3600) / 10.0 - 180,
    (abs(hashint4(n + 7)) % 1400) / 10.0 - 70), 4326) AS geometry(Point, 4326)) AS geom
    FROM generate_series({first}, {last}) AS n"""
ALL, MORE = PLACED.format(first=1, last=ROWS), PLACED.format(first=ROWS + 1, last=ROWS + 7)
COLUMNS = "(id int, value int, geom geometry(Point, 4326))"
PARTED = f"""CREATE TABLE data.shown {COLUMNS} PARTITION BY RANGE (id);
    CREATE TABLE data.shown_1 PARTITION OF data.shown FOR VALUES FROM (1) TO (2000);
    CREATE TABLE data.shown_2 PARTITION OF data.shown FOR VALUES FROM (2000) TO ({ROWS + 1});
    INSERT INTO data.shown {ALL}; CREATE INDEX ON data.shown USING gist (geom)"""
INSERTED = f"INSERT INTO data.shown {MORE}"
BASE = f"CREATE TABLE data.behind AS {ALL}"
FROZEN = f"{BASE}; CREATE MATERIALIZED VIEW data.{{name}} AS SELECT * FROM data.behind"
CASES = {
    "a materialized view": (
        FROZEN.format(name="shown"),
        f"INSERT INTO data.behind {MORE}; REFRESH MATERIALIZED VIEW data.shown",
    ),
    "a materialized view that stays readable": (
        FROZEN.format(name="shown") + "; CREATE UNIQUE INDEX ON data.shown (id)",
        f"INSERT INTO data.behind {MORE}; REFRESH MATERIALIZED VIEW CONCURRENTLY data.shown",
    ),
    "a view of a materialized view": (
        FROZEN.format(name="between") + "; CREATE VIEW data.shown AS SELECT * FROM data.between",
        f"INSERT INTO data.behind {MORE}; REFRESH MATERIALIZED VIEW data.between",
    ),
    "a partitioned table": (
        PARTED
        + f"; CREATE TABLE data.shown_3 PARTITION OF data.shown FOR VALUES FROM ({ROWS + 1}) TO (9999)",
        INSERTED,
    ),
    "a table that gets a partition": (
        PARTED + f"; CREATE TABLE data.behind {COLUMNS}; INSERT INTO data.behind {MORE}",
        f"ALTER TABLE data.shown ATTACH PARTITION data.behind FOR VALUES FROM ({ROWS + 1}) TO (9999)",
    ),
    "a table that others inherit from": (
        f"CREATE TABLE data.shown {COLUMNS}; CREATE TABLE data.behind () INHERITS (data.shown);"
        f" INSERT INTO data.behind {ALL}",
        f"INSERT INTO data.behind {MORE}",
    ),
    "a table without a key": (
        f"CREATE TABLE data.shown AS {ALL}; CREATE INDEX ON data.shown USING gist (geom)",
        INSERTED,
    ),
    "an unlogged table": (f"CREATE UNLOGGED TABLE data.shown AS {ALL}", INSERTED),
}


async def execute(url: str, statements: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statements)
    finally:
        await connection.close()


async def clear(url: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        kinds = {"v": "VIEW", "m": "MATERIALIZED VIEW", "f": "FOREIGN TABLE"}
        for name in ("shown", "between", "behind"):
            kind = await connection.fetchval(
                "SELECT relkind::text FROM pg_class WHERE oid = to_regclass($1)", f"data.{name}"
            )
            if kind is not None:
                await connection.execute(f"DROP {kinds.get(kind, 'TABLE')} data.{name} CASCADE")
    finally:
        await connection.close()


async def world(server: Server, one: Client) -> tuple[dict[str, object], int]:
    """The note of the world's tile and the rows that its features represent."""
    events = [*one.named("layer_added"), *one.named("layer_updated")]
    address = f"{server.url}{events[-1]['layer']['tiles'].replace('{z}/{x}/{y}', '0/0/0')}"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        tile = decoded(await answer.read())
    (note,) = (each.properties for each in tile["_meta"])
    return note, sum(each.properties.get("@weight", 1) for each in tile["features"])


@pytest.mark.parametrize("case", CASES)
async def test_low_zoom_is_drawn_from_overviews_and_changes_show(samples_url: str, case: str) -> None:
    await clear(samples_url)
    made, change = CASES[case]
    await execute(samples_url, f"{made}; ANALYZE")
    async with local_server(samples_url, **SMALL) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.shown")
        layer = (await one.hears("layer_added"))["layer"]
        assert (layer["count"], layer["legend"]["note"]) == (ROWS, None)

        async def is_thinned(rows: int) -> bool:
            note, weights = await world(server, one)
            return bool(note.get("overview")) and "as_of" not in note and note["total"] == weights == rows

        await until(lambda: is_thinned(ROWS), pause=0.3)
        await execute(samples_url, change)
        await until(lambda: one.named("layer_updated")[-1]["layer"]["count"] == ROWS + 7)
        await until(lambda: is_thinned(ROWS + 7), pause=0.3)
    await clear(samples_url)


async def test_the_legend_of_a_foreign_table_says_that_changes_are_not_followed(samples_url: str) -> None:
    await clear(samples_url)
    url = make_url(samples_url)
    place = {"host": url.host or url.query["host"], "port": url.port or url.query.get("port", 5432)}
    options = ", ".join(f"{name} '{value}'" for name, value in {**place, "dbname": url.database}.items())
    await execute(
        samples_url,
        f"""{BASE}; CREATE EXTENSION IF NOT EXISTS postgres_fdw; DROP SERVER IF EXISTS itself CASCADE;
        CREATE SERVER itself FOREIGN DATA WRAPPER postgres_fdw OPTIONS ({options});
        CREATE USER MAPPING FOR PUBLIC SERVER itself OPTIONS (user '{url.username}', password '{url.password}');
        CREATE FOREIGN TABLE data.shown {COLUMNS} SERVER itself OPTIONS (schema_name 'data', table_name 'behind')""",
    )
    async with local_server(samples_url, **SMALL) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        await one.ask("layer_add", table="data.shown")
        layer = (await one.hears("layer_added"))["layer"]
        assert layer["count"] == ROWS
        assert layer["legend"]["note"].startswith("PostgreSQL does not report when shown changes")
        await execute(samples_url, "DELETE FROM data.behind WHERE id > 500")
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "graduated", "column": "value"})
        await until(lambda: bool(one.named("layer_updated")))
        assert one.named("layer_updated")[-1]["layer"]["count"] == 500
    await execute(samples_url, "DROP SERVER itself CASCADE")
    await clear(samples_url)
