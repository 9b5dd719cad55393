"""Turns as rows: queued within limits, one running per map, each ending in exactly one `turn_finished`.

Every state change is one transaction on the map, together with its events. A server claims a turn only while it
holds the map's row lock, and a unique index refuses a second running turn on a map. A turn that waits for
approval belongs to no server and keeps its place: after the last answer it is queued before all others."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import ValidationError
from sqlalchemy import Row, and_, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Focus
from agents.worded import Template
from server import fault_texts
from server.database.engines import single_reads
from server.maps.analyses.store import unfinished_analyses
from server.maps.faults import RequestFault, TurnUnreadable
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, ai_response, clean_json, clean_text
from server.maps.log.tables import analysis_table, event_table, turn_table
from server.maps.log.writer import MapWriter
from server.maps.turns.admission import Limits, OpenTurn, Rotation
from server.maps.turns.pending_approval import PendingApproval
from server.protocol import TurnUsage

CLIENT_ID = Template(
    "map_client_id", "This client_id was used for another message. Give every message a new id."
)
NO_QUESTION = Template("map_no_question", "No question about the call {call} is open in this turn.")

Status = Literal["done", "cancelled", "failed", "interrupted"]
OPEN = ("queued", "running", "waiting")
HOLDING = ("running", "waiting")
HANDOVER_S = 15.0
"""Time after which a turn may start on a server with another model."""
DISPLACED = Template(
    "turn_displaced",
    "The server is busy: too many messages are waiting, and most of them came from your network address. Try again in "
    "a moment.",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message that is to be answered."""

    id: str
    map_id: str
    text: str
    focus: Focus | None = None
    server_id: str | None = None
    status: str = "running"
    pending_approval: PendingApproval | None = None
    """The state to continue from after the user's answer."""
    address: str | None = None
    """The network address of the request."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """A queued message; `ahead` turns start before it."""

    turn_id: str
    seq: int
    ahead: int = 0


class TurnStore:
    """The queue of turns. Methods raise RequestFault `unknown_map` for a map that does not exist."""

    def __init__(
        self,
        engine: AsyncEngine,
        log: EventLog,
        server_id: str,
        limits: Limits | None = None,
        model: str | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.rotation = Rotation(server_id)
        self._engine = engine
        self._log = log
        self._server_id = server_id
        self._model = model

    def takes(self, turn: OpenTurn | Row[Any]) -> bool:
        """Whether this server may start a queued turn: it has the model of the server that accepted the turn, or
        that server has not started it within `HANDOVER_S`."""
        if turn.model is None or turn.model == self._model or turn.created_at is None:
            return True
        return bool((datetime.now(UTC) - turn.created_at).total_seconds() > HANDOVER_S)

    async def submit(
        self,
        map_id: str,
        text: str,
        client_id: str | None = None,
        focus: Focus | None = None,
        author: str | None = None,
        address: str | None = None,
    ) -> Submitted:
        """Queue a message from the network address `address`.

        The same `client_id` again returns the turn of the first call, or raises RequestFault `conflict` if the text
        differs. Raises RequestFault `busy` beyond the limits. If the queue is full, the newest turn of the address with
        the most waiting turns ends."""
        async with self._log.writing(map_id) as writer:
            if client_id is not None:
                known = await self._by_client_id(writer, client_id, text)
                if known is not None:
                    return known
            others = await self._open_turns(writer.connection)
            displaced = self.limits.admit(others, map_id, address)
            turn_id = f"turn_{secrets.token_urlsafe(12)}"
            where = None if focus is None else clean_json(focus.model_dump(mode="json"))
            row = {"id": turn_id, "map_id": map_id, "client_id": client_id, "text": clean_text(text)}
            stored = await writer.connection.execute(
                insert(turn_table)
                .values(**row, focus=where, address=address, model=self._model)
                .returning(turn_table.c.position)
            )
            mine = OpenTurn(turn_id, map_id, address, "queued", None, stored.scalar_one())
            payload = {"text": text, "client_id": client_id, "focus": where, "author": author}
            event = await writer.record(Change("user_message", payload), turn_id)
            staying = [turn for turn in others if turn is not displaced]
            ahead = self.rotation.order([*staying, mine]).index(mine)
        if displaced is not None:
            await self.refuse(displaced, DISPLACED())
        return Submitted(turn_id, event.seq, ahead)

    async def refuse(self, turn: OpenTurn, why: str) -> None:
        """End a turn that is still queued, with a message that says why."""
        async with self._log.writing(turn.map_id, turn.id) as writer:
            status = select(turn_table.c.status).where(turn_table.c.id == turn.id)
            if (await writer.connection.execute(status)).scalar_one_or_none() == "queued":
                await close_turn(writer, turn.id, "failed", None, [ai_response(why)])

    async def open_turns(self) -> list[OpenTurn]:
        """All turns that have not ended, on all servers and maps; the limits bound their number."""
        async with single_reads(self._engine) as connection:
            return await self._open_turns(connection)

    async def claim(self, map_id: str) -> Turn | None:
        """Claim the first queued turn of a map for this server; None if a turn of the map is running or waiting, or
        another server is to take it. Raises TurnUnreadable."""
        async with self._log.writing(map_id) as writer:
            query = select(turn_table).where(turn_table.c.map_id == map_id, turn_table.c.status.in_(OPEN))
            rows = (await writer.connection.execute(query.order_by(turn_table.c.position))).all()
            if not rows or any(row.status in HOLDING for row in rows) or not self.takes(rows[0]):
                return None
            started = func.coalesce(turn_table.c.started_at, func.clock_timestamp())
            await writer.connection.execute(
                update(turn_table)
                .where(turn_table.c.id == rows[0].id)
                .values(status="running", server_id=self._server_id, started_at=started, pause=None)
            )
            return as_turn(rows[0])

    async def finish(
        self, turn: Turn, status: Status, usage: TurnUsage | None = None, changes: Sequence[Change] = ()
    ) -> None:
        """End a turn that this server runs, after these last events. Raises TurnLost if it does not run it."""
        async with self._log.writing(turn.map_id, turn.id, self._server_id) as writer:
            await close_turn(writer, turn.id, status, usage, changes)

    async def suspend(self, turn: Turn, pending: PendingApproval, changes: Sequence[Change] = ()) -> None:
        """Put a turn that this server runs into `waiting` for the user. Raises TurnLost if it does not run it."""
        async with self._log.writing(turn.map_id, turn.id, self._server_id) as writer:
            for change in (*changes, *pending.requests()):
                await writer.record(change)
            await writer.connection.execute(
                update(turn_table)
                .where(turn_table.c.id == turn.id)
                .values(status="waiting", server_id=None, pause=clean_json(pending.stored()))
            )

    async def answer(self, map_id: str, turn_id: str, call_id: str, approved: bool) -> int:
        """Store the user's answer about a call; the last answer queues the turn again. Returns the seq of the
        event. Raises RequestFault `conflict`."""
        async with self._log.writing(map_id, turn_id) as writer:
            row = await _row_of(writer, map_id, turn_id)
            pending = None if row is None else as_turn(row).pending_approval
            if pending is not None and call_id in pending.answers:
                raise RequestFault("conflict", fault_texts.ANSWERED())
            if pending is None or row is None or call_id not in pending.open_calls():
                raise RequestFault("conflict", NO_QUESTION(call=repr(call_id[:60])))
            event = await writer.record(
                Change("approval_answered", {"call_id": call_id, "approved": approved})
            )
            pending = pending.answered(call_id, approved)
            await writer.connection.execute(
                update(turn_table)
                .where(turn_table.c.id == turn_id)
                .values(
                    status="waiting" if pending.open_calls() else "queued", pause=clean_json(pending.stored())
                )
            )
            return event.seq

    async def cancel_idle(self, map_id: str, turn_id: str, changes: Sequence[Change] = ()) -> bool:
        """Cancel a turn that no server runs; False if one does, or if it has ended or does not exist.

        `changes` are its last events if it had started."""
        async with self._log.writing(map_id, turn_id) as writer:
            row = await _row_of(writer, map_id, turn_id)
            if row is None or row.status not in ("queued", "waiting"):
                return False
            pending = as_turn(row).pending_approval
            if pending is None:
                await close_turn(writer, turn_id, "cancelled", None, ())
            else:
                await close_turn(writer, turn_id, "cancelled", pending.usage, changes)
            return True

    async def begun(self, map_id: str) -> Turn | None:
        """The map's turn that has started and not ended: it runs, waits, or is about to continue."""
        query = select(turn_table).where(turn_table.c.map_id == map_id, turn_table.c.status.in_(OPEN))
        query = query.where(turn_table.c.started_at.is_not(None)).order_by(turn_table.c.position).limit(1)
        async with single_reads(self._engine) as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else as_turn(row)

    async def running(self, map_id: str | None = None) -> list[Turn]:
        """Turns that are running on any server, of one map or of all."""
        query = select(turn_table).where(turn_table.c.status == "running")
        if map_id is not None:
            query = query.where(turn_table.c.map_id == map_id)
        async with single_reads(self._engine) as connection:
            return [as_turn(row) for row in await connection.execute(query)]

    async def unfinished_analyses(self, turn_id: str) -> dict[str, dict[str, Any]]:
        """For each analysis of the turn that has not ended: the step that ran, and what had finished."""
        async with single_reads(self._engine) as connection:
            return await unfinished_analyses(connection, turn_id)

    async def interrupt(self, turn: Turn, changes: Sequence[Change]) -> bool:
        """End a turn whose server has died; False if it ended or another server took it in the meantime."""
        async with self._log.writing(turn.map_id, turn.id) as writer:
            query = select(func.count()).where(
                and_(
                    turn_table.c.id == turn.id,
                    turn_table.c.status == "running",
                    turn_table.c.server_id.is_not_distinct_from(turn.server_id),
                )
            )
            if (await writer.connection.execute(query)).scalar_one() == 0:
                return False
            await close_turn(writer, turn.id, "interrupted", None, changes)
            return True

    async def _by_client_id(self, writer: MapWriter, client_id: str, text: str) -> Submitted | None:
        query = (
            select(turn_table.c.id, turn_table.c.text, event_table.c.seq)
            .join(event_table, event_table.c.turn_id == turn_table.c.id)
            .where(turn_table.c.map_id == writer.map_id, turn_table.c.client_id == client_id)
            .where(event_table.c.type == "user_message")
        )
        row = (await writer.connection.execute(query)).one_or_none()
        if row is not None and row.text != clean_text(text):
            raise RequestFault("conflict", CLIENT_ID())
        return None if row is None else Submitted(row.id, row.seq)

    async def _open_turns(self, connection: AsyncConnection) -> list[OpenTurn]:
        columns = (turn_table.c[name] for name in OpenTurn.__slots__)
        found = await connection.execute(select(*columns).where(turn_table.c.status.in_(OPEN)))
        return [OpenTurn(*row) for row in found]


async def close_turn(
    writer: MapWriter, turn_id: str, status: Status, usage: TurnUsage | None, changes: Sequence[Change]
) -> None:
    """Record the last events and `turn_finished`, and end the turn's row and its running analyses."""
    for change in changes:
        await writer.record(change)
    used = (usage or TurnUsage()).model_dump(mode="json")
    await writer.record(Change("turn_finished", {"status": status, "usage": used}))
    await writer.connection.execute(
        update(turn_table)
        .where(turn_table.c.id == turn_id)
        .values(
            status=status,
            usage=clean_json(used),
            finished_at=func.clock_timestamp(),
            pause=None,
            address=None,
        )
    )
    # An analysis ends with its turn: one that is still running has failed. Its last step is kept.
    await writer.connection.execute(
        update(analysis_table)
        .where(analysis_table.c.map_id == writer.map_id, analysis_table.c.turn_id == turn_id)
        .where(analysis_table.c.status == "running")
        .values(
            status="failed",
            finished_at=func.clock_timestamp(),
            progress=None,
            result=analysis_table.c.receipt[("steps", "-1", "table")].astext,
        )
    )


async def _row_of(writer: MapWriter, map_id: str, turn_id: str) -> Row[Any] | None:
    query = select(turn_table).where(turn_table.c.id == turn_id, turn_table.c.map_id == map_id)
    return (await writer.connection.execute(query)).one_or_none()


def as_turn(row: Row[Any]) -> Turn:
    """A row of the turn table as a `Turn`. Raises TurnUnreadable."""
    try:
        pending = None if row.pause is None else PendingApproval.load(row.pause)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise TurnUnreadable(row.id) from error
    return Turn(
        row.id, row.map_id, row.text, as_focus(row.focus), row.server_id, row.status, pending, row.address
    )


def as_focus(stored: Any) -> Focus | None:
    """The stored focus, or None if it is not valid any more: a stored row must never block a turn."""
    with suppress(ValidationError):
        return None if stored is None else Focus.model_validate(stored, extra="ignore")
    return None
