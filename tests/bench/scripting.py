"""How much of a core the page's scripts take while an answer streams: on a new map, and where 3,000 turns are in the
conversation and 100 layers on the map.

The difference between the two is what the size of the map costs; the first is the floor: the same answer, alone.
Maps paint nothing: without a GPU, drawing a hundred layers is a matter of minutes, and not one of scripts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from playwright.async_api import Browser, CDPSession

from agents.core.model import ModelRequest
from agents.core.testing import Part, ScriptedModel
from tests.bench.rows import Row
from tests.browser.pages import UNPAINTED
from tests.browser.person import Person
from tests.support.old_turns import append_turns
from tests.support.server import client, local_server

TURNS, LAYERS = 3_000, 100
SECONDS, DELTAS_PER_S = 10, 30
GOAL = 0.05
PATIENCE_MS = 240_000
"""A hundred layers take long to draw without a GPU where other programs run, too."""


class Spent(NamedTuple):
    """Shares of a core while the answer streamed."""

    scripts: float
    all_tasks: float


def streaming(_: ModelRequest) -> Iterable[Part]:
    """An answer of as many pieces as a model writes in that time."""
    for _ in range(SECONDS * DELTAS_PER_S):
        yield "more of it "
        yield lambda: asyncio.sleep(1 / DELTAS_PER_S)


async def scripting(browser: Browser, url: str) -> list[Row]:
    """Two rows: a new map, and a large one."""
    model = ScriptedModel(streaming, afterwards=None)
    async with local_server(url, model) as server:
        small = await spent(browser, server.url)
        async with client(server) as one:
            await one.ask("join")
            for number in range(LAYERS):
                await one.ask("layer_add", table="data.countries", name=f"layer {number}")
            seq = int((await one.ask("join", map_id=one.map_id))["seq"])
        await append_turns(url, one.map_id, TURNS, after=seq)
        large = await spent(browser, f"{server.url}/m/{one.map_id}")
    goal = f"goal: at most {GOAL:.0%} of a core"
    note = "{:.1%} with layout and painting; {} pieces of text a second; " + goal
    return [
        Row("Browser: scripts while an answer streams", f"{small.scripts:.1%} of a core",
            "new map; " + note.format(small.all_tasks, DELTAS_PER_S)),
        Row("  the same on a large map", f"{large.scripts:.1%} of a core",
            f"{TURNS:,} turns, {LAYERS} layers; " + note.format(large.all_tasks, DELTAS_PER_S)),
    ]  # fmt: skip


async def spent(browser: Browser, address: str) -> Spent:
    """On the page of a map, whose whole conversation is loaded, while one answer streams."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE_MS)
    await page.add_init_script(UNPAINTED)
    person = Person(page, address)
    await person.arrive()
    earlier = page.get_by_role("button", name="Show earlier messages")
    if await person.see("!geoagent.state.complete"):
        await page.locator(".messages").evaluate("it => it.scrollTo(0, 0)")
        await earlier.click()
        await person.wait_for("geoagent.state.complete")
        await page.locator(".messages").evaluate("it => it.scrollTo(0, it.scrollHeight)")
    await person.wait_for("geoagent.map.loaded() && !geoagent.map.isMoving()")
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    await person.box.fill("go on")
    await page.keyboard.press("Enter")
    await person.wait_for("document.querySelector('.messages').innerText.includes('more of it')")
    before = await metrics(session)
    await person.wait_for("geoagent.state.turns.at(-1).end !== null")
    after = await metrics(session)
    await page.close()
    seconds = after["Timestamp"] - before["Timestamp"]
    return Spent(*((after[name] - before[name]) / seconds for name in ("ScriptDuration", "TaskDuration")))


async def metrics(session: CDPSession) -> dict[str, float]:
    found = await session.send("Performance.getMetrics")
    return {each["name"]: each["value"] for each in found["metrics"]}
