"""What a tool raises to steer the model, and what the framework raises at its developer.

Only `ToolRetry` and `ToolFailed` carry words to the model. Any other exception in a tool becomes a generic
failure with an error id; its text and traceback go to the log and nowhere else.
"""

from __future__ import annotations


class ToolSignal(Exception):
    """Base of the exceptions whose message is written for the model."""

    def __init__(self, message: str, *, summary: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.summary = summary


class ToolRetry(ToolSignal):
    """The model should call again with better arguments; the message says which. Counts against `retries`."""


class ToolFailed(ToolSignal):
    """The tool cannot do this; the message says why, and what can be done instead."""


class DeclarationError(TypeError):
    """A tool is declared in a way that cannot work. Raised while the toolbox is made, never in a turn."""
