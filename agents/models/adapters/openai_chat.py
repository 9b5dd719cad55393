"""Chat Completions, as OpenAI, Groq, Mistral, vLLM and many others serve it; where they differ is in `Quirks`."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from agents.core.model import ModelEvent, ModelRequest, ToolSpec
from agents.models.adapters.base import Schema, StreamDeadlines, expect_stream
from agents.models.adapters.call_ids import IncomingIds, OutgoingIds, arguments_text
from agents.models.adapters.chat_reply import SIGNATURE, THOUGHTS, ChatReply, kept_parts, written
from agents.models.adapters.openai_client import OpenAIAdapter
from agents.models.adapters.strict_mode import as_allowed, tool_parameters

log = logging.getLogger(__name__)


class OpenAIChat(OpenAIAdapter):
    """The Chat Completions API of OpenAI, which many other servers offer, too."""

    calling = "openai_chat"
    _misses_thoughts = False
    """The server has refused calls of earlier replies without thoughts: it gets empty ones."""

    def _touch(self, client: Any) -> Any:
        return client.chat.completions

    async def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        misses_thoughts = self._misses_thoughts
        try:
            async for event in self._asked(request, schema, deadlines):
                yield event
            return
        except Exception as error:
            if misses_thoughts or not _demands_thoughts(error) or not _has_calls(request):
                raise
        if not self._misses_thoughts:  # another request may have been refused at the same time
            log.warning("%s misses thoughts of earlier replies; it gets empty ones from now on.", self.name)
        self._misses_thoughts = True
        async for event in self._asked(request, schema, deadlines):
            yield event

    async def _asked(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        completions = self.client().chat.completions
        body = self._body(request, schema)
        reply = ChatReply(self)
        if self.config.quirks.streaming:
            async with (
                await deadlines.within(completions.create(**body, stream=True)) as stream,
                aclosing(deadlines.over(stream, lambda chunk: bool(chunk.choices), written)) as chunks,
            ):
                await expect_stream(stream, self.config, deadlines)
                async for chunk in chunks:
                    for delta in reply.read(chunk):
                        yield delta
        else:
            for delta in reply.whole(await deadlines.within(completions.create(**body))):
                yield delta
        for event in reply.end(IncomingIds(request.messages)):
            yield event

    def _body(self, request: ModelRequest, schema: Schema | None) -> dict[str, Any]:
        quirks = self.config.quirks
        body: dict[str, Any] = {
            "model": self.config.model,
            "messages": [*self._system(request.system), *self._messages(request.messages)],
        }
        if request.tools:
            body["tools"] = tool_definitions(as_allowed(request.tools, strict=self.config.strict))
            required = request.tool_choice == "required"
            body["tool_choice"] = quirks.required_tool_choice if required else request.tool_choice
            if quirks.parallel_tool_calls is not None:
                body["parallel_tool_calls"] = quirks.parallel_tool_calls
        if schema is not None and quirks.native_schema != "none":
            body["response_format"] = _response_format(schema, quirks.native_schema)
        if quirks.streaming and quirks.stream_usage:
            body["stream_options"] = {"include_usage": True}
        if limit := request.max_output_tokens or self.max_output_tokens:
            body[quirks.max_tokens_field] = limit
        if quirks.reasoning_effort:
            body["reasoning_effort"] = quirks.reasoning_effort
        return {**body, **self._further_fields()}

    def _system(self, parts: Sequence[str]) -> list[dict[str, Any]]:
        return [{"role": self.config.quirks.system_role, "content": "\n\n".join(parts)}] if parts else []

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        ids = OutgoingIds(self.config.quirks.call_id_length)
        sent: list[dict[str, Any]] = []
        for message in messages:
            match message:
                case UserMessage(text=text):
                    sent.append({"role": "user", "content": text})
                case AssistantMessage():
                    sent.extend(self._assistant(message, ids))
                case ToolMessage(results=results):
                    sent.extend(
                        {"role": "tool", "tool_call_id": ids.of(result.call_id), "content": result.content}
                        for result in results
                    )
        return sent

    def _assistant(self, message: AssistantMessage, ids: OutgoingIds) -> list[dict[str, Any]]:
        if not message.calls:
            return [{"role": "assistant", "content": message.text}] if message.text else []
        kept = kept_parts(message, self.calling, self.name)
        calls: list[dict[str, Any]] = []
        for call in message.calls:
            function = {"name": call.name, "arguments": arguments_text(call)}
            calls.append({"id": ids.of(call.id), "type": "function", "function": function})
            if signature := kept.get("signatures", {}).get(call.id):
                calls[-1][SIGNATURE] = signature
        sent = {"role": "assistant", "content": message.text or None, "tool_calls": calls}
        if kept.get(THOUGHTS) or self._misses_thoughts:
            sent[THOUGHTS] = kept.get(THOUGHTS, "")
        return [sent]


def tool_definitions(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as Chat Completions takes them."""
    tools: list[dict[str, Any]] = []
    for spec in specs:
        parameters, strict = tool_parameters(spec)
        function: dict[str, Any] = {
            "name": spec.name,
            "description": spec.description,
            "parameters": parameters,
        }
        tools.append({"type": "function", "function": {**function, "strict": True} if strict else function})
    return tools


def _response_format(schema: Schema, how: str) -> dict[str, Any]:
    if how == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}


def _demands_thoughts(error: Exception) -> bool:
    """Whether the server refused calls of earlier replies because their thoughts were not sent back."""
    return getattr(error, "status_code", None) == 400 and THOUGHTS in str(error)


def _has_calls(request: ModelRequest) -> bool:
    return any(isinstance(message, AssistantMessage) and message.calls for message in request.messages)
