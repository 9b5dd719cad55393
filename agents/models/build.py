"""From a name, or from an SDK's client object, to a `Model`. The server's composition root calls this."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agents.core import model as core_model
from agents.core.model import Model, ModelError
from agents.models.adapters.base import Adapter
from agents.models.cassette import Cassette
from agents.models.fallback import Fallback
from agents.models.providers import ADAPTERS, CALLINGS, WRAPPERS, Calling, Catalogue, ModelConfig

log = logging.getLogger(__name__)
CASSETTE_VARIABLE = "GEOAGENT_CASSETTE"

_CALLING_SUFFIX = re.compile(r"[A-Za-z_-]+")
"""A word after an @ names a calling type; with digits it is a version, which is part of the model name."""


def build(
    name: str, settings: Mapping[str, str] | None = None, *, providers_file: Path | None = None
) -> Model:
    """The model called `name`: `provider:model`, `provider:model@calling`, `offline`, or several with `|` between.

    `cassette:file.json` replays a recording; with GEOAGENT_CASSETTE set, requests and replies are recorded in that
    file. In a chain, a model that is not configured is left out with a warning, unless none remains. Keys and
    addresses come from `settings`, by default the environment. Raises `ModelError("not_configured", ...)`."""
    settings = os.environ if settings is None else settings
    catalogue = Catalogue.load(providers_file) if providers_file else Catalogue.named_in(settings)
    names = [part.strip() for part in name.split("|")]
    if not all(names):
        raise ModelError("not_configured", "GEOAGENT_MODEL is empty; name a model, for example `offline`.")
    if tape := settings.get(CASSETTE_VARIABLE, "").strip():
        settings = {**settings, CASSETTE_VARIABLE: ""}
        live = build(name, settings, providers_file=providers_file)
        return Cassette(Path(tape).expanduser(), live, settings=settings)
    models: list[Model] = []
    faults: list[ModelError] = []
    for part in names:
        try:
            models.append(_build_one(part, settings, catalogue))
        except ModelError as error:
            if len(names) > 1:
                log.warning("%s is left out: %s", part, error)
            faults.append(error)
    if not models:
        raise faults[0]
    return models[0] if len(models) == 1 else Fallback(models)


def model_for_client(
    client: object,
    model: str,
    *,
    settings: Mapping[str, str] | None = None,
    providers_file: Path | None = None,
) -> Model:
    """A model that uses an existing client of a provider's SDK: AsyncOpenAI, AsyncAnthropic or ollama.AsyncClient.

    For an OpenAI client with another address than OpenAI's, `providers.json` decides by that address; the default is
    Chat Completions."""
    settings = os.environ if settings is None else settings
    catalogue = Catalogue.load(providers_file) if providers_file else Catalogue.named_in(settings)
    kind = {(cls.__module__.partition(".")[0], cls.__name__) for cls in type(client).__mro__}
    if ("openai", "AsyncOpenAI") in kind:
        config = _openai_config(client, model, catalogue, settings)
    elif ("anthropic", "AsyncAnthropic") in kind:
        config = _known("anthropic", model, catalogue)
    elif ("ollama", "AsyncClient") in kind:
        config = _known("ollama", model, catalogue)
    else:
        raise TypeError(
            f"{type(client).__module__}.{type(client).__name__} is not a client that can be used here; "
            "give an openai.AsyncOpenAI, anthropic.AsyncAnthropic or ollama.AsyncClient, or a Model"
        )
    return _adapter(replace(config, key=None, key_env=None), client)


async def warm(model: Model) -> None:
    """Import the SDK that `model` needs, in a thread, so that the first turn does not wait for it."""
    await asyncio.to_thread(core_model.warm, model)


def _build_one(name: str, settings: Mapping[str, str], catalogue: Catalogue) -> Model:
    name, calling = _split_calling(name)
    if name == "offline" or calling == "offline":
        return _offline()
    provider, colon, model = name.partition(":")
    if provider == "cassette" and model:
        return Cassette(Path(model).expanduser(), settings=settings)
    if not colon or not model:
        raise ModelError(
            "not_configured",
            f"'{name}' names no model; write `provider:model`, for example `openai:gpt-5.1`, or `offline`.",
        )
    return _adapter(catalogue.config(provider.strip(), model.strip(), settings, calling))


def _split_calling(name: str) -> tuple[str, Calling | None]:
    start, _, end = name.rpartition("@")
    for calling in CALLINGS:
        if end == calling and start:
            return start, calling
    if start and _CALLING_SUFFIX.fullmatch(end):
        raise ModelError(
            "not_configured",
            f"'{end}' in '{name}' is not a calling type; known are {', '.join(CALLINGS)}. If it belongs to the model's "
            f"name, add the calling type after it: `{name}@openai_chat`.",
        )
    return name, None


def _adapter(config: ModelConfig, client: Any = None) -> Model:
    if config.calling == "offline":
        return _offline()
    if config.calling in WRAPPERS:
        inner: Model = _adapter_class(config.transport, ADAPTERS)(config, client)
        made: Model = _adapter_class(config.calling, WRAPPERS)(inner)
        return made
    adapter: Adapter = _adapter_class(config.calling, ADAPTERS)(config, client)
    return adapter


def _adapter_class(calling: str, classes: Mapping[str, str]) -> Any:
    """Imported only when a model needs it: the SDKs of providers are large."""
    return getattr(import_module(f"agents.models.adapters.{calling}"), classes[calling])


def _offline() -> Model:
    model: Model = import_module("agents.offline.model").OfflineModel()
    return model


def _openai_config(client: Any, model: str, catalogue: Catalogue, settings: Mapping[str, str]) -> ModelConfig:
    host = urlsplit(str(client.base_url)).netloc
    for provider, entry in catalogue.providers.items():
        if urlsplit(entry.address(settings) or "").netloc == host:
            return _known(provider, model, catalogue, str(client.base_url))
    config = _known("compatible", model, catalogue, str(client.base_url))
    return replace(config, title=f"the server at {host}")


def _known(provider: str, model: str, catalogue: Catalogue, base_url: str | None = None) -> ModelConfig:
    entry = catalogue.providers[provider]
    keyless = Catalogue({provider: entry.model_copy(update={"key_required": False, "base_url_env": None})})
    config = keyless.config(provider, model, {})
    return replace(config, base_url=base_url or config.base_url)
