"""Columns that say yes or no: booleans, and texts with no other values."""

from __future__ import annotations

from agents.domain import Column

YES, NO = frozenset(("yes", "y", "true")), frozenset(("no", "n", "false"))


def is_flag(column: Column) -> bool:
    """Whether `with emergency` asks for yes, and not for any value."""
    samples = {sample.casefold() for sample in column.samples}
    return column.kind == "boolean" or (column.kind == "text" and bool(samples) and samples <= YES | NO)


def flag_value(column: Column, wanted: bool) -> bool | str | None:
    """Yes or no as the column stores it; None where no row has it."""
    if column.kind == "boolean":
        return wanted
    return next((each for each in column.samples if each.casefold() in (YES if wanted else NO)), None)
