"""`python -m tests.bench.operations [operation ...]`: what operations cost against hand-written SQL and GeoPandas.

Prints a Markdown table, ratios of one run, and writes it into docs/benchmarks.md. `--rows` says how large the town
is; the growth column compares it with a town of a hundredth of that.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import statistics
import time
from datetime import date
from pathlib import Path

import geopandas

from server.postgres.cluster import PrivateCluster
from tests.bench.operations.cases import GIVEN, Case
from tests.bench.operations.measuring import Measuring, Took
from tests.support.postgis import FAST, Postgis, temporary_home

DOCS = Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"
BEGIN = "<!-- operations {rows}: begin (python -m tests.bench.operations --rows {rows}) -->"
END = "<!-- operations {rows}: end -->"
NOT_REACHED = "not reached in the time of this run"
CONFIGURATION = {**FAST, "shared_buffers": "512MB", "maintenance_work_mem": "256MB", "max_wal_size": "8GB"}
OVERHEAD = ("filter", "measure", "buffer", "spatial_join", "nearest", "dissolve")
"""Also measured against their own SQL in psql: what is left is progress, guards, receipts and the registry."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operations", nargs="*", help="names; all unless given")
    parser.add_argument("--rows", type=int, default=50_000, help="rows of the large town (default: 50,000)")
    parser.add_argument(
        "--rounds", type=int, default=1, help="rounds, of which the median counts (default: 1)"
    )
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no further case after so long")
    parser.add_argument("--no-docs", action="store_true", help="do not write docs/benchmarks.md")
    options = parser.parse_args()
    cases = [case for case in GIVEN if not options.operations or case.operation in options.operations]
    with temporary_home() as home:
        cluster = PrivateCluster(home, configuration=CONFIGURATION)
        cluster.acquire()
        try:
            found = asyncio.run(measured(Postgis(cluster), cases, options))
        finally:
            cluster.release()
    text = table(*found, options.rows)
    print(text)
    if not options.no_docs:
        write(text, options.rows)


async def measured(
    postgis: Postgis, cases: list[Case], options: argparse.Namespace
) -> tuple[list[Took], list[Took]]:
    """Every case in the large town, and what the operations alone take in a small one."""
    end = time.monotonic() + 60 * options.minutes
    small = await Measuring.opened(postgis, small_of(options.rows))
    try:
        few = [await small.took(case, options.rounds, own=False, rivals=False) for case in cases]
    finally:
        await small.close()
    large = await Measuring.opened(postgis, options.rows)
    many = []
    try:
        for case in cases:
            if time.monotonic() > end:
                many.append(Took(case, None, None, None, None, fault=NOT_REACHED))
                continue
            took = await large.took(case, options.rounds, own=case.operation in OVERHEAD)
            print(line(took, None), flush=True)
            many.append(took)
    finally:
        await large.close()
    return many, few


def small_of(rows: int) -> int:
    return max(1_000, rows // 100)


def table(many: list[Took], few: list[Took], rows: int) -> str:
    heads = [
        "operation",
        "rows in",
        "rows out",
        "GeoAgent",
        "by hand",
        "GeoPandas",
        f"growth x {rows // small_of(rows)}",
    ]
    lines = [f"| {' | '.join(heads)} |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
    lines += [
        line(large, small, rows) for large, small in zip(many, few, strict=True) if large.fault != NOT_REACHED
    ]
    return "\n".join([*lines, "", "\n\n".join(summary(many))])


def line(large: Took, small: Took | None, rows: int = 0) -> str:
    case = large.case
    name = case.name
    if large.ours is None:
        return f"| {name} | {case.rows(rows):,} | {large.fault[:160]} | | | | |"
    base = large.hand if large.hand is not None else large.own
    mark = "" if large.hand is not None else " (own SQL)"
    growth = f"x {large.ours / small.ours:,.0f}" if small is not None and small.ours else ""
    cells = [
        name,
        f"{case.rows(rows):,}" if rows else "",
        f"{large.rows:,}",
        seconds(large.ours),
        ratio(large.ours, base) + mark,
        ratio(large.ours, large.geopandas),
        growth,
    ]
    return f"| {' | '.join(cells)} |"


def summary(many: list[Took]) -> list[str]:
    hand = [took.ours / took.hand for took in many if took.ours and took.hand]
    pandas = [took.ours / took.geopandas for took in many if took.ours and took.geopandas]
    own = [(took.case, took.ours / took.own) for took in many if took.ours and took.own and took.hand]
    lines = []
    late = [took.case.name for took in many if took.fault == NOT_REACHED]
    if late:
        lines.append(f"Not reached in the time of this run: {'; '.join(late)}.")
    if hand:
        within = sum(each <= 1.1 for each in hand)
        lines.append(
            f"Against hand-written SQL: median x {statistics.median(hand):.2f}, {within} of {len(hand)} within x 1.1."
        )
    if pandas:
        faster = sum(each < 1 for each in pandas)
        lines.append(
            f"Against GeoPandas: median x {statistics.median(pandas):.2f}, faster in {faster} of {len(pandas)}."
        )
    if own:
        each = ", ".join(f"{case.operation} ({case.note}) {100 * (share - 1):+.0f} %" for case, share in own)
        middle = 100 * (statistics.median(share for _, share in own) - 1)
        lines.append(
            "Overhead of progress, guards, receipts and registry over the same SQL in psql: "
            f"median {middle:+.0f} %; {each}."
        )
    return lines


def seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.0f} ms"


def ratio(ours: float, other: float | None) -> str:
    """How many times as long ours takes; below 1 it is faster."""
    return "–" if other is None else f"x {ours / other:.2f}"


def write(text: str, rows: int) -> None:
    page = DOCS.read_text() if DOCS.exists() else "# Benchmarks\n"
    begin, end = BEGIN.format(rows=rows), END.format(rows=rows)
    section = f"""{begin}
## Operations on {rows:,} rows

A made-up town of {rows:,} parcels, as many points and as many lines (`tests/bench/operations/data.py`, fixed seed), in
longitude and latitude with spatial indexes. All numbers of one run: {date.today()}, {platform.machine()},
{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end.

- **GeoAgent**: all that a user waits for: planning, checking the cost, storing the rows in a new table with key and
  spatial index, statistics, comments, receipt, registry.
- **by hand**: how many times as long that is as the shortest SQL with the same answer
  (`tests/bench/operations/by_hand.sql`), run in psql, which stores its rows with key, spatial index and statistics as
  well. Where nobody would write it by hand, the operation's own SQL.
- **GeoPandas** ({geopandas.__version__}): the same, against frames that are in memory and in the plane already, and
  stores nothing.
- **growth**: the time against that of a town of a hundredth of the size.

{text}

Run `python -m tests.bench.operations --rows {rows}` to make this table anew.
{end}"""
    if begin in page:
        head, _, rest = page.partition(begin)
        page = head + section + rest.partition(end)[2]
    else:
        page = page.rstrip() + "\n\n" + section + "\n"
    DOCS.write_text(page)


if __name__ == "__main__":
    main()
