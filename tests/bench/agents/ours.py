"""GeoAgent's own loop, as an application uses it: hooks of every kind, telemetry on, a dynamic enum apart."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from agents.core import (
    Agent,
    Completed,
    Limits,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolResult,
    Usage,
    hook,
    tool,
)
from tests.bench.agents.measuring import DYNAMIC, GOOD, VERSIONS, Reply, measure, measure_dynamic

COMPLETED = Completed(Usage(10, 5))


class Player:
    """A model that plays replies."""

    name = "player"
    context_tokens = 1_000_000

    def __init__(self) -> None:
        self.replies: Sequence[Reply] = ()
        self.asked: list[float] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        step = len(self.asked)
        self.asked.append(time.process_time())
        reply = self.replies[step]
        if isinstance(reply, str):
            yield TextDelta(reply)
        else:
            for number, (name, text) in enumerate(reply):
                yield ToolCall(f"call_{step}_{number}", name, text)
        yield COMPLETED


class Hooked(Agent):
    """One hook of each kind, as an application would have."""

    limits = Limits(steps=100)

    @tool
    async def add(self, a: int, b: int) -> str:
        """Add two numbers."""
        return str(a + b)

    @hook.system
    def rules(self) -> str:
        return "Be brief."

    @hook.before_tool
    def before(self, call: ToolCall, arguments: dict[str, Any]) -> None:
        return None

    @hook.after_tool
    def after(self, call: ToolCall, result: ToolResult) -> None:
        return None

    @hook.response
    def response(self, text: str) -> None:
        return None


class Dynamic(Agent):
    """A tool whose enum of 10,000 values the test changes at will."""

    values: Any = ()

    @tool(params={"table": {"type": "string", "enum": lambda self: self.values}})
    async def show(self, table: str) -> str:
        return table


player = Player()
agent = Hooked(player)


async def run(replies: Sequence[Reply]) -> Sequence[float]:
    player.replies, player.asked = replies, []
    await agent.run("go", history=[])
    return player.asked


async def dynamic(runs: int) -> dict[str, float]:
    """Snapshots of an enum of 10,000: unchanged, changed, and a whole turn in which it changes at every call."""
    own = Dynamic(player)

    async def snapshot_of(values: Callable[[int], Any]) -> float:
        times = []
        for number in range(runs):
            own.values = values(number)
            started = time.process_time()
            await own.snapshots.take(own.toolbox, "go")
            times.append((time.process_time() - started) * 1e6)
        return statistics.median(times)

    async def turn(replies: Sequence[Reply], values: list[str]) -> None:
        own.values, player.replies, player.asked = values, replies, []
        await own.run("go", history=[])

    same, same_tuple = VERSIONS[0], tuple(VERSIONS[0])
    found = {
        "enum of 10,000: snapshot, the same tuple": await snapshot_of(lambda number: same_tuple),
        "enum of 10,000: snapshot, the same list": await snapshot_of(lambda number: same),
        "enum of 10,000: snapshot, changed": await snapshot_of(lambda number: VERSIONS[number % 2]),
    }
    found[DYNAMIC] = await measure_dynamic(turn, runs)
    return found


async def main(runs: int) -> None:
    assert (await run([[GOOD], "done"])) is player.asked
    print(json.dumps({**await measure(run, runs), **await dynamic(runs)}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
