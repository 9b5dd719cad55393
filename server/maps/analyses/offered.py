"""The spatial operations as the analyst and the offline model see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.ports import OperationTrait
from server.gis.operations import OPERATIONS


@dataclass(frozen=True, eq=False)
class Offered:
    """A spatial operation as the analyst sees it; implements the port `agents.ports.OperationInfo`."""

    name: str
    summary: str
    schema: Mapping[str, Any]
    traits: frozenset[OperationTrait] = frozenset()
    phrases: Sequence[str] = ()


OFFERED: Sequence[Offered] = tuple(
    Offered(
        operation.name,
        operation.summary,
        operation.arguments.model_json_schema(),
        operation.traits,
        operation.phrases,
    )
    for operation in OPERATIONS.values()
)
