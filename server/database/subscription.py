"""A connection that listens for NOTIFY, and is made again whenever it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import structlog

from server.background import end_tasks
from server.database.lost_connections import answers

log = structlog.get_logger(__name__)

Connect = Callable[[], Awaitable[asyncpg.Connection]]
OnNotification = Callable[[str, str], Awaitable[None] | None]
"""Called with the channel and the payload."""
Reconnected = Callable[[], Awaitable[None] | None]

CHECK_INTERVAL_S = 30.0
"""Interval at which the connection is checked."""
RECONNECT_PAUSES_S = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Pauses before each attempt to connect again; the last one repeats."""


class Subscription:
    """One connection that listens, and is made again, with growing pauses, whenever it is lost. Made by `listen`."""

    def __init__(
        self,
        connect: Connect,
        channels: tuple[str, ...],
        callback: OnNotification,
        reconnected: Reconnected | None,
    ) -> None:
        self._open = connect
        self._channels = channels
        self._callback = callback
        self._reconnected = reconnected
        self._notifications: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        self._lost = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._connection: asyncpg.Connection | None = None
        self.reconnects = 0

    async def start(self) -> None:
        """Connect, and keep the connection. Raises if the first attempt fails."""
        await self._connect()
        self._tasks = [asyncio.create_task(self._keep()), asyncio.create_task(self._deliver())]

    async def close(self) -> None:
        """End the connection."""
        await end_tasks(*self._tasks)
        if self._connection is not None and not self._connection.is_closed():
            self._connection.remove_termination_listener(self._on_termination)
            self._connection.terminate()

    async def _connect(self) -> None:
        connection = await self._open()
        self._lost.clear()
        connection.add_termination_listener(self._on_termination)
        for channel in self._channels:
            await connection.add_listener(channel, self._on_notification)
        self._connection = connection

    def _on_notification(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        self._notifications.put_nowait((channel, str(payload)))

    def _on_termination(self, _connection: object) -> None:
        self._lost.set()

    async def _keep(self) -> None:
        """Detect a lost connection, even without a sign from the network, and open a new one."""
        while True:
            try:
                # Not wait_for: before Python 3.12 it loses a cancellation that comes with the event.
                async with asyncio.timeout(CHECK_INTERVAL_S):
                    await self._lost.wait()
            except TimeoutError:
                if self._connection is not None and await answers(self._connection):
                    continue
            await self._reconnect()

    async def _reconnect(self) -> None:
        attempt = 0
        while True:
            try:
                await self._connect()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                pause = RECONNECT_PAUSES_S[min(attempt, len(RECONNECT_PAUSES_S) - 1)]
                if attempt == 0:
                    log.warning(
                        "database connection lost", channels=self._channels, error=type(error).__name__
                    )
                attempt += 1
                await asyncio.sleep(pause)
                continue
            self.reconnects += 1
            log.info("listening for notifications again", channels=self._channels, attempts=attempt + 1)
            self._notifications.put_nowait(None)
            return

    async def _deliver(self) -> None:
        """Call the callbacks in order, one at a time. One that fails is logged and does not end the listening."""
        while True:
            notification = await self._notifications.get()
            try:
                if notification is not None:
                    answer = self._callback(*notification)
                else:
                    answer = self._reconnected() if self._reconnected else None
                if answer is not None:
                    await answer
            except Exception:
                log.exception("a listener failed", channels=self._channels)
