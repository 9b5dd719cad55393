"""Language models by name: `build("openai:gpt-5.1 | offline")`. One adapter a file, chosen by `providers.json`.

Importing this package imports no provider's SDK; an adapter does when it is first used, or by `warm`."""

from agents.core.model import close
from agents.models.build import build, model_for_client, warm

__all__ = ["build", "close", "model_for_client", "warm"]
