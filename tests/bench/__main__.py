"""`python -m tests.bench`, which is `make bench`: what a person waits for, measured on this machine, as a table.

Each section is a module with `async def measure(postgis) -> list[Row]`; operations and the agent loop are measured by
commands of their own, here in short: run these for docs/benchmarks.md. Numbers from a busy machine say little: look at
the ratios."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from typing import TypeVar

from tests.bench import browser
from tests.bench.rows import Row
from tests.support.postgis import Postgis, private_cluster, temporary_home

Found = TypeVar("Found")
SECTIONS = (
    "start",
    "fanout",
    "tiles",
    "tile_servers",
    "proofs",
    "large_tables",
    "registry",
    "many_tables",
    "requests",
    "browser",
)
OWN_COMMANDS = {
    "operations": ("--rows", "20000", "--again", "--minutes", "10", "--no-docs"),
    "agents": ("--no-peers", "--no-docs"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "sections", nargs="*", help=f"of {', '.join((*SECTIONS, *OWN_COMMANDS))}; all unless named"
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=browser.MINUTES,
        help="of scripted use in the browser; 30 for the record",
    )
    asked = parser.parse_args()
    browser.MINUTES = asked.minutes
    wanted = asked.sections or [*SECTIONS, *OWN_COMMANDS]
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    )
    rows = measured([name for name in SECTIONS if name in wanted])
    if rows:
        print(table(rows))
    for name, options in OWN_COMMANDS.items():
        if name in wanted:
            subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *options], check=True)


def measured(names: list[str]) -> list[Row]:
    sections = [importlib.import_module(f"tests.bench.{name}") for name in names]
    if not sections:
        return []
    return with_postgis(
        lambda postgis: [row for one in sections for row in asyncio.run(one.measure(postgis))]
    )


def with_postgis(work: Callable[[Postgis], Found]) -> Found:
    """What the work finds on a PostGIS of its own."""
    with temporary_home() as home, private_cluster(home) as cluster:
        return work(Postgis(cluster))


def table(rows: list[Row]) -> str:
    """Aligned columns; a Markdown table as well."""
    heads = Row("What", "Value", "Note")
    widths = [max(len(getattr(row, column)) for row in [heads, *rows]) for column in Row._fields]
    lines = [
        "| " + " | ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)) + " |"
        for row in [heads, *rows]
    ]
    lines.insert(1, "|" + "|".join("-" * (size + 2) for size in widths) + "|")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
