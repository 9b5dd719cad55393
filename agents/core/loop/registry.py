"""Several agents: a registry of them by name, and an agent offered to another one as a tool.

An agent called as a tool works on a new conversation for each call, within its own limits and toolbox;
its events reach the caller's stream as `Forwarded`, its tokens count for the caller's limits too. Agents that
call each other in a circle are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.loop.dispatch import UNAVAILABLE
from agents.core.loop.events import Finished, Forwarded
from agents.core.loop.runtime import Runtime
from agents.core.messages import Message
from agents.core.tools.blueprint import from_schema
from agents.core.tools.context import ToolContext
from agents.core.tools.results import Result
from agents.core.tools.tool import Options, Tool

_path: ContextVar[tuple[int, ...]] = ContextVar("agents_at_work", default=())


class AgentRegistry:
    """Agents by name, in the order of their registration."""

    def __init__(self) -> None:
        self._agents: dict[str, Runtime] = {}

    def register(self, agent: Runtime) -> Runtime:
        """Add an agent. Raises ValueError if the name is taken."""
        if agent.name in self._agents and self._agents[agent.name] is not agent:
            raise ValueError(f"there is already an agent {agent.name!r}")
        self._agents[agent.name] = agent
        return agent

    def get(self, name: str) -> Runtime | None:
        """The agent with this name, or None."""
        return self._agents.get(name)

    @property
    def names(self) -> list[str]:
        """The names of all agents, in the order of registration."""
        return list(self._agents)

    def __iter__(self) -> Iterator[Runtime]:
        return iter(self._agents.values())

    def __len__(self) -> int:
        return len(self._agents)


def agent_tool(
    agent: Runtime, name: str | None = None, description: str | None = None, **options: Any
) -> Tool:
    """`agent` as a tool `ask_<name>(task)`."""
    schema = {
        "type": "object",
        "properties": {
            "task": {
                "type": "string",
                "description": "What to do, in full: this agent knows nothing of the chat.",
            }
        },
        "required": ["task"],
    }
    text = description or agent.description or f"Hand a task over to {agent.name}, and get its answer."

    async def run(arguments: dict[str, Any], context: ToolContext) -> Result:
        finished = await hand_over(agent, str(arguments["task"]), context)
        return Result(finished.text, summary=finished.text.partition("\n")[0][:160])

    return Tool(
        name or f"ask_{_identifier(agent.name)}",
        from_schema(text, schema),
        run,
        owner=agent,
        options=Options(**options),
    )


async def hand_over(
    agent: Runtime,
    task: str,
    context: ToolContext,
    *,
    history: list[Message] | None = None,
    forward: bool = True,
) -> Finished:
    """Have an agent do a task on behalf of a tool call: the one way in which agents work for each other.

    It works on a new conversation, unless `history` gives one. What it spends counts for the caller's turn as it is
    spent, and is bounded by what that turn has left. With `forward` its events reach the caller's stream. Raises
    ToolFailed where it would call itself, or ended in any other way than with an answer, and ToolUnavailable where one
    of its tools, or its model, is not available now."""
    path = (*_path.get(), id(context.agent))
    if id(agent) in path:
        raise ToolFailed(f"{agent.name} is already at work on this and cannot be asked from within it.")
    token = _path.set(path)
    finished: Finished | None = None
    try:
        async with aclosing(
            agent.events(task, history=[] if history is None else history, caller=context)
        ) as events:
            async for event in events:
                if isinstance(event, Finished):
                    finished = event
                if forward:
                    context.emit(Forwarded(agent.name, event))
    finally:
        _path.reset(token)
    if finished is None:
        raise ToolFailed(f"{agent.name} gave no answer.")
    if finished.status == "failed" and finished.reason == UNAVAILABLE:
        raise ToolUnavailable(finished.text)
    if finished.status != "done":
        raise ToolFailed(f"{agent.name} could not finish: {finished.text}")
    return finished


def _identifier(name: str) -> str:
    """`MapAgent` -> `map_agent`"""
    spaced = "".join(
        f"_{letter}" if letter.isupper() and index else letter for index, letter in enumerate(name)
    )
    return "".join(letter if letter.isalnum() else "_" for letter in spaced.lower()).strip("_") or "agent"
