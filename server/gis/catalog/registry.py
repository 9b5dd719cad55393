"""The live catalogue of readable tables: what the agent may speak of and every identifier in SQL comes from
here.

Read as the reader role, so what that role may not read does not exist. Kept true by LISTEN on the DDL
triggers' channel, by a look after every reconnect, and by a cheap look every few seconds, which also
notices what no trigger tells (ANALYZE, rights, a database where triggers may not be made). Only what
changed is read again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import structlog
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.database import is_unavailable
from server.gis.catalog import entries as catalog
from server.gis.catalog.entries import Entry
from server.gis.catalog.probe import complete
from server.gis.catalog.search import SearchIndex, words_of
from server.gis.catalog.table_names import TableNames
from server.gis.errors import translated

log = structlog.get_logger(__name__)

CHANNEL = "geoagent_ddl"
POLL_SECONDS = 5.0
DEBOUNCE = 0.05
PATIENCE = 0.3
"""How long a change waits for the looks into its tables before it is published without them."""
START_PATIENCE = 5.0
CATALOGUE_SECONDS = 60.0
LONGEST_WAIT = 600.0
SLICE = 200


class Subscription(Protocol):
    async def close(self) -> None: ...


Listen = Callable[
    [Sequence[str], Callable[[str, str], None], Callable[[], None]],
    Awaitable[Subscription],
]
OnChange = Callable[[frozenset[str]], None]
"""Called with the ids of the tables that came, went or changed."""


class Registry:
    """Implements `agents.ports.TableRegistry`. `start` before use, `stop` at the end."""

    def __init__(
        self,
        engine: AsyncEngine,
        schemas: Sequence[str] = ("data", "analysis", "public"),
        listen: Listen | None = None,
        poll_seconds: float = POLL_SECONDS,
    ) -> None:
        self._engine = engine
        self._schemas = tuple(schemas)
        self._listen = listen
        self._poll_seconds = poll_seconds
        self._version = 0
        self._was_read = False
        self._marks: dict[int, str] = {}
        self._entries: dict[int, Entry] = {}
        self._names = TableNames()
        self._again: dict[int, tuple[float, float]] = {}
        """When to look again at tables whose geometry nothing said yet, and how long that is after the last look."""
        self._index = SearchIndex()
        self._changed: list[OnChange] = []
        self._wake = asyncio.Event()
        self._lock = asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None
        self._looking: set[asyncio.Task[None]] = set()
        self._subscription: Subscription | None = None

    @property
    def version(self) -> int:
        return self._version

    @property
    def was_read(self) -> bool:
        """Whether the catalogue was read at least once; there may be no table in it."""
        return self._was_read

    def tables(self) -> Sequence[Table]:
        return self._names.tables

    def get(self, table_id: str) -> Table:
        return self._names.get(table_id)

    async def search(
        self, text: str, limit: int = 20, readable: Callable[[Table], bool] | None = None
    ) -> Sequence[Table]:
        """Best first; of all tables, or of those that are `readable`."""

        def allowed(table_id: str) -> bool:
            return readable is None or readable(self._names.by_id[table_id])

        return [self._names.by_id[found] for found in self._index.search(text, limit, allowed)]

    def on_change(self, callback: OnChange) -> Callable[[], None]:
        """Be told of changes from now on; the returned function ends that."""
        self._changed.append(callback)
        return lambda: self._changed.remove(callback)

    async def start(self) -> None:
        """Read everything once, then keep it true in the background. DataUnavailable without a database."""
        if self._listen is not None:
            self._subscription = await self._listen(
                (CHANNEL,), lambda _channel, _payload: self._wake.set(), self._wake.set
            )
        await self.refresh(patience=START_PATIENCE)
        self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        tasks = [task for task in (self._keeper, *self._looking) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._keeper = None
        if self._subscription is not None:
            await self._subscription.close()
            self._subscription = None

    async def settle(self) -> None:
        """Wait until the looks into tables that are under way have been published."""
        while self._looking:
            await asyncio.wait(tuple(self._looking))

    async def refresh(self, patience: float = PATIENCE, only: tuple[str, str] | None = None) -> None:
        """Look for changes now; when this returns they are published (looks into tables may follow).

        `only` is the schema and the name of a table that was made or changed: no other one is looked at, which with
        10,000 tables takes a hundredth of the time.
        """
        async with self._lock:
            try:
                await self._refresh(patience, only)
            except (SQLAlchemyError, OSError) as error:
                translated(error, "the table catalogue")

    async def _refresh(self, patience: float, only: tuple[str, str] | None = None) -> None:
        async with asyncio.timeout(CATALOGUE_SECONDS):
            marks = await catalog.marks(self._engine, self._schemas, only)
        if only is not None:
            marks = self._marks | marks
        self._was_read = True
        gone = self._marks.keys() - marks.keys()
        stale = [oid for oid, mark in marks.items() if self._marks.get(oid) != mark]
        now = time.monotonic()
        stale += [oid for oid, (due, _delay) in self._again.items() if oid in marks and due <= now]
        if not gone and not stale:
            return
        whole = len(stale) > 500 and len(stale) > len(marks) / 2
        async with asyncio.timeout(CATALOGUE_SECONDS):
            found = (
                await catalog.entries(self._engine, self._schemas, None if whole else stale) if stale else []
            )
        present = {entry.oid for entry in found}
        removed = gone | {oid for oid in stale if oid not in present}
        self._marks = {oid: mark for oid, mark in marks.items() if oid not in removed}
        if not found:
            self._publish((), removed)
            return
        looking = asyncio.create_task(self._look(found, removed))
        self._looking.add(looking)
        looking.add_done_callback(self._looking.discard)
        # Thousands of tables are not worth waiting for: what looking adds follows, slice by slice.
        patience = patience if len(found) <= SLICE else PATIENCE
        done, _pending = await asyncio.wait({looking}, timeout=patience)
        if not done:
            self._publish([self._as_known(entry) for entry in found], removed)

    async def _look(self, found: Sequence[Entry], removed: Iterable[int]) -> None:
        """Publish the entries with what looking into the tables adds, unless they changed again meanwhile."""
        for start in range(0, len(found), SLICE):
            await asyncio.sleep(0)
            self._index.catch_up(SLICE)
            part = found[start : start + SLICE]
            before = {entry.oid: self._marks.get(entry.oid) for entry in part}
            try:
                finished = await complete(self._engine, part)
            except Exception:
                log.exception("looking into tables failed")
                finished = list(part)
            for entry in finished:
                self._look_again(entry)
            current = [each for each in finished if self._marks.get(each.oid) == before[each.oid] is not None]
            self._publish(current, removed)
            removed = ()

    def _look_again(self, entry: Entry) -> None:
        """Rows may come into a view whose geometry is unknown, and nothing tells: look again, ever more seldom."""
        if entry.table.geometry_column is None or entry.table.geometry_type is not None:
            self._again.pop(entry.oid, None)
            return
        _due, delay = self._again.get(entry.oid, (0.0, self._poll_seconds / 2))
        delay = min(LONGEST_WAIT, delay * 2)
        self._again[entry.oid] = (time.monotonic() + delay, delay)

    def _as_known(self, entry: Entry) -> Entry:
        """A fresh entry with what an earlier look found, until the new look is done."""
        known = self._entries.get(entry.oid)
        if known is None or known.table.geometry_column != entry.table.geometry_column:
            return entry
        update: dict[str, Any] = {"bounds": known.table.bounds}
        if entry.table.geometry_type is None:
            update |= {"geometry_type": known.table.geometry_type, "srid": known.table.srid}
        return replace(entry, table=entry.table.model_copy(update=update))

    def _publish(self, found: Iterable[Entry], removed: Iterable[int]) -> None:
        """The one place where the registry changes: all at once, then the subscribers are told."""
        touched: set[str] = set()
        searched: set[str] = set()
        """Those whose words for the search changed."""
        for oid in removed:
            self._again.pop(oid, None)
            if (entry := self._entries.pop(oid, None)) is not None:
                touched.add(entry.table.id)
                searched.add(entry.table.id)
        for entry in found:
            before = self._entries.get(entry.oid)
            self._entries[entry.oid] = entry
            if before is None or before.table != entry.table:
                ids = {entry.table.id} | ({before.table.id} if before else set())
                touched |= ids
                if before is None or words_of(before.table) != words_of(entry.table):
                    searched |= ids
        if not touched:
            return
        self._names = TableNames(entry.table for entry in self._entries.values())
        for table_id in searched:
            if table_id in self._names.by_id:
                self._index.put(self._names.by_id[table_id])
            else:
                self._index.remove(table_id)
        self._version += 1
        for callback in tuple(self._changed):
            try:
                callback(frozenset(touched))
            except Exception:
                log.exception("a subscriber of the registry failed")

    async def _keep(self) -> None:
        away = False
        ended = took = 0.0
        while True:
            try:
                # Looking may never take more than a fiftieth of the time, however many tables there are.
                # Not wait_for: before Python 3.12 it loses a cancellation that comes with the event.
                async with asyncio.timeout(max(self._poll_seconds, 50 * took)):
                    await self._wake.wait()
                # A burst of changes is looked at together, and no more than half of the time.
                await asyncio.sleep(max(DEBOUNCE, ended + took - time.monotonic()))
            except TimeoutError:
                pass
            self._wake.clear()
            started = time.monotonic()
            try:
                async with self._lock:
                    await self._refresh(PATIENCE)
                away = False
            except Exception as error:
                if not away:
                    reason = str(error)[:300]
                    log.warning("the catalogue could not be read", away=is_unavailable(error), error=reason)
                away = True
            ended = time.monotonic()
            took = ended - started
