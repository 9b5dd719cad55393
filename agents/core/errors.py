"""Exceptions that a tool raises to steer the model, and one for mistakes in a tool's declaration.

The model reads the messages of `ToolRetry` and `ToolFailed` only. Any other exception in a tool becomes a generic
failure with an error id; its text and traceback go to the log only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MAX_FAULTS_SHOWN = 5


class ToolSignal(Exception):
    """Base class of the exceptions whose message the model reads."""

    def __init__(self, message: str, *, summary: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.summary = summary


class ToolRetry(ToolSignal):
    """The model should call again with better arguments; the message says which. Counts against `retries`."""


class ToolFailed(ToolSignal):
    """The tool cannot do this; the message says why, and what can be done instead."""


class ToolUnavailable(ToolFailed):
    """What the tool needs is busy or unreachable; the same call may work later. Ends the turn as failed, with this
    message for the user, which says when to try again."""


class DeclarationError(TypeError):
    """A tool's declaration cannot work. Raised while the toolbox is made, never during a turn."""


def faults_in(subject: str, error: ValidationError) -> str:
    """Where and why a document is invalid, in one line, without its values. `subject` names the document."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    places = [
        f"{'.'.join(map(str, fault['loc']))[:80] or subject}: {fault['msg']}"
        for fault in faults[:MAX_FAULTS_SHOWN]
    ]
    more = f" and {len(faults) - MAX_FAULTS_SHOWN} more" if len(faults) > MAX_FAULTS_SHOWN else ""
    return f"{'; '.join(places)}{more}"
