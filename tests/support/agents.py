"""Agents that do what a test tells them, in the place of one that thinks."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence

from agents.core.loop.events import AgentEvent, AssistantText, Delta, Finished
from agents.core.messages import Message
from server.maps.turns.session import TurnSession

Play = Callable[["Scripted", str], AsyncGenerator[AgentEvent, None]]


class Scripted:
    """Plays a generator function for each turn; `play(agent, text)` sees the session and the history."""

    def __init__(self, play: Play, session: TurnSession, history: Sequence[Message]) -> None:
        self.session = session
        self.history = list(history)
        self._play = play

    def events(
        self, text: str = "", *, resume: bool | Mapping[str, bool] = False
    ) -> AsyncGenerator[AgentEvent, None]:
        return self._play(self, text)


def scripted(play: Play) -> Callable[[TurnSession, Sequence[Message]], Scripted]:
    """An agent factory."""
    return lambda session, history: Scripted(play, session, history)


async def echo(agent: Scripted, text: str) -> AsyncGenerator[AgentEvent, None]:
    """Says what it was told."""
    yield Delta(text)
    yield AssistantText(text, final=True)
    yield Finished(text)


def waits_for(gate: Callable[[], Awaitable[object]]) -> Play:
    """Answers when the gate opens."""

    async def play(agent: Scripted, text: str) -> AsyncGenerator[AgentEvent, None]:
        await gate()
        yield Finished(f"done: {text}")

    return play
