"""Text embeddings from any server with OpenAI's `/embeddings` API: OpenAI, Ollama, vLLM and many others; or from a
model in this process (`local_embeddings`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.core.model import ModelError
from agents.models.adapters.openai_client import make_client
from agents.models.errors import translate
from agents.models.local_embeddings import LocalEmbeddings, local_embeddings
from agents.models.providers import Catalogue, ModelConfig


class Embeddings:
    """One embedding model. The SDK is imported, and its client made, when it is first needed."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._client: Any = None

    @property
    def name(self) -> str:
        """`provider:model`."""
        return self._config.name

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector for each text, in their order, all of one length. Raises ModelError."""
        if self._client is None:
            self._client = await asyncio.to_thread(make_client, self._config)
        try:
            reply = await self._client.embeddings.create(
                model=self._config.model, input=list(texts), encoding_format="float"
            )
            vectors = [list(one.embedding) for one in sorted(reply.data, key=lambda one: one.index)]
        except Exception as error:
            raise translate(error, self._config) from error
        if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
            raise ModelError(
                "bad_reply",
                f"{self._config.title} answered {len(texts)} texts with {len(vectors)} vectors, or with unequal ones.",
            )
        return vectors

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()


def embeddings(name: str, settings: Mapping[str, str]) -> Embeddings | LocalEmbeddings:
    """The embedding model called `provider:model`, with the keys and addresses of `settings` (the environment).

    Raises `ModelError("not_configured", ...)` where a part is missing, or the provider has no embeddings."""
    provider, _, model = (part.strip() for part in name.partition(":"))
    if not provider or not model:
        raise ModelError(
            "not_configured",
            f"'{name}' names no embedding model; write `provider:model`, for example `openai:text-embedding-3-small`.",
        )
    local = local_embeddings(provider, model)
    if local is not None:
        return local
    config = Catalogue.named_in(settings).config(provider, model, settings)
    if config.transport == "anthropic":
        raise ModelError("not_configured", f"{config.title} offers no embeddings; name another provider.")
    if config.transport == "ollama" and config.base_url is not None:
        config = replace(config, base_url=f"{config.base_url.rstrip('/')}/v1")
    return Embeddings(config)
