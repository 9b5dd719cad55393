"""Runs turns: claims queued ones, runs the agent, records its events, and ends every turn.

One turn runs at a time per map over all servers, and at most `limit` on this one, in the order of
`server.maps.turns.admission`. A turn whose server has died is ended as `interrupted` by the first server that
notices. Cancelling a turn cancels the task of its work; its supervisor always records the end. A turn that needs
approval is stored as a `PendingApproval` and released; any server may continue it after the answer."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any

import structlog

from agents.core import Agent
from agents.core.loop.events import Finished
from agents.core.messages import Message
from agents.worded import Template
from server.background import end_tasks
from server.database.lanes import work_for
from server.database.outages import PAUSES_S, why_unavailable
from server.maps.charts import ChartService
from server.maps.faults import TurnLost, TurnUnreadable
from server.maps.layers.verbs import LayerService
from server.maps.live.hub import Hub
from server.maps.log.events import CHAT_EVENTS, Change
from server.maps.turns.admission import OpenTurn
from server.maps.turns.conversation import MAX_EVENTS_READ, conversation
from server.maps.turns.interruption import REASON, closing_changes
from server.maps.turns.pending_approval import PendingApproval, add_usage
from server.maps.turns.queue import Status, Turn, TurnStore
from server.maps.turns.queue_positions import QueuePositions
from server.maps.turns.recorder import Recorder, with_response
from server.maps.turns.session import TurnSession
from server.protocol import TurnUsage

log = structlog.get_logger(__name__)

MAX_RUNNING_TURNS = 16
POLL_INTERVAL_S = 2.0
STOP_TIMEOUT_S = 5.0

STOPPED = Template("turn_stopped", "Stopped. What was done so far stays; undo takes it back.")
INTERRUPTED = Template(
    "turn_interrupted",
    "The server stopped while I was working on this, so I could not finish. What was done so far stays on the map; "
    "undo takes it back. Ask again to go on.",
)
BROKEN = Template(
    "turn_broken",
    "Something went wrong in the server while I was working on this (error {id}). Its log says more.",
)
OUTAGE_TOO_LONG = Template("turn_outage", "I could not finish this. {why}")


AgentFactory = Callable[[TurnSession, Sequence[Message]], Agent | Awaitable[Agent]]


class Work:
    """A running turn: the task that may be cancelled, and why it was."""

    def __init__(self, turn: Turn, recorder: Recorder) -> None:
        self.turn = turn
        self.recorder = recorder
        self.task: asyncio.Task[None] | None = None
        self.stopped: Status | None = None
        self.message = ""
        """Why the turn failed, if the session has a more precise reason than the agent."""
        self.ended = asyncio.Event()
        self.agent: Agent | None = None

    def stop(self, status: Status) -> None:
        """Cancel the turn, which then ends with this status; the first call counts."""
        if self.stopped is None and self.task is not None:
            self.stopped = status
            self.task.cancel()

    def abandon(self, message: str) -> None:
        """End the turn as failed, with this message."""
        self.message = message
        self.stop("failed")

    def pending_approval(self) -> PendingApproval | None:
        """The state to continue from, if the agent stopped to wait for the user."""
        finished = self.recorder.finished
        if self.agent is None or finished is None or finished.status != "waiting":
            return None
        if self.stopped == "cancelled":
            return None
        answers = {} if self.turn.pending_approval is None else self.turn.pending_approval.answers
        return PendingApproval(self.agent.history, self.recorder.questions, answers, self.usage_of())

    def annotations(self, message: str) -> Mapping[str, Any]:
        """The annotations and memory of the agent's answer; empty if `message` is not that answer."""
        finished = self.recorder.finished
        if finished is None or finished.text != message:
            return {}
        return {**finished.extra, **({"memory": dict(finished.memory)} if finished.memory else {})}

    def usage_of(self) -> TurnUsage:
        """Usage of the turn, with the part before an approval."""
        now = usage_of(self.recorder.finished)
        return now if self.turn.pending_approval is None else add_usage(self.turn.pending_approval.usage, now)


class TurnRunner:
    """Runs the turns of one server until it is drained or closed."""

    def __init__(
        self,
        store: TurnStore,
        hub: Hub,
        layers: LayerService,
        charts: ChartService,
        agents: AgentFactory,
        server_id: str,
        limit: int = MAX_RUNNING_TURNS,
    ) -> None:
        self._store = store
        self._hub = hub
        self._layers = layers
        self._charts = charts
        self._agents = agents
        self._server_id = server_id
        self._limit = limit
        self._works: dict[str, Work] = {}
        self._supervisors: set[asyncio.Task[None]] = set()
        self._suspects: set[str] = set()
        self._wake = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None
        self._places = QueuePositions(hub)
        self._closing = False
        hub.relay.on("cancel", self._on_cancel_message)

    async def start(self, alive: frozenset[str]) -> None:
        """End the turns of servers that have died, then start claiming turns."""
        await self._interrupt(turn for turn in await self._store.running() if turn.server_id not in alive)
        self._loop = asyncio.create_task(self._take_turns())

    async def drain(self, seconds: float) -> None:
        """Claim no more turns, and wait up to `seconds` for the running ones. Queued turns stay for another
        server or the next start."""
        await self._stop_taking()
        if self._supervisors:
            await asyncio.wait(tuple(self._supervisors), timeout=seconds)

    async def close(self) -> None:
        """Interrupt the running turns and wait until that is recorded."""
        await self._stop_taking()
        for work in list(self._works.values()):
            work.stop("interrupted")
        if self._supervisors:
            await asyncio.wait(self._supervisors, timeout=STOP_TIMEOUT_S)
        for supervisor in self._supervisors:
            supervisor.cancel()

    async def _stop_taking(self) -> None:
        self._closing = True
        await end_tasks(self._loop)

    @property
    def is_closing(self) -> bool:
        """Whether this server claims no more turns."""
        return self._closing

    def wake(self) -> None:
        """Look for new turns in the queue now."""
        self._wake.set()

    @property
    def running(self) -> int:
        """Turns that are running on this server."""
        return len(self._works)

    async def cancel(self, map_id: str, turn_id: str | None = None) -> str | None:
        """Cancel a turn that has not ended, by default the one that has started. Returns its id, or None."""
        running = await self._store.begun(map_id)
        idle = turn_id if turn_id is not None or running is None else running.id
        if idle is not None and await self._store.cancel_idle(map_id, idle, with_response((), STOPPED())):
            self._wake.set()
            return idle
        if running is None or turn_id not in (None, running.id):
            return None
        work = self._works.get(running.id)
        if work is None:
            self._hub.relay.send("cancel", {"turn_id": running.id}, always=True)
            return running.id
        work.stop("cancelled")
        with suppress(TimeoutError):
            await asyncio.wait_for(work.ended.wait(), STOP_TIMEOUT_S)
        return running.id

    async def beat(self, alive: frozenset[str]) -> None:
        """Interrupt turns whose server was missing at two beats in a row."""
        running = {turn.id: turn for turn in await self._store.running() if self._is_orphan(turn, alive)}
        await self._interrupt(running[turn_id] for turn_id in self._suspects & running.keys())
        self._suspects = set(running) - self._suspects

    def _is_orphan(self, turn: Turn, alive: frozenset[str]) -> bool:
        if turn.server_id == self._server_id:
            return turn.id not in self._works
        return turn.server_id not in alive

    async def _interrupt(self, turns: Iterable[Turn]) -> None:
        """End the turns of lost servers, with a message for the users. A turn that cannot be ended does not stop
        the others, and is tried again at a later beat."""
        for turn in turns:
            try:
                changes = with_response(await self._closing_changes(turn, REASON), INTERRUPTED())
                if await self._store.interrupt(turn, changes):
                    log.warning(
                        "a turn was interrupted", turn=turn.id, map=turn.map_id, server=turn.server_id
                    )
            except Exception as error:
                if why_unavailable(error) is not None:
                    raise
                log.warning("a turn could not be interrupted", turn=turn.id, exc_info=error)
        self._wake.set()

    async def _closing_changes(self, turn: Turn, reason: str) -> list[Change]:
        """End events for everything that the turn left unfinished."""
        left = await self._store.unfinished_analyses(turn.id)
        return closing_changes(await self._hub.log.reader.read_turn(turn.map_id, turn.id), left, reason)

    async def _take_turns(self) -> None:
        while True:
            try:
                await self._take_waiting()
            except Exception as error:
                if why_unavailable(error) is None:
                    log.exception("queued turns could not be taken")
            try:
                # Not wait_for: before Python 3.12 it loses a cancellation that comes with the event.
                async with asyncio.timeout(POLL_INTERVAL_S):
                    await self._wake.wait()
            except TimeoutError:
                continue
            self._wake.clear()

    async def _take_waiting(self) -> None:
        turns = await self._store.open_turns()
        rotation, free = self._store.rotation, self._limit - len(self._works)
        takeable = [turn for turn in turns if turn.status != "queued" or self._store.takes(turn)]
        for chosen in rotation.startable(takeable, free, self._store.limits.running_per_address):
            try:
                turn = await self._claim(chosen)
            except Exception as error:
                if why_unavailable(error) is not None:
                    raise
                # Perhaps a lock: the turn stays in the queue, and the others still start.
                log.warning("a turn could not be started", turn=chosen.id, exc_info=error)
                continue
            if turn is not None:
                rotation.started(chosen)
                self._begin(turn)
                await self._places.started(chosen)
        now = [replace(turn, status="running") if turn.id in self._works else turn for turn in turns]
        await self._places.send(now, rotation.order(now))

    async def _claim(self, chosen: OpenTurn) -> Turn | None:
        """Claim the map's next turn. None if no turn is to start, or if it cannot be read, in which case it ends."""
        try:
            return await self._store.claim(chosen.map_id)
        except TurnUnreadable as error:
            await self._store.refuse(chosen, _broken("a turn could not be read", chosen.id, error))
            return None

    def _begin(self, turn: Turn) -> None:
        work = Work(turn, Recorder(turn, self._hub, self._server_id))
        self._works[turn.id] = work
        work.task = asyncio.create_task(self._work(work))
        supervisor = asyncio.create_task(self._supervise(work))
        self._supervisors.add(supervisor)
        supervisor.add_done_callback(self._supervisors.discard)

    async def _supervise(self, work: Work) -> None:
        assert work.task is not None  # noqa: S101 - _begin set it
        try:
            await asyncio.wait({work.task})
            await self._end(work)
            if work.stopped == "cancelled":
                # It may have been stored as waiting just before it was cancelled.
                await self._store.cancel_idle(work.turn.map_id, work.turn.id, with_response((), STOPPED()))
        except TurnLost:
            log.warning("a turn was taken away from this server", turn=work.turn.id)
        except Exception:
            log.exception("the end of a turn could not be written", turn=work.turn.id)
        finally:
            del self._works[work.turn.id]
            work.ended.set()
            self._wake.set()

    async def _work(self, work: Work) -> None:
        turn = work.turn
        work_for(turn.map_id, turn.address)
        session = TurnSession(turn, self._hub, self._layers, self._charts, self._server_id)
        session.abandon = work.abandon
        async with self._hub.following(turn.map_id, session):
            await session.check_focus()
            made = self._agents(session, await self._history(turn))
            work.agent = agent = await made if isinstance(made, Awaitable) else made
            pending = turn.pending_approval
            stream: Any = agent.events(turn.text) if pending is None else agent.events(resume=pending.answers)
            async with aclosing(stream):
                async for event in stream:
                    await work.recorder.take(event)

    async def _history(self, turn: Turn) -> Sequence[Message]:
        if turn.pending_approval is not None:
            return turn.pending_approval.history
        return conversation(await self._hub.log.reader.read_latest(turn.map_id, CHAT_EVENTS, MAX_EVENTS_READ))

    async def _end(self, work: Work) -> None:
        """Record the end of the turn, waiting for the database as long as necessary."""
        assert work.task is not None  # noqa: S101 - _begin set it
        failure = None if work.task.cancelled() else work.task.exception()
        if isinstance(failure, TurnLost):
            raise failure
        left = await work.recorder.stop()
        pending = work.pending_approval()
        status, message = self._outcome(work, failure)
        for attempt in range(1_000_000):
            try:
                if pending is not None:
                    await self._store.suspend(work.turn, pending, left)
                else:
                    if status == "failed":
                        partial = [change for change in left if change.name == "ai_response"]
                        left = [*partial, *await self._closing_changes(work.turn, message)]
                    last = with_response(left, message, work.annotations(message))
                    await self._store.finish(work.turn, status, work.usage_of(), last)
                return
            except Exception as error:
                if why_unavailable(error) is None:
                    raise
                await asyncio.sleep(PAUSES_S[min(attempt, len(PAUSES_S) - 1)])

    def _outcome(self, work: Work, failure: BaseException | None) -> tuple[Status, str]:
        finished = work.recorder.finished
        unfinished = finished is None or finished.status in ("cancelled", "waiting")
        if work.stopped is not None and unfinished:
            messages = {"cancelled": STOPPED(), "failed": work.message}
            return work.stopped, messages.get(work.stopped, INTERRUPTED())
        if failure is not None:
            why = why_unavailable(failure)
            if why is not None:
                return "failed", OUTAGE_TOO_LONG(why=why)
            return "failed", _broken("a turn failed", work.turn.id, failure)
        if finished is None:
            return "interrupted", INTERRUPTED()
        return ("done" if finished.status == "done" else "failed"), finished.text

    def _on_cancel_message(self, server_id: str, body: dict[str, Any]) -> None:
        work = self._works.get(str(body.get("turn_id")))
        if work is not None:
            work.stop("cancelled")


def _broken(what: str, turn_id: str, error: BaseException) -> str:
    """The message for the user about an unexpected error, which is logged under an id."""
    error_id = secrets.token_hex(4)
    log.error(what, turn=turn_id, error_id=error_id, exc_info=error)
    return BROKEN(id=error_id)


def usage_of(finished: Finished | None) -> TurnUsage:
    """The usage that the agent reported; zeros if it did not finish."""
    if finished is None:
        return TurnUsage()
    return TurnUsage(
        model=finished.model,
        input_tokens=finished.usage.input_tokens,
        output_tokens=finished.usage.output_tokens,
        cost=finished.usage.cost,
        steps=finished.steps,
        ms=round(finished.ms, 1),
    )
