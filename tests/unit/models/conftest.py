"""A wire-format server for each test, and models that speak to it with short waits."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from agents.core.model import Model
from agents.models import build, close
from tests.support.model_server import ModelServer

KEY = "sk-test-0123456789abcdef"


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
async def make(server: ModelServer, tmp_path: Path) -> AsyncIterator[Callable[..., Model]]:
    """`make("openai:gpt-5.1", first_token=0.2)`: a model at the test's server; short times unless told."""

    made: list[Model] = []

    def make(
        name: str,
        *,
        first_wait: float = 0.01,
        attempts: int = 3,
        quirks: dict[str, Any] | None = None,
        **timeouts: float,
    ) -> Model:
        overlay: dict[str, Any] = {
            "quirks": quirks or {},
            "timeouts": {"connect": 5, "first_token": 20, "between_tokens": 20, **timeouts},
            "retries": {"attempts": attempts, "first_wait": first_wait, "longest_wait": 2},
        }
        providers = ("openai", "anthropic", "groq", "mistral", "vllm", "compatible", "ollama")
        file = tmp_path / "providers.json"
        file.write_text(json.dumps({"providers": dict.fromkeys(providers, overlay)}))
        settings = {f"{provider.upper()}_API_KEY": KEY for provider in providers}
        settings |= {f"{provider.upper()}_BASE_URL": server.base_url for provider in providers}
        settings |= {"ANTHROPIC_BASE_URL": server.address, "OLLAMA_HOST": server.address}
        made.append(build(name, settings, providers_file=file))
        return made[-1]

    yield make
    for model in made:
        await close(model)
