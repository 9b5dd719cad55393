"""What is known of datasets, in `geoagent_lake.dataset`: by the table that holds a sample of each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Bounds, Table
from agents.worded import Template
from server.gis.expressions.identifiers import join_id, sql_name
from server.gis.lake.dataset import Dataset
from server.gis.lake.errors import NoLakeTable

NOT_LAKE = Template("lake_not_lake", "{table} is not a lake table any more.")


_INSERT = text(
    "INSERT INTO geoagent_lake.dataset (relation, rows, sample_rows, files, bytes, version, bounds, ranges, document)"
    " VALUES (CAST(:relation AS regclass), :rows, :sample_rows, :files, :bytes, :version,"
    " CAST(:bounds AS double precision[]), CAST(:ranges AS jsonb), CAST(:document AS jsonb))"
)
_READ = text("SELECT document FROM geoagent_lake.dataset WHERE relation = to_regclass(:relation)")
_LIST = text(
    "SELECT n.nspname, c.relname, d.document ->> 'root', d.rows, d.sample_rows, d.files, d.bytes,"
    " d.document ->> 'address',"
    """ ARRAY(SELECT jsonb_path_query(d.document, '$.files[*].path ? (@ starts with "/")') #>> '{}') FROM"""
    " geoagent_lake.dataset AS d"
    " JOIN pg_class AS c ON c.oid = d.relation JOIN pg_namespace AS n ON n.oid = c.relnamespace ORDER BY 1, 2"
)
_FORGET_DROPPED = text(
    "DELETE FROM geoagent_lake.dataset AS d WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = d.relation)"
)


@dataclass(frozen=True)
class Registered:
    """A line of the list of lake tables."""

    table: str
    root: str
    rows: int
    sample_rows: int
    files: int
    bytes: int
    address: str | None = None
    named: Sequence[str] = ()
    """Paths of the files, where STAC items name them."""

    @property
    def location(self) -> str:
        """The path or address from which it can be registered again."""
        return self.address or self.root


async def keep(
    connection: AsyncConnection, relation: str, dataset: Dataset, sample_rows: int, bounds: Bounds | None
) -> None:
    """Note, in the transaction that makes the table, that `relation` (quoted) holds a sample of a dataset."""
    await connection.execute(
        _INSERT,
        {
            "relation": relation,
            "rows": dataset.rows,
            "sample_rows": sample_rows,
            "files": len(dataset.files),
            "bytes": dataset.bytes,
            "version": dataset.version,
            "bounds": list(bounds) if bounds is not None else None,
            "ranges": json.dumps(dataset.ranges),
            "document": dataset.model_dump_json(),
        },
    )


async def dataset_of(connection: AsyncConnection, table: Table) -> Dataset:
    """The dataset of a lake table, as it was registered. Needs the rights of the writer or the owner."""
    found = await connection.scalar(_READ, {"relation": sql_name(table)})
    if found is None:
        raise NoLakeTable(NOT_LAKE(table=table.id))
    return Dataset.model_validate_json(found) if isinstance(found, str) else Dataset.model_validate(found)


async def registered(owner: AsyncEngine) -> Sequence[Registered]:
    """All lake tables; those whose tables were dropped are forgotten."""
    async with owner.begin() as connection:
        await connection.execute(_FORGET_DROPPED)
        rows = (await connection.execute(_LIST)).all()
    return [Registered(join_id(schema, name), *fields) for schema, name, *fields in rows]
