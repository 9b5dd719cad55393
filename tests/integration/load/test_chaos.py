"""Attacks and faults in short (the long form is `make chaos`): a stranger beside them fails in nothing, and afterwards
nothing is lost, doubled or left over. How long the stranger waited is printed, and no reason to fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.chaos import rounds
from tests.chaos.attacks import ATTACKS, Attempt
from tests.chaos.faults import (
    database_disk_full,
    database_frozen,
    database_restarted,
    server_frozen,
    server_killed,
    spool_full,
)
from tests.chaos.rounds import HEADER, Trouble, play, warm
from tests.chaos.world import World, a_world

ROWS = 50_000
STRENGTH = 1 / 6
"""Of the attacks; what hangs for 30 s in the long form hangs for 5 s."""


async def all_attacks(attempt: Attempt) -> None:
    """Everything that a visitor may try, at once."""
    await attempt.together(*(attack(attempt) for attack in ATTACKS))


async def test_an_attack_that_hangs_ends_its_round_and_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "LONGEST_S", 0.05)

    async def hangs() -> None:
        await asyncio.gather(asyncio.Event().wait(), waits_for_ever())

    async def waits_for_ever() -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError, match=r"test_chaos.py:\d+ \(waits_for_ever\)"):
        await rounds.ended(hangs())


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world() -> AsyncIterator[tuple[World, int]]:
    async with a_world(ROWS) as started:
        yield started, await warm(started)


@pytest.mark.parametrize(
    "trouble",
    [
        all_attacks,
        server_killed,
        server_frozen,
        database_restarted,
        database_frozen,
        database_disk_full,
        spool_full,
    ],
    ids=lambda trouble: trouble.__name__,
)
async def test_no_attack_affects_other_users_and_nothing_is_lost(
    world: tuple[World, int], trouble: Trouble
) -> None:
    played = await play(world[0], trouble, STRENGTH, world[1])
    print(f"\n{HEADER}\n{played.row()}")
    if played.is_skipped:
        pytest.skip("only root may mount a small disk")
    assert played.faults == []
