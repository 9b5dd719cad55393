"""Texts for users: why an analysis ended early or repeated a step."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.worded import Template, stored_wording, wording_of
from server.gis.errors import DataUnavailable, GisError

NARROW = Template("failed_narrow", "Narrow the question, or ask for a part of it.")
LESS = Template("failed_less", "Try again, or ask for less at once.")
STOPPED = Template("failed_stopped", "Stopped.")
SERVER = Template("failed_server", "Something went wrong in the server; its log says more.")
OTHERWISE = Template("failed_otherwise", "Try again, or ask in another way.")
GO_ON = Template("failed_go_on", "Steps that had finished are kept. Ask again to go on.")
OUTAGE = Template("failed_outage", "The database became unreachable, and a second try did not work either.")
WHEN_BACK = Template(
    "failed_when_back", "Steps that had finished are kept. Try again when the database is back."
)
IN_A_MOMENT = Template("failed_in_a_moment", "Steps that had finished are kept. Try again in a moment.")

RUN_AGAIN = Template(
    "step_run_again", "The database connection was lost during this step, so it was run again"
)
OUTAGE_REASON = OUTAGE()
OUTAGE_ADVICE = WHEN_BACK()
BUSY_ADVICE = IN_A_MOMENT()
OUTAGE_MESSAGE = Template(
    "analysis_outage",
    "The database became unreachable{at}, and a second try did not work either, so the analysis could not be finished. "
    "Steps that had finished are kept. Try again when the database is back.",
)
OUTAGE_AT = Template("analysis_outage_at", " while “{step}” ran")


def failure(reason: str, advice: str) -> dict[str, Any]:
    """The two texts as `analysis_failed` has them."""
    texts = {"reason": str(reason), **stored_wording(reason), "advice": str(advice)}
    return {**texts, "advice_wording": stored_wording(advice)["wording"]} if wording_of(advice) else texts


def reason_of(error: BaseException) -> tuple[str, str]:
    """Two texts for users: why the analysis ended early, and what to try instead."""
    if isinstance(error, DataUnavailable):
        return error.message, OUTAGE_ADVICE
    if isinstance(error, ToolUnavailable):
        return error.message, BUSY_ADVICE
    if isinstance(error, GisError):
        return error.message, NARROW()
    if isinstance(error, ToolFailed):
        return error.message, LESS()
    if isinstance(error, asyncio.CancelledError):
        return STOPPED(), GO_ON()
    return SERVER(), OTHERWISE()
