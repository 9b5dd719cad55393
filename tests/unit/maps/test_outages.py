"""What people are told of a database that cannot serve, and what is worth trying again."""

from __future__ import annotations

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError

from server.database.lanes import LaneBusy
from server.database.outages import AWAY, DISK_FULL_MESSAGE, through_outage, why_unavailable
from server.sockets.requests import refusal


def database_error(cause: Exception) -> DBAPIError:
    """As SQLAlchemy wraps what asyncpg raises."""
    wrapped = Exception(str(cause))
    wrapped.__cause__ = cause
    error = DBAPIError("INSERT", {}, wrapped)
    error.__cause__ = wrapped
    return error


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (database_error(asyncpg.DiskFullError("could not extend file")), DISK_FULL_MESSAGE),
        (database_error(asyncpg.AdminShutdownError("terminating connection")), AWAY),
        (ConnectionRefusedError(), AWAY),
        (LaneBusy("owner"), LaneBusy("owner").message),
        (database_error(asyncpg.UniqueViolationError("duplicate key")), None),
        (ValueError("no"), None),
    ],
)
def test_only_what_may_pass_is_worth_trying_again(error: Exception, why: str | None) -> None:
    assert why_unavailable(error) == why


def test_a_full_disk_is_reported_and_is_no_internal_error() -> None:
    answer = refusal("chat", database_error(asyncpg.DiskFullError("could not extend file")))
    assert answer["error"] == {"code": "unavailable", "message": DISK_FULL_MESSAGE}


async def test_work_goes_on_once_the_database_is_back() -> None:
    left = [ConnectionRefusedError(), ConnectionRefusedError()]

    async def attempt() -> str:
        if left:
            raise left.pop()
        return "done"

    assert await through_outage(attempt) == "done"


async def test_an_outage_that_lasts_too_long_is_raised_and_mistakes_are_at_once() -> None:
    tries = []

    async def attempt() -> None:
        tries.append(1)
        raise ValueError if len(tries) > 3 else ConnectionRefusedError

    with pytest.raises(ConnectionRefusedError):
        await through_outage(attempt, max_outage_s=0.2)
    assert len(tries) == 3
    with pytest.raises(ValueError):
        await through_outage(attempt)
    assert len(tries) == 4
