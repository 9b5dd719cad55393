"""What was measured as a section of docs/benchmarks.md."""

from __future__ import annotations

import os
import platform
import statistics
from pathlib import Path

import geopandas

from tests.bench.operations.case import Case
from tests.bench.operations.cases import CASES
from tests.bench.operations.measured import Measured, Took

DOCS = Path(__file__).resolve().parents[3] / "docs" / "benchmarks.md"
BEGIN = "<!-- operations {rows}: begin (python -m tests.bench.operations --rows {rows}) -->"
END = "<!-- operations {rows}: end -->"
GOAL = 1.1


def small_of(rows: int) -> int:
    return max(1_000, rows // 100)


def table(measured: Measured, rows: int) -> str:
    """The cases with all their columns, and a few sentences of what comes out."""
    heads = [
        "operation",
        "rows in",
        "rows out",
        "GeoAgent",
        "by hand",
        "GeoPandas, in memory",
        "GeoPandas, from and to PostGIS",
        f"growth x {rows // small_of(rows)}",
        "load",
    ]
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    lines += [line(case, took, rows) for case, took in measured.all()]
    return "\n".join([*lines, "", "\n\n".join(summary(measured))])


def line(case: Case, took: Took, rows: int) -> str:
    first = [case.name, f"{case.rows(rows):,}"]
    if took.ours is None:
        told = took.fault[:160] or f"stopped after {took.cap:,.0f} s"
        return f"| {' | '.join([*first, told, '', '', '', '', '', f'{took.load:.0f}'])} |"
    by_hand = ratio(took, "hand") if case.sql is not None else f"{ratio(took, 'own')} (own SQL)"
    cells = [
        *first,
        f"{took.rows:,}",
        seconds(took.ours),
        took.fault[:160] or by_hand,
        ratio(took, "geopandas"),
        ratio(took, "stored"),
        f"x {took.ours / took.small:,.0f}" if took.small else "–",
        f"{took.load:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def summary(measured: Measured) -> list[str]:
    every = measured.all()
    lines = [f"Measured: {len(every)} of {len(CASES)} cases."]
    missing = [case.name for case in measured.missing(CASES)]
    if 0 < len(missing) < len(every):
        lines.append(f"Not measured on so many rows: {'; '.join(missing)}.")
    hand = [took.ours / took.hand for _case, took in every if took.ours and took.hand]
    if hand:
        within = sum(each <= GOAL for each in hand)
        lines.append(
            f"Against hand-written SQL: median x {statistics.median(hand):.2f}, {within} of the {len(hand)} that have "
            f"such SQL within x {GOAL}."
        )
    for clock, words in (("geopandas", "in memory"), ("stored", "that reads from PostGIS and writes there")):
        shares = [took.ours / found for _case, took in every if took.ours and (found := getattr(took, clock))]
        if shares:
            faster = sum(each < 1 for each in shares)
            lines.append(
                f"Against GeoPandas {words}: median x {statistics.median(shares):.2f}, faster in {faster} of "
                f"{len(shares)}."
            )
    own = [(case, took.ours / took.own) for case, took in every if took.ours and took.own]
    if own:
        middle = 100 * (statistics.median(share for _, share in own) - 1)
        each = ", ".join(
            f"{case.operation} ({case.note}) {100 * (share - 1):+.0f} %"
            for case, share in own
            if case.sql is not None
        )
        lines.append(
            "Overhead of progress, guards, receipts and registry over the operation's own SQL in psql, where that was "
            f"measured: median {middle:+.0f} %; {each}."
        )
    return lines


def seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.0f} ms"


def ratio(took: Took, clock: str) -> str:
    """How many times as long ours takes; below 1 it is faster."""
    other = getattr(took, clock)
    if took.ours is None or (other is None and clock not in took.late):
        return "–"
    return f"x {took.ours / other:.2f}" if other else f"under x {took.ours / took.cap:.2f}"


def write(measured: Measured, rows: int) -> None:
    page = DOCS.read_text() if DOCS.exists() else "# Benchmarks\n"
    begin, end = BEGIN.format(rows=rows), END.format(rows=rows)
    days = sorted({took.day for _case, took in measured.all()})
    section = f"""{begin}
## Operations on {rows:,} rows

A synthetic town of {rows:,} parcels, as many points and as many lines (`tests/bench/operations/data.py`, fixed seed),
in longitude and latitude with spatial indexes. \
{" to ".join(dict.fromkeys((days[0], days[-1])))}, {platform.machine()}, \
{os.cpu_count()} cores. The
table was measured in several sessions. All numbers of one line come from one run, one after the other; the last column
is the load of the machine when the case ended (processes running or waiting to run).

- **GeoAgent**: everything that a user waits for: planning, checking the cost, storing the rows in a new table with key
  and spatial index, statistics, comments, receipt, registry.
- **by hand**: GeoAgent's time as a multiple of that of the shortest SQL with the same answer
  (`tests/bench/operations/by_hand.sql`), run in psql, which also stores its rows with key, spatial index and
  statistics. Where nobody would write such SQL by hand, the operation's own SQL.
- **GeoPandas, in memory** ({geopandas.__version__}): a multiple of the time for the same on frames that are already in
  memory and in planar coordinates, without storing anything.
- **GeoPandas, from and to PostGIS**: the same, with reading the tables from PostGIS (and projecting them, where the
  question is in metres) and storing the answer there with a spatial index, but without key or statistics.
  Both use COPY, as `to_postgis` does; `read_postgis` takes longer. Reading a table is measured once a session.
- **growth**: the time as a multiple of that for a town a hundredth of the size.
- **under x**: the other was stopped at the time limit of a case.

{table(measured, rows)}

Run `python -m tests.bench.operations --rows {rows}` to measure what is missing, with the names of operations to measure
those again, or with `--again` to measure all. What was measured is kept in `tests/bench/operations/measured`.
{end}"""
    if begin in page:
        head, _, rest = page.partition(begin)
        page = head + section + rest.partition(end)[2]
    else:
        page = page.rstrip() + "\n\n" + section + "\n"
    DOCS.write_text(page)
