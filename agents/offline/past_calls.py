"""What earlier calls of a conversation tell: their results, the layers that were spoken of, the latest result."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.scene import Done
from agents.offline.memory import Rows, recall

_QUESTIONS = ("count_features", "query_features", "column_stats")
_LAYER_ARGUMENTS = ("layer_id", "layer")


def calls_made(messages: Sequence[Message]) -> tuple[Done, ...]:
    """The calls in the messages with their results, in order."""
    calls = {
        call.id: call
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.calls
    }
    found = []
    for message in messages:
        for result in message.results if isinstance(message, ToolMessage) else ():
            call = calls.get(result.call_id)
            if call is not None:
                found.append(Done(call, {**_arguments(call), **result.filled}, result))
    return tuple(found)


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        parsed = json.loads(call.arguments or "{}")
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}


def layers_spoken_of(messages: Sequence[Message], vocabulary: Vocabulary) -> tuple[str, ...]:
    """The layers that were spoken of, the latest first: those of calls since the last answer that has a memory, then
    those of that memory. Of an analysis it is the layer that shows its result."""
    memory, remembered = recall(messages)
    found: list[str] = []
    for done in reversed(calls_made(messages[remembered:])):
        if done.call.name == "run_analysis":
            tables = [receipt.get("table") for receipt in done.result.receipts]
            drawn = [layer.id for layer in vocabulary.layers if layer.table in tables]
            if drawn or done.result.ok:
                return (*found, *drawn[-1:])
        for name in _LAYER_ARGUMENTS:
            layer_id = done.arguments.get(name)
            if done.result.ok and isinstance(layer_id, str) and layer_id not in found:
                found.append(layer_id)
    return (*found, *(each for each in memory.layers if each not in found))


def rows_asked_about(done: Done) -> Rows | None:
    """The rows that a question counted, listed or summed up; those of a ranking are not known by a filter."""
    asked = done.arguments
    if done.call.name not in _QUESTIONS or not done.result.ok or "sort" in asked:
        return None
    filters = asked.get("filters")
    return Rows(str(asked.get("table", "")), filters if isinstance(filters, dict) else None)


def latest_result(messages: Sequence[Message], vocabulary: Vocabulary) -> str | None:
    """The table of the latest analysis that left one, as long as the map has it."""
    for done in reversed(calls_made(messages)):
        if done.call.name in ("run_analysis", "run_recipe") and done.result.ok:
            tables = [str(receipt["table"]) for receipt in done.result.receipts if receipt.get("table")]
            results = [
                each for each in tables if (found := vocabulary.table(each)) is not None and found.is_result
            ]
            if results:
                return results[-1]
    return None
