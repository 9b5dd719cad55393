"""The order in which waiting turns start, and which may wait at all."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.maps.faults import RequestFault
from server.maps.turns.admission import Limits, OpenTurn, Rotation

HERE = "server"


def queue(*places: tuple[str, str]) -> list[OpenTurn]:
    """Queued turns of `(map, address)`, in the order in which they came."""
    return [
        OpenTurn(f"turn{number}", map_id, address, "queued", None, number)
        for number, (map_id, address) in enumerate(places)
    ]


def served(turns: list[OpenTurn], at_once: int = 1, per_address: int = 1000) -> list[OpenTurn]:
    """All turns in the order in which they started, when each round of running turns ends together."""
    rotation, left, began = Rotation(HERE), turns, []
    while left:
        chosen = rotation.startable(left, at_once, per_address)
        assert chosen, "some turn must start while nothing runs"
        for turn in chosen:
            rotation.started(turn)
        began += chosen
        left = [turn for turn in left if turn not in chosen]
    return began


def maps(turns: list[OpenTurn]) -> str:
    return "".join(turn.map_id for turn in turns)


def test_maps_of_one_address_take_turns() -> None:
    assert maps(served(queue(*[("a", "x")] * 3, ("b", "x"), ("b", "x"), ("c", "x")))) == "abcaba"


def test_a_stranger_is_next_however_many_maps_another_address_has() -> None:
    crowd = [(chr(ord("a") + number), "crowd") for number in range(20)]
    assert maps(served(queue(*crowd, ("z", "stranger")))).index("z") == 1


def test_addresses_with_equal_claims_take_turns() -> None:
    turns = served(queue(("a", "x"), ("b", "x"), ("c", "x"), ("d", "y"), ("e", "y"), ("f", "y")))
    assert "".join(turn.address or "" for turn in turns) == "xyxyxy"


def test_one_address_leaves_places_free_for_others() -> None:
    turns = queue(*[(f"map{number}", "crowd") for number in range(20)])
    assert len(Rotation(HERE).startable(turns, 16, 12)) == 12
    stranger = replace(turns[0], id="late", map_id="z", address="stranger", position=99)
    assert stranger in Rotation(HERE).startable([*turns, stranger], 16, 12)


def test_what_another_server_runs_takes_no_place_here_but_holds_its_map() -> None:
    first, second, third = queue(("a", "x"), ("a", "x"), ("b", "x"))
    running = replace(first, status="running", server_id="other")
    assert Rotation(HERE).startable([running, second, third], 5, 1) == [third]


def test_the_place_of_a_turn_counts_all_that_start_before_it() -> None:
    turns = queue(("a", "x"), ("a", "x"), ("b", "x"), ("c", "y"))
    assert [turn.id for turn in Rotation(HERE).order(turns)] == ["turn0", "turn3", "turn2", "turn1"]


places = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xyz")), max_size=40)


@given(places, st.integers(1, 5), st.integers(1, 3))
def test_every_turn_starts_once_and_those_of_a_map_in_the_order_in_which_they_came(
    asked: list[tuple[str, str]], at_once: int, per_address: int
) -> None:
    turns = queue(*asked)
    began = served(turns, at_once, per_address)
    assert sorted(turn.id for turn in began) == sorted(turn.id for turn in turns)
    for map_id in {turn.map_id for turn in turns}:
        assert [turn for turn in began if turn.map_id == map_id] == [
            turn for turn in turns if turn.map_id == map_id
        ]


@given(places)
def test_between_two_turns_of_a_map_every_waiting_map_of_its_address_has_one(
    asked: list[tuple[str, str]],
) -> None:
    turns = queue(*((map_id, "x") for map_id, _ in asked))
    left = Counter(turn.map_id for turn in turns)
    began = maps(served(turns))
    for place, map_id in enumerate(began):
        again = began.find(map_id, place + 1)
        if again > 0:
            waiting = {other for other, count in left.items() if count > 0 and other != map_id}
            assert waiting <= set(began[place:again])
        left[map_id] -= 1


LIMITS = Limits(waiting_per_map=3, waiting_per_address=4, waiting=10)


def refused(turns: list[OpenTurn], map_id: str, address: str) -> str:
    with pytest.raises(RequestFault) as fault:
        LIMITS.admit(turns, map_id, address)
    assert fault.value.code == "busy"
    assert fault.value.retry_after
    return fault.value.message


def test_a_map_an_address_and_the_server_have_limits_of_their_own() -> None:
    assert "on this map" in refused(queue(*[("a", "x")] * 3), "a", "y")
    assert "your network address" in refused(queue(*[("a", "x"), ("b", "x")] * 2), "a", "x")
    assert "all maps" in refused(queue(*[(f"m{n}", f"a{n}") for n in range(10)]), "z", "z")


def test_a_quiet_map_of_a_busy_address_may_wait_but_not_without_end() -> None:
    turns = queue(*[("a", "x"), ("b", "x")] * 2)
    LIMITS.admit(turns, "quiet", "x")
    assert "your network address" in refused(queue(*[(f"m{n}", "x") for n in range(5)]), "quiet", "x")
    LIMITS.admit(queue(*[(f"m{n}", "x") for n in range(5)]), "quiet", "y")


def test_running_turns_take_no_place_in_the_queue() -> None:
    turns = [replace(turn, status="running") for turn in queue(*[(f"m{n}", "x") for n in range(10)])]
    LIMITS.admit(turns, "a", "x")


def test_where_all_places_are_taken_the_newest_of_the_greediest_address_gives_way_to_a_stranger() -> None:
    greedy = [(f"m{n}", "greedy") for n in range(6)]
    turns = queue(*greedy, ("p", "p"), ("q", "q"), ("r", "r"), ("s", "s"))
    displaced = LIMITS.admit(turns, "z", "stranger")
    assert displaced is not None
    assert (displaced.map_id, displaced.address) == ("m5", "greedy")
    assert "network address" in refused(turns, "z", "greedy")
    assert LIMITS.admit(turns[1:], "z", "stranger") is None
