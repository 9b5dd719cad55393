"""A data source that runs each query once: many readings of a request look up the same values and counts."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from agents.domain import Count, FoundPlaces
from agents.ports import DataSource, Filter
from agents.text_search import TextSearch

T = TypeVar("T")


class AskedOnce:
    """A cache over a data source. Failures are not cached."""

    def __init__(self, data: DataSource) -> None:
        self._data = data
        self._answers: dict[str, Any] = {}

    async def count(self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None) -> int:
        """Cached `DataSource.count`."""
        return await self._once(self._data.count, table, filter, within)

    async def counted(
        self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None
    ) -> Count:
        """Cached `DataSource.counted`."""
        return await self._once(self._data.counted, table, filter, within)

    async def bounds(self, table: str) -> Mapping[str, Any]:
        """Cached `DataSource.bounds`."""
        return await self._once(self._data.bounds, table)

    async def quality(self, table: str) -> Mapping[str, Any]:
        """Cached `DataSource.quality`."""
        return await self._once(self._data.quality, table)

    async def stats(self, table: str, column: str, filter: Filter = None) -> Mapping[str, Any]:
        """Cached `DataSource.stats`."""
        return await self._once(self._data.stats, table, column, filter)

    async def query(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        filter: Filter = None,
        sort: str | None = None,
        descending: bool = False,
        limit: int = 20,
        *,
        lonlat: bool = False,
    ) -> Mapping[str, Any]:
        """Cached `DataSource.query`."""
        return await self._once(
            self._data.query, table, columns, filter, sort, descending, limit, lonlat=lonlat
        )

    async def find_texts(self, search: TextSearch) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Cached `DataSource.find_texts`."""
        return await self._once(self._data.find_texts, search)

    async def find_place(self, text: str, limit: int = 5) -> FoundPlaces:
        """Cached `DataSource.find_place`."""
        return await self._once(self._data.find_place, text, limit)

    async def _once(self, question: Callable[..., Awaitable[T]], *args: Any, **options: Any) -> T:
        key = json.dumps((question.__name__, args, options), default=str, sort_keys=True)
        if key not in self._answers:
            self._answers[key] = await question(*args, **options)
        found: T = self._answers[key]
        return found


_ASKED: WeakKeyDictionary[object, AskedOnce] = WeakKeyDictionary()


def asked_once(agent: object, data: DataSource) -> AskedOnce:
    """The cached data source of an agent, since `forget_answers`."""
    return _ASKED.setdefault(agent, AskedOnce(data))


def forget_answers(agent: object) -> None:
    """Drop cached answers: a new step begins, and the previous one may have changed the data."""
    _ASKED.pop(agent, None)
