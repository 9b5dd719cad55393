"""Texts for users: why an analysis ended early or repeated a step."""

from __future__ import annotations

import asyncio

from agents.core.errors import ToolFailed, ToolUnavailable
from server.gis.errors import DataUnavailable, GisError

RUN_AGAIN = "The database connection was lost during this step, so it was run again"
OUTAGE_REASON = "The database became unreachable, and a second try did not work either."
OUTAGE_ADVICE = "Steps that had finished are kept. Try again when the database is back."
BUSY_ADVICE = "Steps that had finished are kept. Try again in a moment."
OUTAGE_MESSAGE = (
    "The database became unreachable{at}, and a second try did not work either, so the analysis could not be finished. "
    "Steps that had finished are kept. Try again when the database is back."
)


def reason_of(error: BaseException) -> tuple[str, str]:
    """Two texts for users: why the analysis ended early, and what to try instead."""
    if isinstance(error, DataUnavailable):
        return error.message, OUTAGE_ADVICE
    if isinstance(error, ToolUnavailable):
        return error.message, BUSY_ADVICE
    if isinstance(error, GisError):
        return error.message, "Narrow the question, or ask for a part of it."
    if isinstance(error, ToolFailed):
        return error.message, "Try again, or ask for less at once."
    if isinstance(error, asyncio.CancelledError):
        return "Stopped.", "Steps that had finished are kept. Ask again to go on."
    return "Something went wrong in the server; its log says more.", "Try again, or ask in another way."
