"""An agent with each kind of model: the tool runs, its result comes back, the model answers."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from agents.core import Agent, Model, tool
from tests.support.model_server import Call, ModelServer, Reply, Say

Make = Callable[..., Model]
NATIVE = ["openai:gpt-5.1", "groq:llama-3.3-70b", "anthropic:claude-haiku-4-5", "ollama:qwen3:8b"]


class Counting(Agent):
    """An agent with one tool."""

    @tool
    def count_airports(self, country: str, above: int = 0) -> str:
        """Count airports.

        Args:
            country: Its name.
            above: Elevation in metres.
        """
        return f"{len(country) + above} airports"


def written(kind: str, **arguments: object) -> Call | Say:
    if kind == "native":
        return Call("count_airports", arguments)
    field = "tool" if kind == "structured_output" else "name"
    text = json.dumps({field: "count_airports", "arguments": arguments})
    return Say(text if kind == "structured_output" else f"<tool_call>{text}</tool_call>")


def answer(kind: str, text: str) -> Say:
    return Say(json.dumps({"answer": text}) if kind == "structured_output" else text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "native") for name in NATIVE),
        *((f"{name}@structured_output", "structured_output") for name in NATIVE),
        *((f"{name}@text", "text") for name in NATIVE),
    ],
)
async def test_the_loop_works_with_every_calling_type(
    name: str, kind: str, server: ModelServer, make: Make
) -> None:
    server.script(
        [
            Reply(written(kind, country="Peru", above="high")),
            Reply(written(kind, country="Peru", above=2000)),
            Reply(answer(kind, "There are 2004 airports.")),
        ]
    )
    assert await Counting(make(name)).chat("how many airports in Peru?") == "There are 2004 airports."
    fault, result = (json.dumps(request.json) for request in server.requests[1:])
    assert "above" in fault
    assert "2004 airports" in result


async def test_the_model_may_change_in_the_middle_of_a_conversation(server: ModelServer, make: Make) -> None:
    agent = Counting(make(NATIVE[0]))
    for name in NATIVE:
        agent.model = make(name)
        server.script(
            [Reply(Say("Wait."), Call("count_airports", {"country": "Peru"})), Reply(Say(f"{name} says 4."))]
        )
        assert await agent.chat("how many?") == f"{name} says 4."
    assert server.left == 0
