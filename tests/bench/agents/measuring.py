"""How every contestant is measured: the same script, the same number of runs, medians in microseconds.

Time is CPU time of the process: nothing here waits for anything, so on an idle machine that is the time it
takes, and on a busy one the neighbours do not count. Imports nothing but the standard library, for it runs in
the peers' own environment too. A contestant is an async function `run(replies)` that runs one whole turn on a
model that plays these replies."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence

Call = tuple[str, str]
Reply = str | list[Call]
"""A final text, or calls as (tool, JSON arguments)."""

GOOD: Call = ("add", '{"a": 1, "b": 2}')
BAD: Call = ("add", '{"a": 1, "b": "two"}')
SCENARIOS: dict[str, list[Reply]] = {
    "no tool": ["done"],
    "one call": [[GOOD], "done"],
    "bad arguments, then repair": [[BAD], [GOOD], "done"],
    "20 parallel": [[GOOD] * 20, "done"],
    "chain of 20": [*([[GOOD]] * 20), "done"],
    "chain of 40": [*([[GOOD]] * 40), "done"],
}

Run = Callable[[Sequence[Reply]], Awaitable[Sequence[float]]]
"""Runs one turn and returns the moments at which the model was asked."""


async def measure(run: Run, runs: int) -> dict[str, float]:
    """Medians by scenario, and `growth`: the time of steps 21 to 40 over that of steps 1 to 20."""
    medians: dict[str, float] = {}
    for name, replies in SCENARIOS.items():
        for _ in range(max(runs // 10, 3)):
            await run(replies)
        times, growths = [], []
        for _ in range(runs):
            started = time.process_time()
            asked = await run(replies)
            times.append((time.process_time() - started) * 1e6)
            if len(asked) == 41:
                growths.append((asked[40] - asked[20]) / (asked[20] - asked[0]))
        medians[name] = statistics.median(times)
        if growths:
            medians["growth"] = statistics.median(growths)
    return medians


def import_cost(python: str, module: str, *, path: str | None = None) -> dict[str, float]:
    """Milliseconds and resident megabytes that importing a module costs a fresh interpreter; the best of ten.

    Bytecode is compiled beforehand, as it is wherever a package is installed."""
    code = (
        "import sys, time\n"
        f"{f'sys.path.insert(0, {path!r})' if path else ''}\n"
        "def resident():\n"
        "    with open('/proc/self/statm') as file: return int(file.read().split()[1]) * 4096\n"
        "before, started = resident(), time.process_time()\n"
        f"import {module}\n"
        "print(time.process_time() - started, resident() - before)\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    seconds, bytes_ = [], []
    for _ in range(11):
        printed = subprocess.run(
            [python, "-P", "-c", code], capture_output=True, text=True, check=True, env=environment
        ).stdout.split()
        seconds.append(float(printed[0]))
        bytes_.append(float(printed[1]))
    return {"import ms": min(seconds[1:]) * 1000, "import MB": min(bytes_[1:]) / 2**20}


DYNAMIC = "enum of 10,000 that changes: one call"
NAMES = [f"data.table_{number}" for number in range(10_000)]
VERSIONS = [[*NAMES, f"data.new_{number}"] for number in range(2)]
SHOW: list[Reply] = [[("show", '{"table": "data.table_77"}')], "done"]


async def measure_dynamic(run: Callable[[Sequence[Reply], list[str]], Awaitable[object]], runs: int) -> float:
    """The median of a turn with one call of a tool whose enum of 10,000 values is another one each time."""
    times = []
    for number in range(runs + 3):
        started = time.process_time()
        await run(SHOW, VERSIONS[number % 2])
        times.append((time.process_time() - started) * 1e6)
    return statistics.median(times[3:])


def report(
    run: Run, dynamic: Callable[[Sequence[Reply], list[str]], Awaitable[object]] | None = None
) -> None:
    """What a contestant's script does: measure, and print the medians as JSON."""

    async def all_of_it() -> dict[str, float]:
        runs = int(sys.argv[1])
        medians = await measure(run, runs)
        return medians if dynamic is None else {**medians, DYNAMIC: await measure_dynamic(dynamic, runs)}

    print(json.dumps(asyncio.run(all_of_it())))
