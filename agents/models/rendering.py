"""Which of the tools may use strict mode: those that ask for it, where the provider has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.core.model import ToolSpec


def as_allowed(tools: Sequence[ToolSpec], *, strict: bool) -> Sequence[ToolSpec]:
    if strict or not any(tool.strict for tool in tools):
        return tools
    return [replace(tool, strict=False) if tool.strict else tool for tool in tools]
