"""OpenAI's Responses API: streamed, stateless (`store` is off), with reasoning items kept across steps.

A reply's items are kept in `AssistantMessage.opaque` and sent back as they were, encrypted thoughts included, so
that a reasoning model continues where it stopped. A reasoning item without encrypted thoughts names something
that the API keeps only with `store`, so it is dropped. Messages of another model are sent as plain items."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import Completed, ModelError, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.models.adapters.base import Schema, StreamDeadlines, number_of
from agents.models.adapters.call_ids import IncomingIds, OutgoingIds
from agents.models.adapters.openai_client import OpenAIAdapter
from agents.models.adapters.strict_mode import as_allowed, tool_parameters
from agents.models.errors import from_status

log = logging.getLogger(__name__)
_THOUGHT = ("type", "id", "summary", "content", "encrypted_content")
_WRITING = {"response.output_text.delta", "response.refusal.delta", "response.function_call_arguments.delta"}
_LIFECYCLE = {"response.created", "response.queued", "response.in_progress"}


class OpenAIResponses(OpenAIAdapter):
    """The Responses API of OpenAI (https://platform.openai.com/docs/api-reference/responses)."""

    calling = "openai_responses"
    _without_thoughts = False
    """The server has refused to give encrypted thoughts: the `reasoning` quirk is wrong for this model."""

    def _touch(self, client: Any) -> Any:
        return client.responses

    async def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        body = self._body(request, schema)
        try:
            async for event in self._asked(request, body, deadlines):
                yield event
            return
        except Exception as error:
            if "include" not in body or not _refuses_thoughts(error):
                raise
        if not self._without_thoughts:  # another request may have been refused at the same time
            log.warning("%s refuses to return encrypted reasoning; requests no longer ask for it.", self.name)
        self._without_thoughts = True
        async for event in self._asked(request, self._body(request, schema), deadlines):
            yield event

    def _asked(
        self, request: ModelRequest, body: dict[str, Any], deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        create, reply = self.client().responses.create, _Reply(self, IncomingIds(request.messages))
        return self._read(
            create, body, reply, deadlines, lambda event: event.type not in _LIFECYCLE, _written
        )

    def _body(self, request: ModelRequest, schema: Schema | None) -> dict[str, Any]:
        quirks = self.config.quirks
        body: dict[str, Any] = {
            "model": self.config.model,
            "input": self._input(request.messages),
            "store": False,
        }
        if request.system:
            body["instructions"] = "\n\n".join(request.system)
        if request.tools:
            body["tools"] = tool_definitions(as_allowed(request.tools, strict=self.config.strict))
            body["tool_choice"] = request.tool_choice
            if quirks.parallel_tool_calls is not None:
                body["parallel_tool_calls"] = quirks.parallel_tool_calls
        if schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": dict(schema)}}
        if limit := request.max_output_tokens or self.max_output_tokens:
            body["max_output_tokens"] = limit
        if quirks.reasoning and not self._without_thoughts:
            body["include"] = ["reasoning.encrypted_content"]
        if quirks.reasoning_effort:
            body["reasoning"] = {"effort": quirks.reasoning_effort}
        return {**body, **self._further_fields()}

    def _input(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        ids = OutgoingIds()
        items: list[dict[str, Any]] = []
        for message in messages:
            match message:
                case UserMessage(text=text):
                    items.append({"role": "user", "content": text})
                case AssistantMessage():
                    items.extend(self._own_items(message) or _plain_items(message, ids))
                case ToolMessage(results=results):
                    items.extend(
                        {
                            "type": "function_call_output",
                            "call_id": ids.of(result.call_id),
                            "output": result.content,
                        }
                        for result in results
                    )
        return items

    def _own_items(self, message: AssistantMessage) -> list[dict[str, Any]] | None:
        """The items that this model returned, unless the message's calls were changed since."""
        kept = message.opaque.get(self.calling)
        if not isinstance(kept, dict) or kept.get("model") != self.name:
            return None
        items = [one for one in kept["items"] if one["type"] != "reasoning" or one.get("encrypted_content")]
        calls = {item["call_id"] for item in items if item["type"] == "function_call"}
        return items if calls == {call.id for call in message.calls} else None


def tool_definitions(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as the Responses API takes them."""
    tools: list[dict[str, Any]] = []
    for spec in specs:
        parameters, strict = tool_parameters(spec)
        tools.append(
            {
                "type": "function",
                "name": spec.name,
                "description": spec.description,
                "parameters": parameters,
                "strict": strict,
            }
        )
    return tools


class _Reply:
    """Reads the events of one response, one after the other."""

    def __init__(self, adapter: OpenAIResponses, ids: IncomingIds) -> None:
        self.ended = False
        self._adapter = adapter
        self._items: list[dict[str, Any]] = []
        self._calls: list[ToolCall] = []
        self._texts: list[str] = []
        self._ids = ids
        self._refused = False
        self._part: tuple[str | None, int | None] | None = None

    def read(self, event: Any) -> list[ModelEvent]:
        match event.type:
            case "response.output_text.delta":
                return self._text(event)
            case "response.refusal.delta":
                self._refused = True
                return self._text(event)
            case "response.output_item.done":
                self._keep(event.item)
            case "response.completed" | "response.incomplete":
                return self._end(event.response)
            case "response.failed":
                error = event.response.error
                raise self._failure(getattr(error, "code", ""), getattr(error, "message", ""))
            case "error":
                raise self._failure(event.code or "", event.message or "")
        return []

    def whole(self, response: Any) -> list[ModelEvent]:
        """A response that did not stream."""
        if response.status == "failed":
            error = response.error
            raise self._failure(getattr(error, "code", ""), getattr(error, "message", ""))
        return self._end(response)

    def _text(self, event: Any) -> list[ModelEvent]:
        if not event.delta:
            return []
        part = (getattr(event, "item_id", None), getattr(event, "content_index", None))
        apart = self._part is not None and part != self._part
        self._part = part
        return [TextDelta("\n\n" + event.delta if apart else event.delta)]

    def _keep(self, item: Any) -> None:
        match item.type:
            case "message":
                self._texts.append(_words(item))
                self._refused = self._refused or any(part.type == "refusal" for part in item.content or ())
                kept = {"type": "message", "role": "assistant", "content": _words(item)}
                if phase := getattr(item, "phase", None):
                    kept["phase"] = phase
                self._items.append(kept)
            case "function_call":
                call = ToolCall(self._ids.of(item.call_id), item.name, item.arguments or "")
                self._calls.append(call)
                self._items.append(_call_item(call, call.id))
            case "reasoning" if getattr(item, "encrypted_content", None):
                whole = item.to_dict(mode="json")
                self._items.append(
                    {"summary": [], **{name: whole[name] for name in _THOUGHT if whole.get(name)}}
                )

    def _end(self, response: Any) -> list[ModelEvent]:
        self.ended = True
        if not self._items:  # of a reply in one piece, and of servers that name the items only at the end
            for item in response.output or []:
                self._keep(item)
        # Proxies that only pretend to stream send no text before the end.
        unsaid = "" if self._part is not None else "\n\n".join(filter(None, self._texts))
        reason = getattr(response.incomplete_details, "reason", None)
        refused = self._refused or reason == "content_filter"
        finish: Any = "refusal" if refused else "tool_calls" if self._calls else "stop"
        if reason == "max_output_tokens":
            finish = "length"
        opaque = {self._adapter.calling: {"model": self._adapter.name, "items": self._items}}
        keeps = any(item["type"] == "reasoning" or "phase" in item for item in self._items)
        completed = Completed(
            self._usage(response.usage), finish, opaque if keeps else {}, self._adapter.name
        )
        return [*([TextDelta(unsaid)] if unsaid else []), *self._calls, completed]

    def _usage(self, usage: Any) -> Any:
        if usage is None:
            return self._adapter.usage(0, 0)
        return self._adapter.usage(
            number_of(getattr(usage, "input_tokens", None)),
            number_of(getattr(usage, "output_tokens", None)),
            cached=number_of(getattr(usage.input_tokens_details, "cached_tokens", None)),
            reasoning=number_of(getattr(usage.output_tokens_details, "reasoning_tokens", None)),
        )

    def _failure(self, code: str, message: str) -> ModelError:
        status = 429 if "rate_limit" in code else 400 if code.startswith("invalid") else 500
        return from_status(status, code, message, self._adapter.config)


def _refuses_thoughts(error: Exception) -> bool:
    """Whether the API has refused `include: reasoning.encrypted_content`."""
    return getattr(error, "status_code", None) == 400 and "encrypted" in str(error).lower()


def _written(event: Any) -> int:
    """Characters of text and arguments in an event."""
    return len(event.delta) if event.type in _WRITING else 0


def _plain_items(message: AssistantMessage, ids: OutgoingIds) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if message.text:
        items.append({"type": "message", "role": "assistant", "content": message.text})
    items.extend(_call_item(call, ids.of(call.id)) for call in message.calls)
    return items


def _call_item(call: ToolCall, call_id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": call.name, "arguments": call.arguments}


def _words(item: Any) -> str:
    parts = item.content or []
    return "".join(getattr(part, "text", None) or getattr(part, "refusal", None) or "" for part in parts)
