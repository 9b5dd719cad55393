"""From names, settings and the providers file to models."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.core.model import Model, ModelError
from agents.models import build, model_for_client, warm
from agents.models.adapters.anthropic import Anthropic
from agents.models.adapters.ollama import Ollama
from agents.models.adapters.openai_chat import OpenAIChat
from agents.models.adapters.openai_responses import OpenAIResponses
from agents.models.adapters.structured_output import StructuredOutput
from agents.models.adapters.text import Text
from agents.models.errors import redact
from agents.models.fallback import Fallback
from agents.models.providers import BUILT_IN, Catalogue
from tests.support.model_server import Call, Fault, ModelServer, Reply, Say
from tests.unit.models.asking import hear

KEYS = {"OPENAI_API_KEY": "sk-1", "ANTHROPIC_API_KEY": "k", "GROQ_API_KEY": "k", "MISTRAL_API_KEY": "k"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("openai:gpt-5.1", OpenAIResponses),
        ("openai:gpt-5.1@openai_chat", OpenAIChat),
        ("groq:llama-3.3-70b", OpenAIChat),
        ("mistral:mistral-large", OpenAIChat),
        ("vllm:Qwen/Qwen3-8B", OpenAIChat),
        ("anthropic:claude-haiku-4-5", Anthropic),
        ("ollama:qwen3:8b", Ollama),
        ("ollama:gemma3@text", Text),
        ("vllm:phi@structured_output", StructuredOutput),
    ],
)
def test_a_name_says_which_adapter_speaks(name: str, kind: type) -> None:
    model = build(name, KEYS)
    assert isinstance(model, kind)
    assert isinstance(model, Model)
    assert model.name == name.partition("@")[0]


def test_offline_needs_nothing() -> None:
    assert build("offline", {}).name == "offline"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("openai:gpt-5.1", "Set OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "Set ANTHROPIC_API_KEY"),
        ("nobody:model", "no provider 'nobody'"),
        ("gpt-5.1", "provider:model"),
        ("", "name a model"),
        ("offline |", "name a model"),
        ("groq:llama", "characters that no key has"),
        ("cassette:/nowhere/at/all.json", "cannot be read"),
    ],
)
def test_missing_settings_are_reported(name: str, hint: str) -> None:
    with pytest.raises(ModelError, match=hint) as caught:
        build(name, {"GROQ_API_KEY": "gsk_\u2026"})
    assert caught.value.code == "not_configured"


def test_a_chain_leaves_out_what_is_not_configured() -> None:
    assert build("openai:gpt-5.1 | offline", {}).name == "offline"
    both = build("openai:gpt-5.1 | offline", KEYS)
    assert isinstance(both, Fallback)
    assert both.name == "openai:gpt-5.1 | offline"


def test_every_pattern_of_the_built_in_file_is_reached_by_some_name() -> None:
    """A pattern behind a broader one would never be used."""
    providers = json.loads(BUILT_IN.read_text())["providers"]
    catalogue = Catalogue.load()
    for provider, entry in providers.items():
        for one in entry.get("models", []):
            name = one["pattern"].replace("[5-9]", "9").replace("[0-9]", "1").replace("*", "")
            config = catalogue.config(provider, name, KEYS)
            assert config.context_tokens == one.get("context_tokens", entry["context_tokens"]), one
            assert (config.prices is None) == ("prices" not in one), one


def overlay(tmp_path: Path, content: Any) -> Path:
    file = tmp_path / "mine.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    return file


def test_a_file_of_ones_own_adds_providers_and_models_and_keeps_the_rest(tmp_path: Path) -> None:
    mine = {
        "providers": {
            "openai": {"models": [{"pattern": "gpt-5.1", "context_tokens": 7, "calling": "openai_chat"}]},
            "house": {"base_url": "http://house/v1", "calling": "text", "key_required": False},
        }
    }
    settings = {**KEYS, "GEOAGENT_PROVIDERS": str(overlay(tmp_path, mine))}
    ours = build("openai:gpt-5.1", settings)
    assert isinstance(ours, OpenAIChat)
    assert ours.context_tokens == 7
    assert build("openai:gpt-5-mini", settings).context_tokens == 400_000
    assert isinstance(build("house:small", settings), Text)


@pytest.mark.parametrize(
    ("content", "place", "expected"),
    [
        ("{", "mine.json", "not valid JSON"),
        ("[]", "mine.json", "expected an object"),
        ({"providers": {"x": {"calling": "telepathy"}}}, "providers.x.calling", "'openai_responses'"),
        ({"providers": {"x": {"bse_url": "http://x"}}}, "providers.x.bse_url", "no such field"),
        ({"providers": {"x": {"models": [{}]}}}, "providers.x.models[0].pattern", "Field required"),
        ({"providers": {"x": {"quirks": {"colour": 1}}}}, "providers.x.quirks.colour", "no such field"),
        (
            {"providers": {"x": {"models": [{"pattern": "*", "prices": {"input": -1, "output": 1}}]}}},
            "providers.x.models[0].prices.input",
            "greater than or equal to 0",
        ),
    ],
)
def test_a_fault_in_the_file_names_file_place_and_expectation(
    tmp_path: Path, content: Any, place: str, expected: str
) -> None:
    with pytest.raises(ModelError) as caught:
        build("offline", {}, providers_file=overlay(tmp_path, content))
    assert caught.value.code == "not_configured"
    for part in ("mine.json", place, expected):
        assert part in str(caught.value)


def test_no_sdk_is_imported_before_it_is_used() -> None:
    code = (
        "import sys; from agents.models import build;"
        "build('openai:gpt-5.1 | anthropic:c | ollama:q', {'OPENAI_API_KEY': 'k', 'ANTHROPIC_API_KEY': 'k'});"
        "print([n for n in ('openai', 'anthropic', 'ollama', 'httpx', 'httpx2', 'tenacity') if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


async def test_warming_makes_the_client() -> None:
    model = build("openai:gpt-5.1 | ollama:qwen3", KEYS)
    await warm(model)
    assert isinstance(model, Fallback)
    assert [type(one.client()).__name__ for one in model.models] == ["AsyncOpenAI", "AsyncClient"]  # type: ignore[attr-defined]
    await warm(build("offline", {}))


async def test_an_sdks_client_becomes_a_model(server: ModelServer) -> None:
    import ollama
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

    compatible = model_for_client(AsyncOpenAI(api_key="k", base_url=server.base_url), "m", settings={})
    assert isinstance(compatible, OpenAIChat)
    own = {"OPENAI_BASE_URL": server.base_url}
    responses = model_for_client(AsyncOpenAI(api_key="k", base_url=server.base_url), "m", settings=own)
    assert isinstance(responses, OpenAIResponses)
    others = (
        model_for_client(AsyncAnthropic(api_key="k", base_url=server.address), "m", settings={}),
        model_for_client(ollama.AsyncClient(server.address), "m", settings={}),
    )
    for model in (compatible, responses, *others):
        server.script([Reply(Say("Hello."), Call("zoom_to"))])
        reply = await hear(model)
        assert (reply.text, len(reply.calls)) == ("Hello.", 1)


def test_a_client_for_openai_itself_speaks_responses_and_one_for_groq_does_not() -> None:
    from openai import AsyncOpenAI

    assert isinstance(model_for_client(AsyncOpenAI(api_key="k"), "gpt-5.1", settings={}), OpenAIResponses)
    groq = model_for_client(
        AsyncOpenAI(api_key="k", base_url="https://api.groq.com/openai/v1"), "x", settings={}
    )
    assert isinstance(groq, OpenAIChat)
    assert groq.name == "groq:x"


def test_what_is_no_client_is_refused() -> None:
    with pytest.raises(TypeError, match=r"openai\.AsyncOpenAI"):
        model_for_client(object(), "m", settings={})


def test_a_model_outlives_the_event_loop_it_was_first_used_in() -> None:
    model = None
    for _ in range(2):

        async def once() -> str:
            nonlocal model
            async with ModelServer(Reply(Say("Hello."))) as server:
                model = model or build("vllm:m", {"VLLM_BASE_URL": server.base_url})
                model.config = replace(model.config, base_url=server.base_url)  # type: ignore[attr-defined]
                return (await hear(model)).text

        assert asyncio.run(once()) == "Hello."


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({}, "Set COMPATIBLE_BASE_URL to the address"),
        ({"COMPATIBLE_BASE_URL": "localhost:8000"}, "COMPATIBLE_BASE_URL must begin with http://"),
    ],
)
def test_a_server_without_a_proper_address_is_refused_at_once(settings: dict[str, str], advice: str) -> None:
    with pytest.raises(ModelError, match=advice) as caught:
        build("compatible:m", settings)
    assert caught.value.code == "not_configured"


async def test_a_server_without_the_responses_api_says_how_to_reach_it() -> None:
    async with ModelServer(Fault(404, "Not Found")) as server:
        settings = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.base_url}
        with pytest.raises(ModelError, match="openai:m@openai_chat"):
            await hear(build("openai:m", settings))


def test_an_unknown_calling_type_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(ModelError, match=r"'telepathy'.*openai_chat") as caught:
        build("groq:rocket-1@telepathy", KEYS)
    assert caught.value.code == "not_configured"
    assert build("groq:rocket-1@20250101", KEYS).name == "groq:rocket-1@20250101"
    assert build("groq:rocket-1@stable@openai_chat", KEYS).name == "groq:rocket-1@stable"


def test_only_in_a_chain_a_model_is_said_to_be_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ModelError):
        build("openai:gpt-5.1", {})
    assert "left out" not in caplog.text
    build("openai:gpt-5.1 | offline", {})
    assert "openai:gpt-5.1 is left out" in caplog.text


def test_only_values_as_long_as_keys_and_what_looks_like_one_are_redacted() -> None:
    assert redact("the context exceeds the limit", "x", "none") == "the context exceeds the limit"
    assert redact("the key abcdefgh is wrong", "abcdefgh") == "the key [secret] is wrong"
    assert redact("sk-0123456789abcdef is wrong") == "[secret] is wrong"


def test_a_misspelt_calling_type_with_a_hyphen_is_refused() -> None:
    with pytest.raises(ModelError, match=r"'openai-chat'.*openai_chat"):
        build("groq:rocket-1@openai-chat", KEYS)
