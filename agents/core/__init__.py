"""The tool-dispatch framework: tools, toolboxes, agents and the loop between a model and its tools.

Depends on nothing of the project and on no provider; pydantic and docstring-parser are imported when a tool's
declaration needs them."""

from agents.core.clients import register_client_adapter
from agents.core.errors import DeclarationError, ToolFailed, ToolRetry, ToolUnavailable
from agents.core.limits import Limits
from agents.core.loop.agent import Agent
from agents.core.loop.events import (
    AgentEvent,
    ApprovalNeeded,
    AssistantText,
    Delta,
    Finished,
    Forwarded,
    ToolDone,
    ToolStarted,
)
from agents.core.loop.hooks import hook
from agents.core.loop.registry import AgentRegistry, hand_over
from agents.core.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    ToolResult,
    Usage,
    UserMessage,
)
from agents.core.model import Completed, Model, ModelError, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.core.observe.telemetry import Telemetry, telemetry
from agents.core.storage import dump_history, load_history
from agents.core.tools.base_tool import BaseTool
from agents.core.tools.context import ToolContext
from agents.core.tools.param import Param
from agents.core.tools.results import Result
from agents.core.tools.snapshot import Snapshot
from agents.core.tools.tool import Tool, tool
from agents.core.tools.toolbox import ToolBox

__all__ = [
    "Agent", "AgentEvent", "AgentRegistry", "ApprovalNeeded", "AssistantMessage", "AssistantText", "BaseTool",
    "Completed", "DeclarationError", "Delta", "Finished", "Forwarded", "Limits", "Message", "Model", "ModelError",
    "ModelEvent", "ModelRequest", "Param", "Result", "Snapshot", "Telemetry", "TextDelta", "Tool", "ToolBox",
    "ToolCall", "ToolContext", "ToolDone", "ToolFailed", "ToolMessage", "ToolResult", "ToolRetry", "ToolSpec",
    "ToolStarted", "ToolUnavailable", "Usage", "UserMessage", "dump_history", "hand_over", "hook", "load_history",
    "register_client_adapter", "telemetry", "tool",
]  # fmt: skip
