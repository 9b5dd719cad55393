"""Analyses of one map: their rows, and the session through which an analyst runs one, watched by everyone.

`MapAnalysis` is the port `agents.ports.AnalysisSession`. It tells the map what happens, runs each step, and keeps
the receipt. A step that fails is the analyst's to repair; an analysis ends exactly once.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import BigInteger, Text, bindparam, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import LayerDraft, Table
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import Plan, PlannedStep
from server.gis.analysis.receipt import Receipt
from server.gis.analysis.runner import Progress, StepResult, StepRunner
from server.gis.errors import GisError, TooExpensive
from server.gis.operations import OPERATIONS
from server.maps.events import Change
from server.maps.session import TurnSession
from server.maps.tables import analysis_table
from server.protocol import AnalysisProgress

PROGRESS_PAUSE = 0.2
"""Seconds between two words of progress on the same step."""
NAME_LENGTH = 40


@dataclass(frozen=True)
class Outcome:
    """The port `agents.ports.StepOutcome`."""

    step: str
    table: Table
    rows: int
    notes: Sequence[str]


@dataclass(frozen=True)
class Offered:
    """The port `agents.ports.OperationInfo`."""

    name: str
    summary: str
    schema: Mapping[str, Any]


OFFERED: Sequence[Offered] = tuple(
    Offered(operation.name, operation.summary, operation.arguments.model_json_schema())
    for operation in OPERATIONS.values()
)


class AnalysisStore:
    """The rows of analyses, and the tables that no row names any more."""

    def __init__(self, owner: AsyncEngine, writer: AsyncEngine) -> None:
        self._owner = owner
        self._writer = writer

    async def begin(self, session: TurnSession, receipt: Receipt) -> None:
        row = {
            "id": receipt.analysis_id,
            "map_id": session.map_id,
            "turn_id": session.turn_id,
            "goal": receipt.goal,
            "plan": Plan(goal=receipt.goal).model_dump(mode="json"),
            "receipt": receipt.as_json(),
        }
        async with self._owner.begin() as connection:
            await connection.execute(insert(analysis_table), row)

    async def keep_table(self, analysis_id: str, name: str) -> None:
        """Before the table is made, so that a collector never takes it away."""
        query = (
            update(analysis_table)
            .where(analysis_table.c.id == analysis_id)
            .values(tables=func.array_append(analysis_table.c.tables, name))
        )
        async with self._owner.begin() as connection:
            await connection.execute(query)

    async def save(self, plan: Plan, receipt: Receipt, status: str) -> None:
        values: dict[str, Any] = {
            "plan": plan.model_dump(mode="json"),
            "receipt": receipt.as_json(),
            "status": status,
        }
        if status != "running":
            values["finished_at"] = func.clock_timestamp()
        query = update(analysis_table).where(analysis_table.c.id == receipt.analysis_id).values(values)
        async with self._owner.begin() as connection:
            await connection.execute(query)

    async def bytes_of(self, map_id: str) -> int:
        """Disk space of a map's results."""
        query = text(
            "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM geoagent.analysis AS a"
            " CROSS JOIN unnest(a.tables) AS kept (name)"
            " JOIN pg_class AS c ON c.relname = kept.name AND c.relnamespace = 'analysis'::regnamespace"
            " WHERE a.map_id = :map_id"
        ).columns(bytes=BigInteger())
        async with self._owner.connect() as connection:
            return int((await connection.execute(query, {"map_id": map_id})).scalar_one())

    async def collect(self) -> list[str]:
        """Drop results that belong to no analysis any more (their map is gone); their names."""
        async with self._owner.connect() as connection:
            kept = (await connection.execute(select(func.unnest(analysis_table.c.tables)))).scalars().all()
        orphans = text(
            "SELECT relname FROM pg_class WHERE relnamespace = 'analysis'::regnamespace AND relkind = 'r'"
            " AND relowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)"
            " AND relname <> ALL (:kept)"
        ).bindparams(bindparam("kept", type_=ARRAY(Text())))
        async with self._writer.begin() as connection:
            names = (await connection.execute(orphans, {"kept": list(kept)})).scalars().all()
            for name in names:
                quoted = name.replace('"', '""')
                await connection.exec_driver_sql(f'DROP TABLE analysis."{quoted}"')
        return list(names)


@dataclass
class AnalysisService:
    """What analyses of one server share: the runner, the rows, the budget, and how many may run at once."""

    runner: StepRunner
    store: AnalysisStore
    budget: Budget
    at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(4))

    def open(self, goal: str, session: TurnSession) -> MapAnalysis:
        return MapAnalysis(goal, session, self)


class MapAnalysis:
    def __init__(self, goal: str, session: TurnSession, service: AnalysisService) -> None:
        self.id = f"analysis_{secrets.token_urlsafe(9)}"
        self.ended = False
        self._session = session
        self._service = service
        self._plan = Plan(goal=goal)
        self._receipt = Receipt(analysis_id=self.id, goal=goal, at=datetime.now(UTC))
        self._outcomes: list[Outcome] = []
        self._started = False
        self._told = 0.0

    def operations(self) -> Sequence[Offered]:
        return OFFERED

    def outcomes(self) -> Sequence[Outcome]:
        return self._outcomes

    async def run_step(self, operation: str, arguments: Mapping[str, Any], title: str) -> Outcome:
        """Run it and tell the map. Raises GisError, which the analyst may repair."""
        number = len(self._outcomes) + 1
        step = PlannedStep(id=f"step_{number}", operation=operation, arguments=dict(arguments), title=title)
        await self._start(step)
        await self._check_space()
        name = _table_name(title)
        await self._service.store.keep_table(self.id, name)
        known = {outcome.step: outcome.table for outcome in self._outcomes}
        async with self._service.at_once:
            result = await self._service.runner.run(step, known, name, self._tell)
        return await self._keep(step, result)

    async def finish(self, summary: str) -> str:
        """The last step's table goes onto the map; what the browsers said of it."""
        last = self._outcomes[-1]
        drawn = "the result has no geometry, so there is nothing to draw"
        if last.table.geometry_column is not None and last.rows:
            title = self._plan.steps[-1].title
            _, drawn = await self._session.add_layer(LayerDraft(table=last.table.id, name=title))
        payload = {"analysis_id": self.id, "summary": summary, "table": last.table.id}
        await self._end(
            "finished", Change("analysis_finished", {**payload, "receipt": self._receipt.as_json()})
        )
        return drawn

    async def fail(self, reason: str, advice: str) -> None:
        """The end without a result. Steps that finished stay."""
        step = len(self._outcomes) + 1 if self._started else None
        payload = {"analysis_id": self.id, "step": step, "reason": reason, "advice": advice}
        await self._end("failed", Change("analysis_failed", payload))

    async def _start(self, step: PlannedStep) -> None:
        if self._started:
            return
        self._started = True
        await self._service.store.begin(self._session, self._receipt)
        plan = [step.model_dump(mode="json")]
        payload = {"analysis_id": self.id, "goal": self._plan.goal, "plan": plan}
        await self._session.record(Change("analysis_started", payload))

    async def _keep(self, step: PlannedStep, result: StepResult) -> Outcome:
        self._plan = self._plan.then(step)
        self._receipt = self._receipt.model_copy(update={"steps": (*self._receipt.steps, result.receipt)})
        outcome = Outcome(step.id, result.table, result.rows, result.receipt.notes)
        self._outcomes.append(outcome)
        await self._service.store.save(self._plan, self._receipt, "running")
        return outcome

    async def _end(self, status: str, change: Change) -> None:
        if self.ended:
            return
        self.ended = True
        if self._started:
            await self._service.store.save(self._plan, self._receipt, status)
        await self._session.record(change)

    async def _check_space(self) -> None:
        used = await self._service.store.bytes_of(self._session.map_id)
        if used > self._service.budget.bytes:
            raise TooExpensive(
                f"The results on this map take {used / 1e9:.1f} GB, and {self._service.budget.bytes / 1e9:.1f} GB are "
                "allowed. Start a new map, or aggregate before keeping so many rows."
            )

    async def _tell(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.percent not in (None, 0.0, 100.0) and now - self._told < PROGRESS_PAUSE:
            return
        self._told = now
        number = len(self._outcomes) + 1
        body = AnalysisProgress(
            map_id=self._session.map_id,
            analysis_id=self.id,
            step=number,
            steps=number,
            name=progress.name,
            percent=progress.percent,
            rows=progress.rows,
            elapsed_ms=progress.elapsed_ms,
        )
        await self._session.announce("analysis_progress", body)


def _table_name(title: str) -> str:
    """`cities_far_from_airports_x7k2`: readable, and new."""
    stem = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:NAME_LENGTH] or "result"
    return f"{stem}_{secrets.token_hex(3)}"


def reason_of(error: BaseException) -> tuple[str, str]:
    """Why an analysis ended early, and what to try, in words for people."""
    if isinstance(error, GisError):
        return error.message, "Narrow the question, or ask for a part of it."
    if isinstance(error, asyncio.CancelledError):
        return "Stopped.", "Steps that had finished are kept. Ask again to go on."
    return "Something went wrong in the server; its log says more.", "Try again, or ask in another way."
