"""pydantic-ai on a scripted model. Runs in the benchmark's own environment, as a script."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.usage import UsageLimits

# This environment knows nothing of the project, so the shared part is loaded by its path.
_spec = importlib.util.spec_from_file_location("measuring", Path(__file__).with_name("measuring.py"))
assert _spec is not None
assert _spec.loader is not None
measuring = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measuring)

replies: Sequence[Any] = ()
asked: list[float] = []


def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    step = len(asked)
    asked.append(time.process_time())
    reply = replies[step]
    if isinstance(reply, str):
        return ModelResponse(parts=[TextPart(reply)])
    return ModelResponse(
        parts=[
            ToolCallPart(name, text, tool_call_id=f"call_{step}_{number}")
            for number, (name, text) in enumerate(reply)
        ]
    )


agent = Agent(FunctionModel(play), retries=3)


@agent.tool_plain
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


async def run(given: Sequence[Any]) -> Sequence[float]:
    global replies, asked
    replies, asked = given, []
    await agent.run("go", usage_limits=UsageLimits(request_limit=100))
    return asked


values: list[str] = []


async def with_values(context: RunContext[None], definition: ToolDefinition) -> ToolDefinition:
    schema = definition.parameters_json_schema
    properties = {"table": {**schema["properties"]["table"], "enum": values}}
    return replace(definition, parameters_json_schema={**schema, "properties": properties})


async def show(table: str) -> str:
    """Show a table."""
    return table


dynamic = Agent(FunctionModel(play), tools=[Tool(show, prepare=with_values)])


async def run_dynamic(given: Sequence[Any], wanted: list[str]) -> None:
    global replies, asked, values
    replies, asked, values = given, [], wanted
    await dynamic.run("go")


if __name__ == "__main__":
    measuring.report(run, run_dynamic)
