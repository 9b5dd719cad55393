"""Values that may have to be awaited, from callables that may be sync or async."""

from __future__ import annotations

from typing import Any


async def awaited(value: Any) -> Any:
    """The value, awaited if that is possible. Faster than `inspect.isawaitable`, which also checks abstract classes."""
    return await value if hasattr(value, "__await__") else value
