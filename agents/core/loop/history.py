"""The conversation of an agent: append-only, repaired when it was loaded from elsewhere, trimmed by a hook.

Every pass is a function from messages to messages that may be run twice. A call and its result are always kept or
dropped together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.tokens import estimate_tokens, message_size

Counter = Callable[[Message], int]
INTERRUPTED = "(This turn was stopped before it had an answer.)"
"""The reply of a turn that ended without one, as the next model call reads it."""


_IN_USE: set[int] = set()
"""Ids of the message lists that a turn is working on; the turn holds references, so ids are not reused."""


class Conversation:
    """A conversation. `messages` is the history as stored; `view` is what a model may be sent: repaired where
    necessary."""

    __slots__ = ("_has_objection", "_known", "messages", "size", "view")

    def __init__(self, messages: list[Message]) -> None:
        self.messages = messages
        self.view: list[Message] = messages
        self._known = 0
        self._has_objection = False
        self.size = 0
        """Approximate size of the view as sent, in bytes."""

    def refresh(self) -> None:
        """Read the history again, in case someone else changed it."""
        if len(self.messages) != self._known or self._has_objection:
            self._has_objection = False
            repaired = repair(self.messages, keep_pending=True)
            self.view = self.messages if repaired == self.messages else repaired
            self._known = len(self.messages)
            self.size = sum(map(message_size, self.view))

    def claim(self) -> bool:
        """Reserve the list of messages for one turn. Returns False while another turn, of any agent, holds it."""
        if id(self.messages) in _IN_USE:
            return False
        _IN_USE.add(id(self.messages))
        return True

    def release(self) -> None:
        """Release the reservation."""
        _IN_USE.discard(id(self.messages))

    def append(self, message: Message) -> None:
        """Append a message to the history and the view."""
        self.messages.append(message)
        if self.view is not self.messages:
            self.view.append(message)
        self._known += 1
        self.size += message_size(message)

    def object(self, reply: AssistantMessage, objection: str) -> None:
        """Show the model, for the rest of the turn, its reply and why it must write another one. The history gets
        neither."""
        self.view, self._has_objection = [*self.view, reply, UserMessage(objection)], True
        self.size += sum(map(message_size, self.view[-2:]))

    def pending(self) -> tuple[ToolCall, ...]:
        """Calls at the end of the history that have no result yet."""
        last = self.view[-1] if self.view else None
        return last.calls if isinstance(last, AssistantMessage) else ()

    def ask(self, text: str) -> None:
        """Append the user's next message. What the previous turn left open is closed first: calls without a
        result, and a missing answer, after which some providers refuse a user message."""
        self.close_pending()
        if self.view and not isinstance(self.view[-1], AssistantMessage):
            self.append(AssistantMessage(INTERRUPTED))
        self.append(UserMessage(text))

    def hold(self, calls: tuple[ToolCall, ...]) -> None:
        """Store the pending calls, with completed arguments, while they wait for the user's approval."""
        last = self.view[-1]
        assert isinstance(last, AssistantMessage)  # noqa: S101 - pending calls are the end of the history
        for messages in (self.messages, self.view):
            messages[-1] = replace(last, calls=calls)

    def close_pending(self) -> None:
        """Give every call without a result a result that says so."""
        calls = self.pending()
        if calls:
            self.append(ToolMessage(tuple(cancelled(call) for call in calls)))


def cancelled(call: ToolCall, why: str = "The call was cancelled.") -> ToolResult:
    """The result of a cancelled call; the model reads `why`."""
    return ToolResult(call.id, call.name, why, ok=False, error="cancelled", summary="Cancelled")


def repair(messages: Iterable[Message], *, keep_pending: bool = False) -> list[Message]:
    """A history that every provider accepts: each call with exactly one result, nothing empty, nothing twice, and a
    reply before each further message of the user.

    With `keep_pending` the calls of the very last reply may still wait for their results."""
    paired = pair_results(drop_duplicate_calls(messages), keep_pending=keep_pending)
    return alternate(drop_empty(paired))


def drop_duplicate_calls(messages: Iterable[Message]) -> list[Message]:
    """Keep the first of several calls with the same id within a reply."""
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
    """After each reply with calls one message with their results in order; a missing result becomes a cancelled one."""
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
    """Remove messages without content."""
    return [
        message
        for message in messages
        if not (isinstance(message, UserMessage) and not message.text.strip())
        and not (isinstance(message, AssistantMessage) and not message.text.strip() and not message.calls)
        and not (isinstance(message, ToolMessage) and not message.results)
    ]


def alternate(messages: Iterable[Message]) -> list[Message]:
    """Insert a short reply between two user messages, and between results and a user message."""
    kept: list[Message] = []
    for message in messages:
        if isinstance(message, UserMessage) and kept and not isinstance(kept[-1], AssistantMessage):
            kept.append(AssistantMessage(INTERRUPTED))
        kept.append(message)
    return kept


def trim(messages: Sequence[Message], tokens: int, *, count: Counter = estimate_tokens) -> list[Message]:
    """The newest messages that fit the budget: whole user turns first, then parts of the current one.

    A reply and the results of its calls stay together, and the newest user message always stays."""
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
    """Groups of messages that must stay together: a reply with calls, and its results."""
    blocks: list[list[Message]] = []
    for message in messages:
        if isinstance(message, ToolMessage) and blocks:
            blocks[-1].append(message)
        else:
            blocks.append([message])
    return blocks
