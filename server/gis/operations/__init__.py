"""The operations: one class a file. Adding a file with an `Operation` subclass in this folder adds it everywhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from server.gis.operations.support.base import Operation


def _gathered() -> dict[str, Operation[Any]]:
    """All operations by name, sorted. All modules of this folder are imported, so none needs registration."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    operations = [kind() for kind in Operation.__subclasses__() if kind.__module__.startswith(__name__)]
    return {operation.name: operation for operation in sorted(operations, key=lambda each: each.name)}


OPERATIONS: dict[str, Operation[Any]] = _gathered()
