"""Several agents: a registry of them by name, and an agent offered to another one as a tool.

An agent called as a tool works on a conversation of its own for each call, within its own limits and toolbox;
its events reach the caller's stream as `Forwarded`, its tokens count for the caller's limits too. Agents that
call each other in a circle are stopped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from agents.core.blueprint import from_schema
from agents.core.context import ToolContext
from agents.core.errors import ToolFailed
from agents.core.events import Finished, Forwarded
from agents.core.results import Result
from agents.core.tool import Options, Tool
from agents.core.toolbox import ToolBox

if TYPE_CHECKING:
    from agents.core.agent import Agent

_path: ContextVar[tuple[int, ...]] = ContextVar("agents_at_work", default=())


class AgentRegistry:
    """Agents by name, in the order of their registration."""

    def __init__(self) -> None:
        self._agents: dict[str, Agent] = {}

    def register(self, agent: Agent) -> Agent:
        """Add an agent. Raises ValueError where the name is taken: two agents must never be confused."""
        if agent.name in self._agents and self._agents[agent.name] is not agent:
            raise ValueError(f"there is already an agent {agent.name!r}")
        self._agents[agent.name] = agent
        return agent

    def get(self, name: str) -> Agent | None:
        return self._agents.get(name)

    @property
    def names(self) -> list[str]:
        return list(self._agents)

    def as_tools(self, *, without: Agent | None = None) -> ToolBox:
        """All agents as tools, for one that routes between them."""
        return ToolBox(agent_tool(agent) for agent in self if agent is not without)

    def __iter__(self) -> Iterator[Agent]:
        return iter(self._agents.values())

    def __len__(self) -> int:
        return len(self._agents)


def agent_tool(agent: Agent, name: str | None = None, description: str | None = None, **options: Any) -> Tool:
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
        return await _hand_over(agent, str(arguments["task"]), context)

    return Tool(
        name or f"ask_{_identifier(agent.name)}",
        from_schema(text, schema),
        run,
        owner=agent,
        options=Options(**options),
    )


async def _hand_over(agent: Agent, task: str, context: ToolContext) -> Result:
    path = (*_path.get(), id(context.agent))
    if id(agent) in path:
        raise ToolFailed(f"{agent.name} is already at work on this and cannot be asked from within it.")
    token = _path.set(path)
    finished: Finished | None = None
    try:
        async with aclosing(agent.events(task, history=[])) as events:
            async for event in events:
                if isinstance(event, Finished):
                    finished = event
                context.emit(Forwarded(agent.name, event))
    finally:
        _path.reset(token)
        if finished is not None:
            context.add_usage(finished.usage)
    if finished is None:
        raise ToolFailed(f"{agent.name} gave no answer.")
    if finished.status != "done":
        raise ToolFailed(f"{agent.name} could not finish: {finished.text}")
    return Result(finished.text, summary=finished.text.partition("\n")[0][:160])


def _identifier(name: str) -> str:
    """`MapAgent` -> `map_agent`"""
    spaced = "".join(
        f"_{letter}" if letter.isupper() and index else letter for index, letter in enumerate(name)
    )
    return "".join(letter if letter.isalnum() else "_" for letter in spaced.lower()).strip("_") or "agent"
