"""Keeping a long conversation within a model's context: trimming to a token budget, or summarising what is old.

Both are used from an agent's `@hook.history`; the history itself is never shortened."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence

from agents.core.loop.history import Counter, blocks_of, trim
from agents.core.messages import AssistantMessage, Message, UserMessage
from agents.core.tokens import estimate_tokens

Summarise = Callable[[Sequence[Message]], Awaitable[str]]


def keep_within(
    tokens: int, *, count: Counter = estimate_tokens
) -> Callable[[Sequence[Message]], Sequence[Message]]:
    """A function that trims to the newest messages within a budget, whole turns first."""
    return lambda messages: trim(messages, tokens, count=count)


class Summary:
    """Replaces what is older than the newest `keep_tokens` by a summary, once the whole exceeds `over_tokens`.

    `summarise` is called once for each stretch that is dropped; its result is kept and extended, so the beginning
    of the prompt stays the same from step to step and a prompt cache can serve it."""

    def __init__(
        self, summarise: Summarise, *, over_tokens: int, keep_tokens: int, count: Counter = estimate_tokens
    ) -> None:
        if keep_tokens >= over_tokens:
            raise ValueError("keep_tokens must be less than over_tokens")
        self._summarise = summarise
        self._over, self._keep, self._count = over_tokens, keep_tokens, count
        self._text = ""
        self._covered = 0
        self._mark = b""

    async def __call__(self, messages: Sequence[Message]) -> Sequence[Message]:
        if self._covered > len(messages) or self._mark != _mark(messages[: self._covered]):
            self._text, self._covered, self._mark = "", 0, b"" if not messages else _mark(())
        rest = messages[self._covered :]
        if sum(map(self._count, rest)) > self._over:
            cut = self._covered + self._old(rest)
            if cut > self._covered:
                old = [*self._before(), *messages[self._covered : cut]]
                self._text = await self._summarise(old)
                self._covered, self._mark = cut, _mark(messages[:cut])
        return [*self._before(), *messages[self._covered :]]

    def _before(self) -> list[Message]:
        if not self._text:
            return []
        return [
            UserMessage("What happened before, in short:\n" + self._text),
            AssistantMessage("I have read it."),
        ]

    def _old(self, messages: Sequence[Message]) -> int:
        """How many messages to summarise: whole turns, except for the newest one."""
        kept, left = len(messages), self._keep
        newest = True
        blocks = blocks_of(messages)
        position = len(messages)
        for block in reversed(blocks):
            position -= len(block)
            left -= sum(map(self._count, block))
            if left < 0 and not newest:
                break
            if isinstance(block[0], UserMessage):
                kept, newest = position, False
        return 0 if newest else kept


def _mark(messages: Sequence[Message]) -> bytes:
    """Identifies the covered messages, to notice when the history has changed."""
    digest = hashlib.blake2b(digest_size=16)
    for message in messages:
        digest.update(repr(message).encode(errors="replace"))
    return digest.digest()
