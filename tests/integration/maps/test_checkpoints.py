"""How long it takes to restore an earlier moment of a map does not grow with its log, and neither does its memory."""

from __future__ import annotations

import hashlib

import pytest
from sqlalchemy import func, select, text

from server.database.engines import Database
from server.maps.log import histories
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, layer_added, layer_removed, layer_updated
from server.maps.log.replay import replay
from server.maps.log.tables import checkpoint_table
from tests.support.layers import layer
from tests.support.statements import statements

EVENTS = 240


@pytest.fixture
def log(database: Database, monkeypatch: pytest.MonkeyPatch) -> EventLog:
    monkeypatch.setattr("server.maps.log.writer.EVENTS_PER_CHECKPOINT", 50)
    monkeypatch.setattr(histories, "EVENTS_PER_PAGE", 10)
    return EventLog(database.owner)


def changes_of(number: int) -> list[Change]:
    """Layers come, change and go; now and then somebody writes."""
    name = f"l{number % 7}"
    if number % 5 == 4:
        return [layer_removed(name)]
    if number % 11 == 10:
        return [Change("ai_response", {"type": "ai_response", "message": "well"})]
    return [layer_added(layer(name)), layer_updated(layer(name, opacity=number % 10 / 10))]


async def test_every_moment_is_restored_as_the_whole_log_says(log: EventLog) -> None:
    map_id = await log.create()
    for number in range(EVENTS // 2):
        await log.append(map_id, changes_of(number))
    events = [event.typed() for event in await log.reader.read(map_id, 0)]
    for seq in (0, 1, 49, 50, 51, 52, 100, 137, len(events)):
        wanted = replay(events[:seq])
        found = await log.reader.state_at(map_id, seq)
        assert (found.layers, found.charts) == (wanted.layers, wanted.charts), seq


async def test_an_old_and_a_new_moment_of_a_long_log_take_as_few_statements(
    log: EventLog, database: Database
) -> None:
    map_id = await log.create()
    for number in range(EVENTS):
        await log.append(map_id, changes_of(number))
    newest = await log.reader.seq(map_id)
    for seq in (newest, newest - 1, newest // 2):
        with statements(database.owner, "geoagent.event") as sent:
            await log.reader.state_at(map_id, seq)
        # At most 60 events since a checkpoint, in pages of 10.
        assert len(sent) <= 7, seq
    async with database.owner.connect() as connection:
        kept = await connection.scalar(select(func.count()).where(checkpoint_table.c.map_id == map_id))
    assert newest // 60 <= (kept or 0) <= newest // 50


async def test_checkpoints_may_be_deleted_and_those_of_before_are_not_needed(
    log: EventLog, database: Database
) -> None:
    map_id = await log.create()
    for number in range(EVENTS // 2):
        await log.append(map_id, changes_of(number))
    seq = await log.reader.seq(map_id)
    before = await log.reader.state_at(map_id, seq)
    async with database.owner.begin() as connection:
        await connection.execute(text("DELETE FROM geoagent.checkpoint WHERE map_id = :id"), {"id": map_id})
    after = await log.reader.state_at(map_id, seq)
    assert (after.layers, after.charts) == (before.layers, before.charts)


async def test_a_page_of_a_log_has_a_bounded_size(database: Database) -> None:
    log = EventLog(database.owner)
    map_id = await log.create()
    for number in range(40):
        # Digests, which PostgreSQL cannot compress much.
        digests = [hashlib.sha256(f"{number} {each}".encode()).hexdigest() for each in range(1_500)]
        wanted = {"op": "in", "args": [{"property": "id"}, digests]}
        await log.append(map_id, [layer_added(layer(f"l{number}", filter=wanted))])
    async with database.owner.connect() as connection:
        pages = [page async for page in histories.pages_of_changes(connection, map_id, 0, 40)]
    assert [event.seq for page in pages for event in page] == list(range(1, 41))
    assert len(pages) > 1
    assert all(sum(len(str(event.payload)) for event in page) < 3 * histories.PAGE_BYTES for page in pages)
