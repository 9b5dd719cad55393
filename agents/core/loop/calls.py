"""The calls of one reply within a turn: approval first, then dispatch, hooks and telemetry."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any

from agents.core.awaitables import awaited
from agents.core.errors import ToolSignal
from agents.core.loop import events as ev
from agents.core.loop.approval import Approvals
from agents.core.loop.batch import Batch, Job
from agents.core.loop.dispatch import (
    UNAVAILABLE,
    Prepared,
    check_call,
    execute,
    fill,
    freeze,
    refused,
    steered,
)
from agents.core.loop.history import cancelled
from agents.core.loop.runtime import TurnState
from agents.core.messages import ToolCall, ToolResult
from agents.core.tools.context import ToolContext

log = logging.getLogger("agents.core")
_FAULTY = frozenset({"invalid_arguments", "malformed_json", "retry"})


class Calls:
    """The calls of one reply. `results()` is complete at any time: unfinished calls count as cancelled."""

    def __init__(self, turn: TurnState, calls: tuple[ToolCall, ...]) -> None:
        self.turn = turn
        self.agent = turn.agent
        self.calls = calls
        self.asked: list[str] = []
        """Names of the tools that wait for the user's approval."""
        self._prepared: list[Prepared | ToolResult] = []
        self._batch = Batch(())
        self._open: set[int] = set()

    def check(self) -> bool:
        """Check all calls before any of them runs. Returns whether all may run without the user's approval."""
        snapshot, agent = self.turn.snapshot, self.agent
        free = True
        for call in self.calls:
            item = self._spent(call) or check_call(call, snapshot, agent)
            self._prepared.append(item)
            if type(item) is Prepared and item.tool.options.requires_approval:
                free = False
        return free

    async def approve(self) -> AsyncGenerator[ev.AgentEvent, None]:
        """Ask the user about the calls that need approval, before any call of the reply runs."""
        for index, item in enumerate(self._prepared):
            if not isinstance(item, Prepared) or not item.tool.options.requires_approval:
                continue
            refusal = await fill(item)
            if refusal is not None:
                self._prepared[index] = refusal
                continue
            answer = self.turn.answers.get(item.call.id) if await self._needs_approval(item) else True
            if answer is None:
                self._freeze(index, item)
                needed = ev.ApprovalNeeded(item.call, dict(item.arguments))
                yield needed
                if self.agent.approvals is None:
                    self.asked.append(item.call.name)
                    continue
                answer = await self._ask(needed, self.agent.approvals)
            if not answer:
                content = f"The user did not allow {item.call.name}. Do not call it again for this."
                self._prepared[index] = refused(item.call, "denied", content)

    def _freeze(self, index: int, item: Prepared) -> None:
        """Fix the arguments to what the user is shown, for this process and for any that resumes the turn."""
        item.call = freeze(item)
        self.calls = (*self.calls[:index], item.call, *self.calls[index + 1 :])

    def run(self) -> AsyncGenerator[Any, None]:
        """Run the calls. Yields the start and end of each, and the progress that tools report."""
        jobs = [self._job(index) for index in range(len(self.calls))]
        self._batch = Batch(jobs, self._started, self._done)
        return self._batch.run()

    def tally(self) -> str | None:
        """Count failures for the turn's limits. Returns the text with which a tool ends the turn, if one does."""
        answer = None
        done = self._batch.results
        for index, call in enumerate(self.calls):
            result = done.get(index) or cancelled(call)
            if result.ok:
                answer = result.answer if result.answer is not None else answer
                continue
            key = (call.name, call.arguments)
            self.turn.failures[key] = self.turn.failures.get(key, 0) + 1
            if result.error in _FAULTY:
                self.turn.tries[call.name] = self.turn.tries.get(call.name, 0) + 1
        return answer

    def unavailable(self) -> str | None:
        """The message of a tool that is unavailable, which ends the turn; None if all tools are available."""
        return next((each.content for each in self.results() if each.error == UNAVAILABLE), None)

    def results(self) -> tuple[ToolResult, ...]:
        """One result for each call, in the order of the calls."""
        done = self._batch.results
        return tuple(done.get(index) or cancelled(call) for index, call in enumerate(self.calls))

    def cut_off(self) -> list[ev.ToolDone]:
        """The end events of calls that had started when the turn was interrupted and whose end was not reported."""
        results = self.results()
        return [ev.ToolDone(results[index], results[index].summary) for index in sorted(self._open)]

    def _started(self, index: int) -> ev.ToolStarted:
        self._open.add(index)
        return ev.ToolStarted(self.calls[index], self._arguments(index))

    def _done(self, index: int, result: ToolResult) -> ev.ToolDone:
        self._open.discard(index)
        return ev.ToolDone(result, result.summary)

    def _spent(self, call: ToolCall) -> ToolResult | None:
        """A refusal once a tool's budget of faulty calls is used up."""
        view = self.turn.snapshot.views.get(call.name)
        if view is None or view.tool.options.retries is None:
            return None
        if self.turn.tries.get(call.name, 0) <= view.tool.options.retries:
            return None
        content = f"{call.name} was called wrongly too often and is closed for this turn. Go on without it."
        return refused(call, "failed", content)

    async def _needs_approval(self, item: Prepared) -> bool:
        wanted = item.tool.options.requires_approval
        if callable(wanted):
            try:
                wanted = await awaited(wanted(item.owner, item.arguments))
            except Exception:
                log.exception("%s: requires_approval failed; the user is asked", item.call.name)
                return True
        return bool(wanted)

    async def _ask(self, needed: ev.ApprovalNeeded, approvals: Approvals) -> bool:
        with self.turn.clock.paused():
            try:
                return bool(await approvals(needed))
            except Exception:
                log.exception("the user could not be asked about %s; the call is denied", needed.call.name)
                return False

    def _arguments(self, index: int) -> Mapping[str, Any]:
        item = self._prepared[index]
        if isinstance(item, Prepared):
            return dict(item.arguments)
        try:
            raw = json.loads(self.calls[index].arguments or "{}")
        except (ValueError, RecursionError):
            return {}
        return raw if isinstance(raw, dict) else {}

    def _job(self, index: int) -> Job:
        item = self._prepared[index]
        if isinstance(item, ToolResult):
            return Job(False, False, lambda: self._after(self.calls[index], item))
        tool = item.tool
        begin = (lambda: self._begin(index, item)) if tool.blueprint.resolvers else None
        return Job(tool.options.sequential, tool.suspends or tool.threaded, lambda: self._work(item), begin)

    async def _begin(self, index: int, item: Prepared) -> ToolResult | None:
        refusal = await fill(item)
        if refusal is None:
            return None
        self._prepared[index] = refusal
        return await self._after(item.call, refusal)

    async def _work(self, item: Prepared) -> ToolResult:
        agent = self.agent
        turn = self.turn
        context = ToolContext(
            agent, item.call, agent.context, self._batch.emit, turn.add_usage, turn.clock.paused, turn.left
        )
        before = self._before if agent.hooks.before_tool else None
        tracing = agent.telemetry.tracing
        if tracing is None:
            return await self._after(item.call, await execute(item, context, before))
        with tracing.tool(self.turn.span, item.call) as span:
            result = await execute(item, context, before)
            tracing.tool_done(span, result)
        return await self._after(item.call, result)

    async def _before(self, item: Prepared) -> None:
        for hooked in self.agent.hooks.before_tool:
            if hooked.serves(item.call.name):
                changed = await hooked.run(self.agent, item.call, item.arguments)
                if changed is not None:
                    item.arguments = changed

    async def _after(self, call: ToolCall, result: ToolResult) -> ToolResult:
        for hooked in self.agent.hooks.after_tool:
            if hooked.serves(call.name):
                try:
                    changed = await hooked.run(self.agent, call, result)
                    if changed is not None:
                        result = replace(changed, call_id=call.id, name=call.name)
                except ToolSignal as signal:
                    result = steered(call, signal)
                except Exception:
                    log.exception("the after_tool hook %s failed; the result stays as it was", hooked.method)
        # A model may invent any number of names; each must not become a series of metrics.
        name = result.name if result.error != "unknown_tool" else "(unknown)"
        self.agent.telemetry.tool(name, result.ms / 1000, result.error)
        return result
