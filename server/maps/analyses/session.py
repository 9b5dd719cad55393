"""Runs an analysis on a map for the analyst, visible to everyone on the map.

`MapAnalysis` implements the port `agents.ports.AnalysisSession`. It announces progress, runs each step and
keeps the receipt. The analyst may repair a failed step; an analysis ends exactly once."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.observe import receipts
from agents.domain import LayerDraft, QueryReceipt, StyleSpec
from agents.ports import OperationInfo
from agents.worded import stored_wording
from server.database.engines import is_unavailable
from server.database.lanes import Lane, visitor
from server.gis.analysis.budget import Budget, readable_bytes
from server.gis.analysis.engines import NAMES, Engine, Engines, second_name
from server.gis.analysis.plan import Plan, PlannedStep
from server.gis.analysis.receipt import Receipt
from server.gis.analysis.runner import StepResult
from server.gis.analysis.watch import Progress, Report
from server.gis.catalog.readable_tables import ReadableTables
from server.gis.errors import DataUnavailable, GisError, TooExpensive
from server.maps.analyses.failures import OUTAGE_AT, OUTAGE_MESSAGE, OUTAGE_REASON, RUN_AGAIN, failure
from server.maps.analyses.fault_texts import ENDED, NO_ROOM
from server.maps.analyses.offered import OFFERED
from server.maps.analyses.result_styles import FinishedStep, default_style, figures_of, inherited, names_read
from server.maps.analyses.store import AnalysisStore
from server.maps.log.events import Change
from server.maps.turns.session import TurnSession
from server.protocol import AnalysisProgress

PROGRESS_SAVE_INTERVAL_S = 1.0
"""Minimum interval at which progress is stored for clients that join later."""
MIN_SAVED_PROGRESS_MS = 300.0
"""Run time of a step from which on its progress is stored."""
MAX_NAME_CHARS = 40


@dataclass
class AnalysisService:
    """What the analyses of one server share: runner, rows, storage budget, and the limit of concurrent steps."""

    runner: Engines
    store: AnalysisStore
    budget: Budget
    at_once: Lane


class MapAnalysis:
    """Implements the port `agents.ports.AnalysisSession`.

    `plan` may be called before the first step; without it the plan grows with each step. `engine` is the engine
    that the user asked for; it runs all steps."""

    def __init__(
        self,
        goal: str,
        session: TurnSession,
        readable: ReadableTables,
        service: AnalysisService,
        engine: Engine | None = None,
    ) -> None:
        self.id = f"analysis_{secrets.token_urlsafe(9)}"
        self.ended = False
        self.outage: DataUnavailable | None = None
        """Why the analysis cannot continue, after an outage of the database that lasted too long."""
        self._session = session
        self._readable = readable
        self._service = service
        self._engine = engine
        self._plan = Plan(goal=goal)
        self._receipt = Receipt(analysis_id=self.id, goal=goal, at=datetime.now(UTC))
        self._outcomes: list[FinishedStep] = []
        self._intended: list[PlannedStep] = []
        self._steps_known = False
        self._current: PlannedStep | None = None
        """The step that is running, or that failed and was not repaired."""
        self._runs_on: dict[str, str] = {}
        """Engines by step, where they are not PostGIS."""
        self._is_started = False
        self._kept_at = 0.0
        self._kept_step = 0

    def operations(self) -> Sequence[OperationInfo]:
        return OFFERED

    def outcomes(self) -> Sequence[FinishedStep]:
        return self._outcomes

    async def plan(self, steps: Sequence[tuple[str, str]]) -> None:
        """Announce all further steps as (operation, title); steps that have run stay."""
        self._refuse_after_end()
        rest = enumerate(steps, len(self._outcomes) + 1)
        intended = [_planned(number, operation, {}, title) for number, (operation, title) in rest]
        self._steps_known = True
        async with self._failing_in_outage():
            await self._intend([*self._plan.steps, *intended])

    async def run_step(self, operation: str, arguments: Mapping[str, Any], title: str) -> FinishedStep:
        """Run a step and announce it. Raises GisError, which the analyst may repair."""
        self._refuse_after_end()
        number = len(self._outcomes) + 1
        step = _planned(number, operation, arguments, title)
        self._current = step
        same = (operation, title) == next(
            ((each.operation, each.title) for each in self._intended[number - 1 : number]), None
        )
        intended = [*self._plan.steps, step, *self._intended[number:]]
        async with self._failing_in_outage():
            await self._intend(intended, announce=not same)
            asked_by = visitor()
            if not self._service.at_once.is_free_for(asked_by):
                await self._announce(Progress(title, None, None, 0.0, phase="waiting"))
            async with self._service.at_once.place(asked_by):
                try:
                    result = await self._run(step)
                except GisError as error:
                    # The answer may repeat numbers of the error message, which then need a source.
                    receipts.note(QueryReceipt(sql="", notes=(error.message,)).model_dump(mode="json"))
                    raise
            return await self._keep(step, result)

    async def finish(
        self,
        summary: str,
        style: StyleSpec | None = None,
        figures: Mapping[str, Any] | None = None,
        outputs: Sequence[str] = (),
    ) -> str:
        """Add the last step's table to the map as a layer, and before it those of the `outputs`, which are kept as
        results, too; returns how browsers drew the last one."""
        self._refuse_after_end()
        further = tuple(each for each in self._outcomes[:-1] if each.step in outputs)
        self._plan = self._plan.model_copy(
            update={"style": style, "outputs": tuple(each.step for each in further)}
        )
        self._receipt = self._receipt.model_copy(update={"outputs": tuple(each.table.id for each in further)})
        async with self._failing_in_outage():
            return await self._finish(summary, style, figures)

    async def _finish(self, summary: str, style: StyleSpec | None, figures: Mapping[str, Any] | None) -> str:
        last = self._outcomes[-1]
        await self._close("finished")
        further = [each for each in self._outcomes if each.step in self._plan.outputs]
        for each in further:
            await self._draw(each, None)
        drawn = await self._draw(last, style)
        emptied = self._receipt.emptied_by
        payload = {
            "analysis_id": self.id,
            "summary": str(summary),
            **stored_wording(summary),
            "table": last.table.id,
            "rows": last.rows,
            "emptied_by": emptied and {"step": int(emptied.step.partition("_")[2]), "name": emptied.title},
            "outputs": [self._described(each) for each in further],
            "tables": [
                self._described(each)
                for each in (*further, last)
                if each.rows and each.table.geometry_column is None
            ],
            "receipt": self._receipt.as_json(),
            **(figures or {}),
        }
        await self._record_end(Change("analysis_finished", payload))
        return drawn

    async def fail(self, reason: str, advice: str) -> None:
        """End without an answer. Finished steps stay; the last one's table is the result."""
        self._refuse_after_end()
        await self._start()
        await self._close("failed")
        at = self._current
        payload = {
            "analysis_id": self.id,
            "step": None if at is None else len(self._outcomes) + 1,
            "name": None if at is None else at.title,
            **failure(reason, advice),
            "table": self._outcomes[-1].table.id if self._outcomes else None,
            "receipt": self._receipt.as_json(),
        }
        await self._record_end(Change("analysis_failed", payload))

    async def _run(self, step: PlannedStep) -> StepResult:
        """Run a step, and run it once more after an outage: a failed step leaves nothing behind, but it may
        itself be what brings the database down."""
        try:
            return await self._attempt(step, self._announce)
        except DataUnavailable:
            await self._report_repetition(Progress(step.title or step.operation, None, None, 0.0))
            result = await self._attempt(step, self._report_repetition)
        return replace(result, receipt=result.receipt.noting(RUN_AGAIN()))

    async def _report_repetition(self, progress: Progress) -> None:
        """Report progress of a step that runs again, with the phase `reconnecting`."""
        await self._announce(replace(progress, phase="reconnecting"))

    async def _attempt(self, step: PlannedStep, report: Report) -> StepResult:
        room = await self._room()
        name = _table_name(step.title or step.operation)
        await self._service.store.keep_table(self.id, name)
        if self._engine == "verify":
            await self._service.store.keep_table(self.id, second_name(name))
        known = {outcome.step: outcome.table for outcome in self._outcomes}
        return await self._service.runner.run(step, known, name, report, self._readable, room, self._engine)

    @asynccontextmanager
    async def _failing_in_outage(self) -> AsyncIterator[None]:
        """Turn an outage of the database into the failure of the turn: no model can repair it."""
        try:
            yield
        except Exception as error:
            is_busy = isinstance(error, ToolUnavailable) and not isinstance(error, DataUnavailable)
            if is_busy or not (isinstance(error, DataUnavailable) or is_unavailable(error)):
                raise
            self.outage = DataUnavailable(OUTAGE_REASON)
            at = OUTAGE_AT(step=self._current.title or self._current.operation) if self._current else ""
            self._session.abandon(OUTAGE_MESSAGE(at=at))
            raise self.outage from error

    async def _draw(self, last: FinishedStep, style: StyleSpec | None) -> str:
        """Add the result to the map as a layer if it has geometry; returns what happened, for the model."""
        if not last.rows:
            return "the result has no rows, so there is nothing to draw"
        if last.table.geometry_column is None:
            return "the result has no geometry: its rows are shown as a table in the conversation"
        if style is None or (style.column is not None and last.table.column(style.column) is None):
            until = self._outcomes[: self._outcomes.index(last) + 1]
            style = await default_style(until, self._plan.goal, self._service.runner.varying)
        draft = LayerDraft(table=last.table.id, name=self._title(last), style=style)
        try:
            _, drawn = await self._session.add_layer(draft)
        except ToolUnavailable:
            raise
        except ToolFailed as fault:
            return f"the result could not be put on the map: {fault.message}"
        return drawn

    def _described(self, outcome: FinishedStep) -> dict[str, Any]:
        return {"table": outcome.table.id, "name": self._title(outcome), "rows": outcome.rows}

    def _title(self, outcome: FinishedStep) -> str | None:
        return next((step.title for step in self._plan.steps if step.id == outcome.step), None)

    def _refuse_after_end(self) -> None:
        if self.ended:
            raise ToolFailed(ENDED())

    async def _record_end(self, change: Change) -> None:
        """Record the end exactly once, even if the turn is cancelled meanwhile."""
        self.ended = True
        await asyncio.shield(self._session.record(change))

    async def _intend(self, steps: Sequence[PlannedStep], announce: bool = True) -> None:
        self._intended = list(steps)
        if not self._is_started:
            await self._start()
        elif announce:
            await self._session.record(Change("analysis_planned", self._plan_payload()))

    async def _start(self) -> None:
        if self._is_started:
            return
        self._is_started = True
        await self._service.store.begin(self._session.map_id, self._session.turn_id, self._receipt)
        payload = {**self._plan_payload(), "goal": self._plan.goal}
        await self._session.record(Change("analysis_started", payload))

    def _plan_payload(self) -> dict[str, Any]:
        plan = [
            {**step.model_dump(mode="json"), "engine": NAMES.get(self._engine) or self._runs_on.get(step.id)}
            for step in self._intended
        ]
        return {"analysis_id": self.id, "plan": plan, "steps_known": self._steps_known}

    async def _keep(self, step: PlannedStep, result: StepResult) -> FinishedStep:
        self._plan = self._plan.then(step)
        self._receipt = self._receipt.model_copy(update={"steps": (*self._receipt.steps, result.receipt)})
        outcome = FinishedStep(
            step.id,
            result.table,
            result.rows,
            result.receipt.notes,
            result.breakdown,
            step.title or "",
            result.method,
            result.style or inherited(step, result.table, self._outcomes),
            figures_of(step, result, self._readable),
            names_read(step),
        )
        made = QueryReceipt(
            sql=result.receipt.sql,
            table=result.table.id,
            rows=result.rows,
            values={"rows": result.rows, **result.breakdown},
            notes=(*result.receipt.notes, *result.breakdown),
        )
        receipts.note(made.model_dump(mode="json"))
        self._outcomes.append(outcome)
        self._current = None
        self._readable.show(result.table.id)
        await self._service.store.keep_step(self._plan, self._receipt)
        return outcome

    async def _close(self, status: str) -> None:
        """Keep the last step's table and the further results readable for the map, and hide the others."""
        await self._service.store.end(self._plan, self._receipt, status)
        for outcome in self._outcomes[:-1]:
            if outcome.table.id not in self._receipt.outputs:
                self._readable.hide(outcome.table.id)

    async def _room(self) -> int:
        """Bytes that the map's results may still use. Raises TooExpensive if there are none."""
        allowed = self._service.budget.bytes
        used = await self._service.store.bytes_of(self._session.map_id)
        if used >= allowed:
            raise TooExpensive(NO_ROOM(used=readable_bytes(used), allowed=readable_bytes(allowed)))
        return allowed - used

    async def _name_engine(self, engine: str) -> None:
        """Say in the plan that the current step runs on another engine than PostGIS, as its progress reported."""
        step = f"step_{len(self._outcomes) + 1}"
        if self._engine is None and self._runs_on.get(step) != engine:
            self._runs_on[step] = engine
            await self._session.record(Change("analysis_planned", self._plan_payload()))

    async def _announce(self, progress: Progress) -> None:
        """Announce progress to everyone on the map, and store that of longer steps for people who join later."""
        if progress.engine is not None:
            await self._name_engine(progress.engine)
        body = AnalysisProgress(
            map_id=self._session.map_id,
            analysis_id=self.id,
            step=len(self._outcomes) + 1,
            steps=max(len(self._intended), len(self._outcomes) + 1),
            steps_known=self._steps_known,
            **asdict(progress),
        )
        await self._session.announce("analysis_progress", body)
        now, is_new = time.monotonic(), body.step != self._kept_step
        if progress.elapsed_ms < MIN_SAVED_PROGRESS_MS or progress.percent == 100.0:
            return
        if is_new or now - self._kept_at > PROGRESS_SAVE_INTERVAL_S:
            self._kept_at, self._kept_step = now, body.step
            await self._service.store.keep_progress(body)


def _planned(number: int, operation: str, arguments: Mapping[str, Any], title: str) -> PlannedStep:
    return PlannedStep(id=f"step_{number}", operation=operation, arguments=dict(arguments), title=title)


def _table_name(title: str) -> str:
    """A readable, unique table name: `cities_far_from_airports_x7k2`."""
    stem = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")[:MAX_NAME_CHARS] or "result"
    return f"{stem}_{secrets.token_hex(3)}"
