"""An adapter under another calling type: only delegates, so that each wrapper says just what it changes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace

from agents.core.model import ModelEvent, ModelRequest
from agents.models.adapters.base import Adapter


def with_stable_part(request: ModelRequest, text: str) -> ModelRequest:
    """The request with one more part of the system message, behind those that stay the same from call to call."""
    at = min(request.stable_parts, len(request.system))
    system = [*request.system[:at], text, *request.system[at:]]
    return replace(request, system=system, stable_parts=at + 1)


class Wrapper:
    """Base class of models that delegate to the model `inner`."""

    def __init__(self, inner: Adapter) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def context_tokens(self) -> int:
        return self._inner.context_tokens

    @property
    def max_output_tokens(self) -> int | None:
        return self._inner.max_output_tokens

    def warm(self) -> None:
        self._inner.warm()

    async def aclose(self) -> None:
        await self._inner.aclose()

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        return self._inner.stream(request)
