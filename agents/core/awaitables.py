"""Recognise values that have to be awaited, for callables that may be sync or async."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, TypeGuard


def is_awaitable(value: Any) -> TypeGuard[Awaitable[Any]]:
    """Whether a value can be awaited. Faster than `inspect.isawaitable`, which also checks abstract classes."""
    return hasattr(value, "__await__")
