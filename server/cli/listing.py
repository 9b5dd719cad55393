"""`geoagent tables` without the registry, whose imports take longer than the listing: reads PostgreSQL's
catalogue where that is sufficient.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

import asyncpg

from server.database.schema_version import newest_revision
from server.gis.catalog.probe_limits import MAX_COUNTED_ROWS, PROBE_TIMEOUT_S
from server.gis.catalog.statements import of_all

GEOMETRY = re.compile(r"geometry\((\w+?)(?:ZM|Z|M)?,\d+\)")


class ListedTable(NamedTuple):
    """A line of the listing; `rows` is an estimate."""

    id: str
    geometry_type: str | None
    rows: int
    comment: str | None


async def from_catalogue(url: str, schemas: Sequence[str]) -> list[ListedTable] | None:
    """All readable tables, sorted by id; None if the registry is needed or the database is not ready."""
    connection = await asyncpg.connect(url, timeout=10)
    try:
        reader = await _reader(connection, schemas)
        if reader is None:
            return None
        await connection.execute(f"SET ROLE {reader}")
        listed = []
        for row in await connection.fetch(of_all("catalog.sql"), list(schemas)):
            table = _listed(row)
            if table is None:
                return None
            if not row["analyzed"] and not row["empty"]:
                table = table._replace(rows=await _row_count(connection, row))
            listed.append(table)
    except asyncpg.PostgresError:
        return None
    finally:
        await connection.close()
    return sorted(listed)


async def _reader(connection: asyncpg.Connection, schemas: Sequence[str]) -> str | None:
    """The quoted reading role, if this version has already set up the database and granted it these schemas."""
    if await connection.fetchval("SELECT to_regclass('geoagent.alembic_version')") is None:
        return None
    found = await connection.fetchrow(
        "SELECT version_num, ARRAY(SELECT name FROM geoagent.exposed_schema) AS exposed,"
        " quote_ident(geoagent.role_name('reader')) AS reader FROM geoagent.alembic_version"
    )
    if found is None or found["version_num"] != newest_revision() or set(found["exposed"]) != set(schemas):
        return None
    return str(found["reader"])


def _listed(row: asyncpg.Record) -> ListedTable | None:
    """The line of a table; None if the catalogue does not have a single geometry type for it."""
    shapes = [column["type"] for column in json.loads(row["columns"]) if column["type"].startswith("geo")]
    declared = GEOMETRY.fullmatch(shapes[0]) if len(shapes) == 1 else None
    kind = declared[1].upper() if declared else None
    plain_name = not re.search(r'[."]', row["schema_name"] + row["name"])
    if not plain_name or (shapes and kind in (None, "GEOMETRY")):
        return None
    return ListedTable(
        f"{row['schema_name']}.{row['name']}", kind, max(0, row["row_estimate"]), row["comment"]
    )


async def _row_count(connection: asyncpg.Connection, row: asyncpg.Record) -> int:
    """Rows of a view, or of a table that was never analysed, as the registry finds them: exact for small ones, the
    planner's estimate for others."""
    names = row["schema_name"], row["name"]
    relation = await connection.fetchval("SELECT format('%I.%I', $1::text, $2::text)", *names)
    try:
        async with connection.transaction(readonly=True):
            await connection.execute(f"SET LOCAL statement_timeout = {int(PROBE_TIMEOUT_S * 1000)}")
            first = f"SELECT FROM {relation} LIMIT {MAX_COUNTED_ROWS + 1}"
            count = int(await connection.fetchval(f"SELECT count(*) FROM ({first}) AS first"))  # noqa: S608 - quoted
    except asyncpg.PostgresError:
        count = MAX_COUNTED_ROWS + 1
    estimate = max(0, int(row["row_estimate"]))
    if count <= MAX_COUNTED_ROWS:
        return count
    if estimate > MAX_COUNTED_ROWS:
        return estimate
    plan = json.loads(await connection.fetchval(f"EXPLAIN (FORMAT JSON) SELECT FROM {relation}"))
    return int(plan[0]["Plan"]["Plan Rows"]) or estimate
