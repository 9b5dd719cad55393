"""A guard that records its statements and turns them into a receipt for the running tool call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from agents.core.observe import receipts
from agents.domain import Cql2, QueryReceipt
from server.gis.expressions.literal_sql import literal_sql
from server.gis.statements.guard import Guard, Query, Record

MAX_NAME_CHARS = 80
MAX_TEXTS = 5
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?")

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class RecordingGuard(Guard):
    """Use one per question: `asked` collects its statements in order."""

    asked: list[Query] = field(default_factory=list)

    async def rows(
        self, statement: Query, subject: str, *, seconds: float | None = None, gate: bool = True
    ) -> Sequence[Record]:
        """As the base class; records the statement in `asked`."""
        self.asked.append(statement)
        return await super().rows(statement, subject, seconds=seconds, gate=gate)

    def note(self, table: str, filter: Cql2 | None, values: Mapping[str, Any], **more: Any) -> None:
        """Call `note_answer` with all recorded statements."""
        note_answer(self.asked, table, filter, values, **more)


def note_answer(
    asked: Sequence[Query],
    table: str,
    filter: Cql2 | None,
    values: Mapping[str, Any],
    *,
    rows: int | None = None,
    column: str | None = None,
    key: str | None = None,
    cells: Sequence[tuple[Any, Mapping[str, Any]]] = (),
) -> None:
    """Add a receipt to the running tool call, if there is one. Values that are not numbers are left out."""
    if not receipts.wanted():
        return
    try:
        sql = "\n".join(f"{literal_sql(statement).strip()};" for statement in asked)
    except Exception:
        # Without its SQL the answer is still valid; only the source of its numbers is missing.
        log.exception("a statement could not be written as SQL text", table=table)
        return
    kept = QueryReceipt(
        sql=sql,
        table=table,
        filter=filter,
        rows=rows,
        values=numbers(values),
        column=column,
        key=key,
        cells=tuple((row, written_numbers(each)) for row, each in cells),
        texts=tuple(short_texts(each) for _, each in cells),
    )
    receipts.note(kept.model_dump(mode="json"))


def numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """The numeric values, without booleans and NaN."""
    return {
        name: value
        for name, value in values.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value
    }


def written_numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """The numeric values of a row, also those of texts that are nothing but a number; no codes such as `007`."""
    written = {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, str) and _NUMBER.fullmatch(value)
    }
    return {**numbers(values), **written}


def short_texts(values: Mapping[str, Any]) -> tuple[str, ...]:
    """The first texts of a row that are short enough to be its name."""
    found = [
        value for value in values.values() if isinstance(value, str) and 2 < len(value) <= MAX_NAME_CHARS
    ]
    return tuple(found[:MAX_TEXTS])
