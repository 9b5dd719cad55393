"""The socket protocol on a real server: joining, changing, watching, leaving, coming back."""

from __future__ import annotations

import asyncio

import pytest
import socketio

from server.app import Server
from tests.support.looking import PATIENCE, until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server


async def test_join_without_a_map_makes_an_empty_one(server: Server) -> None:
    async with client(server) as one:
        joined = await one.ask("join")
        assert joined["seq"] == 0
        assert joined["snapshot"]["layers"] == []
        assert joined["snapshot"]["chat"] == []
        assert len(joined["map_id"]) == 22
        assert (await one.ask("join"))["map_id"] != joined["map_id"]


async def test_everyone_on_a_map_sees_each_change_once_and_in_order(server: Server) -> None:
    async with client(server) as one, client(server) as other, client(server) as elsewhere:
        await one.ask("join")
        await other.ask("join", map_id=one.map_id)
        await elsewhere.ask("join")
        await one.ask("layer_add", table="data.airports", style={"color": "red"})
        await other.ask("layer_update", layer_id="airports", filter="elevation_m > 2000")
        await one.ask("layer_update", layer_id="airports", visible=False)
        await other.ask("undo")
        await one.ask("redo")
        await other.ask("layer_remove", layer_id="airports")
        seen = [
            (1, "layer_added"), (2, "layer_updated"), (3, "layer_updated"),
            (4, "layer_updated"), (5, "layer_updated"), (6, "layer_removed"),
        ]  # fmt: skip
        for watcher in (one, other):
            await watcher.hears("layer_removed")
            assert watcher.numbered() == seen
        assert elsewhere.numbered() == []
        updated = one.named("layer_updated")
        assert [event["layer"]["visible"] for event in updated] == [True, False, True, False]
        assert [event["undo_of"] for event in updated] == [None, None, 3, 3]
        assert {event["turn_id"] for event in updated} == {None}


async def test_who_comes_back_gets_exactly_what_was_missed(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        async with client(server) as other:
            joined = await other.ask("join", map_id=one.map_id)
            assert (joined["seq"], len(joined["snapshot"]["layers"])) == (1, 1)
        await one.ask("layer_add", table="data.countries")
        await one.ask("layer_remove", layer_id="airports")
        async with client(server) as again:
            back = await again.ask("join", map_id=one.map_id, after_seq=1)
            assert back["seq"] == 3
            assert [(event["event"], event["data"]["seq"]) for event in back["events"]] == [
                ("layer_added", 2),
                ("layer_removed", 3),
            ]
            assert "snapshot" not in back
            await one.hears("layer_removed")
            live = [data for name, data in one.events if name in ("layer_added", "layer_removed")][1:]
            assert [event["data"] for event in back["events"]] == live
            nothing = await again.ask("join", map_id=one.map_id, after_seq=3)
            assert (nothing["events"], nothing["more"]) == ([], False)
            ahead = await again.ask("join", map_id=one.map_id, after_seq=99)
            assert (ahead["seq"], ahead["events"], len(ahead["snapshot"]["layers"])) == (3, [], 1)


async def test_joining_while_the_map_changes_loses_nothing_and_repeats_nothing(server: Server) -> None:
    people, joined_at = 8, list[int]()
    last = asyncio.get_running_loop().create_future()
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")

        async def change() -> None:
            changes = 0
            while changes < 40 or len(joined_at) < people:
                changes += 1
                await one.ask("layer_update", layer_id="airports", opacity=round(0.1 + changes % 80 / 100, 2))
            last.set_result(1 + changes)

        async def come_in(after: float) -> None:
            await asyncio.sleep(after)
            async with client(server) as other:
                joined_at.append((await other.ask("join", map_id=one.map_id))["seq"])
                began, end = joined_at[-1], await last
                await until(lambda: began == end or (other.numbered() and other.numbered()[-1][0] == end))
                assert [seq for seq, _ in other.numbered()] == list(range(began + 1, end + 1))

        await asyncio.gather(change(), *(come_in(pause / 50) for pause in range(people)))
        assert len({seq for seq in joined_at if seq < last.result()}) > 1, "some came in between"


async def test_a_chat_is_streamed_and_written_down(server: Server, model: ScriptedModel) -> None:
    model.then(
        ["Let me ", "see.", ("add_map_layer", {"table": "data.airports", "color": "red"})],
        ["There are ", "many."],
    )
    async with client(server) as one:
        await one.ask("join")
        finished = await one.says("show airports in red", client_id="c1")
        assert finished["status"] == "done"
        assert finished["usage"]["steps"] == 2
        names = [name for _, name in one.numbered()]
        assert names == [
            "user_message", "ai_response", "tool_called", "layer_added", "tool_finished",
            "ai_response", "turn_finished",
        ]  # fmt: skip
        assert [seq for seq, _ in one.numbered()] == list(range(1, 8))
        assert [event["message"] for event in one.named("ai_response")] == ["Let me see.", "There are many."]
        assert [event["final"] for event in one.named("ai_response")] == [False, True]
        assert all(event["type"] == "ai_response" for event in one.named("ai_response"))
        streamed = "".join(event["text"] for event in one.named("ai_delta"))
        assert streamed == "Let me see.There are many."
        assert [event["offset"] for event in one.named("ai_delta")].count(0) == 2, "each text starts at 0"
        (called,), (done,) = one.named("tool_called"), one.named("tool_finished")
        assert called["call_id"] == done["call_id"]
        assert done["ok"], done
        (added,) = one.named("layer_added")
        assert added["turn_id"] == finished["turn_id"]
        again = await one.ask("chat", text="show airports in red", client_id="c1")
        assert (again["turn_id"], again["seq"]) == (finished["turn_id"], 1)


async def test_a_program_without_a_map_to_look_at_hears_nothing_of_browsers(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("show airports in red")
        assert "no browser is watching" in one.named("tool_finished")[-1]["result"]
        answer = one.named("ai_response")[-1]["message"]
        assert "airports" in answer.lower()
        assert "watching" not in answer


async def test_the_memory_of_the_offline_model_outlives_its_server_and_long_messages_block_no_one(
    samples_url: str,
) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("show cities and airports")
        map_id = one.map_id
    async with local_server(samples_url) as server, client(server) as one, client(server) as stranger:
        await one.ask("join", map_id=map_id)
        await stranger.ask("join")
        for text in (
            "show " + "airports and " * 600,
            "9 " * 3999,
            "9" * 7999,
            "show airports " + "not " * 1500,
        ):
            asked = asyncio.create_task(one.says(text))
            await stranger.says("how many countries?")
            assert stranger.named("turn_finished")[-1]["status"] == "done"
            await asked
            assert one.named("turn_finished")[-1]["status"] == "done"
            assert "too long" in one.named("ai_response")[-1]["message"]
        await one.says("hide them")
        assert one.named("layer_updated")[-1]["layer"]["id"] == "airports"


async def test_a_receipt_from_a_watching_browser_reaches_the_agent(
    server: Server, model: ScriptedModel
) -> None:
    model.then([("add_map_layer", {"table": "data.airports"})], ["Done."])
    async with client(server) as one:
        await one.ask("join")
        await one.ask("view", bounds=[-10, 40, 10, 60], zoom=4)
        asked = asyncio.create_task(one.says("show airports"))
        added = await one.hears("layer_added")
        await one.ask(
            "receipt", layer_id=added["layer"]["id"], version=added["layer"]["version"], features=812
        )
        await asked
        assert "812" in one.named("tool_finished")[0]["result"]


async def test_a_receipt_before_its_layer_is_there_counts_for_nothing(samples_url: str) -> None:
    model = ScriptedModel([("add_map_layer", {"table": "data.airports"})], ["Done."])
    async with local_server(samples_url, model) as server, client(server) as one:
        await one.ask("join")
        await one.ask("view", bounds=[-10, 40, 10, 60], zoom=4)
        for version in range(-1, 20):
            await one.ask("receipt", layer_id="airports", version=version, features=812)
        await one.says("show airports")
        assert one.named("layer_added")[0]["layer"]["id"] == "airports"
        assert one.named("layer_added")[0]["layer"]["version"] < 20
        result = one.named("tool_finished")[0]["result"]
        assert "812" not in result
        assert "no browser has reported it drawn" in result


async def test_cancel_stops_the_answer(server: Server, model: ScriptedModel) -> None:
    model.then([asyncio.Event()])
    asked_before = len(model.requests)
    async with client(server) as one:
        await one.ask("join")
        assert (await one.ask("cancel"))["cancelled"] is False
        turn = await one.ask("chat", text="think for ever")
        await until(lambda: len(model.requests) > asked_before)
        assert await one.ask("cancel") == {"ok": True, "cancelled": True, "turn_id": turn["turn_id"]}
        assert (await one.hears("turn_finished"))["status"] == "cancelled"


async def test_a_reload_shows_layers_chat_and_what_is_under_way(server: Server, model: ScriptedModel) -> None:
    gate = asyncio.Event()
    model.then(["Hello."], [gate])
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        await one.says("hello")
        await one.ask("chat", text="think")
        await until(lambda: server.maps.runner.running)
        async with client(server) as reloaded:
            snapshot = (await reloaded.ask("join", map_id=one.map_id))["snapshot"]
            assert [layer["id"] for layer in snapshot["layers"]] == ["airports"]
            assert [event["event"] for event in snapshot["chat"]] == [
                "user_message", "ai_response", "turn_finished", "user_message",
            ]  # fmt: skip
            assert [(turn["text"], turn["status"]) for turn in snapshot["turns"]] == [("think", "running")]
            assert (snapshot["can_undo"], snapshot["can_redo"]) == (True, False)
        gate.set()
        await one.hears("turn_finished", 2)


async def test_people_on_a_map_are_counted(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        async with client(server) as other:
            await other.ask("join", map_id=one.map_id)
            await until(lambda: one.named("presence") and len(one.named("presence")[-1]["people"]) == 2)
        await until(lambda: len(one.named("presence")[-1]["people"]) == 1)


async def test_who_left_hears_no_more(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        await other.ask("join", map_id=one.map_id)
        await other.ask("leave")
        await one.ask("layer_add", table="data.airports")
        await one.hears("layer_added")
        assert other.numbered() == []
        assert await other.refused("layer_remove", layer_id="airports") == "not_joined"


async def test_a_map_must_exist_and_be_joined(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        assert await other.refused("join", map_id="nowhere") == "unknown_map"
        for event, payload in {"chat": {"text": "x"}, "undo": {}, "cancel": {}}.items():
            assert await other.refused(event, map_id="nowhere", **payload) == "unknown_map"
            assert await other.refused(event, map_id=one.map_id, **payload) == "not_joined"


async def test_what_cannot_be_done_is_refused_with_a_code(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        assert await one.refused("layer_add", table="data.nothing") == "unknown_table"
        assert await one.refused("layer_add", table="data.airports", filter="height > 5") == "invalid_filter"
        assert await one.refused("layer_update", layer_id="x", visible=False) == "unknown_layer"
        assert await one.refused("layer_reorder", order=["x"]) == "unknown_layer"
        assert await one.refused("undo") == "nothing_to_undo"
        assert await one.refused("redo") == "nothing_to_undo"
        style = {"kind": "graduated", "column": "name"}
        assert await one.refused("layer_add", table="data.airports", style=style) == "invalid_style"
        assert (await one.ask("join", map_id=one.map_id))["seq"] == 0


async def test_requests_of_one_connection_are_handled_in_order(server: Server) -> None:
    async with client(server) as one:
        map_id = (await one.ask("join"))["map_id"]
    async with client(server) as other:
        answers: list[bool] = []
        done = asyncio.Event()

        def heard(answer: dict[str, object]) -> None:
            answers.append(bool(answer["ok"]))
            if len(answers) == 3:
                done.set()

        await other.io.emit("join", {"map_id": map_id}, callback=heard)
        await other.io.emit("layer_add", {"map_id": map_id, "table": "data.airports"}, callback=heard)
        await other.io.emit("layer_remove", {"map_id": map_id, "layer_id": "airports"}, callback=heard)
        await asyncio.wait_for(done.wait(), PATIENCE)
        assert answers == [True, True, True]


async def test_pages_of_other_origins_are_turned_away(server: Server) -> None:
    for origin, welcome in ((server.url, True), ("https://evil.example", False)):
        io = socketio.AsyncClient(reconnection=False)
        try:
            await io.connect(
                server.url, headers={"Origin": origin}, transports=["websocket"], wait_timeout=PATIENCE
            )
            assert welcome
        except socketio.exceptions.ConnectionError:
            assert not welcome
        finally:
            await io.disconnect()


async def test_polling_works_where_websockets_do_not(server: Server) -> None:
    async with client(server, transports=["polling"]) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        await one.hears("layer_added")


async def test_a_client_that_was_away_for_long_reads_page_by_page(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.maps.live.joins.MAX_EVENTS_PER_JOIN", 3)
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        for number in range(7):
            await one.ask("layer_update", layer_id="airports", opacity=number / 10)
        last, read, pages = 0, [], 0
        while True:
            page = await one.ask("join", map_id=one.map_id, after_seq=last)
            read += [event["data"]["seq"] for event in page["events"]]
            last, pages = page["seq"], pages + 1
            if not page["more"]:
                break
        assert (read, last, pages) == (list(range(1, 9)), 8, 3)


async def test_a_hand_and_a_turn_change_a_map_at_the_same_time(server: Server, model: ScriptedModel) -> None:
    """Undo takes back the newest change, also in the middle of a turn; the turn sees it, and goes on."""
    first, second = asyncio.Event(), asyncio.Event()
    model.then(
        [("add_map_layer", {"table": "data.airports"})],
        [first, ("add_map_layer", {"table": "data.cities"})],
        [second, ("add_map_layer", {"table": "data.countries"})],
        ["Done."],
    )
    async with client(server) as one:
        await one.ask("join")
        turn = asyncio.create_task(one.says("show all"))
        await one.hears("tool_finished")
        await one.ask("layer_add", table="data.airports", name="By hand", layer_id="mine")
        first.set()
        await one.hears("tool_finished", 2)
        assert (await one.ask("undo"))["what"] == "added cities"
        second.set()
        assert (await turn)["status"] == "done"
        now = "\n".join(model.requests[-1].system)
        assert "mine" in now
        assert "countries" in now
        undone = [(await one.ask("undo"))["what"] for _ in range(3)]
        assert undone == ["added countries", "added By hand", "added airports"]
        assert await one.refused("undo") == "nothing_to_undo"
        redone = [(await one.ask("redo"))["what"] for _ in range(3)]
        assert redone == undone[::-1]
        assert await one.refused("redo") == "nothing_to_undo"


async def test_words_come_after_what_was_done_before_them(server: Server, model: ScriptedModel) -> None:
    model.then([("add_map_layer", {"table": "data.airports"})], ["It is there."])
    async with client(server) as one:
        await one.ask("join")
        await one.says("show airports")
        names = [name for name, _ in one.events if name != "presence"]
        assert names.index("tool_finished") < names.index("ai_delta") < names.index("turn_finished")
