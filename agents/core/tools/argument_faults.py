"""Errors in a call's arguments, as values: the checker finds them, and `repair` describes them to the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One error in a call's arguments. `choices` are the allowed values of a closed set."""

    kind: str
    path: Path
    message: str
    value: Any = None
    choices: Sequence[Any] = ()


def unknown(name: str, path: Path, value: Any, known: Sequence[str]) -> Fault:
    """The error for a parameter that the tool does not have, with the names of those that it has."""
    return Fault("unknown", (*path, name), "is not a parameter", name, known)


def missing(name: str, path: Path = ()) -> Fault:
    """The error for a required parameter that the call lacks."""
    return Fault("missing", (*path, name), "is required and missing")
