"""What a round of chaos makes of its attackers: one that is cut off is part of the game, any other failure is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import aiohttp
import pytest

from tests.chaos.attacks import Attempt

if TYPE_CHECKING:
    from tests.chaos.world import World


@pytest.fixture
def attempt() -> Attempt:
    """Without a world: these attackers ask nothing."""
    return Attempt(cast("World", None))


async def sees_what_must_not_be() -> None:
    raise AssertionError("an answer that must not be")


async def is_cut_off() -> None:
    raise aiohttp.ServerDisconnectedError


async def test_a_failed_assertion_of_one_attacker_fails_all_after_each_has_ended(attempt: Attempt) -> None:
    ended: list[bool] = []

    async def ends() -> None:
        ended.append(True)

    with pytest.raises(ExceptionGroup, match="an answer that must not be"):
        await attempt.together(sees_what_must_not_be(), is_cut_off(), ends())
    assert ended == [True]


async def test_a_failed_assertion_within_one_of_several_attacks_fails_them_all(attempt: Attempt) -> None:
    with pytest.raises(ExceptionGroup, match="an answer that must not be"):
        await attempt.together(attempt.together(sees_what_must_not_be()), is_cut_off())


async def test_attackers_that_are_cut_off_are_counted(attempt: Attempt) -> None:
    await attempt.together(is_cut_off(), is_cut_off())
    assert attempt.answers == {"cut off": 2}
