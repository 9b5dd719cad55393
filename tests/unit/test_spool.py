"""Who may have how much of the disk for uploads and exports."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from server.gis.ingest.scratch import LOADING, LOCK, MAX_AGE_WITHOUT_LOCK_S, remove_abandoned, scratch_folder
from server.maps.faults import RequestFault
from server.transfers.spool import Spool
from tests.support.looking import until

BUDGET = 1 << 20


def taken(spool: Spool, stack: ExitStack, address: str) -> int:
    """Bytes that an address gets which takes all that it is given, over several transfers."""
    total = 0
    while True:
        transfer = stack.enter_context(spool.transfer(address))
        try:
            while True:
                transfer.grow(1024)
        except RequestFault as fault:
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
        with spool.transfer("one") as transfer, pytest.raises(RequestFault) as fault:
            transfer.grow(BUDGET)
        assert fault.value.code == "too_large"
    finally:
        spool.close()


def test_what_a_killed_process_left_is_removed_and_what_others_use_is_not(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from server.gis.ingest.scratch import LOADING, scratch_folder\n"
        "with scratch_folder(LOADING, pathlib.Path(sys.argv[1])) as folder:\n"
        "    (folder / 'rows').write_bytes(b'x'); print(folder, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().strip()).parent
        assert left.parent == tmp_path
        with scratch_folder(LOADING, tmp_path) as used:
            (used / "rows").write_bytes(b"x")
            remove_abandoned(LOADING, tmp_path)
            assert left.exists(), "its process lives"
            killed.kill()
            killed.wait()
            spool = Spool(BUDGET, tmp_path)
            spool.open()
            assert not left.exists()
            assert (used / "rows").exists()
            spool.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_lock_is_removed_only_when_it_is_old(tmp_path: Path) -> None:
    young, old = tmp_path / f"{LOADING}young", tmp_path / f"{LOADING}old"
    for folder in (young, old):
        folder.mkdir()
    long_ago = time.time() - MAX_AGE_WITHOUT_LOCK_S - 1
    os.utime(old, (long_ago, long_ago))
    remove_abandoned(LOADING, tmp_path)
    assert list(tmp_path.iterdir()) == [young]


async def test_what_is_left_is_removed_while_a_server_runs_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.transfers.spool.SWEEP_INTERVAL_S", 0.01)
    spool = Spool(BUDGET, tmp_path)
    spool.open()
    left = tmp_path / f"{LOADING}left"
    left.mkdir()
    (left / LOCK).touch()
    sweeping = asyncio.create_task(spool.keep_swept())
    try:
        await until(lambda: not left.exists())
    finally:
        sweeping.cancel()
        spool.close()
