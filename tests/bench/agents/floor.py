"""The floor: what a loop written by hand for exactly this costs. Parse, check, gather, pair; nothing else."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from tests.bench.agents.measuring import Reply, report


async def add(a: int, b: int) -> str:
    return str(a + b)


async def run(replies: Sequence[Reply]) -> Sequence[float]:
    asked: list[float] = []
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for reply in replies:
        asked.append(time.process_time())
        if isinstance(reply, str):
            messages.append({"role": "assistant", "content": reply})
            break
        messages.append({"role": "assistant", "calls": reply})
        results = await asyncio.gather(*(_answer(*call) for call in reply))
        messages.extend(
            {"role": "tool", "call": index, "content": text} for index, text in enumerate(results)
        )
    return asked


async def _answer(name: str, text: str) -> str:
    arguments = json.loads(text)
    if name != "add" or arguments.keys() != {"a", "b"}:
        return "unknown"
    if not all(type(value) is int for value in arguments.values()):
        return "a and b must be integers"
    return await add(**arguments)


if __name__ == "__main__":
    report(run)
