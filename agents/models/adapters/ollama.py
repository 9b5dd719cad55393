"""Ollama: arguments come and go as objects, calls have no ids (they are made here), a schema may hold the reply."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.models.adapters.base import Adapter, Schema, StreamDeadlines
from agents.models.adapters.call_ids import IncomingIds, arguments_object
from agents.models.adapters.thoughts import ThoughtFilter
from agents.models.errors import ended_early

_SDK_KEEPS = {"type", "items", "description", "enum"}
"""The fields of a parameter that Ollama's SDK passes on; it silently drops all others."""


class Ollama(Adapter):
    """Ollama's own chat API (https://github.com/ollama/ollama/blob/main/docs/api.md)."""

    calling = "ollama"

    def _make_client(self) -> Any:
        from httpx import Timeout
        from ollama import AsyncClient

        timeout = Timeout(connect=self.config.timeouts.connect, read=None, write=60, pool=60)
        headers = {"Authorization": f"Bearer {self.config.key}"} if self.config.key else None
        hooks = {"response": [_raise_with_headers]}
        return AsyncClient(self.config.base_url, timeout=timeout, headers=headers, event_hooks=hooks)

    async def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        ids = IncomingIds(request.messages)
        calls: list[ToolCall] = []
        thoughts = ThoughtFilter()
        asked = self.client().chat(**self._body(request, schema), stream=self.config.quirks.streaming)
        answer = await deadlines.within(asked)
        async with (
            aclosing(answer if self.config.quirks.streaming else _once(answer)) as stream,
            aclosing(deadlines.over(stream, lambda part: True, _written)) as parts,
        ):
            async for part in parts:
                if text := thoughts.without(part.message.content or ""):
                    yield TextDelta(text)
                for call in part.message.tool_calls or ():
                    function = call.function
                    calls.append(ToolCall(ids.of(None), function.name, _as_json(function.arguments)))
                if part.done:
                    if rest := thoughts.rest():
                        yield TextDelta(rest)
                    for ready in calls:
                        yield ready
                    yield self._completed(part, bool(calls))
                    await deadlines.drain(stream)
                    return
        raise ended_early(self.config)

    def _completed(self, part: Any, called: bool) -> Completed:
        usage = self.usage(part.prompt_eval_count or 0, part.eval_count or 0)
        finish: Any = "length" if part.done_reason == "length" else "tool_calls" if called else "stop"
        return Completed(usage, finish, model=self.name)

    def _body(self, request: ModelRequest, schema: Schema | None) -> dict[str, Any]:
        quirks = self.config.quirks
        options: dict[str, Any] = dict(quirks.extra_body)
        if quirks.context_parameter:
            options["num_ctx"] = self.context_tokens
        if limit := request.max_output_tokens or self.max_output_tokens:
            options["num_predict"] = limit
        if quirks.temperature is not None:
            options["temperature"] = quirks.temperature
        system = [{"role": "system", "content": "\n\n".join(request.system)}] if request.system else []
        body: dict[str, Any] = {
            "model": self.config.model,
            "messages": [*system, *_messages(request.messages)],
            "options": options,
        }
        if request.tools and request.tool_choice != "none":
            body["tools"] = [_tool(spec) for spec in request.tools]
        if schema is not None and quirks.native_schema != "none":
            body["format"] = dict(schema) if quirks.native_schema == "json_schema" else "json"
        return body


async def _once(part: Any) -> AsyncGenerator[Any, None]:
    yield part


class _HTTPFault(Exception):
    """An HTTP error, with the body and the headers, which Ollama's SDK drops."""

    def __init__(self, response: Any, body: str) -> None:
        super().__init__(f"Error code: {response.status_code}")
        self.status_code: int = response.status_code
        self.response = response
        self.body = body


async def _raise_with_headers(response: Any) -> None:
    if response.status_code >= 400:
        raise _HTTPFault(response, (await response.aread()).decode(errors="replace"))


def _messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    for message in messages:
        match message:
            case UserMessage(text=text):
                sent.append({"role": "user", "content": text})
            case AssistantMessage():
                sent.append(
                    {
                        "role": "assistant",
                        "content": message.text,
                        "tool_calls": [
                            {"function": {"name": call.name, "arguments": arguments_object(call)}}
                            for call in message.calls
                        ],
                    }
                )
            case ToolMessage(results=results):
                sent.extend(
                    {"role": "tool", "tool_name": result.name, "content": result.content}
                    for result in results
                )
    return sent


def _tool(spec: ToolSpec) -> dict[str, Any]:
    parameters = dict(spec.parameters)
    properties = {name: _property(schema) for name, schema in parameters.get("properties", {}).items()}
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": {**parameters, "properties": properties},
    }
    return {"type": "function", "function": function}


def _property(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Parts of the schema that the SDK would drop (bounds, unions, nested fields) are added to the description."""
    kept = {key: value for key, value in schema.items() if key in _SDK_KEEPS}
    if any(key not in _SDK_KEEPS for key in schema):
        whole = {key: value for key, value in schema.items() if key != "description"}
        kept["description"] = f"{schema.get('description', '')} JSON schema: {json.dumps(whole)}".strip()
    return kept


def _written(part: Any) -> int:
    """Characters of text and arguments in a part of a reply."""
    calls = part.message.tool_calls or ()
    return len(part.message.content or "") + sum(len(_as_json(call.function.arguments)) for call in calls)


def _as_json(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)
