"""Records the stream of agent events of one turn: lasting events in the log, the rest over the sockets.

While the database is unreachable the recorder waits and retries, so a short outage does not end a turn."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

import structlog

from agents.core.loop.events import (
    AgentEvent,
    ApprovalNeeded,
    AssistantText,
    Delta,
    Finished,
    ToolDone,
    ToolStarted,
)
from agents.core.tools.results import shorten
from agents.domain import SqlAnswer
from agents.worded import Template, stored_wording
from server.maps.live.drafts import utf16_length
from server.maps.live.hub import Hub
from server.maps.log.events import Change, ai_response
from server.maps.turns.interruption import call_ended
from server.maps.turns.outages import record_once
from server.maps.turns.queue import Turn
from server.protocol import AiDelta, Question

WAS_STOPPED = Template("call_was_stopped", "stopped")

log = structlog.get_logger(__name__)

DELTA_INTERVAL_S = 0.03
MAX_RESULT_CHARS = 2000
MAX_ARGUMENT_CHARS = 16_000
MAX_SQL_ROWS = 50
MAX_RECEIPTS = 20


class Recorder:
    """Call `take` with every event of the agent, and `stop` when the stream ends early."""

    def __init__(self, turn: Turn, hub: Hub, server_id: str) -> None:
        self.finished: Finished | None = None
        self.questions: list[Question] = []
        """The questions to the user, if the turn ends as `waiting`."""
        self._turn = turn
        self._hub = hub
        self._server_id = server_id
        self._open: dict[str, str] = {}
        self._text: list[str] = []
        self._unrecorded: list[str] = []
        """What was streamed of a text that has not ended yet."""
        self._streamed = 0
        """Length of the sent part of the current text, in UTF-16 code units."""
        self._flushing: asyncio.Task[None] | None = None

    async def take(self, event: AgentEvent) -> None:
        """Record an event of the agent, or stream its text."""
        if isinstance(event, Delta):
            self._text.append(event.text)
            self._unrecorded.append(event.text)
            if self._flushing is None:
                self._flushing = asyncio.create_task(self._flush_soon())
            return
        await self._flush()
        if isinstance(event, AssistantText):
            self._unrecorded = []
            if event.text and not event.final:
                await self._record(ai_response(event.text, final=False))
                self._streamed = 0
        elif isinstance(event, ToolStarted):
            self._open[event.call.id] = event.call.name
            await self._record(tool_called(event))
            self._streamed = 0
        elif isinstance(event, ToolDone):
            self._open.pop(event.result.call_id, None)
            await self._record(tool_finished(event))
        elif isinstance(event, ApprovalNeeded):
            self.questions.append(
                Question(call_id=event.call.id, name=event.call.name, arguments=clipped(event.arguments))
            )
        elif isinstance(event, Finished):
            self.finished = event
            if event.status == "done":
                self._unrecorded = []

    async def stop(self) -> list[Change]:
        """Flush the text; returns the part of a text that was streamed, and results for the calls that have none,
        after the stream broke off."""
        await self._flush()
        text = "".join(self._unrecorded).rstrip()
        partial = [ai_response(text, final=False)] if text else []
        return [*partial, *(call_ended(call_id, name, WAS_STOPPED()) for call_id, name in self._open.items())]

    async def _record(self, change: Change) -> None:
        await record_once(self._hub.log, self._turn.map_id, self._turn.id, self._server_id, change)

    async def _flush_soon(self) -> None:
        await asyncio.sleep(DELTA_INTERVAL_S)
        self._flushing = None
        await self._send_text()

    async def _flush(self) -> None:
        if self._flushing is not None:
            self._flushing.cancel()
            self._flushing = None
        await self._send_text()

    async def _send_text(self) -> None:
        text, self._text = "".join(self._text), []
        if text:
            delta = AiDelta(map_id=self._turn.map_id, turn_id=self._turn.id, text=text, offset=self._streamed)
            self._streamed += utf16_length(text)
            await self._hub.announce(self._turn.map_id, "ai_delta", delta)


def tool_called(event: ToolStarted) -> Change:
    """The `tool_called` event, with long arguments clipped."""
    arguments = clipped(event.arguments)
    return Change("tool_called", {"call_id": event.call.id, "name": event.call.name, "arguments": arguments})


def tool_finished(event: ToolDone) -> Change:
    """The `tool_finished` event, with a shortened result and without the cells of receipts."""
    result = event.result
    return Change(
        "tool_finished",
        {
            "call_id": result.call_id,
            "name": result.name,
            "ok": result.ok,
            "summary": str(event.summary),
            **stored_wording(event.summary),
            "ms": round(result.ms, 3),
            "filled": clipped(result.filled),
            "result": shorten(result.content, MAX_RESULT_CHARS),
            **({"sql": sql_shown(result.data)} if isinstance(result.data, SqlAnswer) else {}),
            "receipts": [without_cells(receipt) for receipt in result.receipts[:MAX_RECEIPTS]],
        },
    )


def sql_shown(answer: SqlAnswer) -> dict[str, Any]:
    """The statement and its first rows: at most `MAX_SQL_ROWS` and about `MAX_ARGUMENT_CHARS` characters."""
    rows: list[list[Any]] = []
    size = 0
    for row in answer.rows[:MAX_SQL_ROWS]:
        size += len(json.dumps(row, default=str))
        if size > MAX_ARGUMENT_CHARS and rows:
            break
        rows.append(list(row))
    return {
        "sql": answer.sql,
        "columns": list(answer.columns),
        "rows": rows,
        "count": len(answer.rows),
        "truncated": answer.truncated,
    }


def without_cells(receipt: Mapping[str, Any]) -> dict[str, Any]:
    """A receipt as the log stores it: the query without the values of its rows."""
    return {name: value for name, value in receipt.items() if name not in ("cells", "texts")}


def clipped(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as the log stores them: a value above `MAX_ARGUMENT_CHARS` is replaced by its size."""
    kept = {}
    for name, value in arguments.items():
        size = len(json.dumps(value, default=str))
        kept[name] = value if size <= MAX_ARGUMENT_CHARS else f"({size} characters)"
    return kept


def with_response(
    changes: Sequence[Change], message: str, extra: Mapping[str, Any] | None = None
) -> list[Change]:
    """The changes and, if there is a message, a final `ai_response`."""
    return [*changes, ai_response(message, extra=extra)] if message else list(changes)
