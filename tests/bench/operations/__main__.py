"""`python -m tests.bench.operations [operation ...]`: what operations cost against hand-written SQL and GeoPandas.

Measures the named operations, or all that were not measured yet, a case at a time: what was measured is kept, so that
several sittings make one table, in docs/benchmarks.md. `--rows` says how large the town is; the growth column
compares it with a town of a hundredth of that."""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.postgres.cluster import PrivateCluster
from tests.bench.operations.case import Case
from tests.bench.operations.cases import CASES
from tests.bench.operations.measured import Measured
from tests.bench.operations.measuring import Measuring
from tests.bench.operations.page import line, small_of, table, write
from tests.support.postgis import FAST, private_cluster, temporary_home

CONFIGURATION = {**FAST, "shared_buffers": "512MB", "maintenance_work_mem": "256MB", "max_wal_size": "8GB"}
OVERHEAD = ("filter", "summarise", "measure", "spatial_join", "dissolve")
"""Also measured against their own SQL in psql: what is left is progress, guards, receipts and the registry."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "operations", nargs="*", help="names, or names of cases; what is missing unless given"
    )
    parser.add_argument("--rows", type=int, default=50_000, help="rows of the large town (default: 50,000)")
    parser.add_argument(
        "--again", action="store_true", help="measure all cases, also what was measured before"
    )
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no further case after so long")
    parser.add_argument(
        "--cap", type=float, default=900.0, help="seconds after which a clock is stopped (default: 900)"
    )
    parser.add_argument("--home", type=Path, help="a folder in which the town is kept between sittings")
    parser.add_argument("--no-docs", action="store_true", help="do not write docs/benchmarks.md")
    options = parser.parse_args()
    measured = Measured(options.rows)
    named = [
        case for case in CASES if case.operation in options.operations or case.name in options.operations
    ]
    cases = named or (list(CASES) if options.again else measured.missing(CASES))
    with home(options.home) as folder, private_cluster(folder, CONFIGURATION) as cluster:
        asyncio.run(measure(cluster, cases, measured, options))
    print(table(measured, options.rows))
    if not options.no_docs:
        write(measured, options.rows)


@contextmanager
def home(kept: Path | None) -> Iterator[Path]:
    if kept is None:
        with temporary_home() as folder:
            yield folder
    else:
        yield kept.resolve()


async def measure(
    cluster: PrivateCluster, cases: list[Case], measured: Measured, options: argparse.Namespace
) -> None:
    """Each case in the large town, and what the operation alone takes in a small one."""
    end = time.monotonic() + 60 * options.minutes
    large = await Measuring.opened(cluster, options.rows, options.cap)
    small = await Measuring.opened(cluster, small_of(options.rows), options.cap)
    try:
        for case in cases:
            if time.monotonic() > end:
                break
            few = await small.small(
                case
            )  # first, so that nothing is done for the first time on the large town
            took = await large.took(case, own=case.operation in OVERHEAD)
            took.small = few
            measured.put(took)
            print(line(case, took, options.rows), flush=True)
    finally:
        await small.close()
        await large.close()


if __name__ == "__main__":
    main()
