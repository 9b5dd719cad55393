"""A data source that runs each query once: many readings of a request look up the same values and counts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

from agents.ports import DataSource


class AskedOnce:
    """A cache over a data source. Failures are not cached."""

    def __init__(self, data: DataSource) -> None:
        self._data = data
        self._answers: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """A query of the data source that runs once for each of its arguments."""
        return partial(self._once, getattr(self._data, name))

    async def _once(self, question: Callable[..., Awaitable[Any]], *args: Any, **options: Any) -> Any:
        key = json.dumps((question.__name__, args, options), default=str, sort_keys=True)
        if key not in self._answers:
            self._answers[key] = await question(*args, **options)
        return self._answers[key]


_ASKED: WeakKeyDictionary[object, AskedOnce] = WeakKeyDictionary()


def asked_once(agent: object, data: DataSource) -> DataSource:
    """The cached data source of an agent, since `forget_answers`."""
    return cast("DataSource", _ASKED.setdefault(agent, AskedOnce(data)))


def forget_answers(agent: object) -> None:
    """Drop cached answers: a new step begins, and the previous one may have changed the data."""
    _ASKED.pop(agent, None)
