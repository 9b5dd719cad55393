"""The scripted model under the path that tests import it from."""

from __future__ import annotations

from agents.core.testing import Reply, ScriptedModel

__all__ = ["ScriptedModel", "play"]


def play(model: ScriptedModel, *replies: Reply) -> None:
    """Begin another script with the model of a shared server: the requests of the last one are forgotten."""
    model.replies[:] = replies
    model.requests.clear()
