"""The offline model: a documented command language instead of a language model. No network, no key."""

from agents.offline.answers.suggestions import suggestions
from agents.offline.model import OfflineModel

__all__ = ["OfflineModel", "suggestions"]
