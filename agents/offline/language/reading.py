"""Limits on reading a request, and the thread that reads it, so that no text blocks the event loop.

`MAX_STEPS` counts token look-ups and stops texts that backtracking would read in too many ways. It is a
count, not a time, so the same text is always read or always declined.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from agents.offline.answers import refusals

MAX_CHARACTERS = 1_000
MAX_TOKENS = 120
MAX_COMMANDS = 12
MAX_STEPS = 300_000
MAX_KEPT = 128
"""Maximum number of cached readings per table index."""

P = ParamSpec("P")
T = TypeVar("T")

_READER = ThreadPoolExecutor(1, thread_name_prefix="offline-reader")


class Unreadable(Exception):
    """A request exceeds the limits; `reason` is the text for the user."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


TOO_LONG = Unreadable(refusals.TOO_LONG(words=MAX_TOKENS, characters=MAX_CHARACTERS, commands=MAX_COMMANDS))
TOO_INVOLVED = Unreadable(refusals.TOO_INVOLVED())


class Ambiguous(Exception):
    """The request has several equally likely meanings."""

    def __init__(self, meanings: Iterable[str]) -> None:
        self.meanings = tuple(meanings)
        super().__init__(f"several meanings: {', '.join(self.meanings)}")


@dataclass(frozen=True, slots=True)
class Unhashed:
    """A part of a cache key that is compared but not hashed."""

    parts: tuple[object, ...] = field(hash=False)


_KEPT: WeakKeyDictionary[object, LRUCache[Hashable, Any]] = WeakKeyDictionary()
"""Results of `read_once` by owner. Used only in the reader thread."""


async def read_once(owner: object, key: Hashable, function: Callable[[], T]) -> T:
    """Cached `read`, for what every step of a turn reads again.

    `key`: all that the result depends on, besides today's date and `owner`. Results are dropped with their owner.
    """
    return await read(_kept, owner, (key, datetime.date.today()), function)


def _kept(owner: object, key: Hashable, function: Callable[[], T]) -> T:
    results = _KEPT.setdefault(owner, LRUCache(MAX_KEPT))
    if key not in results:
        results[key] = function()
    return cast("T", results[key])


async def read(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that reads text in the reader thread, one at a time."""
    return await asyncio.get_running_loop().run_in_executor(_READER, lambda: function(*args, **kwargs))
