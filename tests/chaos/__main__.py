"""`python -m tests.chaos [names] [--strength 1] [--limit 2]`: all rounds in full, as a table; the exit status is 1
when something did not hold, or an unrelated visitor's median was above the limit."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from tests.chaos.attacks import ATTACKS
from tests.chaos.faults import FAULTS, SPARES_OTHERS
from tests.chaos.rounds import HEADER, play, warm
from tests.chaos.world import a_world

ROWS = 3_000_000
MEDIAN_LIMIT_S = 2.0
TROUBLES = {trouble.__name__: trouble for trouble in (*ATTACKS, *FAULTS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(TROUBLES)}; all unless named")
    parser.add_argument("--strength", type=float, default=1.0, help="how much of each attack")
    parser.add_argument("--rows", type=int, default=ROWS, help="of the large table")
    asked = parser.parse_args()
    unknown = set(asked.names) - set(TROUBLES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    failed = asyncio.run(run(asked.names or list(TROUBLES), asked.strength, asked.rows))
    sys.exit(1 if failed else 0)


async def run(names: list[str], strength: float, rows: int) -> bool:
    """Prints each round as it ends; whether any did not hold."""
    failed = False
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {rows:,} rows\n\n{HEADER}", flush=True)
    async with a_world(rows) as world:
        memory = await warm(world)
        for name in names:
            trouble = TROUBLES[name]
            played = await play(world, trouble, strength, memory)
            is_bounded = trouble not in FAULTS or trouble in SPARES_OTHERS
            slow = played.slow(MEDIAN_LIMIT_S) if is_bounded else []
            note = f" slow: {', '.join(slow)}" if slow else ""
            print(f"{played.row()}{note}", flush=True)
            failed = failed or bool(played.faults or slow)
    return failed


if __name__ == "__main__":
    main()
