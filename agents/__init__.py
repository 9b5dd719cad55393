"""Language models and tools: no sockets, no SQL, no HTTP server.

Imports nothing, because whatever needs a part of the package runs this first: also the process that reads an upload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.core.model import Model


def model_for_client(client: Any, model: str) -> Model:
    """A provider's SDK client as a `Model`; the adapters are imported only now. `agents.core` calls this."""
    from agents import models

    return models.model_for_client(client, model)
