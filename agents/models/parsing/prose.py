"""For models that cannot call tools by themselves: tools described as text, and a conversation without calls.

Used by `text`, `structured_output` and `none`, each of which says how a call is written down."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import ModelRequest, ToolSpec

WriteReply = Callable[[AssistantMessage], str]


def describe(tools: Sequence[ToolSpec]) -> str:
    """One paragraph a tool: its name, what it does, and the JSON schema of its arguments."""
    return "\n\n".join(
        f"### {tool.name}\n{tool.description}\nArguments: {json.dumps(tool.parameters, ensure_ascii=False)}"
        for tool in tools
    )


def without_calls(messages: Sequence[Message], write: WriteReply) -> list[Message]:
    """The same conversation in text alone: `write` says how the model would have written its reply."""
    plain: list[Message] = []
    for message in messages:
        match message:
            case AssistantMessage():
                plain.append(AssistantMessage(write(message)))
            case ToolMessage(results=results):
                text = "\n".join(
                    f'<tool_result name="{result.name}" ok="{str(result.ok).lower()}">\n{result.content}\n'
                    "</tool_result>"
                    for result in results
                )
                plain.append(UserMessage(text))
            case UserMessage():
                plain.append(message)
    return plain


def in_prose(
    request: ModelRequest, write: WriteReply, how: str, must: str, otherwise: str = ""
) -> ModelRequest:
    """The request without tools. Where the model may call some, the system message says which and `how`, and that it
    `must` where it has to; where it may not, `otherwise`."""
    text, required = otherwise, []
    if request.tools and request.tool_choice != "none":
        text = f"{how}\n\n{describe(request.tools)}"
        required = [must] if request.tool_choice == "required" else []
    # Behind the parts that stay the same from call to call, as this one does.
    at = min(request.stable_parts, len(request.system))
    added = [text] if text else []
    return replace(
        request,
        system=[*request.system[:at], *added, *request.system[at:], *required],
        stable_parts=at + len(added),
        messages=without_calls(request.messages, write),
        tools=(),
        tool_choice="auto",
    )


def call_object(call: ToolCall, name_field: str) -> str:
    """`{"name": ..., "arguments": {...}}`, with arguments that never were JSON as they are."""
    try:
        json.loads(call.arguments)
        arguments = call.arguments
    except ValueError:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
    return f'{{"{name_field}": {json.dumps(call.name)}, "arguments": {arguments}}}'
