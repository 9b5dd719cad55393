"""What is wrong with a call's arguments, as values: found by the checker, told to the model by `repair`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with a call's arguments. `choices` are the allowed values of a closed set."""

    kind: str
    path: Path
    message: str
    value: Any = None
    choices: Sequence[Any] = ()


def unknown(name: str, path: Path, value: Any, known: Sequence[str]) -> Fault:
    """A parameter that the tool does not have, with those that it has."""
    return Fault("unknown", (*path, name), "is not a parameter", name, known)


def missing(name: str, path: Path = ()) -> Fault:
    """A required parameter that the call left out."""
    return Fault("missing", (*path, name), "is required and missing")
