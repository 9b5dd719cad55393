"""`geoagent tables` without the registry, whose imports take longer than the listing: reads PostgreSQL's
catalogue where that is sufficient.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources
from typing import NamedTuple

import asyncpg

from server.schema_version import newest_revision

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
        await connection.execute(f'SET ROLE "{reader}"')
        statement = resources.files("server.gis.catalog").joinpath("catalog.sql").read_text(encoding="utf-8")
        listed = [_listed(row) for row in await connection.fetch(statement, list(schemas), None)]
    except asyncpg.PostgresError:
        return None
    finally:
        await connection.close()
    if any(table is None for table in listed):
        return None
    return sorted(table for table in listed if table is not None)


async def _reader(connection: asyncpg.Connection, schemas: Sequence[str]) -> str | None:
    """The reading role, if this version has already set up the database and granted it these schemas."""
    if await connection.fetchval("SELECT to_regclass('geoagent.alembic_version')") is None:
        return None
    found = await connection.fetchrow(
        "SELECT version_num, ARRAY(SELECT name FROM geoagent.exposed_schema) AS exposed,"
        " geoagent.role_name('reader') AS reader FROM geoagent.alembic_version"
    )
    if found is None or found["version_num"] != newest_revision() or set(found["exposed"]) != set(schemas):
        return None
    return str(found["reader"]).replace('"', '""')


def _listed(row: asyncpg.Record) -> ListedTable | None:
    """None for a table of which the catalogue does not know the number of rows or the one type of geometry."""
    if not row["analyzed"] and not row["empty"]:
        return None
    shapes = [column["type"] for column in json.loads(row["columns"]) if column["type"].startswith("geo")]
    declared = GEOMETRY.fullmatch(shapes[0]) if len(shapes) == 1 else None
    kind = declared[1].upper() if declared else None
    plain_name = not re.search(r'[."]', row["schema_name"] + row["name"])
    if not plain_name or (shapes and kind in (None, "GEOMETRY")):
        return None
    return ListedTable(
        f"{row['schema_name']}.{row['name']}", kind, max(0, row["row_estimate"]), row["comment"]
    )
