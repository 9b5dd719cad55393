"""Every form in which tools can be exported, by the name that `geoagent tools --format` gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agents.core.model import ToolSpec
from agents.core.tools.exports import json_schema, markdown, openapi
from agents.models.adapters import anthropic, openai_chat, openai_responses

FORMATS: Mapping[str, Callable[[Iterable[ToolSpec]], Any]] = {
    "json": json_schema,
    "openai": openai_responses.tool_definitions,
    "openai-chat": openai_chat.tool_definitions,
    "anthropic": anthropic.tool_definitions,
    "markdown": markdown,
    "openapi": openapi,
}
