"""One turn: a user's message and all that the agent does about it. The only loop there is.

`Turn.events()` is a generator that ends with `Finished`. Wherever it stops (done, limit, cancel, error, closed
by its reader) the history it leaves is whole: every call has its result. The one exception is a turn that waits
for an approval; its calls stay pending so that a later turn can go on from them."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from agents.core.awaitables import awaited
from agents.core.loop import events as ev
from agents.core.loop.calls import Calls
from agents.core.loop.clock import Clock
from agents.core.loop.dispatch import UNAVAILABLE
from agents.core.loop.history import Conversation
from agents.core.loop.reply import Reply
from agents.core.loop.review import Review
from agents.core.loop.runtime import Runtime, TurnState
from agents.core.messages import AssistantMessage, ToolMessage
from agents.core.model import ModelError
from agents.core.tools.context import ToolContext

log = logging.getLogger("agents.core")

_NOTHING: Mapping[str, Any] = {}
NO_ANSWER = "The model ended without an answer."
REFUSED = "The model's provider refused to answer this. Ask in other words."
NO_ROOM = (
    "The model used up its limit of tokens for one reply before it answered. Ask for less at once, or allow it "
    "longer replies."
)
CUT_OFF = "(The answer is cut off here: it reached the model's limit of tokens for one reply.)"


class Interrupted(Exception):
    """The turn was interrupted while the reader of its events held control."""


class Turn:
    """The state of one run of the loop. The agent is only read; the conversation is appended to."""

    def __init__(
        self,
        agent: Runtime,
        text: str,
        conversation: Conversation,
        answers: Mapping[str, bool] | None = None,
        caller: ToolContext | None = None,
    ) -> None:
        self.agent = agent
        self.conversation = conversation
        limits = agent.limits if caller is None else agent.limits.within(caller.left())
        self.clock = Clock(limits.seconds, lambda: self.interrupt("seconds"))
        self.state = TurnState(agent, text, self.clock, answers or {}, limits=limits, caller=caller)
        self._steps_taken = 0
        self._model = agent.model.name
        self._review = Review(agent)
        self._calls: Calls | None = None
        self._reply: Reply | None = None
        self._interrupt: str | None = None
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = False

    def interrupt(self, reason: str) -> None:
        """End the turn as soon as possible. Call it from the same event loop."""
        if self._interrupt is None:
            self._interrupt = reason
            if self._task is not None:
                self._cancelling = True
                self._task.cancel()

    async def events(self, *, resume: bool = False) -> AsyncGenerator[ev.AgentEvent, None]:
        """Run the turn. `resume` continues with calls that wait at the end of the history."""
        agent = self.agent
        agent.begin(self)
        steps = self._steps(resume)
        last: ev.Finished | None = None
        try:
            self.clock.start()
            if agent.telemetry.tracing is not None:
                self.state.span = agent.telemetry.tracing.turn(agent.name)
            while last is None:
                self._task = asyncio.current_task()
                try:
                    event = await steps.__anext__()
                except BaseException as error:
                    last = self._end_by(error)
                    if last is None:
                        raise
                    break
                finally:
                    self._task = None
                if self._cancelling:
                    await self._await_own_cancellation()
                if type(event) is ev.Finished:
                    last = event
                else:
                    yield event
            if self._calls is not None:
                for ended in self._calls.cut_off():
                    yield ended
            self._settle()
            if last.status == "limit":
                self.conversation.append(AssistantMessage(last.text))
            yield last
        finally:
            self.clock.stop()
            try:
                await steps.aclose()
            finally:  # a model or a tool may fail while it is closed
                self._settle()
                agent.end(self)
                self._count(last or self._finished("", "cancelled", "closed"))

    async def _steps(self, resume: bool) -> AsyncGenerator[ev.AgentEvent, None]:
        conversation = self.conversation
        conversation.refresh()
        if not resume:
            conversation.ask(self.state.text)
        elif conversation.pending():
            self.state.snapshot = await self.agent.snapshots.take(self.agent.toolbox, self.state.text)
            self._calls = Calls(self.state, conversation.pending())
        elif conversation.view and isinstance(conversation.view[-1], AssistantMessage):
            yield self._finished(conversation.view[-1].text, "done", "nothing_to_resume")
            return
        while True:
            if self._calls is None:
                limit = self._limit()
                if limit is not None and self._review.objection is None:
                    yield self._finished(self.state.limits.message(limit), "limit", limit)
                    return
                reply = self._reply = Reply(self.agent)
                async with aclosing(self._stream(reply, limit)) as deltas:
                    async for delta in deltas:
                        yield delta
                        self._check()
                text = self._take(reply)
                if self._review.objection is not None:
                    continue
                if self._calls is None:
                    reason, memory = _reason(reply), reply.completed.memory
                    break
                if text:
                    yield ev.AssistantText(text)
                    self._check()
            if not self._calls.check():
                async with aclosing(self._calls.approve()) as asked:
                    async for needed in asked:
                        conversation.hold(self._calls.calls)
                        yield needed
                        self._check()
                if self._calls.asked:
                    names = ", ".join(dict.fromkeys(self._calls.asked))
                    self._calls = None
                    yield self._finished(f"This needs your approval first: {names}.", "waiting", "approval")
                    return
            async with aclosing(self._calls.run()) as running:
                async for event in running:
                    yield event
                    self._check()
            answer, unavailable = self._calls.tally(), self._calls.unavailable()
            self._settle()
            if unavailable is not None:
                yield self._finished(unavailable, "failed", UNAVAILABLE)
                return
            if answer is not None:
                conversation.append(AssistantMessage(answer))
                text, reason, memory = answer, None, {}
                break
        text = await self._final(_explained(text, reason))
        yield ev.AssistantText(text, final=True)
        extra = await self._annotations(text) if self.agent.hooks.annotation else {}
        yield self._finished(text, "done", reason, extra, memory)

    def _check(self) -> None:
        """Raise if the reader of the events stopped the turn while it held control."""
        if self._interrupt is not None:
            raise Interrupted

    async def _stream(self, reply: Reply, limit: str | None) -> AsyncGenerator[ev.Delta, None]:
        """The reply, as far as it may be shown. After an objection, the user keeps the first answer if a limit is
        reached or the model fails."""
        try:
            if limit is None:
                async with aclosing(
                    reply.deltas(self.state.text, self.conversation, self.state.span)
                ) as deltas:
                    async for delta in deltas:
                        if (shown := await self._review.visible(delta)) is not None:
                            yield shown
        except ModelError:
            if self._review.objection is None:
                raise
        if (left := await self._review.close(reply)) is not None:
            yield left

    def _take(self, reply: Reply) -> str:
        """Put a whole reply into the history, and return its text. From here on its calls get their results,
        wherever the turn stops."""
        message = reply.message
        self._reply = None
        if message is None:
            return ""
        self._steps_taken += 1
        self.state.snapshot = reply.snapshot
        self.state.add_usage(reply.completed.usage)
        self._model = reply.completed.model or self._model
        if self._review.objection is not None:
            self.conversation.object(message, self._review.objection)
        elif message.calls or message.text.strip():
            self.conversation.append(message)
        if message.calls:
            self._calls = Calls(self.state, message.calls)
        return message.text

    async def _final(self, text: str) -> str:
        agent = self.agent
        own = await awaited(agent._finalize_response(text))
        for hooked in agent.hooks.response:
            changed = await hooked.run(agent, own)
            own = own if changed is None else changed
        return own if isinstance(own, str) else str(own)

    async def _annotations(self, text: str) -> dict[str, Any]:
        """Annotations of the answer. The answer matters more, so a failing hook is ignored."""
        extra: dict[str, Any] = {}
        for hooked in self.agent.hooks.annotation:
            try:
                extra.update(await hooked.run(self.agent, text) or {})
            except Exception:
                log.exception("the annotation hook %s failed", hooked.method)
        return extra

    def _limit(self) -> str | None:
        limits, failures = self.state.limits, self.state.failures
        most = limits.identical_failures
        if failures and most is not None and max(failures.values()) >= most:
            return "identical_failures"
        return limits.reached(self._steps_taken, self.state.usage)

    def _end_by(self, error: BaseException) -> ev.Finished | None:
        """How the turn ends after an interruption or an error; None if the exception belongs to someone else."""
        if isinstance(error, asyncio.CancelledError) and not self._own_cancellation():
            return None
        if isinstance(error, asyncio.CancelledError | Interrupted):
            if self._interrupt == "seconds":
                return self._finished(self.state.limits.message("seconds"), "limit", "seconds")
            return self._finished("Stopped.", "cancelled", self._interrupt)
        if isinstance(error, ModelError):
            log.warning("model %s: %s (%s)", self._model, error, error.code)
            return self._finished(str(error), "failed", error.code)
        if not isinstance(error, Exception):
            return None
        number = os.urandom(4).hex()
        log.error("agent %s: a turn failed (error %s)", self.agent.name, number, exc_info=error)
        text = f"Something went wrong inside; nothing more was done (error {number})."
        return self._finished(text, "failed", "internal")

    async def _await_own_cancellation(self) -> None:
        """Wait for a cancellation that this turn requested, so that it does not hit the reader of the events."""
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            if not self._own_cancellation():
                raise

    def _own_cancellation(self) -> bool:
        """Whether this turn requested the cancellation; any other one is passed on."""
        task = asyncio.current_task()
        if not self._cancelling or task is None:
            return False
        self._cancelling = False
        return task.uncancel() == 0

    def _finished(
        self,
        text: str,
        status: ev.Status,
        reason: str | None,
        extra: Mapping[str, Any] = _NOTHING,
        memory: Mapping[str, Any] = _NOTHING,
    ) -> ev.Finished:
        state, steps = self.state, self._steps_taken
        return ev.Finished(
            text, status, state.usage, steps, reason, self.clock.ms, self._model, extra, memory
        )

    def _count(self, finished: ev.Finished) -> None:
        self.agent.telemetry.turn(finished.status)
        if self.state.span is not None:
            self.agent.telemetry.tracing.turn_done(self.state.span, finished)

    def _settle(self) -> None:
        """Complete the history: a partial reply with its text so far, and a result for every call."""
        calls, self._calls = self._calls, None
        if calls is not None:
            self.conversation.append(ToolMessage(calls.results()))
        reply, self._reply = self._reply, None
        if reply is not None and reply.text:
            self.conversation.append(AssistantMessage("".join(reply.text)))


def _reason(reply: Reply) -> str | None:
    if reply.completed.finish in ("length", "refusal"):
        return reply.completed.finish
    return None if "".join(reply.text).strip() else "empty"


def _explained(text: str, reason: str | None) -> str:
    """The answer, with a note if it was cut off; if it is empty, the reason why instead."""
    if reason == "length":
        return f"{text.rstrip()}\n\n{CUT_OFF}" if text.strip() else NO_ROOM
    if text.strip():
        return text
    return REFUSED if reason == "refusal" else NO_ANSWER
