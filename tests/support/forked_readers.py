"""Readers of uploaded files as forks of one that has loaded its libraries, which is most of what a reader costs.

A fork runs the same program with the same limits. That readers start by themselves is tested where they do so: by
servers in processes of their own, by `tests/integration/load` and by
`tests/integration/exchange/test_reader_start.py`."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from tests.support.forking import ROOT, Forked, Forks, forked

NO_LIMIT = -1
READER = "server.gis.reading.reader"


async def start(
    *command: str, stdin: int, stdout: int, stderr: IO[bytes], env: Mapping[str, str], cwd: Path, limit: int
) -> Forked:
    """In the place of `asyncio.create_subprocess_exec`, for a reader."""
    from server.gis.ingest.process import LIMITED

    unlimited = LIMITED.format(root=str(ROOT), seconds=NO_LIMIT, memory=NO_LIMIT, output=NO_LIMIT)
    lasting = {name: value for name, value in env.items() if name != "TMPDIR"}
    forks = Forks.here(__name__, unlimited.partition("runpy.run_module")[0], env=lasting)
    program, order = command[-2:]
    return await forks.start(program, order, env=env, cwd=cwd, stderr=stderr.fileno(), limit=limit)


def main() -> None:
    """Fork; each fork is a reader."""
    exec(sys.argv[2])
    importlib.import_module(READER)
    del sys.modules[READER]  # each fork runs it as its program
    if (arguments := forked()) is not None:
        program, order = arguments
        sys.argv = ["-c", order]
        exec(program, {"__name__": "__main__"})
