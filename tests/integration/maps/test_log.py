"""The event log on a real database: gapless numbers, projection, versions, undo, snapshots, layer lookup."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text, update
from sqlalchemy.dialects import postgresql

from server.database.engines import Database, single_reads
from server.database.lanes import work_for
from server.maps import rates
from server.maps.faults import RequestFault
from server.maps.log.event_log import EventLog
from server.maps.log.events import (
    Change,
    layer_added,
    layer_removed,
    layer_updated,
    layers_reordered,
    map_reset,
)
from server.maps.log.histories import Histories
from server.maps.log.replay import replay
from server.maps.log.snapshots import MAX_CHANGES_PER_READ
from server.maps.log.tables import metadata, turn_table
from server.maps.rates import WrittenBytes
from server.maps.service import LayerLookup
from server.maps.turns.queue import TurnStore
from server.protocol import Snapshot
from tests.support.layers import layer
from tests.support.statements import statements


@pytest.fixture(scope="module")
def log(database: Database) -> EventLog:
    return EventLog(database.owner)


def chat(message: str) -> Change:
    return Change("ai_response", {"type": "ai_response", "message": message})


async def test_events_are_numbered_without_gaps_however_many_write_at_once(log: EventLog) -> None:
    map_id = await log.create()
    await asyncio.gather(*(log.append(map_id, [chat(f"{n}"), chat(f"{n}!")]) for n in range(25)))
    events = await log.reader.read(map_id, 0)
    assert [event.seq for event in events] == list(range(1, 51))
    assert [event.payload["message"] + "!" for event in events[::2]] == [
        event.payload["message"] for event in events[1::2]
    ]


async def test_a_history_has_no_undo_of_what_came_after_its_seq(log: EventLog, database: Database) -> None:
    histories = Histories()
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a"))])
    async with single_reads(database.owner) as connection:
        assert (await histories.at(connection, map_id, 1)).can_undo
        before = await histories.at(connection, map_id, 0)
        assert (before.can_undo, before.seen, before.state.layers) == (False, 0, ())
        assert (await histories.at(connection, map_id, 1)).can_undo


async def test_a_kept_fold_stays_as_it_is_when_a_newer_one_is_made_from_it(
    log: EventLog, database: Database
) -> None:
    histories = Histories()
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a")), layer_added(layer("b"))], turn_id="t")
    async with single_reads(database.owner) as connection:
        before = await histories.at(connection, map_id, 1)
        after = await histories.at(connection, map_id, 2)
    assert [len(undo[1]) for undo in (before.undo(), after.undo()) if undo] == [1, 2]


async def test_a_snapshot_is_written_once_for_all_who_ask_at_one_seq(log: EventLog) -> None:
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("ä")), chat("</script> \u2028 ü")])
    first, second = await log.snapshots.encoded(map_id), await log.snapshots.encoded(map_id)
    assert first == second
    assert Snapshot.model_validate_json(first.json.text) == await log.snapshots.read(map_id)
    await log.append(map_id, [layer_removed("ä")])
    third = await log.snapshots.encoded(map_id)
    assert (first.seq, third.seq) == (2, 3)
    assert Snapshot.model_validate_json(third.json.text) == await log.snapshots.read(map_id)


async def test_states_and_snapshots_that_are_read_while_somebody_writes_are_each_of_one_moment(
    log: EventLog,
) -> None:
    map_id = await log.create()

    async def write() -> None:
        for number in range(60):
            await log.append(map_id, [layer_added(layer(f"layer_{number}"))])

    async def read() -> None:
        while not writing.done():
            snapshot = await log.snapshots.read(map_id)
            assert (len(snapshot.layers), snapshot.can_undo) == (snapshot.seq, snapshot.seq > 0)
            state = await log.reader.state(map_id)
            assert len(state.layers) == state.seq

    writing = asyncio.create_task(write())
    await asyncio.gather(writing, read(), read(), read())


async def test_a_snapshot_of_the_same_seq_tells_how_turns_stand_now(
    log: EventLog, database: Database
) -> None:
    map_id = await log.create()
    said = await TurnStore(database.owner, log, "server_1").submit(map_id, "hello")

    async def statuses() -> list[str]:
        snapshot = Snapshot.model_validate_json((await log.snapshots.encoded(map_id)).json.text)
        return [turn.status for turn in snapshot.turns if snapshot.seq == said.seq]

    assert await statuses() == ["queued"]
    async with database.owner.begin() as connection:
        await connection.execute(update(turn_table).values(status="running"))
    assert await statuses() == ["running"]


async def test_a_layer_as_it_is_now_is_read_without_its_history(log: EventLog, database: Database) -> None:
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a")), layer_updated(layer("a", name="new"))])
    lookup = LayerLookup(log.reader)
    with statements(database.owner, "geoagent.event") as of_the_history:
        found = await lookup.current(map_id, "a")
    assert of_the_history == []
    assert found is not None
    assert (found.version, found.name) == (2, "new")
    assert found == (await log.reader.state(map_id)).layer("a")
    assert await lookup.current(map_id, "b") is None
    with pytest.raises(RequestFault) as refused:
        await lookup.current("no map", "a")
    assert refused.value.code == "unknown_map"


async def test_a_transaction_that_fails_leaves_no_event_and_no_gap(log: EventLog) -> None:
    map_id = await log.create()

    async def fail_half_way() -> None:
        async with log.writing(map_id) as writer:
            await writer.record(layer_added(layer("a")))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_half_way()
    await log.append(map_id, [chat("after")])
    assert [(event.seq, event.name) for event in await log.reader.read(map_id, 0)] == [(1, "ai_response")]
    assert (await log.reader.state(map_id)).layers == ()


async def test_a_map_that_is_not_there_is_refused(log: EventLog) -> None:
    for attempt in (
        log.append("nowhere", [chat("x")]),
        log.snapshots.read("nowhere"),
        log.reader.seq("nowhere"),
    ):
        with pytest.raises(RequestFault) as refused:
            await attempt
        assert refused.value.code == "unknown_map"


async def test_versions_of_a_layer_id_only_grow_and_each_can_be_found(log: EventLog) -> None:
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a", name="one"))])
    await log.append(map_id, [layer_updated(layer("a", name="two"))])
    await log.append(map_id, [layer_removed("a")])
    await log.append(map_id, [layer_added(layer("a", name="three"))])
    assert [one.version for one in (await log.reader.state(map_id)).layers] == [3]
    lookup = LayerLookup(log.reader)
    found = [await lookup.layer(map_id, "a", version) for version in (1, 2, 3, 4)]
    assert [one.name if one else None for one in found] == ["one", "two", "three", None]
    assert await lookup.layer("elsewhere", "a", 1) is None


async def test_the_tiles_of_a_layer_name_its_version_unless_its_data_stay_the_same(log: EventLog) -> None:
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a"))])
    first = (await log.reader.state(map_id)).layers[0]
    assert first.tiles == f"/tiles/{map_id}/a/1/{{z}}/{{x}}/{{y}}.mvt"
    await log.append(map_id, [layer_updated(first.model_copy(update={"opacity": 0.5}))])
    faded = (await log.reader.state(map_id)).layers[0]
    assert (faded.version, faded.tiles) == (2, first.tiles)
    await log.append(map_id, [layer_updated(first.model_copy(update={"tiles": ""}))])
    assert (await log.reader.state(map_id)).layers[0].tiles == f"/tiles/{map_id}/a/3/{{z}}/{{x}}/{{y}}.mvt"


IDS = st.sampled_from(["a", "b", "c"])
CHANGES = st.one_of(
    st.builds(lambda layer_id: layer_added(layer(layer_id, order=9)), IDS),
    st.builds(
        lambda layer_id, at: layer_updated(layer(layer_id, opacity=at)), IDS, st.sampled_from([0.1, 0.9])
    ),
    st.builds(layer_removed, IDS),
    st.builds(layers_reordered, st.permutations(["a", "b", "c"])),
    st.just(map_reset()),
    st.just(chat("hello")),
)


@settings(max_examples=25)
@given(st.lists(st.lists(CHANGES, min_size=1, max_size=4), max_size=8))
async def test_the_stored_layers_are_the_replay_of_the_log(
    log: EventLog, batches: list[list[Change]]
) -> None:
    map_id = await log.create()
    for batch in batches:
        await log.append(map_id, batch)
    events = await log.reader.read(map_id, 0)
    assert (await log.reader.state(map_id)).layers == replay(event.typed() for event in events).layers


async def test_undo_survives_a_restart_since_it_is_read_from_the_log(
    database: Database, log: EventLog
) -> None:
    map_id = await log.create()
    await log.append(map_id, [layer_added(layer("a"))])
    await log.append(map_id, [layer_updated(layer("a", opacity=0.3))])
    restarted = EventLog(database.owner)
    history = await restarted.reader.history(map_id)
    assert (history.can_undo, history.can_redo) == (True, False)
    snapshot = await restarted.snapshots.read(map_id)
    assert (snapshot.can_undo, snapshot.can_redo) == (True, False)


async def test_what_a_table_says_can_always_be_written(log: EventLog) -> None:
    map_id = await log.create()
    strange = {
        "call_id": "1",
        "name": "x",
        "arguments": {"a\x00": ["\ud800", float("nan"), b"bytes", {1: 2}]},
    }
    await log.append(map_id, [Change("tool_called", strange)])
    (event,) = await log.reader.read(map_id, 0)
    assert event.payload["arguments"] == {"a�": ["?", None, "b'bytes'", {"1": 2}]}


async def test_a_snapshot_holds_the_chat_and_the_layers_as_of_its_seq(log: EventLog) -> None:
    map_id = await log.create()
    await log.append(map_id, [chat("first"), layer_added(layer("a")), chat("second")])
    snapshot = await log.snapshots.read(map_id)
    assert (snapshot.seq, [one.id for one in snapshot.layers]) == (3, ["a"])
    assert [one.data["seq"] for one in snapshot.chat] == [1, 3]
    assert snapshot.chat_complete


async def test_a_long_chat_is_cut_at_a_users_message(log: EventLog) -> None:
    map_id = await log.create()
    for turn in range(4):
        said = Change("user_message", {"text": f"{turn}"})
        await log.append(map_id, [said, *(chat("x") for _ in range(299))], f"turn_{turn}")
    snapshot = await log.snapshots.read(map_id)
    assert not snapshot.chat_complete
    assert (snapshot.chat[0].event, snapshot.chat[0].data["text"]) == ("user_message", "3")


async def test_the_migrated_tables_are_those_that_the_code_knows(database: Database) -> None:
    async with database.owner.connect() as connection:
        for table in metadata.sorted_tables:
            rows = await connection.execute(
                text(
                    "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
                    " WHERE attrelid = to_regclass(:name) AND attnum > 0 AND NOT attisdropped"
                ),
                {"name": f"{table.schema}.{table.name}"},
            )
            known = {
                (column.name, column.type.compile(postgresql.dialect()).lower()) for column in table.columns
            }
            assert known == {tuple(row) for row in rows}, table.name


async def test_the_undo_history_of_a_map_with_more_changes_than_one_statement_reads_is_whole(
    log: EventLog, database: Database
) -> None:
    map_id = await log.create()
    changes = [layer_added(layer("a", name=f"name {number}")) for number in range(MAX_CHANGES_PER_READ + 1)]
    await log.append(map_id, changes)
    restarted = EventLog(database.owner)
    snapshot = await restarted.snapshots.read(map_id)
    assert (snapshot.seq, snapshot.can_undo) == (len(changes), True)
    history = await restarted.reader.history(map_id)
    assert history.seen == len(changes)
    assert [each.name for each in history.state.layers] == [f"name {MAX_CHANGES_PER_READ}"]


async def test_one_address_cannot_fill_the_disk_with_changes(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rates, "WRITTEN_BYTES", (0.001, 20_000))
    log = EventLog(database.owner, written=WrittenBytes(1))
    map_id = await log.create()
    codes: list[tuple[str, bool]] = []

    async def change_until_refused(address: str) -> int:
        work_for(map_id, address)
        for number in range(100):
            try:
                await log.append(map_id, [layer_added(layer("a", name=f"name {number}"))])
            except RequestFault as fault:
                codes.append((fault.code, fault.retry_after is not None))
                return number
        return 100

    taken = [await asyncio.create_task(change_until_refused(address)) for address in ("greedy", "stranger")]
    assert 1 < taken[0] == taken[1] < 50, "what one takes is not the other's"
    assert await asyncio.create_task(change_until_refused("greedy")) == 0
    assert codes == [("rate_limited", True)] * 3
    assert (await log.reader.state(map_id)).seq == sum(taken), "a refused change leaves nothing"
    await log.append(map_id, [layer_added(layer("a", name="by a turn"))], turn_id="turn_1")
