"""What a page keeps while it is used without a pause: after each round the garbage goes, and what is left counts.

One round is ten actions, by words and by hand, that end where they began, so that only the conversation may grow: the
turns that it holds are counted too. The heap is the page's own, without MapLibre's workers; `process` is all of the
renderer: code, workers, tiles and canvases."""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import psutil
from playwright.async_api import CDPSession

from tests.bench.rows import Row
from tests.browser.person import Person

MARKS = (1, 10, 20, 30)
"""The minutes that get a row, besides the beginning and the end."""

ROUND = (
    "show the cells",
    "colour the cells by value",
    "hide the cells",
    "how many cells are there?",
    "pan",
    "zoom",
    "undo",
    "redo",
    "history",
    "theme",
)
"""What a person does, by words or by hand, in one round."""


class Kept(NamedTuple):
    """What the page held at one moment: sizes in megabytes, the rest counted."""

    minutes: float
    rounds: int
    heap: float
    process: float
    nodes: int
    listeners: int
    turns: int
    layers: int

    def __str__(self) -> str:
        return (
            f"{self.nodes:,} DOM nodes, {self.listeners:,} listeners, process {self.process:.0f} MB, "
            f"{self.turns:,} turns, {self.layers} layers"
        )


async def remembering(person: Person, minutes: float) -> list[Row]:
    session = await person.page.context.new_cdp_session(person.page)
    await session.send("Performance.enable")
    seen = [await kept(person, session, 0.0, 0)]
    started = time.monotonic()
    while len(seen) == 1 or seen[-1].minutes < minutes:
        await used(person, seen[-1].rounds)
        seen.append(await kept(person, session, (time.monotonic() - started) / 60, seen[-1].rounds + 1))
        print(f"{seen[-1].minutes:5.1f} min {seen[-1].heap:7.2f} MB {seen[-1]}", file=sys.stderr, flush=True)
    ends = seen[-1]
    return [
        Row("Browser: memory of the page", f"{seen[0].heap:.1f} MB", f"before it was used; {seen[0]}"),
        *(
            Row(f"  after {mark} minutes of use", f"{one.heap:.1f} MB", str(one))
            for mark in MARKS
            if (one := next((each for each in seen if each.minutes >= mark), None)) and one is not ends
        ),
        Row(
            f"  after {ends.minutes:.1f} minutes of use",
            f"{ends.heap:.1f} MB",
            f"{ends}; {ends.rounds:,} rounds of {len(ROUND)} actions, {max(one.heap for one in seen):.1f} MB at most",
        ),
    ]


async def kept(person: Person, session: CDPSession, minutes: float, rounds: int) -> Kept:
    await session.send("HeapProfiler.collectGarbage")
    found = await session.send("Performance.getMetrics")
    metrics = {each["name"]: each["value"] for each in found["metrics"]}
    return Kept(
        minutes,
        rounds,
        metrics["JSHeapUsedSize"] / 1e6,
        renderers() / 1e6,
        int(metrics["Nodes"]),
        int(metrics["JSEventListeners"]),
        len(await person.turns()),
        len(await person.layers()),
    )


def renderers() -> int:
    """Bytes in memory of the renderers of the browser that this process started."""
    total = 0
    for process in psutil.Process().children(recursive=True):
        try:
            if "--type=renderer" in process.cmdline():
                total += process.memory_info().rss
        except psutil.Error:
            continue
    return total


async def used(person: Person, number: int) -> None:
    """One round. What was added is still there at its end, so only what the page keeps can grow."""
    page = person.page
    for action in ROUND:
        if " " in action:
            await person.says(action)
        elif action in ("pan", "zoom"):
            await person.looks_at(number % 30 - 15, 42, 8 if action == "pan" else 9)
        elif action in ("undo", "redo"):
            await page.get_by_role("button", name=action.capitalize(), exact=True).click()
        elif action == "history":
            await page.get_by_role("button", name="Menu").click()
            await page.get_by_role("menuitem", name="History").click()
            await page.locator(".history-list li").first.wait_for()
            await page.locator(".side-head").get_by_role("button", name="Close").click()
        else:
            await page.emulate_media(color_scheme="dark" if number % 2 else "light")
