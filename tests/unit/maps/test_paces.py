"""How soon layers follow edits of their tables."""

from __future__ import annotations

from itertools import pairwise

from server.maps.live.paces import MAX_INTERVAL_S, QUICK_UPDATES, QUIET_S, Paces

LAYER = ("m", "towns")


def updates(paces: Paces, until: float) -> list[float]:
    """When a layer whose table changes all the time is updated, checked every two seconds."""
    return [now for now in range(0, int(until), 2) if paces.is_time(LAYER, now)]


def test_edits_in_a_row_show_at_the_next_check() -> None:
    assert updates(Paces(1), QUICK_UPDATES * 2) == list(range(0, QUICK_UPDATES * 2, 2))


def test_changes_that_go_on_are_shown_ever_more_rarely() -> None:
    shown = updates(Paces(1), 600)
    gaps = [later - earlier for earlier, later in pairwise(shown)]
    assert gaps == sorted(gaps)
    assert gaps[-1] == MAX_INTERVAL_S
    assert len(shown) < 35


def test_after_a_rest_the_next_edit_shows_at_once() -> None:
    paces = Paces(1)
    last = updates(paces, 600)[-1]
    assert paces.is_time(LAYER, last + MAX_INTERVAL_S + QUIET_S + 1)
    assert paces.is_time(LAYER, last + MAX_INTERVAL_S + QUIET_S + 3)


def test_layers_have_paces_of_their_own_until_they_are_forgotten() -> None:
    paces = Paces(1)
    updates(paces, 600)
    assert paces.is_time(("m", "roads"), 600)
    paces.keep([("m", "roads")])
    assert paces.is_time(LAYER, 600)
