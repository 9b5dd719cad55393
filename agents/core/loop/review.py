"""The review of an answer before the user gets it: a `@hook.review` may object once, and the model answers again.

An answer that is taken back is not shown. A text is streamed sentence by sentence, each with a digit only after
the hooks let it pass, and the answer that follows an objection is shown when it is complete; until then the
sentences before the first objectionable one stay on the screen."""

from __future__ import annotations

import re

from agents.core.loop.events import Delta
from agents.core.loop.reply import Reply
from agents.core.loop.runtime import Runtime
from agents.core.messages import AssistantMessage

_SENTENCE_END = re.compile(r"[.!?:;]\s+|\n+")
_DIGIT = re.compile(r"\d")


class Review:
    """The review of one turn's answer. `objection` is the message to the model that has to answer again now."""

    __slots__ = ("_agent", "_is_held", "_rejected", "_shown", "_text", "objection")

    def __init__(self, agent: Runtime) -> None:
        self.objection: str | None = None
        self._agent = agent
        self._rejected: AssistantMessage | None = None
        self._text = ""
        self._shown = 0
        self._is_held = False

    async def visible(self, delta: Delta) -> Delta | None:
        """The text that may be streamed after another piece of a reply."""
        if not self._agent.hooks.review:
            return delta
        self._text += delta.text
        if self._is_held or self.objection is not None:
            return None
        end = len(self._text)
        if self._rejected is None and _DIGIT.search(self._text, self._shown):
            whole = max((found.end() for found in _SENTENCE_END.finditer(self._text, self._shown)), default=0)
            if whole and await self._objection_to(self._text[:whole]):
                self._is_held = True
                return None
            end = whole if _DIGIT.search(self._text, whole or self._shown) else end
        return self._release(end)

    async def close(self, reply: Reply) -> Delta | None:
        """Review a reply that has ended. Returns what was held back of it, if it is accepted.

        Where the model gave no other answer, the rejected one is accepted."""
        message, was_rejected = reply.message, self.objection is not None
        self.objection = None
        if self._rejected is not None and was_rejected and (message is None or _is_empty(message)):
            reply.message, reply.text = self._rejected, [self._rejected.text]
        elif self._rejected is None and message is not None and not message.calls:
            self.objection = await self._objection_to(message.text) if message.text.strip() else None
            self._rejected = message if self.objection is not None else None
        left = None if self.objection is not None or was_rejected else self._release(len(self._text))
        self._text, self._shown, self._is_held = "", 0, False
        return left

    def _release(self, end: int) -> Delta | None:
        if end <= self._shown:
            return None
        piece, self._shown = self._text[self._shown : end], end
        return Delta(piece)

    async def _objection_to(self, text: str) -> str | None:
        for hooked in self._agent.hooks.review:
            if objection := await hooked.run(self._agent, text):
                return str(objection)
        return None


def _is_empty(message: AssistantMessage) -> bool:
    return not message.calls and not message.text.strip()
