"""The operations of an analysis, in the order of execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from agents.domain import Cql2
from agents.ports import AnalysisSession


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """An operation to call; `$0` in its arguments stands for the result of the first operation, and so on."""

    name: str
    arguments: Mapping[str, Any]
    title: str


@dataclass(slots=True)
class OperationPlan:
    """Operations in the order of execution, and facts for the answer."""

    operations: list[PlannedOperation] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)
    """The places that were meant, with their locations."""
    left_out: tuple[str, Cql2] | None = None
    """A table, and the filter for its rows that belong to no group."""

    def is_of_several(self, reference: str) -> bool:
        """Whether a step selects the rows of several places."""
        return (
            reference.startswith("$")
            and self.operations[int(reference[1:])].arguments["filter"]["op"] == "or"
        )

    def add(self, operation: str, title: str, /, **arguments: Any) -> str:
        """Append an operation; returns the reference to its result."""
        self.operations.append(PlannedOperation(operation, arguments, title))
        return f"${len(self.operations) - 1}"


@runtime_checkable
class AnalysisHost(Protocol):
    """An agent that runs an analysis."""

    session: AnalysisSession
