"""The receipt of an analysis: what ran, on what, how long, with what result. Every number can be traced here."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from agents.domain import Value


class InputUsed(Value):
    """A table that a step read. `version` is the registry's when it ran, `rows` its estimate for large tables."""

    table: str
    version: int
    rows: int


class StepReceipt(Value):
    """One step as it ran. `sql` is runnable in psql as it stands. `notes` name CRS, units and method."""

    step: str
    operation: str
    title: str
    table: str
    sql: str
    inputs: tuple[InputUsed, ...]
    rows: int
    geometry_type: str | None
    srid: int
    notes: tuple[str, ...]
    duration_ms: float


class Receipt(Value):
    analysis_id: str
    goal: str
    at: datetime
    steps: tuple[StepReceipt, ...] = ()

    @property
    def emptied_by(self) -> StepReceipt | None:
        """The first step that left no rows, if one did."""
        return next((step for step in self.steps if step.rows == 0), None)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json")

    def as_sql(self) -> str:
        """A script for psql that makes the result again, in a transaction that is rolled back."""
        lines = [f"-- {_comment(self.goal)}", f"-- {self.analysis_id}, {self.at.isoformat()}", "BEGIN;"]
        for step in self.steps:
            lines += ["", f"-- {step.step}: {_comment(step.title)} ({step.operation}), {step.rows} rows"]
            lines += [f"-- {_comment(note)}" for note in step.notes]
            lines.append(step.sql)
        return "\n".join([*lines, "", "ROLLBACK; -- COMMIT to keep the tables", ""])


def _comment(text: str) -> str:
    return " ".join(text.split())
