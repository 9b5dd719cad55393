"""The table of fixed limits in docs/settings.md: what a person may meet and no setting changes.

`limits.txt` has a line for each: constant, unit, what it bounds, reason. Its value is that of the code."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

LIMITS = Path(__file__).with_name("limits.txt")


def limits_table() -> str:
    lines = ["| what | at most | reason |", "| --- | ---: | --- |"]
    for line in filter(None, LIMITS.read_text().splitlines()):
        if line.startswith("# "):
            lines.append(f"| **{line[2:]}** | | |")
        else:
            constant, unit, what, reason = line.split(" | ")
            lines.append(f"| {what} | {value_of(constant):,.12g} {unit} | {reason} |")
    return "\n".join(lines)


def value_of(constant: str) -> float:
    """The value of `module:NAME` or `module:Class.field`; modules of `server` are without that name."""
    module, _, path = constant.partition(":")
    package = module if module.startswith("agents.") else f"server.{module}"
    return float(reduce(_member, path.split("."), import_module(package)))


def _member(owner: Any, name: str) -> Any:
    """Fields of dataclasses by their defaults."""
    return getattr(owner() if is_dataclass(owner) and isinstance(owner, type) else owner, name)
