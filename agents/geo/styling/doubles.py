"""Numbers of MapLibre's expressions, which are floating-point numbers as everywhere in JavaScript."""

from __future__ import annotations

from typing import Any

MAX_EXACT = 2**53


def as_doubles(expression: Any) -> Any:
    """The expression with floating-point numbers in place of whole numbers that these cannot all represent.

    PostgreSQL's JSON has no exponents: it gives 1e17 back as a whole number, which may differ from the number
    that was stored, and the stored style would then differ from the original."""
    if isinstance(expression, dict):
        return {key: as_doubles(value) for key, value in expression.items()}
    if isinstance(expression, list):
        return [as_doubles(value) for value in expression]
    if isinstance(expression, int) and abs(expression) > MAX_EXACT:
        return float(expression)
    return expression
