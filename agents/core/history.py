"""The conversation an agent keeps: appended to only, repaired where it came from elsewhere, trimmed by a
hook.

Every pass is a function from messages to messages that may be run twice. A call is never parted from its
result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage

Counter = Callable[[Message], int]


class Conversation:
    """`messages` is the history as kept; `view` is what a model may be sent: the same, if need be repaired."""

    __slots__ = ("_known", "messages", "view")

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.view: list[Message] = messages
        self._known = 0

    def refresh(self) -> None:
        """Look again at a history that someone else may have changed."""
        if len(self.messages) != self._known:
            repaired = repair(self.messages, keep_pending=True)
            self.view = self.messages if repaired == self.messages else repaired
            self._known = len(self.messages)

    def append(self, message: Message) -> None:
        self.messages.append(message)
        if self.view is not self.messages:
            self.view.append(message)
        self._known += 1

    def pending(self) -> tuple[ToolCall, ...]:
        """Calls at the end of the history that have no result yet."""
        last = self.view[-1] if self.view else None
        return last.calls if isinstance(last, AssistantMessage) else ()

    def close_pending(self, why: str = "The call was cancelled.") -> None:
        """Give every call without a result one that says so."""
        calls = self.pending()
        if calls:
            self.append(ToolMessage(tuple(cancelled(call, why) for call in calls)))


def cancelled(call: ToolCall, why: str = "The call was cancelled.") -> ToolResult:
    return ToolResult(call.id, call.name, why, ok=False, error="cancelled", summary="Cancelled")


def repair(messages: Iterable[Message], *, keep_pending: bool = False) -> list[Message]:
    """A history that every provider accepts: each call with exactly one result, nothing empty, nothing twice.

    With `keep_pending` the calls of the very last reply may still wait for their results.
    """
    return drop_empty(pair_results(drop_duplicate_calls(messages), keep_pending=keep_pending))


def drop_duplicate_calls(messages: Iterable[Message]) -> list[Message]:
    """Of calls with one id within a reply the first stays."""
    kept: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage) and len({call.id for call in message.calls}) < len(
            message.calls
        ):
            first = {call.id: call for call in reversed(message.calls)}
            message = replace(message, calls=tuple(call for call in message.calls if first[call.id] is call))
        kept.append(message)
    return kept


def pair_results(messages: Iterable[Message], *, keep_pending: bool = False) -> list[Message]:
    """After each reply with calls one message with their results in order; a cancelled one where none is."""
    kept: list[Message] = []
    waiting: AssistantMessage | None = None
    found: dict[str, ToolResult] = {}

    def close(pending: bool = False) -> None:
        nonlocal waiting
        if waiting is not None and not (pending and not found):
            results = (found.get(call.id) or cancelled(call) for call in waiting.calls)
            kept.append(ToolMessage(tuple(results)))
        waiting = None

    for message in messages:
        if isinstance(message, ToolMessage):
            if waiting is not None:
                ids = {call.id for call in waiting.calls}
                for result in message.results:
                    if result.call_id in ids:
                        found.setdefault(result.call_id, result)
            continue
        close()
        kept.append(message)
        if isinstance(message, AssistantMessage) and message.calls:
            waiting, found = message, {}
    close(pending=keep_pending)
    return kept


def drop_empty(messages: Iterable[Message]) -> list[Message]:
    """Without messages that say nothing."""
    return [
        message
        for message in messages
        if not (isinstance(message, UserMessage) and not message.text.strip())
        and not (isinstance(message, AssistantMessage) and not message.text.strip() and not message.calls)
        and not (isinstance(message, ToolMessage) and not message.results)
    ]


def drop_foreign(messages: Iterable[Message], calling_type: str) -> list[Message]:
    """Without the opaque parts that other providers left: what an adapter sends is its own."""
    kept: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage) and any(key != calling_type for key in message.opaque):
            own = {key: value for key, value in message.opaque.items() if key == calling_type}
            message = replace(message, opaque=own)
        kept.append(message)
    return kept


def estimate_tokens(message: Message) -> int:
    """A rough count without a tokenizer: four bytes a token, and a few for the frame of each message."""
    if isinstance(message, UserMessage):
        return 4 + len(message.text.encode()) // 4
    if isinstance(message, AssistantMessage):
        calls = sum(8 + (len(call.name) + len(call.arguments.encode())) // 4 for call in message.calls)
        return 4 + len(message.text.encode()) // 4 + calls
    return 4 + sum(8 + len(result.content.encode()) // 4 for result in message.results)


def trim(messages: Sequence[Message], tokens: int, *, count: Counter = estimate_tokens) -> list[Message]:
    """The newest messages that fit the budget: whole user turns first, then parts of the current one.

    A reply and the results of its calls stay together, and the newest user message always stays.
    """
    blocks = blocks_of(messages)
    newest_user = next(
        (index for index in range(len(blocks) - 1, -1, -1) if isinstance(blocks[index][0], UserMessage)), None
    )
    sizes = [sum(count(message) for message in block) for block in blocks]
    left = tokens - (sizes[newest_user] if newest_user is not None else 0)
    kept: set[int] = set() if newest_user is None else {newest_user}
    for index in range(len(blocks) - 1, -1, -1):
        if index in kept:
            continue
        if sizes[index] > left:
            break
        left -= sizes[index]
        kept.add(index)
    first = min((index for index in kept if isinstance(blocks[index][0], UserMessage)), default=0)
    return [message for index in sorted(kept) if index >= first for message in blocks[index]]


def blocks_of(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages that may only go together: a reply with calls and its results."""
    blocks: list[list[Message]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and blocks:
            blocks[-1].append(message)
        else:
            blocks.append([message])
    return blocks
