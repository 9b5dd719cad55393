"""The live registry of readable tables: the tables the agent may use, and the source of every SQL identifier.

Read as the reader role, so tables that this role may not read do not exist. Kept current by LISTEN on the DDL
triggers' channel, by a check after every reconnect, and by a cheap check every few seconds, which catches
changes that no trigger reports (ANALYZE, privileges, databases without the triggers). With thousands of tables, that
check first compares counters of the database. Only what changed is read again."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol

import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.background import end_tasks
from server.database.engines import is_unavailable
from server.database.subscription import Subscription
from server.gis.catalog import entries as catalog
from server.gis.catalog.entries import Entry, Name
from server.gis.catalog.known_tables import KnownTables
from server.gis.catalog.probe import complete
from server.gis.catalog.search import SearchIndex
from server.gis.catalog.table_names import TableNames
from server.gis.errors import faults_about
from server.gis.expressions.identifiers import join_id, split_id

log = structlog.get_logger(__name__)

CHANNEL = "geoagent_ddl"
POLL_INTERVAL_S = 5.0
EXPENSIVE_CHECK_S = 0.1
"""If reading all tables takes longer than this, it is done only when the database's counters have changed."""
MAX_CHECK_PAUSE_S = 600.0
"""All tables are read after this time in any case, because counters may be lost or reset."""
DEBOUNCE_S = 0.05
PROBE_WAIT_S = 0.3
"""Time that a change waits for the probes of its tables before it is published without them."""
START_PROBE_WAIT_S = 5.0
CATALOGUE_TIMEOUT_S = 60.0
MAX_PROBE_DELAY_S = 600.0
ENTRIES_PER_SLICE = 200
_IDENTITY = re.compile(r'(?:(?:^|\.)(?:"(?:[^"]|"")+"|[a-z_][a-z0-9_]*)){2,3}')
"""A table, or a column of one, as PostgreSQL writes it."""
MAX_NAMED = 200
"""Up to this many changed tables are read by name; for more, all tables are read."""


class Meanings(Protocol):
    """Finds tables by what they mean, as `server.gis.catalog.meanings` does."""

    def changed(self, tables: Iterable[Table], removed: Iterable[str]) -> None:
        """Tables that are new or have changed, and ids of removed ones."""

    async def similar(self, text: str, hidden: Set[str]) -> list[str]:
        """Ids of a few tables with a similar meaning, best first, without those in `hidden`."""


Listen = Callable[[Sequence[str], Callable[[str, str], None], Callable[[], None]], Awaitable[Subscription]]
OnChange = Callable[[frozenset[str]], None]
"""Called with the ids of the tables that were added, removed or changed."""


@dataclass(frozen=True)
class FoundTables:
    """Some of the tables that a search finds, and the number of all."""

    tables: Sequence[Table]
    total: int


class Registry:
    """Implements `agents.ports.TableRegistry`. Call `start` before use and `stop` at the end."""

    def __init__(
        self,
        engine: AsyncEngine,
        schemas: Sequence[str] = ("data", "analysis", "public"),
        listen: Listen | None = None,
        poll_seconds: float = POLL_INTERVAL_S,
    ) -> None:
        self._engine = engine
        self._schemas = tuple(schemas)
        self._listen = listen
        self._poll_seconds = poll_seconds
        self._version = 0
        self._was_read = False
        self._marks: dict[int, str] = {}
        self._counters: list[int] | None = None
        """The counters just before all tables were read last."""
        self._read_at = self._read_took = 0.0
        self._known = KnownTables()
        self._unpublished: set[int] = set()
        """Tables that are new, until they are probed."""
        self._probe_due: dict[int, tuple[float, float]] = {}
        """By oid, for tables of unknown geometry type: time of the next probe, and its delay after the last."""
        self._index = SearchIndex()
        self._changed: list[OnChange] = []
        self._wake = asyncio.Event()
        self._named: set[Name] | None = set()
        """What changed since the last check, as far as notifications named it; None is anything."""
        self._meanings: Meanings | None = None
        self._lock = asyncio.Lock()
        self._watcher: asyncio.Task[None] | None = None
        self._probes: set[asyncio.Task[None]] = set()
        self._subscription: Subscription | None = None

    @property
    def version(self) -> int:
        """Grows with every change of the catalogue."""
        return self._version

    @property
    def was_read(self) -> bool:
        """Whether the catalogue was read at least once; it may be empty."""
        return self._was_read

    def tables(self) -> Sequence[Table]:
        """All tables, sorted by id."""
        return self._known.names.tables

    def shared(self) -> Sequence[Table]:
        """The tables that every map may read."""
        return self._known.shared_names.tables

    def own(self) -> Sequence[Table]:
        """The results of analyses of all maps, by id."""
        return [self._known.names.by_id[each] for each in sorted(self._known.own_ids)]

    @property
    def shared_names(self) -> TableNames:
        """Names of the tables that every map may read; the same object until one of them changes."""
        return self._known.shared_names

    def get(self, table_id: str) -> Table:
        """The table with this id, or with this bare name if only one has it. Raises UnknownTable with the nearest
        ids."""
        return self._known.names.get(table_id)

    def find(self, table_id: str) -> Table | None:
        """The table with this very id."""
        return self._known.names.by_id.get(table_id)

    async def search(self, text: str, limit: int = 20, own: Collection[str] | None = None) -> Sequence[Table]:
        """Tables that match the text, best first; of those that not every map may read optionally only `own`."""
        return (await self.search_page(text, 0, limit, own)).tables

    async def search_page(
        self, text: str, offset: int, limit: int, own: Collection[str] | None = None
    ) -> FoundTables:
        """As `search`, but from the `offset`th match on, and with the number of all."""
        hidden = frozenset() if own is None else self._known.own_ids.difference(own)
        # First, because tables may be dropped while the model is asked.
        alike = [] if self._meanings is None else await self._meanings.similar(text, hidden)
        by_id = self._known.names.by_id
        alike = [each for each in alike if each in by_id]
        matches = self._index.search(text, hidden)
        ranked = matches.fused(alike, offset + limit)
        total = len(matches) + sum(matches.place(each) is None for each in alike)
        return FoundTables([by_id[each] for each in ranked[offset:]], total)

    def search_by_meaning(self, meanings: Meanings) -> None:
        """Rank searches by meaning, too, and report all tables, and later changes, to `meanings`."""
        self._meanings = meanings
        meanings.changed(self.tables(), ())

    def on_change(self, callback: OnChange) -> Callable[[], None]:
        """Call `callback` after each change, until the returned function is called."""
        self._changed.append(callback)
        return lambda: self._changed.remove(callback)

    async def start(self) -> None:
        """Read everything once, then keep it current in the background. Raises DataUnavailable without a database."""
        if self._listen is not None:
            self._subscription = await self._listen(
                (CHANNEL,), lambda _channel, identity: self._on_change(identity), self._on_change
            )
        await self.refresh(patience=START_PROBE_WAIT_S)
        self._watcher = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stop following the database."""
        await end_tasks(self._watcher, *self._probes)
        self._watcher = None
        if self._subscription is not None:
            await self._subscription.close()
            self._subscription = None

    async def settle(self, patience: float | None = None) -> None:
        """Wait until all running probes are published; at most `patience` seconds if it is given."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                while self._probes:
                    await asyncio.wait(tuple(self._probes))

    def _on_change(self, identity: str = "") -> None:
        """Check soon what the identity of a changed object names; without one, as of a right, everything."""
        if self._named is None or not _IDENTITY.fullmatch(identity) or len(self._named) >= MAX_NAMED:
            self._named = None
        else:
            schema, name, *_column = split_id(identity)
            self._named.add((schema, name))
        self._wake.set()

    async def refresh(self, patience: float = PROBE_WAIT_S, only: Name | None = None) -> None:
        """Check for changes now; they are published on return, probed values may follow after `patience` seconds.

        `only` is schema and name of a single table to check, which with 10,000 tables takes a hundredth of the time."""
        async with self._lock:
            with faults_about("the table catalogue"):
                await self._refresh(patience, None if only is None else {only})

    async def _refresh(self, patience: float, only: Set[Name] | None = None) -> None:
        async with asyncio.timeout(CATALOGUE_TIMEOUT_S):
            if only is None:
                marks = await self._all_marks()
                gone = self._marks.keys() - marks.keys()
            else:
                marks, gone = await self._marks_of(only)
        self._was_read = True
        due = {oid for oid in self._due_probes() - gone if oid in self._marks}
        stale = list(due | {oid for oid, mark in marks.items() if self._marks.get(oid) != mark})
        if not gone and not stale:
            return
        async with asyncio.timeout(CATALOGUE_TIMEOUT_S):
            found = await catalog.entries(self._engine, self._schemas, stale)
        present = {entry.oid for entry in found}
        removed = gone | {oid for oid in stale if oid not in present}
        self._marks.update(marks)
        for oid in removed:
            self._marks.pop(oid, None)
        self._unpublished |= present - self._known.entries.keys()
        self._unpublished -= removed
        if not found:
            self._publish((), removed)
            return
        probing = asyncio.create_task(self._probe_and_publish(found, removed))
        self._probes.add(probing)
        probing.add_done_callback(self._probes.discard)
        # For thousands of tables, do not wait: the probed values follow slice by slice.
        patience = patience if len(found) <= ENTRIES_PER_SLICE else PROBE_WAIT_S
        done, _pending = await asyncio.wait({probing}, timeout=patience)
        if not done:
            self._publish([self._as_known(entry) for entry in found], removed)

    async def _all_marks(self) -> dict[int, str]:
        counters = await self._read_counters()
        began = time.monotonic()
        marks = await catalog.marks(self._engine, self._schemas)
        self._read_at = time.monotonic()
        self._read_took = self._read_at - began
        self._counters = counters
        return marks

    async def _read_counters(self) -> list[int] | None:
        without_statistics = [oid for oid, entry in self._known.entries.items() if not entry.analyzed]
        return await catalog.change_counters(self._engine, without_statistics)

    async def _may_have_changed(self) -> bool:
        """Whether reading all tables is worth its cost now."""
        if self._read_took < EXPENSIVE_CHECK_S or time.monotonic() - self._read_at > MAX_CHECK_PAUSE_S:
            return True
        counters = await self._read_counters()
        return counters is None or counters != self._counters

    async def _marks_of(self, named: Set[Name]) -> tuple[dict[int, str], set[int]]:
        """The marks of the named tables as they are now, and the oids of those that no longer exist."""
        known = {oid for name in named if (oid := self._known.oids.get(join_id(*name))) is not None}
        # Unpublished tables may be among the named ones.
        asked = known | self._unpublished
        found = await catalog.marks_of(self._engine, self._schemas, named, asked)
        return found, asked - found.keys()

    async def _probe_and_publish(self, found: Sequence[Entry], removed: Iterable[int]) -> None:
        """Probe the values of the entries and publish those that have not changed again since."""
        for start in range(0, len(found), ENTRIES_PER_SLICE):
            await asyncio.sleep(0)
            self._index.catch_up(ENTRIES_PER_SLICE)
            part = found[start : start + ENTRIES_PER_SLICE]
            before = {entry.oid: self._marks.get(entry.oid) for entry in part}
            try:
                finished = await complete(self._engine, part)
            except Exception:
                log.exception("probing tables failed")
                finished = list(part)
            for entry in finished:
                self._schedule_probe(entry)
            current = [each for each in finished if self._marks.get(each.oid) == before[each.oid] is not None]
            self._publish(current, removed)
            removed = ()

    def _schedule_probe(self, entry: Entry) -> None:
        """Rows may arrive in a view whose geometry type is unknown without any notification: probe it again,
        with growing delays."""
        if entry.table.geometry_column is None or entry.table.geometry_type is not None:
            self._probe_due.pop(entry.oid, None)
            return
        _due, delay = self._probe_due.get(entry.oid, (0.0, self._poll_seconds / 2))
        delay = min(MAX_PROBE_DELAY_S, delay * 2)
        self._probe_due[entry.oid] = (time.monotonic() + delay, delay)

    def _due_probes(self) -> set[int]:
        now = time.monotonic()
        return {oid for oid, (due, _delay) in self._probe_due.items() if due <= now}

    def _as_known(self, entry: Entry) -> Entry:
        """A new entry with the earlier probed values, until the new probe is done."""
        known = self._known.entries.get(entry.oid)
        if known is None or known.table.geometry_column != entry.table.geometry_column:
            return entry
        update: dict[str, Any] = {"bounds": entry.table.bounds or known.table.bounds}
        if entry.table.geometry_type is None:
            update |= {"geometry_type": known.table.geometry_type, "srid": known.table.srid}
        return replace(entry, table=entry.table.model_copy(update=update))

    def _publish(self, found: Iterable[Entry], removed: Iterable[int]) -> None:
        """The only place where the registry changes: atomically, then subscribers are called."""
        found, removed = list(found), list(removed)
        for oid in removed:
            self._probe_due.pop(oid, None)
        self._unpublished -= {entry.oid for entry in found}
        changes = self._known.change(found, removed)
        if not changes.tables:
            return
        searched = changes.searched
        if self._meanings is not None:
            present = self._known.names.by_id.keys() & searched
            self._meanings.changed([self._known.names.by_id[each] for each in present], searched - present)
        for table_id in searched:
            if table_id in self._known.names.by_id:
                self._index.put(self._known.names.by_id[table_id])
            else:
                self._index.remove(table_id)
        self._version += 1
        touched = frozenset(table.id for table in changes.tables)
        for callback in tuple(self._changed):
            try:
                callback(touched)
            except Exception:
                log.exception("a subscriber of the registry failed")

    async def _watch(self) -> None:
        away = False
        ended = took = 0.0
        due = time.monotonic() + self._poll_seconds
        while True:
            with suppress(TimeoutError):
                # Not wait_for: before Python 3.12 it loses a cancellation that comes with the event.
                async with asyncio.timeout(max(0.0, due - time.monotonic())):
                    await self._wake.wait()
            if self._wake.is_set():
                # A burst of changes is checked together, using at most half of the time.
                await asyncio.sleep(max(DEBOUNCE_S, ended + took - time.monotonic()))
            self._wake.clear()
            started = time.monotonic()
            named, self._named = self._named, set()
            is_due = started >= due
            try:
                async with self._lock:
                    if is_due and (named is None or await self._may_have_changed()):
                        named = None
                    if named is None or named or self._due_probes():
                        await self._refresh(PROBE_WAIT_S, named)
                away = False
            except Exception as error:
                if not away:
                    reason = str(error)[:300]
                    log.warning("the catalogue could not be read", away=is_unavailable(error), error=reason)
                away = True
                named = None
            ended = time.monotonic()
            took = ended - started
            if named is None:
                # Reading all tables takes at most a fiftieth of the time, for any number of tables.
                due = ended + max(self._poll_seconds, 50 * took)
            elif is_due:
                due = ended + self._poll_seconds
