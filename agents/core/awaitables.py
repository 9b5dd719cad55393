"""Telling what has to be awaited, for everything that may be sync or async."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeGuard


def is_awaitable(value: Any) -> TypeGuard[Awaitable[Any]]:
    """As inspect.isawaitable, without its look at abstract classes, which costs more than most hooks do."""
    return hasattr(value, "__await__")
