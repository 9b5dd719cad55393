"""Talks to a Spark Connect server: runs one statement, says how far it is, and stops it.

pyspark's client blocks, so each statement runs in a thread with its own session and tag. Cancelling the task
interrupts the tag and raises within `STOP_SECONDS` even if Spark does not react. A driver that is gone is
reported within seconds, where pyspark by itself would wait for ten minutes."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import grpc
import structlog
from pyspark.errors import PySparkException
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.plan import SQL
from pyspark.sql.connect.session import SparkSession

from agents.worded import Template
from server.background import end_tasks
from server.gis.errors import InvalidQuestion
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import SparkFailed, SparkNeeded, SparkUnavailable
from server.gis.spark.templates import REFUSED_ROW
from server.gis.spark.views import FilesView

log = structlog.get_logger(__name__)

STOP_SECONDS = 1.0
PROGRESS_SECONDS = 0.5
"""Interval of checking Spark's progress."""
REPORT_SECONDS = 15.0
"""Time for Spark to report what a statement read, once it ran."""
CONNECT_SECONDS = 10.0
"""Time for a server's first answer."""
MAX_ANALYSES = "1000"
"""How often Spark may go through a statement to resolve its names: each nested lambda takes some rounds, and 100 are
too few for distances between lines and areas."""
RETRIES = {"max_retries": 4, "initial_backoff": 100, "max_backoff": 1000}

FAULTS: Mapping[str, Template] = {
    "ARITHMETIC_OVERFLOW": texts.OVERFLOW,
    "DIVIDE_BY_ZERO": texts.BY_ZERO,
    "CAST_INVALID_INPUT": texts.BAD_TEXT,
    "OutOfMemoryError": texts.MEMORY,
    "ExecutorLostFailure": texts.LOST_WORK,
    "PATH_NOT_FOUND": texts.UNSHARED,
    "Mkdirs failed": texts.UNWRITABLE,
}
"""Parts of Spark's messages, each with the message for the user."""
CUT_OFF = (
    "StatusCode.UNAVAILABLE", "StatusCode.UNKNOWN", "SESSION_CLOSED", "stopped SparkContext",
    '"org.apache.spark.SparkEnv$.get()" is null',
)  # fmt: skip
"""Parts of the messages of a driver that went away. While it stops, it may answer UNKNOWN without a message, or that
its context has stopped or its environment is gone already."""

FILES: Mapping[str, str] = {
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
"""How Parquet files are read: values in the names of folders as texts, and nanoseconds at all."""


@dataclass(frozen=True)
class Done:
    """What Spark reports of a statement that has ended."""

    version: str
    """The version of Spark."""
    tasks: int
    rows_read: int | None
    """None, as the bytes, where Spark did not report them in time."""
    bytes_shuffled: int | None
    bytes_spilled: int = 0
    """Written to disk because memory was not enough."""


OnProgress = Callable[[float], None]


class SparkClient:
    """Safe for concurrent use. `url` is that of the Connect server: `sc://host:port`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._steps = 0
        """Statements of people who wait for them."""
        self._changed = asyncio.Condition()

    async def write(
        self, views: Mapping[str, FilesView], sql: str, folder: str, seconds: float, on_progress: OnProgress
    ) -> Done:
        """Write the rows of a SELECT over views as Parquet into a new folder, for someone who waits for it.

        `on_progress` is called with the share that is done. Raises SparkUnavailable, SparkFailed or InvalidQuestion."""
        await self._count(1)
        try:
            return await self._write(views, sql, folder, seconds, on_progress)
        finally:
            await asyncio.shield(self._count(-1))

    async def write_in_background(
        self, views: Mapping[str, FilesView], sql: str, folder: str, seconds: float
    ) -> None:
        """As `write`, with low priority: waits while a step runs, and raises SparkNeeded as soon as someone waits
        for Spark."""
        await self._steps_are(0)
        writing = asyncio.create_task(self._write(views, sql, folder, seconds, lambda _share: None))
        needed = asyncio.create_task(self._steps_are(1))
        try:
            await asyncio.wait({writing, needed}, return_when=asyncio.FIRST_COMPLETED)
            if not writing.done():
                raise SparkNeeded(texts.NEEDED())
            await writing
        finally:
            await end_tasks(writing, needed)

    async def _count(self, change: int) -> None:
        async with self._changed:
            self._steps += change
            self._changed.notify_all()

    async def _steps_are(self, number: int) -> None:
        """Wait until there is no step (0), or at least one (1)."""
        async with self._changed:
            await self._changed.wait_for(lambda: min(self._steps, 1) == number)

    async def _write(
        self, views: Mapping[str, FilesView], sql: str, folder: str, seconds: float, on_progress: OnProgress
    ) -> Done:
        job = _Job(self._url, views, sql, folder)
        work = asyncio.create_task(asyncio.to_thread(job.run))
        watching = asyncio.create_task(_watch(job, on_progress))
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(work)
        except TimeoutError:
            raise SparkFailed(texts.TOO_SLOW(seconds=round(seconds))) from None
        except (grpc.RpcError, PySparkException) as error:
            raise fault_of(error) from error
        finally:
            watching.cancel()
            if not work.done():
                await asyncio.shield(_stopped(job, work))


async def _stopped(job: _Job, work: asyncio.Task[Done]) -> None:
    interrupting = asyncio.create_task(asyncio.to_thread(job.interrupt))
    await asyncio.wait({work, interrupting}, timeout=STOP_SECONDS, return_when=asyncio.ALL_COMPLETED)
    for each in (work, interrupting):
        # A statement that still runs ends by itself; its result is not needed any more.
        each.add_done_callback(lambda task: task.cancelled() or task.exception())


async def _watch(job: _Job, on_progress: OnProgress) -> None:
    while True:
        await asyncio.sleep(PROGRESS_SECONDS)
        share = await asyncio.to_thread(job.share_done)
        if share is not None:
            on_progress(share)


class _Job:
    """One statement. `run` blocks; `interrupt` and `share_done` may be called meanwhile from other threads."""

    def __init__(self, url: str, views: Mapping[str, FilesView], sql: str, folder: str) -> None:
        self._url = url
        self._views = views
        self._sql = sql
        self._folder = folder
        self._tag = f"geoagent-{secrets.token_hex(6)}"
        self._session: Any = None
        self._interrupted = threading.Event()
        self._status: tuple[str, int, str] | None = None
        """Host and port of the driver's status API, and the id of the application."""
        self._share: float | None = None
        self._read: dict[int, int] = {}
        """Rows by stage."""

    def run(self) -> Done:
        session = self._session = connected(self._url)
        try:
            session.conf.set("spark.sql.ansi.enabled", "true")
            session.conf.set("spark.sql.session.timeZone", "UTC")
            session.conf.set("spark.sql.caseSensitive", "true")
            session.conf.set("spark.sql.analyzer.maxIterations", MAX_ANALYSES)
            for name, value in FILES.items():
                session.conf.set(name, value)
            version = str(session.version)
            self._status = _status_address(session)
            session.addTag(self._tag)
            for name, view in self._views.items():
                _rows_of(session, view).createOrReplaceTempView(name)
            # `session.sql` would have Spark check the statement a second time, to see whether it is a command.
            made = DataFrame.withPlan(SQL(self._sql), session)
            if self._interrupted.is_set():
                raise SparkFailed("Stopped.")
            made.write.parquet(self._folder)
            return self._done(version)
        finally:
            with suppress(Exception):
                session._client.close()

    def interrupt(self) -> None:
        """Stop what runs. A statement that has not begun does not begin."""
        self._interrupted.set()
        if self._session is not None:
            with suppress(Exception):
                self._session.interruptTag(self._tag)

    def share_done(self) -> float | None:
        """The share of the statement that is done, as far as Spark reports it; it only rises."""
        jobs = self._jobs()
        stages = {number for job in jobs for number in job.get("stageIds", ())}
        for each in self._asked("stages?status=active"):
            if each.get("stageId") in stages:
                self._read[each["stageId"]] = each.get("inputRecords", 0)
        share = share_of(jobs, sum(self._read.values()), sum(view.rows for view in self._views.values()))
        if share is not None:
            self._share = max(self._share or 0.0, share)
        return self._share

    def _done(self, version: str) -> Done:
        jobs = self._jobs(REPORT_SECONDS)
        tasks = sum(job["numCompletedTasks"] for job in jobs)
        stages = {number for job in jobs for number in job.get("stageIds", ())}
        known = [each for each in self._asked("stages", REPORT_SECONDS) if each.get("stageId") in stages]
        if not known:
            return Done(version, tasks, None, None)
        return Done(
            version,
            tasks,
            sum(each.get("inputRecords", 0) for each in known),
            sum(each.get("shuffleWriteBytes", 0) for each in known),
            sum(each.get("diskBytesSpilled", 0) for each in known),
        )

    def _jobs(self, seconds: float = 2.0) -> list[dict[str, Any]]:
        # Spark adds user and session to the tag.
        return [
            job
            for job in self._asked("jobs", seconds)
            if any(self._tag in tag for tag in job.get("jobTags", ()))
        ]

    def _asked(self, what: str, seconds: float = 2.0) -> list[dict[str, Any]]:
        """An answer of the status API; empty without one, because a step does not depend on it."""
        if self._status is None:
            return []
        host, port, application = self._status
        connection = http.client.HTTPConnection(host, port, timeout=seconds)
        try:
            connection.request("GET", f"/api/v1/applications/{application}/{what}")
            found = json.loads(connection.getresponse().read())
        except (OSError, ValueError, http.client.HTTPException):
            return []
        finally:
            connection.close()
        return found if isinstance(found, list) else []


def share_of(jobs: Sequence[Mapping[str, Any]], read: int, rows: int) -> float | None:
    """The share of the tasks that are known and done, and at most that of the `rows` that were read: small jobs come
    first, and Spark plans the next one only once they are done. None while no job runs."""
    total, done = (sum(job[name] for job in jobs) for name in ("numTasks", "numCompletedTasks"))
    return min(done / total, read / max(rows, 1)) if done < total else None


def _rows_of(session: Any, view: FilesView) -> Any:
    reader = session.read.format("parquet")
    if view.root is not None:
        reader = reader.option("basePath", view.root)
    if view.schema is not None:
        reader = reader.schema(view.schema)
    rows = reader.load(list(view.files))
    if view.condition is not None:
        rows = rows.where(view.condition)
    return rows.selectExpr(*view.columns)


def connected(url: str) -> Any:
    """A separate session. Raises SparkUnavailable."""
    session = SparkSession(connection=url)
    client: Any = session._client
    # The original `close` stops threads that all sessions share, and a session calls it when it is garbage-collected.
    # If that happens in a thread of theirs that is just starting, every session waits forever.
    client.close = client._channel.close
    # The client's own policy waits for ten minutes, which cannot be configured.
    client._retry_policy.update(RETRIES)
    try:
        grpc.channel_ready_future(client._channel).result(timeout=CONNECT_SECONDS)
    except grpc.FutureTimeoutError:
        raise SparkUnavailable(texts.UNREACHABLE()) from None
    return session


def _status_address(session: Any) -> tuple[str, int, str] | None:
    try:
        known = [session.conf.get(name) for name in ("spark.driver.host", "spark.ui.port", "spark.app.id")]
        return known[0], int(known[1]), known[2]
    except (PySparkException, TypeError, ValueError):
        return None


def fault_of(error: Exception) -> Exception:
    """What an error of Spark's client means for the user."""
    message = str(error)
    log.warning("a step failed on Spark", error=message[:2000])
    if isinstance(error, grpc.RpcError) or any(sign in message for sign in CUT_OFF):
        return SparkUnavailable(texts.GONE())
    refused = re.search(rf"{REFUSED_ROW}(\w+)", message)
    if refused is not None:
        return InvalidQuestion(texts.REFUSED_ROWS[refused[1]]())
    for sign, meaning in FAULTS.items():
        if sign in message:
            is_question = sign.isupper() and "PATH" not in sign
            return InvalidQuestion(meaning()) if is_question else SparkFailed(meaning())
    return SparkFailed(texts.FAILED())
