"""The scripted model under the path that tests import it from."""

from __future__ import annotations

from agents.core.testing import ScriptedModel

__all__ = ["ScriptedModel"]
