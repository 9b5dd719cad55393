"""The offline model: a documented command language instead of a language model. No network, no key."""

from agents.offline.model import OfflineModel
from agents.offline.offers.suggestions import suggestions

__all__ = ["OfflineModel", "suggestions"]
