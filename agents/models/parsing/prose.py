"""For models that cannot call tools by themselves: tools described as text, and a conversation without
calls.

Used by `text`, `structured_output` and `none`, each of which says how a call is written down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import ToolSpec

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


def call_object(call: ToolCall, name_field: str) -> str:
    """`{"name": ..., "arguments": {...}}`, with arguments that never were JSON as they are."""
    try:
        json.loads(call.arguments)
        arguments = call.arguments
    except ValueError:
        arguments = json.dumps(call.arguments, ensure_ascii=False)
    return f'{{"{name_field}": {json.dumps(call.name)}, "arguments": {arguments}}}'
