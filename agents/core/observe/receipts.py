"""Receipts: what the collaborators of a tool note while it runs, such as the queries that gave its numbers.

A tool need not hand them on: whatever is noted between the beginning and the end of a call, on whichever task or
thread, goes with the call's `ToolResult`; what an agent's tool noted inside another agent's, with both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Receipt = Mapping[str, Any]
"""Plain JSON values."""

_open: ContextVar[list[Receipt] | None] = ContextVar("receipts", default=None)


def note(receipt: Receipt) -> None:
    """Keep a receipt with the call that is running; outside of a call nothing happens."""
    kept = _open.get()
    if kept is not None:
        kept.append(receipt)


def wanted() -> bool:
    """Whether anybody would keep a receipt now, for those that are work to make."""
    return _open.get() is not None


@contextmanager
def collecting() -> Iterator[list[Receipt]]:
    """A list of what is noted within the block. It is noted around the block, too, when that ends."""
    around = _open.get()
    own: list[Receipt] = []
    token = _open.set(own)
    try:
        yield own
    finally:
        _open.reset(token)
        if around is not None:
            around.extend(own)
