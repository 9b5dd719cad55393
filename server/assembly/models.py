"""The language model and the embedding model that the settings name."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from agents.core.model import Model, ModelError
from agents.models import build, close
from agents.models.embeddings import Embeddings, embeddings
from agents.models.local_embeddings import LocalEmbeddings
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.settings import Settings


@asynccontextmanager
async def opened_model(settings: Settings, given: Model | None) -> AsyncIterator[Model]:
    """The model of the settings, which is closed at the end; `given` instead, which is not."""
    if given is not None:
        yield given
        return
    model = build(settings.chosen_model, model_settings(settings))
    try:
        yield model
    finally:
        await close(model)


def embedding_model(settings: Settings) -> Embeddings | LocalEmbeddings | None:
    """The embedding model that GEOAGENT_EMBEDDINGS names; None without one. Raises ModelError `not_configured`."""
    if settings.embeddings is None:
        return None
    try:
        return embeddings(settings.embeddings, model_settings(settings))
    except ModelError as error:
        raise ModelError(error.code, f"GEOAGENT_EMBEDDINGS: {error}") from error


@asynccontextmanager
async def searched_by_meaning(
    model: Embeddings | LocalEmbeddings | None, registry: Registry, database: Database
) -> AsyncIterator[None]:
    """The registry also ranks searches by the embedding model, if there is one."""
    if model is None:
        yield
        return
    # Only a server with such a model needs numpy.
    from server.gis.catalog.meanings import TableMeanings

    meanings = TableMeanings(model, database.owner)
    registry.search_by_meaning(meanings)
    meanings.start()
    try:
        yield
    finally:
        await meanings.stop()
        await model.close()


def model_settings(settings: Settings) -> Mapping[str, str]:
    """The environment, with the keys and addresses of models from the settings."""
    known = dict(os.environ)
    if settings.openai_api_key is not None:
        known["OPENAI_API_KEY"] = settings.openai_api_key.get_secret_value()
    if settings.openai_base_url is not None:
        known["OPENAI_BASE_URL"] = settings.openai_base_url
    return known
