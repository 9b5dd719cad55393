"""`Agent`: a model, a toolbox, a history and the loop between them. Subclass it, or use it as it is.

class Clock(Agent):
    @tool
    def now(self) -> str:
        \"\"\"What time it is.\"\"\"
        return datetime.now().isoformat()

print(await Clock(client, "gpt-5.1").chat("What time is it?"))"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from typing import Any

from agents.core.awaitables import awaited
from agents.core.clients import as_model
from agents.core.limits import Limits
from agents.core.loop.approval import Approvals
from agents.core.loop.events import AgentEvent, Finished
from agents.core.loop.history import Conversation
from agents.core.loop.hooks import hooks_of
from agents.core.loop.registry import agent_tool
from agents.core.loop.runtime import RunningTurn
from agents.core.loop.turn import Turn
from agents.core.messages import Message, UserMessage
from agents.core.model import ToolChoice
from agents.core.observe.telemetry import Telemetry
from agents.core.observe.telemetry import telemetry as shared_telemetry
from agents.core.tools.context import ToolContext
from agents.core.tools.snapshot import Snapshotter
from agents.core.tools.tool import Tool
from agents.core.tools.toolbox import ToolBox

log = logging.getLogger("agents.core")


class Agent:
    """An agent. One turn at a time on its own history; `events(history=...)` turns may run in parallel.

    `client` is a `Model`, or a provider's SDK client together with the model's name. `socket_emit`, sync or
    async, is sent `{"type": "ai_response", "message": ...}` by `chat`. The toolbox is the agent's own `@tool`
    methods, and then those of `toolbox`. `history` is appended to only. `approvals` answers for the user;
    without it a turn that needs an approval ends as `waiting`, to be resumed with the answers.
    `why_unavailable` returns a text if an exception of a tool means that something it needs is busy or unreachable:
    the turn then ends as failed with this text, as after `ToolUnavailable`."""

    instructions: str | None = None
    description: str = ""
    limits: Limits = Limits()
    max_output_tokens: int | None = None
    tool_choice: ToolChoice = "auto"

    def __init__(
        self,
        client: Any,
        model: str | None = None,
        socket_emit: Callable[[dict[str, Any]], Any] | None = None,
        *,
        toolbox: Iterable[Any] | None = None,
        limits: Limits | None = None,
        history: Iterable[Message] | None = None,
        name: str | None = None,
        instructions: str | None = None,
        context: Any = None,
        approvals: Approvals | None = None,
        telemetry: Telemetry | None = None,
        why_unavailable: Callable[[Exception], str | None] | None = None,
    ) -> None:
        self.model = as_model(client, model)
        self.socket_emit = socket_emit
        self.name = name or type(self).__name__
        if limits is not None:
            self.limits = limits
        if instructions is not None:
            self.instructions = instructions
        self.context = context
        self.approvals = approvals
        self.telemetry = telemetry or shared_telemetry
        self.why_unavailable = why_unavailable
        self.hooks = hooks_of(type(self))
        self.toolbox = ToolBox.of(self).extend(toolbox or ())
        self.snapshots = Snapshotter(self)
        self._conversation = Conversation(list(history or ()))
        self._turns: list[RunningTurn] = []

    @property
    def history(self) -> list[Message]:
        """The conversation so far."""
        return self._conversation.messages

    def events(
        self,
        text: str = "",
        *,
        resume: bool | Mapping[str, bool] = False,
        history: list[Message] | None = None,
        caller: ToolContext | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        """Run one turn and yield what happens; the last event is `Finished`.

        `resume` goes on from calls at the end of the history that wait for an approval, perhaps with the answers by
        call id; `text` is not needed then. `history` runs the turn on another conversation than the agent's own.
        `caller` is the call of another agent that this turn serves: usage counts for that call, too, and stays within
        its remaining limits (see `hand_over`). Closing the generator, cancelling the task and `cancel()` all leave
        the history whole."""
        conversation = self._conversation if history is None else Conversation(history)
        going_on = resume is not False
        if not going_on and not text.strip():
            raise ValueError("a turn needs a text to begin with")
        message = text or _last_user_text(conversation.messages)
        turn = Turn(self, message, conversation, resume if isinstance(resume, Mapping) else None, caller)
        return turn.events(resume=going_on)

    async def run(self, text: str = "", **options: Any) -> Finished:
        """Run one turn to its end."""
        async with aclosing(self.events(text, **options)) as events:
            async for event in events:
                if type(event) is Finished:
                    return event
        raise RuntimeError("the turn ended without a Finished event")

    async def chat(self, text: str) -> str:
        """Run one turn; the final text is returned and sent to `socket_emit`."""
        finished = await self.run(text)
        if self.socket_emit is not None:
            try:
                await awaited(self.socket_emit({"type": "ai_response", "message": finished.text}))
            except Exception:
                # The work is done and in the history; the caller must still get the answer.
                log.exception("%s: the answer could not be sent", self.name)
        return finished.text

    def cancel(self) -> bool:
        """Cancel the running turn. Returns False if none was running."""
        for turn in list(self._turns):
            turn.interrupt("cancelled")
        return bool(self._turns)

    def begin(self, turn: RunningTurn) -> None:
        """Begin a turn. Raises RuntimeError if another turn uses the same conversation."""
        if not turn.conversation.claim():
            raise RuntimeError(
                f"{self.name} is in the middle of a turn; wait for it, or give another history"
            )
        self._turns.append(turn)

    def end(self, turn: RunningTurn) -> None:
        """End a turn, so that the next one may begin on its conversation."""
        turn.conversation.release()
        self._turns.remove(turn)

    def as_tool(self, name: str | None = None, description: str | None = None, **options: Any) -> Tool:
        """This agent as a tool for another one, which gives it a task as text; see `registry.agent_tool`."""
        return agent_tool(self, name, description, **options)

    def _system_messages(self) -> Any:
        """The parts of the system message that do not change between model calls, so that prompt caches can serve them.

        A text, a list of texts, or None; may be async. Parts that change belong in `@hook.system` methods."""
        return [self.instructions] if self.instructions else []

    def _finalize_response(self, text: str) -> Any:
        """Returns the final text as the user sees it. May be async."""
        return text


def _last_user_text(messages: list[Message]) -> str:
    return next((message.text for message in reversed(messages) if isinstance(message, UserMessage)), "")
