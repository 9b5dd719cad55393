"""Bounds of reading a request, and the thread in which it is read, so that no text holds the event loop.

`MAX_STEPS` counts looks at a token. It stops a text that the backtracking rules would try in too many ways, and it
is a count rather than a time, so that the same text is always read or always declined.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from cachetools import LRUCache

from agents.offline.answers import refusals

MAX_CHARACTERS = 1_000
MAX_TOKENS = 120
MAX_COMMANDS = 12
MAX_STEPS = 300_000
MAX_KEPT = 128
"""Results of reading requests that are kept for one index of tables."""

P = ParamSpec("P")
T = TypeVar("T")

_READER = ThreadPoolExecutor(1, thread_name_prefix="offline-reader")


class Unreadable(Exception):
    """A request is beyond the bounds; `reason` says so to the person."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


TOO_LONG = Unreadable(refusals.TOO_LONG(words=MAX_TOKENS, characters=MAX_CHARACTERS, commands=MAX_COMMANDS))
TOO_INVOLVED = Unreadable(refusals.TOO_INVOLVED())


class Ambiguous(Exception):
    """The same words mean different things, and none of these is the likelier one."""

    def __init__(self, meanings: Iterable[str]) -> None:
        self.meanings = tuple(meanings)
        super().__init__(f"several meanings: {', '.join(self.meanings)}")


@dataclass(frozen=True, slots=True)
class Unhashed:
    """The part of a key that can be compared, but not hashed."""

    parts: tuple[object, ...] = field(hash=False)


_KEPT: WeakKeyDictionary[object, LRUCache[Hashable, Any]] = WeakKeyDictionary()
"""By owner the results of `read_once`. Only the thread of readings uses it."""


async def read_once(owner: object, key: Hashable, function: Callable[[], T]) -> T:
    """As `read`, for what the steps of a turn read again. `key` is all that the result depends on besides `owner`,
    with which the results are forgotten, and today's date."""
    return await read(_kept, owner, (key, datetime.date.today()), function)


def _kept(owner: object, key: Hashable, function: Callable[[], T]) -> T:
    results = _KEPT.setdefault(owner, LRUCache(MAX_KEPT))
    try:
        found: T = results[key]
    except KeyError:
        found = results[key] = function()
    return found


async def read(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that reads text, one at a time, beside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(_READER, lambda: function(*args, **kwargs))
