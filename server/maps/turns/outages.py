"""Records the events of a turn through short outages of the database."""

from __future__ import annotations

from server.database.outages import through_outage
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, clean_json


async def record_once(
    log: EventLog, map_id: str, turn_id: str, server_id: str | None, change: Change
) -> None:
    """Record an event of a turn exactly once, through a short outage: if the connection breaks during the
    commit, the log is checked for the event before it is written again."""
    is_repeated = False

    async def attempt() -> None:
        nonlocal is_repeated
        if is_repeated and await _is_last(log, map_id, turn_id, change):
            return
        is_repeated = True
        async with log.writing(map_id, turn_id, server_id) as writer:
            await writer.record(change)

    await through_outage(attempt)


async def _is_last(log: EventLog, map_id: str, turn_id: str, change: Change) -> bool:
    """Whether the turn's last event is this change. Stored payloads also hold the defaults of omitted fields."""
    last = (await log.reader.read_turn(map_id, turn_id))[-1:]
    wanted = clean_json(change.payload)
    return any(
        event.name == change.name and all(event.payload.get(key) == value for key, value in wanted.items())
        for event in last
    )
