"""Chat Completions, as OpenAI, Groq, Mistral, vLLM and many others serve it; where they differ is in `Quirks`."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.models.adapters.base import Schema, StreamDeadlines, expect_stream
from agents.models.adapters.call_ids import IncomingIds, OutgoingIds, arguments_text
from agents.models.adapters.openai_client import OpenAIAdapter
from agents.models.adapters.strict_mode import as_allowed, tool_parameters
from agents.models.adapters.thoughts import ThoughtFilter


class OpenAIChat(OpenAIAdapter):
    """The Chat Completions API of OpenAI, which many other servers offer, too."""

    calling = "openai_chat"

    def _touch(self, client: Any) -> Any:
        return client.chat.completions

    async def _attempt(
        self, request: ModelRequest, schema: Schema | None, deadlines: StreamDeadlines
    ) -> AsyncGenerator[ModelEvent, None]:
        completions = self.client().chat.completions
        body = self._body(request, schema)
        reply = _Reply(self)
        if self.config.quirks.streaming:
            async with (
                await deadlines.within(completions.create(**body, stream=True)) as stream,
                aclosing(deadlines.over(stream, lambda chunk: bool(chunk.choices), _written)) as chunks,
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
                    sent.extend(_assistant(message, ids))
                case ToolMessage(results=results):
                    sent.extend(
                        {"role": "tool", "tool_call_id": ids.of(result.call_id), "content": result.content}
                        for result in results
                    )
        return sent


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


class _Reply:
    """Gathers the chunks of one reply. Calls come in fragments, which their index distinguishes."""

    def __init__(self, adapter: OpenAIChat) -> None:
        self._adapter = adapter
        self._slots: list[_Slot] = []
        self._finish: str | None = None
        self._refused = False
        self._usage: Any = None
        self._thoughts = ThoughtFilter()

    def read(self, chunk: Any) -> list[TextDelta]:
        self._usage = getattr(chunk, "usage", None) or self._usage
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        if choice.delta is None:
            return []
        for fragment in choice.delta.tool_calls or ():
            self._slot(fragment).add(fragment)
        return self._text_of(choice.delta)

    def whole(self, completion: Any) -> list[TextDelta]:
        """A completion that did not stream."""
        self._usage = completion.usage
        choice = completion.choices[0]
        self._finish = choice.finish_reason or "stop"
        for n, call in enumerate(choice.message.tool_calls or ()):
            self._slots.append(_Slot(n))
            self._slots[-1].add(call)
        return self._text_of(choice.message)

    def end(self, ids: IncomingIds) -> list[ModelEvent]:
        if self._finish is None:
            raise ConnectionError("the stream ended before the reply was finished")
        rest = self._thoughts.rest()
        calls: list[ModelEvent] = [
            ToolCall(ids.of(slot.id), slot.name, slot.arguments) for slot in self._slots if slot.name
        ]
        finish: Any = "tool_calls" if calls else "stop"
        if self._refused or self._finish == "content_filter":
            finish = "refusal"
        elif self._finish == "length":
            finish = "length"
        return [
            *([TextDelta(rest)] if rest else []),
            *calls,
            Completed(self._priced(), finish, model=self._adapter.name),
        ]

    def _text_of(self, words: Any) -> list[TextDelta]:
        refusal = getattr(words, "refusal", None)
        self._refused = self._refused or bool(refusal)
        text = self._thoughts.without(_text(words.content)) + (refusal or "")
        return [TextDelta(text)] if text else []

    def _slot(self, fragment: Any) -> _Slot:
        """Servers exist that leave the index out, or give each of several calls the index 0."""
        index = getattr(fragment, "index", None)
        new_id = fragment.id or None
        for slot in self._slots:
            same_place = slot.index == index if index is not None else slot is self._slots[-1]
            if same_place and (new_id is None or slot.id is None or slot.id == new_id):
                return slot
        self._slots.append(_Slot(index))
        return self._slots[-1]

    def _priced(self) -> Any:
        usage = self._usage
        if usage is None:
            return self._adapter.usage(0, 0)
        return self._adapter.usage(
            _count(usage.prompt_tokens),
            _count(usage.completion_tokens),
            cached=getattr(usage.prompt_tokens_details, "cached_tokens", 0) or 0,
            reasoning=getattr(usage.completion_tokens_details, "reasoning_tokens", 0) or 0,
        )


def _count(tokens: Any) -> int:
    """Some servers leave numbers out, or send them as texts."""
    return int(tokens) if isinstance(tokens, int) or str(tokens).isdecimal() else 0


class _Slot:
    """A call that is being written."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: str | None = None
        self.name = ""
        self._pieces: list[str] = []

    @property
    def arguments(self) -> str:
        return "".join(self._pieces) or "{}"

    def add(self, fragment: Any) -> None:
        self.id = fragment.id or self.id
        if fragment.function is not None:
            self.name = fragment.function.name or self.name
            self._pieces.append(_arguments(fragment.function.arguments))


def _arguments(arguments: Any) -> str:
    """As text; some servers send them as an object."""
    return json.dumps(arguments) if isinstance(arguments, dict) else arguments or ""


def _written(chunk: Any) -> int:
    """Characters of text and arguments in a chunk."""
    count = 0
    for choice in (chunk.choices or ())[:1]:
        if choice.delta is not None:
            count += len(_text(choice.delta.content)) + len(getattr(choice.delta, "refusal", None) or "")
            functions = (fragment.function for fragment in choice.delta.tool_calls or ())
            count += sum(
                len(_arguments(function.arguments)) for function in functions if function is not None
            )
    return count


def _assistant(message: AssistantMessage, ids: OutgoingIds) -> list[dict[str, Any]]:
    calls = [
        {
            "id": ids.of(call.id),
            "type": "function",
            "function": {"name": call.name, "arguments": arguments_text(call)},
        }
        for call in message.calls
    ]
    if not calls:
        return [{"role": "assistant", "content": message.text}] if message.text else []
    return [{"role": "assistant", "content": message.text or None, "tool_calls": calls}]


def _response_format(schema: Schema, how: str) -> dict[str, Any]:
    if how == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(schema)}}


def _text(content: Any) -> str:
    """Mistral's reasoning models send a list of parts, thoughts among them."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if part.get("type") == "text")
    return content or ""
