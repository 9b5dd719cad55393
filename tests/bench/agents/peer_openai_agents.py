"""openai-agents on a scripted model, tracing off. Runs in the benchmark's own environment, as a script."""

from __future__ import annotations

import importlib.util
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agents import (
    Agent,
    FunctionTool,
    Model,
    ModelResponse,
    Runner,
    Usage,
    function_tool,
    set_tracing_disabled,
)

# This environment knows nothing of the project, so the shared part is loaded by its path.
_spec = importlib.util.spec_from_file_location("measuring", Path(__file__).with_name("measuring.py"))
assert _spec is not None
assert _spec.loader is not None
measuring = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(measuring)

replies: Sequence[Any] = ()
asked: list[float] = []


class Player(Model):
    async def get_response(self, *arguments: Any, **options: Any) -> ModelResponse:
        step = len(asked)
        asked.append(time.process_time())
        reply = replies[step]
        output: list[Any]
        if isinstance(reply, str):
            text = ResponseOutputText(text=reply, type="output_text", annotations=[])
            output = [
                ResponseOutputMessage(
                    id=f"message_{step}", content=[text], role="assistant", status="completed", type="message"
                )
            ]
        else:
            output = [
                ResponseFunctionToolCall(
                    id=f"item_{step}_{number}",
                    call_id=f"call_{step}_{number}",
                    name=name,
                    arguments=text,
                    type="function_call",
                )
                for number, (name, text) in enumerate(reply)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *arguments: Any, **options: Any) -> Any:
        raise NotImplementedError


@function_tool
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


set_tracing_disabled(True)
agent = Agent(name="bench", instructions="Be brief.", model=Player(), tools=[add])


async def run(given: Sequence[Any]) -> Sequence[float]:
    global replies, asked
    replies, asked = given, []
    await Runner.run(agent, "go", max_turns=100)
    return asked


async def show(context: Any, text: str) -> str:
    return str(json.loads(text)["table"])


async def run_dynamic(given: Sequence[Any], values: list[str]) -> None:
    """This framework has no dynamic schemas: the tool is made again each time, as its users do."""
    global replies, asked
    replies, asked = given, []
    schema = {
        "type": "object",
        "properties": {"table": {"type": "string", "enum": values}},
        "required": ["table"],
        "additionalProperties": False,
    }
    made = FunctionTool(
        name="show",
        description="Show a table.",
        params_json_schema=schema,
        on_invoke_tool=show,
        strict_json_schema=False,
    )
    await Runner.run(agent.clone(tools=[made]), "go", max_turns=100)


if __name__ == "__main__":
    measuring.report(run, run_dynamic)
