"""Wraps a provider's SDK client as a `Model`, without depending on any provider.

`agents/__init__.py` registers how; the function is called when an agent is made with such a client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from agents.core.model import Model

ModelMaker = Callable[[Any, str], Model]
_makers: list[ModelMaker] = []


def register_client_adapter(make: ModelMaker) -> None:
    """Register `make(client, model_name)`, which is called for every client that is not a `Model`; it replaces an
    earlier one."""
    _makers.append(make)


def as_model(client: Any, model: str | None) -> Model:
    """Returns a `Model` unchanged, and a provider's client wrapped as a `Model` with this name."""
    if callable(getattr(client, "stream", None)) and hasattr(client, "context_tokens"):
        return cast("Model", client)
    if not model:
        raise TypeError("give a Model, or a provider's client and the name of a model")
    if not _makers:
        raise TypeError(f"no adapter is registered for {type(client).__name__}")
    return _makers[-1](client, model)
