"""Base of models that change what goes in and out of another model; each implements `stream`."""

from __future__ import annotations

from typing import Generic, TypeVar

from agents.core.model import Model, close, reply_limit, warm

Inner = TypeVar("Inner", bound=Model)


class Wrapper(Generic[Inner]):
    """Implements `agents.core.model.Model`, except for `stream`, by delegating to `inner`."""

    def __init__(self, inner: Inner) -> None:
        self._inner = inner

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def context_tokens(self) -> int:
        return self._inner.context_tokens

    @property
    def max_output_tokens(self) -> int | None:
        return reply_limit(self._inner)

    def warm(self) -> None:
        warm(self._inner)

    async def aclose(self) -> None:
        await close(self._inner)
