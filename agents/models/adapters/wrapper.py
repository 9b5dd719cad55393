"""Base of the adapters that add a calling type to another adapter; each overrides `stream`."""

from __future__ import annotations

from agents.models.adapters.base import Adapter


class Wrapper:
    """Implements `agents.core.model.Model`, except for `stream`, by delegating to `inner`."""

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
