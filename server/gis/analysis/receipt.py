"""The receipt of an analysis: what ran, on what, how long, with what result. Every number can be traced here."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from pydantic import field_validator

from agents.domain import Value
from agents.worded import Part, wording_of


class InputUsed(Value):
    """A table that a step read. `version` is made of PostgreSQL's own counters, which change with its rows and its
    storage, perhaps a moment later.

    `rows` was counted, or is the planner's estimate where `exact` is false: of large tables and of views."""

    table: str
    version: str = ""
    rows: int
    exact: bool = False

    def description(self) -> str:
        """One line: the table, its number of rows and its data version."""
        about = "" if self.exact else "about "
        return f"{self.table}: {about}{self.rows} rows, version {self.version or 'unknown'}"

    @field_validator("version", mode="before")
    @classmethod
    def _as_text(cls, version: object) -> object:
        """Older receipts hold a number."""
        return str(version)


class StepReceipt(Value):
    """One step as it ran. `sql` can be run in psql unchanged. `notes` name CRS, units and method."""

    step: str
    operation: str
    arguments: dict[str, Any] = {}
    title: str
    table: str
    sql: str
    inputs: tuple[InputUsed, ...]
    rows: int
    geometry_type: str | None
    srid: int
    notes: tuple[str, ...]
    """Which CRS, units and method were chosen, and the error to expect."""
    wording: tuple[tuple[Part, ...], ...] = ()
    """How each note was made, as in `ai_response`."""
    duration_ms: float
    engine: str = "PostGIS"
    """What computed it, with versions."""
    spark_sql: str | None = None
    """What ran on Spark, where that computed it; `sql` then says the same for PostGIS."""

    def noting(self, note: str) -> StepReceipt:
        """The receipt with one more note."""
        unworded = ((),) * (len(self.notes) - len(self.wording))
        wording = (*self.wording, *unworded, wording_of(note)) if self.wording or wording_of(note) else ()
        return self.model_copy(update={"notes": (*self.notes, note), "wording": wording})


class Receipt(Value):
    """What an analysis did: its steps with SQL, rows and notes, and the tables that it left."""

    analysis_id: str
    goal: str
    at: datetime
    steps: tuple[StepReceipt, ...] = ()
    outputs: tuple[str, ...] = ()
    """Tables of earlier steps that are results besides the last one."""

    @property
    def emptied_by(self) -> StepReceipt | None:
        """For an empty result: the first step on the way to it that received rows and left none."""
        made = {step.table: step for step in self.steps}
        step = self.steps[-1] if self.steps and self.steps[-1].rows == 0 else None
        while step is not None:
            before = [made[used.table] for used in step.inputs if used.table in made]
            emptier = next((each for each in before if each.rows == 0), None)
            if emptier is None:
                return step
            step = emptier
        return None

    def as_json(self) -> dict[str, Any]:
        """The receipt as JSON values, as events carry it."""
        return self.model_dump(mode="json")

    def as_sql(self) -> str:
        """A script for psql that makes the result again, as temporary tables: it changes nothing that is there."""
        lines = [
            f"-- {_comment(self.goal)}",
            f"-- {self.analysis_id}, {self.at.isoformat(timespec='seconds')}",
            "-- Run it with psql; its tables are gone when psql ends.",
            "\\set ON_ERROR_STOP on",
        ]
        for step in self.steps:
            lines += ["", f"-- {step.step}: {_comment(step.title)} ({step.operation})"]
            lines += [f"-- reads {_comment(used.description())}" for used in step.inputs]
            lines += [f"-- {_comment(note)}" for note in step.notes]
            lines += [f"-- {step.rows} rows, {step.duration_ms:.0f} ms, {_comment(step.engine)}"]
            if step.spark_sql is not None:
                lines += ["-- It ran on Spark as follows; the statement below says the same for PostGIS."]
                lines += [f"--   {line}" for line in step.spark_sql.splitlines()]
            lines += [self._temporary(step.sql)]
        if self.steps:
            lines += ["", f"SELECT count(*) AS rows FROM {self._temporary(self.steps[-1].table)};"]  # noqa: S608 - for people; never run here
        return "\n".join([*lines, ""])

    def _temporary(self, sql: str) -> str:
        """The script with temporary tables in place of the tables of the steps."""
        for step in self.steps:
            schema, _, name = step.table.partition(".")
            place = rf'"?\b{schema}"?\."?{re.escape(name)}"?(?!\w)'
            sql = re.sub(place, f'pg_temp."{name}"', sql)
        return sql


def _comment(text: str) -> str:
    return " ".join(text.split())
