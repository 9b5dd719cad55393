"""The spatial operations as the analyst and the offline model see them."""

from __future__ import annotations

from collections.abc import Sequence

from agents.ports import OperationInfo
from server.gis.operations import OPERATIONS

OFFERED: Sequence[OperationInfo] = tuple(
    OperationInfo(
        operation.name,
        operation.summary,
        operation.arguments.model_json_schema(),
        operation.traits,
        operation.phrases,
    )
    for operation in OPERATIONS.values()
)
