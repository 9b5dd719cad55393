"""Receipts: what the collaborators of a tool note while it runs, such as the queries that gave its numbers.

A tool need not pass them on: everything noted between the start and the end of a call, on any task or thread, is
attached to the call's `ToolResult`. When an agent is called as a tool, its receipts are attached to both calls."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any

Receipt = Mapping[str, Any]
"""Plain JSON values."""

_open: ContextVar[list[Receipt] | None] = ContextVar("receipts", default=None)


def note(receipt: Receipt) -> None:
    """Attach a receipt to the running tool call. Does nothing outside of a call."""
    kept = _open.get()
    if kept is not None:
        kept.append(receipt)


def wanted() -> bool:
    """Whether a receipt would be kept now; for receipts that are expensive to make."""
    return _open.get() is not None


class collecting:
    """A list of what is noted within the block. It is noted around the block, too, when that ends.

    Every tool call uses it; a generator would cost each one 1 µs more."""

    __slots__ = ("_around", "_own", "_token")

    def __enter__(self) -> list[Receipt]:
        self._around = _open.get()
        self._own: list[Receipt] = []
        self._token: Token[list[Receipt] | None] = _open.set(self._own)
        return self._own

    def __exit__(self, *_: object) -> None:
        _open.reset(self._token)
        if self._around is not None:
            self._around.extend(self._own)
