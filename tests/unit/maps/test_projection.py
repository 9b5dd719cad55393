"""The projection and undo as pure functions, over any sequence of changes that a map can see."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from agents.domain import Layer
from server.maps.log.events import (
    Change,
    Event,
    layer_added,
    layer_removed,
    layer_updated,
    layers_reordered,
    map_reset,
)
from server.maps.log.replay import MapState, apply, inverse, replay
from server.maps.log.undo import MAX_WEIGHT, History
from server.protocol import LayerEvent
from tests.support.layers import layer

IDS = ("a", "b", "c", "d")


def typed(change: Change, seq: int, turn_id: str | None = None) -> LayerEvent:
    event = Event("m", seq, change.name, turn_id, datetime.now(UTC), change.payload).typed()
    assert isinstance(event, LayerEvent)
    return event


@st.composite
def possible_change(draw: st.DrawFn, state: MapState) -> Change:
    """A change that the log would record on this state: none that says nothing."""
    there = list(state.order)
    free = [layer_id for layer_id in IDS if layer_id not in there]
    kinds = [
        *(["add"] if free else []),
        *(["update", "remove", "reset"] if there else []),
        *(["reorder"] if len(there) > 1 else []),
    ]
    kind = draw(st.sampled_from(kinds))
    if kind == "add":
        return layer_added(layer(draw(st.sampled_from(free)), order=len(there)))
    if kind == "update":
        old = state.layer(draw(st.sampled_from(there)))
        assert old is not None
        opacity = draw(st.sampled_from([0.1, 0.2, 0.3]))
        return layer_updated(old.model_copy(update={"opacity": opacity, "version": old.version + 1}))
    if kind == "remove":
        return layer_removed(draw(st.sampled_from(there)))
    if kind == "reorder":
        return layers_reordered(draw(st.permutations(there)))
    return map_reset()


@st.composite
def a_life(draw: st.DrawFn, turns: Sequence[str | None] = (None,)) -> list[LayerEvent]:
    events: list[LayerEvent] = []
    state = MapState()
    for seq in range(1, draw(st.integers(1, 14)) + 1):
        event = typed(draw(possible_change(state)), seq, draw(st.sampled_from(turns)))
        events.append(event)
        state = apply(state, event)
    return events


def looks(state: MapState) -> list[Layer]:
    """What people see of it; versions only ever grow."""
    return [one.model_copy(update={"version": 0, "tiles": ""}) for one in state.layers]


@given(a_life())
def test_the_inverse_of_an_event_restores_the_layers_before_it(life: list[LayerEvent]) -> None:
    before = replay(life[:-1])
    after = apply(before, life[-1])
    for number, change in enumerate(inverse(life[-1], before)):
        after = apply(after, typed(change, life[-1].seq + 1 + number))
    assert after.layers == before.layers


@given(a_life())
def test_layers_always_know_their_place(life: list[LayerEvent]) -> None:
    assert [one.order for one in replay(life).layers] == list(range(len(replay(life).layers)))


@given(a_life(turns=(None, "t1", "t2")), st.lists(st.sampled_from(["undo", "redo"]), max_size=20))
def test_undo_and_redo_walk_through_what_the_map_looked_like(life: list[LayerEvent], walk: list[str]) -> None:
    """A model of the promise: a list of looks and a place in it."""
    history = History()
    moments: list[list[Layer]] = [[]]
    last_turn: str | None = None
    for event in life:
        history.advance(event)
        if event.turn_id is not None and event.turn_id == last_turn:
            moments[-1] = looks(history.state)
        else:
            moments.append(looks(history.state))
        last_turn = event.turn_id
    place = len(moments) - 1
    seq = len(life)
    for step in walk:
        found = history.redo() if step == "redo" else history.undo()
        expected = place + (1 if step == "redo" else -1)
        assert (found is None) == (not 0 <= expected < len(moments))
        if found is None:
            continue
        place = expected
        for change in found[1]:
            seq += 1
            history.advance(typed(change, seq, "undoing"))
        assert looks(history.state) == moments[place]
        assert history.can_undo == (place > 0)
        assert history.can_redo == (place < len(moments) - 1)


def test_a_new_change_clears_redo() -> None:
    history = History()
    history.advance(typed(layer_added(layer("a")), 1))
    undone = history.undo()
    assert undone is not None
    history.advance(typed(undone[1][0], 2))
    assert history.can_redo
    history.advance(typed(layer_added(layer("b")), 3))
    assert not history.can_redo


def test_a_change_by_hand_within_a_turn_is_a_unit_of_its_own() -> None:
    history = History()
    for seq, (layer_id, turn) in enumerate([("a", "t"), ("b", "t"), ("c", None), ("d", "t")], start=1):
        history.advance(typed(layer_added(layer(layer_id, order=seq - 1)), seq, turn))
    seen = []
    seq = 4
    while (step := history.undo()) is not None:
        seen.append(step[0].describe())
        for change in step[1]:
            seq += 1
            history.advance(typed(change, seq))
    assert seen == ["added d", "added c", "added a, added b"]
    assert history.state.layers == ()


def test_what_a_turn_does_after_it_was_undone_is_a_new_unit() -> None:
    history = History()
    history.advance(typed(layer_added(layer("a")), 1, "t"))
    step = history.undo()
    assert step is not None
    history.advance(typed(step[1][0], 2))
    history.advance(typed(layer_added(layer("b")), 3, "t"))
    step = history.undo()
    assert step is not None
    assert step[0].describe() == "added b"


def test_an_event_about_a_layer_that_is_not_there_changes_nothing() -> None:
    state = replay([typed(layer_added(layer("a")), 1)])
    for change in (layer_removed("b"), layer_updated(layer("b"))):
        assert apply(state, typed(change, 2)).layers == state.layers


def test_layers_that_a_reordering_does_not_name_keep_their_order_below() -> None:
    state = replay([typed(layer_added(layer(one, order=at)), at + 1) for at, one in enumerate(IDS)])
    assert apply(state, typed(layers_reordered(["c", "a"]), 9)).order == ("b", "d", "c", "a")


def test_an_undo_history_is_bounded_and_the_same_however_it_was_read() -> None:
    area = {"op": "in", "args": [{"property": "name"}, ["x" * 90] * 1_000]}
    large = layer("a").model_copy(update={"filter": area})
    steps = [layer_added(large)] + [
        layer_updated(large.model_copy(update={"opacity": number / 1000})) for number in range(200)
    ]
    events = [typed(change, number + 1) for number, change in enumerate(steps)]
    whole, pieces = History(), History()
    for event in events:
        whole.advance(event)
        pieces = pieces.copy()
        pieces.advance(event)
    assert whole.weight == pieces.weight <= MAX_WEIGHT
    assert whole.can_undo
    assert whole.undo() == pieces.undo()
