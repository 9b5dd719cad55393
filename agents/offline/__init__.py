"""The offline model: a documented command language in place of a language model. No network, no key."""

from agents.offline.model import OfflineModel
from agents.offline.suggestions import suggestions

__all__ = ["OfflineModel", "suggestions"]
