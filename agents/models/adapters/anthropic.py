"""Anthropic's Messages API: content blocks, parallel results in one user message, marks for the prompt cache.

A reply with thinking blocks, signed by the provider, is kept in `AssistantMessage.opaque` and sent back to the same
model with its blocks in their original order, which the API requires."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.models.adapters.base import Adapter, Schema, StreamDeadlines
from agents.models.adapters.call_ids import IncomingIds, OutgoingIds, arguments_object

_CACHED = {"type": "ephemeral"}
_DEFAULT_OUTPUT_TOKENS = 4096
_CHOICES = {"auto": "auto", "required": "any", "none": "none"}
_FINISH: dict[str, Any] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_THOUGHTS = ("thinking", "redacted_thinking")
Block = dict[str, Any]


class Anthropic(Adapter):
    """The Messages API of Anthropic (https://docs.anthropic.com/en/api/messages)."""

    calling = "anthropic"

    @property
    def max_output_tokens(self) -> int:
        """Every request has to name a limit."""
        return self.config.quirks.max_output_tokens or _DEFAULT_OUTPUT_TOKENS

    def _make_client(self) -> Any:
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

        # The SDK's own HTTP client closes its sockets when it is garbage-collected, when their file descriptors
        # may already belong to others; this one closes them in `aclose` only.
        http = DefaultAsyncHttpxClient()
        client = AsyncAnthropic(api_key=self.config.key, base_url=self.config.base_url, http_client=http)
        return self._limited(client)

    def _touch(self, client: Any) -> Any:
        return client.messages

    def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        create, reply = self.client().messages.create, _Reply(self, IncomingIds(request.messages))
        body = self._body(request, schema)
        return self._read(
            create, body, reply, deadlines, lambda event: event.type != "message_start", _written
        )

    def _limited(self, client: Any) -> Any:
        from anthropic import Timeout

        timeout = Timeout(connect=self.config.timeouts.connect, read=None, write=60, pool=60)
        return client.with_options(max_retries=0, timeout=timeout)

    def _body(self, request: ModelRequest, schema: Schema | None) -> dict[str, Any]:
        quirks = self.config.quirks
        body: dict[str, Any] = {
            "model": self.config.model,
            "max_tokens": request.max_output_tokens or self.max_output_tokens,
            "messages": self._messages(request.messages),
        }
        if request.system:
            body["system"] = [{"type": "text", "text": part} for part in request.system]
        if request.tools:
            body["tools"] = tool_definitions(request.tools)
            body["tool_choice"] = {"type": _CHOICES[request.tool_choice]}
        if quirks.prompt_cache:
            _mark(body, request.stable_parts)
        if schema is not None and quirks.native_schema == "json_schema":
            body["output_config"] = {"format": {"type": "json_schema", "schema": dict(schema)}}
        return {**body, **self._further_fields()}

    def _messages(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Roles must alternate: consecutive messages of one role are merged."""
        ids = OutgoingIds()
        sent: list[dict[str, Any]] = []
        for message in messages:
            role = "assistant" if isinstance(message, AssistantMessage) else "user"
            blocks = self._blocks(message, ids)
            if sent and sent[-1]["role"] == role:
                sent[-1]["content"].extend(blocks)
            elif blocks:
                sent.append({"role": role, "content": blocks})
        return sent

    def _blocks(self, message: Message, ids: OutgoingIds) -> list[Block]:
        match message:
            case UserMessage(text=text):
                return [{"type": "text", "text": text}]
            case ToolMessage(results=results):
                return [
                    {
                        "type": "tool_result",
                        "tool_use_id": ids.of(result.call_id),
                        "content": result.content,
                        "is_error": not result.ok,
                    }
                    for result in results
                ]
            case AssistantMessage():
                return self._own_blocks(message, ids) or _text_blocks(message, ids)

    def _own_blocks(self, message: AssistantMessage, ids: OutgoingIds) -> list[Block] | None:
        """The blocks that this model returned, in their order, unless the message's calls were changed since."""
        kept = message.opaque.get(self.calling)
        if not isinstance(kept, dict) or kept.get("model") != self.name or "blocks" not in kept:
            return None
        calls = {call.id: call for call in message.calls}
        blocks: list[Block] = []
        for block in kept["blocks"]:
            if block["type"] != "tool_use":
                blocks.append(block)
            elif (call := calls.pop(block["id"], None)) is not None:
                blocks.append(_tool_use(call, ids))
        return None if calls else blocks


def tool_definitions(specs: Iterable[ToolSpec]) -> list[dict[str, Any]]:
    """Tools as the Messages API takes them."""
    return [
        {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}
        for spec in specs
    ]


class _Reply:
    """Reads the events of one message; blocks are identified by their index."""

    def __init__(self, adapter: Anthropic, ids: IncomingIds) -> None:
        self.ended = False
        self._adapter = adapter
        self._ids = ids
        self._blocks: dict[int, Any] = {}
        self._json: dict[int, list[str]] = {}
        self._kept: dict[int, Block] = {}
        """The blocks as they are sent back, by index; calls by their id only."""
        self._spoke = False
        self._apart = False
        self._stop: str | None = None
        self._usage: dict[str, int] = {}

    def read(self, event: Any) -> list[ModelEvent]:
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                return self._start(event.index, event.content_block)
            case "content_block_delta":
                return self._delta(event.index, event.delta)
            case "message_delta":
                self._stop = event.delta.stop_reason or self._stop
                self._count(event.usage)
                details = getattr(event.delta, "stop_details", None)
                why = getattr(details, "explanation", None)
                if self._stop == "refusal" and not self._spoke and why:
                    return self._say(why)
            case "message_stop":
                return self._end()
        return []

    def whole(self, message: Any) -> list[ModelEvent]:
        """A message that did not stream."""
        parts = [out for n, block in enumerate(message.content) for out in self._start(n, block)]
        self._stop = message.stop_reason
        self._count(message.usage)
        return [*parts, *self._end()]

    def _start(self, index: int, block: Any) -> list[ModelEvent]:
        self._blocks[index] = block
        match block.type:
            case "tool_use":
                self._json[index] = [json.dumps(block.input, ensure_ascii=False)] if block.input else []
            case "thinking":
                self._kept[index] = {
                    "type": "thinking",
                    "thinking": block.thinking or "",
                    "signature": block.signature or "",
                }
            case "redacted_thinking":
                self._kept[index] = {"type": "redacted_thinking", "data": block.data}
            case "text":
                self._apart = self._spoke
                self._kept[index] = {"type": "text", "text": block.text}
                return self._say(block.text)
        return []

    def _delta(self, index: int, delta: Any) -> list[ModelEvent]:
        match delta.type:
            case "text_delta":
                self._kept[index]["text"] += delta.text
                return self._say(delta.text)
            case "input_json_delta":
                self._json.get(index, []).append(delta.partial_json)
            case "thinking_delta":
                self._kept[index]["thinking"] += delta.thinking
            case "signature_delta":
                self._kept[index]["signature"] += delta.signature
        return []

    def _say(self, text: str) -> list[ModelEvent]:
        if not text:
            return []
        apart, self._apart, self._spoke = self._apart, False, True
        return [TextDelta("\n\n" + text if apart else text)]

    def _end(self) -> list[ModelEvent]:
        self.ended = True
        calls: list[ModelEvent] = []
        for index, pieces in self._json.items():
            block = self._blocks[index]
            call = ToolCall(self._ids.of(block.id), block.name, "".join(pieces) or "{}")
            calls.append(call)
            self._kept[index] = {"type": "tool_use", "id": call.id}
        finish = _FINISH.get(self._stop or "", "tool_calls" if calls else "stop")
        blocks = [block for _, block in sorted(self._kept.items()) if block.get("text", "-").strip()]
        thought = any(block["type"] in _THOUGHTS for block in blocks)
        kept = {"model": self._adapter.name, "blocks": blocks}
        opaque = {self._adapter.calling: kept} if thought else {}
        return [*calls, Completed(self._priced(), finish, opaque, self._adapter.name)]

    def _count(self, usage: Any) -> None:
        """Counts are cumulative: a later event's counts replace earlier ones."""
        fields = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        self._usage |= {name: count for name in fields if (count := getattr(usage, name, None)) is not None}

    def _priced(self) -> Any:
        count = self._usage.get
        cached, written = count("cache_read_input_tokens", 0), count("cache_creation_input_tokens", 0)
        whole = count("input_tokens", 0) + cached + written
        return self._adapter.usage(whole, count("output_tokens", 0), cached=cached, cache_write=written)


def _written(event: Any) -> int:
    """Characters of text and arguments in an event."""
    if event.type != "content_block_delta":
        return 0
    return len(getattr(event.delta, "text", None) or getattr(event.delta, "partial_json", None) or "")


def _text_blocks(message: AssistantMessage, ids: OutgoingIds) -> list[Block]:
    words = [{"type": "text", "text": message.text}] if message.text.strip() else []
    return [*words, *(_tool_use(call, ids) for call in message.calls)]


def _tool_use(call: ToolCall, ids: OutgoingIds) -> Block:
    return {"type": "tool_use", "id": ids.of(call.id), "name": call.name, "input": arguments_object(call)}


def _mark(body: dict[str, Any], stable_parts: int) -> None:
    """The tools, the stable parts of the system message, and the conversation so far may be cached."""
    if body.get("tools"):
        body["tools"][-1] = {**body["tools"][-1], "cache_control": _CACHED}
    if body.get("system") and stable_parts:
        body["system"][min(stable_parts, len(body["system"])) - 1]["cache_control"] = _CACHED
    if body["messages"] and body["messages"][-1]["role"] == "user":
        body["messages"][-1]["content"][-1]["cache_control"] = _CACHED
