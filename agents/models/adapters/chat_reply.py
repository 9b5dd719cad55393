"""One reply of Chat Completions, read chunk by chunk, tolerant of the ways in which servers differ.

What a server expects to be sent back with the calls of a reply (thoughts, signatures) is kept in
`AssistantMessage.opaque`: DeepSeek, Kimi and Gemini refuse the next request without it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import Completed, ModelError, ModelEvent, TextDelta
from agents.models.adapters.base import Adapter, number_of
from agents.models.adapters.call_ids import IncomingIds
from agents.models.adapters.thoughts import ThoughtFilter
from agents.models.errors import ended_early, from_status

THOUGHTS = "reasoning_content"
SIGNATURE = "extra_content"
"""What a server adds to a call, such as Gemini's signature of its thoughts."""


class ChatReply:
    """Gathers the chunks of one reply. Calls come in fragments, which their index or their id distinguishes."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._slots: list[_Slot] = []
        self._finish: str | None = None
        self._refused = False
        self._usage: Any = None
        self._filter = ThoughtFilter()
        self._thoughts: list[str] = []

    def read(self, chunk: Any) -> list[TextDelta]:
        """The text of another chunk."""
        self._usage = getattr(chunk, "usage", None) or self._usage
        if not chunk.choices:
            self._raise_reported(chunk)
            return []
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        words = _words(choice)
        if words is None:
            return []
        for fragment in _fragments(words):
            self._slot(fragment).add(fragment)
        return self._text_of(words)

    def whole(self, completion: Any) -> list[TextDelta]:
        """The text of a completion that did not stream."""
        if not getattr(completion, "choices", None):
            self._raise_reported(completion)
            raise ended_early(self._adapter.config)
        self._usage = completion.usage
        choice = completion.choices[0]
        self._finish = choice.finish_reason or "stop"
        for n, call in enumerate(_fragments(choice.message)):
            self._slots.append(_Slot(n))
            self._slots[-1].add(call)
        return self._text_of(choice.message)

    def end(self, ids: IncomingIds) -> list[ModelEvent]:
        """The calls, and the end of the reply."""
        if self._finish is None:
            raise ended_early(self._adapter.config)
        rest = self._filter.rest()
        slots = [slot for slot in self._slots if slot.name]
        calls: list[ModelEvent] = []
        signatures: dict[str, Any] = {}
        for slot in slots:
            call = ToolCall(ids.of(slot.id), slot.name, slot.arguments)
            calls.append(call)
            if slot.signature:
                signatures[call.id] = slot.signature
        finish: Any = "tool_calls" if calls else "stop"
        if self._refused or self._finish == "content_filter":
            finish = "refusal"
        elif self._finish == "length":
            finish = "length"
        opaque = self._opaque(signatures) if calls else {}
        return [
            *([TextDelta(rest)] if rest else []),
            *calls,
            Completed(self._priced(), finish, opaque, self._adapter.name),
        ]

    def _opaque(self, signatures: Mapping[str, Any]) -> dict[str, Any]:
        thoughts = "".join(self._thoughts)
        if not thoughts and not signatures:
            return {}
        kept = {"model": self._adapter.name, THOUGHTS: thoughts, "signatures": dict(signatures)}
        return {self._adapter.calling: kept}

    def _text_of(self, words: Any) -> list[TextDelta]:
        if thoughts := _text(getattr(words, THOUGHTS, None)):
            self._thoughts.append(thoughts)
        refusal = getattr(words, "refusal", None)
        self._refused = self._refused or bool(refusal)
        text = self._filter.without(_text(getattr(words, "content", None))) + (refusal or "")
        return [TextDelta(text)] if text else []

    def _slot(self, fragment: Any) -> _Slot:
        """The call that a fragment belongs to. Servers exist that leave the index out, give each of several calls the
        index 0, or give each fragment of a call another id."""
        index = getattr(fragment, "index", None)
        for slot in reversed(self._slots):
            same_place = slot.index == index if index is not None else slot is self._slots[-1]
            if same_place and not slot.is_followed_by(fragment):
                return slot
        self._slots.append(_Slot(index))
        return self._slots[-1]

    def _raise_reported(self, chunk: Any) -> None:
        """Raise the error that some servers send in the place of a chunk, with status 200."""
        fault = getattr(chunk, "error", None)
        if fault is None and getattr(chunk, "object", None) == "error":
            fault = {name: getattr(chunk, name, None) for name in ("message", "type", "code")}
        if isinstance(fault, str):
            fault = {"message": fault}
        if isinstance(fault, Mapping):
            raise self._reported(fault)

    def _reported(self, fault: Mapping[str, Any]) -> ModelError:
        code = fault.get("code")
        number = number_of(code)
        status = number if 400 <= number < 600 else 500
        kind = f"{code or ''} {fault.get('type') or ''}"
        return from_status(status, kind, str(fault.get("message") or ""), self._adapter.config)

    def _priced(self) -> Any:
        usage = self._usage
        if usage is None:
            return self._adapter.usage(0, 0)
        return self._adapter.usage(
            number_of(getattr(usage, "prompt_tokens", None)),
            number_of(getattr(usage, "completion_tokens", None)),
            cached=number_of(getattr(usage.prompt_tokens_details, "cached_tokens", None)),
            reasoning=number_of(getattr(usage.completion_tokens_details, "reasoning_tokens", None)),
        )


class _Slot:
    """A call that is being written."""

    def __init__(self, index: int | None) -> None:
        self.index = index
        self.id: str | None = None
        self.name = ""
        self.signature: Any = None
        self._pieces: list[str] = []

    @property
    def arguments(self) -> str:
        return "".join(self._pieces) or "{}"

    def add(self, fragment: Any) -> None:
        self.id = self.id or fragment.id or None
        self.signature = getattr(fragment, SIGNATURE, None) or self.signature
        if fragment.function is not None:
            self.name = fragment.function.name or self.name
            self._pieces.append(_arguments(fragment.function.arguments))

    def is_followed_by(self, fragment: Any) -> bool:
        """Whether the fragment begins another call: with a name and another id, or a name after whole arguments."""
        function = fragment.function
        if function is not None and not function.name:
            return False
        if fragment.id and self.id:
            return bool(fragment.id != self.id)
        return function is not None and bool(self.name) and self._is_whole()

    def _is_whole(self) -> bool:
        if not self._pieces or not self._pieces[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads(self.arguments), dict)
        except ValueError:
            return False


def written(chunk: Any) -> int:
    """Characters of text and arguments in a chunk."""
    size = 0
    for choice in (chunk.choices or ())[:1]:
        words = _words(choice)
        if words is not None:
            size += len(_text(getattr(words, "content", None))) + len(getattr(words, "refusal", None) or "")
            functions = (fragment.function for fragment in _fragments(words))
            size += sum(len(_arguments(function.arguments)) for function in functions if function is not None)
    return size


def kept_parts(message: AssistantMessage, calling: str, model: str) -> Mapping[str, Any]:
    """The thoughts and signatures that this model has sent with a reply; empty if it was another one."""
    kept = message.opaque.get(calling)
    return kept if isinstance(kept, dict) and kept.get("model") == model else {}


def _words(choice: Any) -> Any:
    """What a choice adds. Some servers send a whole message as their only chunk."""
    message = getattr(choice, "message", None)
    if isinstance(message, Mapping):
        from openai.types.chat.chat_completion_chunk import ChoiceDelta

        return ChoiceDelta.construct(**message)
    return getattr(choice, "delta", None)


def _fragments(words: Any) -> Sequence[Any]:
    calls = getattr(words, "tool_calls", None)
    return calls if isinstance(calls, list) else ()


def _arguments(arguments: Any) -> str:
    """As text; some servers send them as an object."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments)


def _text(content: Any) -> str:
    """Mistral's reasoning models send a list of parts, thoughts among them."""
    if isinstance(content, list):
        parts = (part for part in content if isinstance(part, dict) and part.get("type") == "text")
        return "".join(part.get("text") or "" for part in parts)
    return content if isinstance(content, str) else ""
