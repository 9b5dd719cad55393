"""Results of analyses: each belongs to the map that requested it and is kept until that map drops it.

Other maps see a result only as copies of that map, while their layers show it; a result that a layer shows is
never dropped. The last table of an analysis is its result; the tables of earlier steps are kept, unlisted, for
the receipt until the result is dropped. Tables of no analysis and no layer are collected."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from sqlalchemy import Text, bindparam, func, or_, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.worded import Template
from server import fault_texts
from server.background import end_tasks
from server.database.engines import single_reads
from server.database.quoting import quoted
from server.gis.analysis.storage import SCHEMA
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.catalog.registry import Registry
from server.gis.errors import is_undefined
from server.gis.expressions.identifiers import join_id
from server.gis.lake.results import LakeResults
from server.maps.faults import RequestFault
from server.maps.layers.verbs import BY_HAND, Author
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change
from server.maps.log.tables import analysis_table
from server.maps.log.writer import MapWriter

COPY_SHOWS = Template(
    "map_copy_shows",
    "A copy of this map shows {table}. It can be dropped once the layer is removed there too.",
)
NO_RESULT = Template(
    "map_no_result", "{table} is not a result of an analysis of this map. Only these can be dropped."
)

log = structlog.get_logger(__name__)

_UPLOADED = text("SELECT table_name FROM geoagent.upload WHERE map_id = :map_id AND loaded_at IS NOT NULL")
COLLECT_INTERVAL_S = 600.0
"""Interval of searching for tables that belong to no analysis."""


class Results:
    """Decides which tables a map may read, and drops results."""

    def __init__(
        self,
        owner: AsyncEngine,
        writer: AsyncEngine,
        registry: Registry,
        events: EventLog,
        lake: LakeResults | None = None,
    ) -> None:
        """`lake` keeps the rows of results that are too many for PostGIS."""
        self._lake = lake
        self._owner = owner
        self._writer = writer
        self._registry = registry
        self._events = events
        self._collector: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Drop tables of analyses of deleted maps, now and from time to time."""
        await self.collect()
        self._collector = asyncio.create_task(self._keep_collecting())

    async def stop(self) -> None:
        """End the background task."""
        await end_tasks(self._collector)

    async def readable(self, map_id: str | None = None) -> ReadableTables:
        """The tables that a map may read: shared tables, its uploads and results, steps of its running
        analyses, and the tables of its layers. Without a map: the shared tables."""
        if map_id is None:
            return ReadableTables(self._registry)
        query = text(
            "SELECT result FROM geoagent.analysis WHERE map_id = :map_id AND result IS NOT NULL"
            " UNION SELECT jsonb_array_elements_text(receipt -> 'outputs') FROM geoagent.analysis"
            " WHERE map_id = :map_id AND jsonb_typeof(receipt -> 'outputs') = 'array'"
            " UNION SELECT 'analysis.' || unnest(tables) FROM geoagent.analysis"
            " WHERE map_id = :map_id AND status = 'running'"
            " UNION SELECT document ->> 'table' FROM geoagent.layer WHERE map_id = :map_id"
        )
        async with single_reads(self._owner) as connection:
            found = (await connection.execute(query, {"map_id": map_id})).scalars().all()
            uploaded = (await connection.execute(_UPLOADED, {"map_id": map_id})).scalars().all()
        return ReadableTables(self._registry, [*found, *(join_id("data", name) for name in uploaded)])

    async def shown(self, map_id: str) -> ReadableTables:
        """The tables that holders of a view key may read: shared tables and those of the map's layers."""
        query = text("SELECT document ->> 'table' FROM geoagent.layer WHERE map_id = :map_id")
        async with single_reads(self._owner) as connection:
            return ReadableTables(
                self._registry, (await connection.execute(query, {"map_id": map_id})).scalars()
            )

    async def drop(self, map_id: str, table_id: str, by: Author = BY_HAND) -> int:
        """Drop a result and the tables of its steps, but not the further results of its analysis; returns the seq
        of the event. Raises RequestFault `unknown_table`, or `conflict` while a layer of any map shows one of them."""
        async with self._events.writing(map_id, by.turn_id, by.server_id) as writer:
            columns = analysis_table.c
            is_further = columns.receipt["outputs"].has_key(table_id)
            query = select(columns.id, columns.tables, columns.receipt, columns.result).where(
                columns.map_id == map_id, or_(columns.result == table_id, is_further)
            )
            found = (await writer.connection.execute(query)).one_or_none()
            if found is None:
                raise RequestFault("unknown_table", NO_RESULT(table=repr(table_id)))
            outputs = list(found.receipt.get("outputs", []))
            values: dict[str, Any] = {"result": found.result}
            if table_id in outputs:
                dropped = [name for name in found.tables if f"{SCHEMA}.{name}" == table_id]
                outputs.remove(table_id)
                values["receipt"] = {**found.receipt, "outputs": outputs}
            else:
                dropped = [name for name in found.tables if f"{SCHEMA}.{name}" not in outputs]
                values["result"] = None
            await _check_unused(writer, table_id, dropped)
            values["tables"] = [name for name in found.tables if name not in dropped]
            await writer.connection.execute(
                update(analysis_table).where(analysis_table.c.id == found.id).values(**values)
            )
            payload = {"analysis_id": found.id, "table": table_id}
            event = await writer.record(Change("result_dropped", payload))
        # If the server stops here, the tables belong to no analysis and are collected later.
        await self._drop_tables(await self._orphans(dropped))
        return event.seq

    async def collect(self) -> list[str]:
        """Drop tables of analyses whose map was deleted, unless a layer shows them; returns their names."""
        # Existing tables are listed before those in use, so a table created in between is never dropped.
        ours = text(
            "SELECT relname FROM pg_class WHERE relnamespace = 'analysis'::regnamespace AND relkind = 'r'"
            " AND relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)"
        )
        async with single_reads(self._writer) as connection:
            there = (await connection.execute(ours)).scalars().all()
        names = await self._orphans(there)
        await self._drop_tables(names)
        if self._lake is not None:
            await self._lake.sweep(self._owner, SCHEMA)
        return names

    async def _orphans(self, names: Sequence[str]) -> list[str]:
        """The tables among these that belong to no analysis and no layer."""
        query = text(
            "SELECT name FROM unnest(:names) AS name EXCEPT SELECT unnest(tables) FROM geoagent.analysis"
            " EXCEPT SELECT name FROM unnest(:names) AS name"
            " JOIN geoagent.layer ON document ->> 'table' = 'analysis.' || name ORDER BY name"
        ).bindparams(bindparam("names", type_=ARRAY(Text())))
        async with single_reads(self._owner) as connection:
            return list((await connection.execute(query, {"names": list(names)})).scalars())

    async def _drop_tables(self, names: list[str]) -> None:
        """Drop each table in a separate transaction, so that a reader of one does not block the others."""
        for name in names:
            table = quoted(SCHEMA, name)
            try:
                async with self._writer.begin() as connection:
                    await connection.execute(select(func.set_config("lock_timeout", "10s", True)))
                    await connection.exec_driver_sql(f"LOCK TABLE {table}")
                    # An undo may have restored a layer that shows it while this waited (missing_tables.py).
                    if await self._orphans([name]):
                        await connection.exec_driver_sql(f"DROP TABLE {table}")
                if self._lake is not None and not await self._is_there(name):
                    await self._lake.forget(name)
            except Exception as error:
                if is_undefined(error):
                    continue
                log.warning("a result could not be dropped yet", table=name, error=type(error).__name__)
        if names:
            await self._registry.refresh()

    async def _is_there(self, name: str) -> bool:
        async with single_reads(self._owner) as connection:
            return bool(await connection.scalar(select(func.to_regclass(quoted(SCHEMA, name)).is_not(None))))

    async def _keep_collecting(self) -> None:
        while True:
            await asyncio.sleep(COLLECT_INTERVAL_S)
            try:
                await self.collect()
            except Exception as error:
                log.warning("tables of deleted maps could not be dropped", error=type(error).__name__)


async def _check_unused(writer: MapWriter, table_id: str, tables: Sequence[str]) -> None:
    """Raise RequestFault `conflict` if a layer shows the result or one of its steps. The message reveals nothing
    about other maps."""
    query = text(
        "SELECT map_id = :map_id AS own, document ->> 'name' AS name FROM geoagent.layer"
        " WHERE document ->> 'table' = ANY (:ids)"
    ).bindparams(bindparam("ids", type_=ARRAY(Text())))
    ids = [f"{SCHEMA}.{name}" for name in tables]
    showing = (await writer.connection.execute(query, {"map_id": writer.map_id, "ids": ids})).all()
    if own := [layer.name for layer in showing if layer.own]:
        names = ", ".join(f"“{name}”" for name in own[:5])
        raise RequestFault("conflict", fault_texts.ON_THE_MAP(table=table_id, names=names))
    if showing:
        raise RequestFault("conflict", COPY_SHOWS(table=table_id))
