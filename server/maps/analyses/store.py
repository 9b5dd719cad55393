"""The rows of analyses: goal, plan, receipt, tables and progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Executable, Row, Select, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.database.engines import single_reads
from server.database.outages import through_outage
from server.gis.analysis.plan import Plan
from server.gis.analysis.receipt import Receipt
from server.gis.analysis.recipes import Recipe
from server.maps.analyses.recipe_rows import recipes_of
from server.maps.log.events import clean_json
from server.maps.log.tables import analysis_table
from server.protocol import AnalysisProgress


@dataclass(frozen=True)
class StoredAnalysis:
    """An analysis as stored."""

    status: str
    plan: Plan
    receipt: Receipt


class AnalysisStore:
    """Reads and writes the rows of analyses, through short outages of the database."""

    def __init__(self, owner: AsyncEngine) -> None:
        self._owner = owner

    async def begin(self, map_id: str, turn_id: str, receipt: Receipt) -> None:
        """Store an analysis that starts; without effect if it is stored already."""
        row = {
            "id": receipt.analysis_id,
            "map_id": map_id,
            "turn_id": turn_id,
            "goal": receipt.goal,
            "plan": Plan(goal=receipt.goal).model_dump(mode="json"),
            "receipt": receipt.as_json(),
        }
        query = insert(analysis_table).values(clean_json(row)).on_conflict_do_nothing()
        await self._write(query)

    async def keep_table(self, analysis_id: str, name: str) -> None:
        """Register a table before it is created, so that the collector does not drop it."""
        await self._update(analysis_id, tables=func.array_append(analysis_table.c.tables, name))

    async def keep_step(self, plan: Plan, receipt: Receipt) -> None:
        """Store plan and receipt after each step."""
        await self._update(receipt.analysis_id, **_documents(plan, receipt))

    async def keep_progress(self, progress: AnalysisProgress) -> None:
        """Store the progress for clients that join later."""
        await self._update(progress.analysis_id, progress=progress.model_dump(mode="json"))

    async def end(self, plan: Plan, receipt: Receipt, status: str) -> None:
        """Store the end. The last step's table, if there is one, becomes the result."""
        result = receipt.steps[-1].table if receipt.steps else None
        ended = {"status": status, "result": result, "progress": None}
        finished = func.clock_timestamp()
        await self._update(receipt.analysis_id, **_documents(plan, receipt), **ended, finished_at=finished)

    async def kept(self, map_id: str, analysis_id: str) -> StoredAnalysis | None:
        """An analysis of this map, or None."""
        query = select(analysis_table).where(analysis_table.c.id == analysis_id)
        return await self._first(query.where(analysis_table.c.map_id == map_id))

    async def receipt(self, analysis_id: str) -> Receipt | None:
        """The receipt of an analysis of any map, for the command line."""
        query = select(analysis_table.c.receipt).where(analysis_table.c.id == analysis_id)
        async with single_reads(self._owner) as connection:
            found = await connection.scalar(query)
        return None if found is None else Receipt.model_validate(found)

    async def latest(self, map_id: str) -> StoredAnalysis | None:
        """The map's latest analysis that finished."""
        query = select(analysis_table).where(
            analysis_table.c.map_id == map_id, analysis_table.c.status == "finished"
        )
        return await self._first(query.order_by(analysis_table.c.created_at.desc()))

    async def _first(self, query: Select[Any]) -> StoredAnalysis | None:
        async with single_reads(self._owner) as connection:
            row = (await connection.execute(query.limit(1))).one_or_none()
        return None if row is None else _kept(row)

    async def recipes(self, map_id: str) -> list[Recipe]:
        """The recipes saved on the map, by name."""
        async with single_reads(self._owner) as connection:
            return await recipes_of(connection, map_id)

    async def bytes_of(self, map_id: str) -> int:
        """Disk space in bytes of the tables of a map's analyses."""
        query = text(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM geoagent.analysis AS a"
            " CROSS JOIN unnest(a.tables) AS kept (name)"
            " JOIN pg_class AS c ON c.relname = kept.name AND c.relnamespace = 'analysis'::regnamespace"
            " WHERE a.map_id = :map_id"
        ).columns(bytes=BigInteger())

        async def read() -> int:
            async with single_reads(self._owner) as connection:
                return int((await connection.execute(query, {"map_id": map_id})).scalar_one())

        return await through_outage(read)

    async def _update(self, analysis_id: str, **values: Any) -> None:
        await self._write(update(analysis_table).where(analysis_table.c.id == analysis_id).values(**values))

    async def _write(self, query: Executable) -> None:
        """Execute a statement through a short outage; all statements here are idempotent."""

        async def write() -> None:
            async with self._owner.begin() as connection:
                await connection.execute(query)

        await through_outage(write)


def _kept(row: Row[Any]) -> StoredAnalysis:
    plan = Plan.model_validate(row.plan, extra="ignore")
    return StoredAnalysis(row.status, plan, Receipt.model_validate(row.receipt, extra="ignore"))


def _documents(plan: Plan, receipt: Receipt) -> dict[str, Any]:
    return {"plan": clean_json(plan.model_dump(mode="json")), "receipt": clean_json(receipt.as_json())}


def running_progress(map_id: str | ColumnElement[str]) -> Select[tuple[Any]]:
    """The query for the last stored progress of the running analyses of a map."""
    return select(analysis_table.c.progress).where(
        analysis_table.c.map_id == map_id,
        analysis_table.c.status == "running",
        analysis_table.c.progress.is_not(None),
    )


async def progress_of(connection: AsyncConnection, map_id: str) -> list[AnalysisProgress]:
    """The last stored progress of the running analyses of a map."""
    found = await connection.execute(running_progress(map_id))
    return [AnalysisProgress.model_validate(progress) for progress in found.scalars()]


async def unfinished_analyses(connection: AsyncConnection, turn_id: str) -> dict[str, dict[str, Any]]:
    """For each unfinished analysis of the turn: the step of the last stored progress, the receipt of the finished
    steps, and the table of the last finished step."""
    query = select(analysis_table).where(
        analysis_table.c.turn_id == turn_id, analysis_table.c.status == "running"
    )
    found = {}
    for row in await connection.execute(query):
        done = row.receipt.get("steps", [])
        ran = row.progress is not None and row.progress["step"] == len(done) + 1
        found[row.id] = {
            "step": row.progress["step"] if ran else None,
            "name": row.progress["name"] if ran else None,
            "table": done[-1]["table"] if done else None,
            "receipt": row.receipt,
        }
    return found
