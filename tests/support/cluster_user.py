"""A process that uses a private cluster as a server does: prints the URL, stays until its input ends or it is killed.

Run as `python -m tests.support.cluster_user HOME`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from server.postgres import DatabaseProblem, ensure
from server.settings import Settings


async def main() -> int:
    try:
        async with ensure(Settings(home=Path(sys.argv[1]), database_url=None)) as url:
            print(url, flush=True)
            await asyncio.to_thread(sys.stdin.read)
    except DatabaseProblem as problem:
        print(f"problem: {problem}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
