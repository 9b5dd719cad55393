"""Language models and tools: no sockets, no SQL, no HTTP server."""

from typing import Any

from agents.core.clients import register_client_adapter
from agents.core.model import Model


def _model_for_client(client: Any, model: str) -> Model:
    """A provider's SDK client as a `Model`; the adapters are imported only now."""
    from agents.models import model_for_client

    return model_for_client(client, model)


register_client_adapter(_model_for_client)
