"""Figures: the numbers of an answer, each with the result that it comes from."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from agents.domain import Cql2
from agents.worded import Part


class FigureSource(BaseModel):
    """The source of figures of an answer: a tool call, and its query if it is known."""

    call_id: str
    tool: str
    summary: str = ""
    """One line about what the call did."""
    wording: list[Part] = []
    """How `summary` was made, as in `ai_response`."""
    sql: str | None = None
    """A statement that runs in psql unchanged."""
    table: str | None = None
    filter: Cql2 | None = None
    """Selects the rows of `table` that the figure was computed from; all of them without a filter."""
    key: str | None = None
    """The column whose value identifies a figure's row."""


class Figure(BaseModel):
    """A number in the answer. `start` and `end` are offsets in `message`, in Unicode code points."""

    start: int
    end: int
    text: str
    source: int | None = None
    """Index in `sources`; null if the number was found in no result."""
    row: Any = None
    """The value of the source's `key`, if the figure is of one row."""
    how: Literal["stated", "rounded", "reckoned", "likely"] = "stated"
    """How it was found: `stated` as in a result, `rounded` or in another unit, `reckoned` (calculated) from several
    numbers, or `likely`: it equals a number of a result, but the words do not say that it is that number."""
    note: str = ""
    """The exact value, or how it was calculated from several numbers: `7,895 ÷ 28,298 = 27.9 %`."""
