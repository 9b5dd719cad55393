"""What a step reads, for its receipt: which tables, in which version, and how many rows they have."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Text, bindparam, func, select, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from server.gis.analysis.receipt import InputUsed
from server.gis.expressions.identifiers import relation, sql_name

MAX_COUNTED_ROWS = 50_000
"""Rows up to which a table is counted: some milliseconds. The planner's estimate serves for larger ones."""

_VERSIONS = text(
    "SELECT pg_relation_filenode(oid) || '.' || pg_stat_get_tuples_inserted(oid) || '.'"
    " || pg_stat_get_tuples_updated(oid) || '.' || pg_stat_get_tuples_deleted(oid)"
    " FROM unnest(:names) WITH ORDINALITY AS used (name, place) JOIN pg_class ON oid = to_regclass(name)"
    " ORDER BY place"
).bindparams(bindparam("names", type_=ARRAY(Text())))


async def inputs_of(connection: AsyncConnection, tables: Sequence[Table]) -> tuple[InputUsed, ...]:
    """The tables as the transaction of this connection sees them."""
    if not tables:
        return ()
    names = [sql_name(table) for table in tables]
    versions = (await connection.execute(_VERSIONS, {"names": names})).scalars().all()
    used = []
    for table, version in zip(tables, versions, strict=True):
        if table.lake is not None:
            used.append(
                InputUsed(table=table.id, version=table.lake.version, rows=table.lake.rows, exact=True)
            )
            continue
        exact = table.kind == "table" and table.row_estimate <= MAX_COUNTED_ROWS
        rows = table.row_estimate
        if exact:
            rows = int(await connection.scalar(select(func.count()).select_from(relation(table))) or 0)
        used.append(InputUsed(table=table.id, version=version or "", rows=rows, exact=exact))
    return tuple(used)
