"""Several models in order of preference. The next one is used only if the one before failed before its first output."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from agents.core.model import (
    Completed,
    Model,
    ModelError,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    close,
    reply_limit,
    warm,
)

log = logging.getLogger(__name__)
RETRY_DELAY_S = 30.0
"""Seconds for which a model that failed is not asked again, if it was not the last one."""


class Fallback:
    """A chain of models. A model that failed rests for a while, so that not every turn waits for it."""

    def __init__(self, models: Sequence[Model], rest: float = RETRY_DELAY_S) -> None:
        if not models:
            raise ValueError("a chain needs at least one model")
        self.models = tuple(models)
        self._rest = rest
        self._resting: dict[int, float] = {}

    @property
    def name(self) -> str:
        """The names of all models, separated by ` | `."""
        return " | ".join(model.name for model in self.models)

    @property
    def context_tokens(self) -> int:
        """The smallest of all, so that each model of the chain can read the conversation."""
        return min(model.context_tokens for model in self.models)

    @property
    def max_output_tokens(self) -> int | None:
        """The largest of all, so that there is room for the reply of each model of the chain."""
        return max(filter(None, map(reply_limit, self.models)), default=None)

    def warm(self) -> None:
        for model in self.models:
            warm(model)

    async def aclose(self) -> None:
        for model in self.models:
            await close(model)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        faults: list[ModelError] = []
        for place, model in self._awake():
            begun = False
            started = time.monotonic()
            events: Any = model.stream(request)
            try:
                async with aclosing(events):
                    async for event in events:
                        begun = True
                        yield _signed(event, model.name)
                return
            except ModelError as error:
                yield ModelFailed(model.name, error, time.monotonic() - started)
                if begun:
                    raise
                self._rest_after(place, error)
                log.warning("%s failed, the next model takes over: %s", model.name, error)
                faults.append(error)
        raise faults[0]

    def _rest_after(self, place: int, error: ModelError) -> None:
        """Do not ask the model for a while, unless the fault is of this request alone."""
        if error.code not in ("bad_request", "bad_reply", "context_exceeded"):
            self._resting[place] = time.monotonic() + max(self._rest, error.retry_after or 0)

    def _awake(self) -> list[tuple[int, Model]]:
        now = time.monotonic()
        places = list(enumerate(self.models))
        awake = [(place, model) for place, model in places if self._resting.get(place, 0) <= now]
        return awake or places


def _signed(event: ModelEvent, name: str) -> ModelEvent:
    if isinstance(event, Completed) and not event.model:
        return replace(event, model=name)
    return event
