"""Who may have how much of the disk for uploads and exports."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from server.http.errors import HttpFault
from server.http.spool import Spool

BUDGET = 1 << 20


def taken(spool: Spool, stack: ExitStack, address: str) -> int:
    """Bytes that an address gets which takes all that it is given, over several transfers."""
    total = 0
    while True:
        transfer = stack.enter_context(spool.transfer(address))
        try:
            while True:
                transfer.grow(1024)
        except HttpFault as fault:
            if fault.code == "busy":
                return total + transfer.size
        total += transfer.size


def test_no_address_takes_more_than_half_of_what_the_others_leave(tmp_path: Path) -> None:
    spool = Spool(BUDGET, tmp_path)
    try:
        with ExitStack() as stack:
            shares = [taken(spool, stack, f"10.0.0.{number}") for number in range(6)]
            assert shares == [BUDGET >> number for number in range(1, 7)]
            with spool.transfer("stranger") as transfer:
                transfer.grow(4096)
        assert spool.used == 0
    finally:
        spool.close()


def test_one_transfer_may_not_have_all(tmp_path: Path) -> None:
    spool = Spool(BUDGET, tmp_path)
    try:
        with spool.transfer("one") as transfer, pytest.raises(HttpFault) as fault:
            transfer.grow(BUDGET)
        assert fault.value.code == "too_large"
    finally:
        spool.close()
