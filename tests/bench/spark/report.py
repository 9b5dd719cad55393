"""What the benchmark of Spark prints: lines while it measures, and a table by step and engine for the documentation."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

POSTGIS = "PostGIS"


@dataclass(frozen=True)
class Measured:
    """One step on one engine. `figures` are what it found, the same on all engines."""

    step: str
    engine: str
    seconds: float
    figures: str
    source: str = ""
    """Where Spark read the rows: `GeoParquet` or `PostGIS`."""
    note: str = ""
    megabytes: float = 0.0
    """Held by all processes of Spark together, at most."""
    millions: int = 0
    """Of points, where these are counted in zones."""

    @property
    def line(self) -> str:
        place = f" from {self.source}" if self.source else ""
        peak = f"; at most {self.megabytes:,.0f} MB of all processes of Spark" if self.megabytes else ""
        return f"{self.step}, {self.engine}{place}: {self.seconds:.1f} s ({self.figures}{self.note}{peak})"


def announce(text: str) -> None:
    """Print a line at once, also into a file."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def counter(what: str, total: int) -> Callable[[int], None]:
    """A function that is told of rows as they are done, and announces each fifth of them. For several threads."""
    done, lock = [0], threading.Lock()

    def add(rows: int) -> None:
        with lock:
            before, done[0] = done[0], done[0] + rows
            if before * 5 // total != done[0] * 5 // total:
                announce(f"{what}: {done[0] / 1e6:.1f} of {total / 1e6:.1f} million rows")

    return add


def page_part(rows: Sequence[Measured], load: float, heap: int) -> str:
    """The table, and what it says, for docs/spark.md."""
    about = (
        f"Measured on {time.strftime('%Y-%m-%d')} with {os.cpu_count()} cores (load {load:.1f} at the start); "
        f"workers with one core and a heap of {heap} MB. All engines found the same figures."
    )
    return "\n\n".join(each for each in (about, table(rows), crossover(rows)) if each)


def table(rows: Sequence[Measured]) -> str:
    """A row for each step and where its rows are, a column for each engine."""
    engines = [POSTGIS, *dict.fromkeys(row.engine for row in rows if row.engine != POSTGIS)]
    found = {(row.step, row.source, row.engine): row for row in rows}
    on_spark = {row.step for row in rows if row.engine != POSTGIS}
    shown = dict.fromkeys(
        (row.step, row.source) for row in rows if row.engine != POSTGIS or row.step not in on_spark
    )
    lines = [f"| step | Spark reads | {' | '.join(engines)} |", f"| --- | --- |{' --- |' * len(engines)}"]
    for step, source in shown:
        keys = [(step, "" if engine == POSTGIS else source, engine) for engine in engines]
        cells = [f"{found[key].seconds:.1f} s" if key in found else "" for key in keys]
        lines.append(f"| {step} | {source} | {' | '.join(cells)} |")
    peaks = [max((row.megabytes for row in rows if row.engine == each), default=0.0) for each in engines]
    cells = [f"{peak / 1000:.1f} GB" if peak else "" for peak in peaks]
    return "\n".join([*lines, f"| most memory of all processes of Spark | | {' | '.join(cells)} |"])


def crossover(rows: Sequence[Measured]) -> str:
    """From which size on Spark counts points of GeoParquet sooner than PostGIS, and what a second worker adds."""
    counted = [row for row in rows if row.millions]
    postgis = {row.millions: row.seconds for row in counted if row.engine == POSTGIS}
    spark: dict[int, list[float]] = {}
    for row in counted:
        if row.source == "GeoParquet":
            spark.setdefault(row.millions, []).append(row.seconds)
    sizes = sorted(size for size in postgis if size in spark)
    if not sizes:
        return ""
    slower = [size for size in sizes if min(spark[size]) > postgis[size]]
    sooner = [size for size in sizes if min(spark[size]) <= postgis[size]]
    words = [f"Spark was the slower engine up to {max(slower)} million points"] if slower else []
    words += [f"the faster one from {min(sooner)} million on"] if sooner else []
    largest = max(spark)
    few, many = spark[largest][0], spark[largest][-1]
    ratio = (
        f"; with the most workers, {largest} million points took {many / few:.0%} of the time of the fewest."
    )
    return f"Counting points in zones from GeoParquet, {' and '.join(words)}{ratio}"
