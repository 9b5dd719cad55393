"""The operations of an analysis in the order in which they run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from agents.domain import Cql2
from agents.ports import AnalysisSession


@dataclass(frozen=True, slots=True)
class PlannedOperation:
    """`$0` in the arguments stands for the result of the first operation, and so on."""

    name: str
    arguments: Mapping[str, Any]
    title: str


@dataclass(slots=True)
class OperationPlan:
    """Operations in the order in which they run, and what is said about them."""

    operations: list[PlannedOperation] = field(default_factory=list)
    meant: list[str] = field(default_factory=list)
    """The places that were spoken of, with where they are."""
    left_out: tuple[str, Cql2] | None = None
    """The table, and the filter that keeps those of its rows that are in no group."""

    def is_of_several(self, reference: str) -> bool:
        """Whether a step keeps the rows of several places."""
        return (
            reference.startswith("$")
            and self.operations[int(reference[1:])].arguments["filter"]["op"] == "or"
        )

    def add(self, operation: str, title: str, /, **arguments: Any) -> str:
        """The reference to its result."""
        self.operations.append(PlannedOperation(operation, arguments, title))
        return f"${len(self.operations) - 1}"


@runtime_checkable
class AnalysisHost(Protocol):
    """An agent that runs an analysis."""

    session: AnalysisSession
