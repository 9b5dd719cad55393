"""Every example in docs/models.md works, and its tables leave nothing out."""

from __future__ import annotations

import ast
import inspect
import json
import types
from pathlib import Path

import pytest

from agents.core.model import ModelError
from agents.models import build
from agents.models.providers import CALLINGS, Catalogue, ModelEntry, Prices, ProviderEntry, Quirks
from tests.support.model_server import ModelServer, Reply, Say
from tests.unit.models.asking import hear

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
KEYS = {each.key_env: "sk-test" for each in Catalogue.load().providers.values() if each.key_env}
ADDRESS = {"COMPATIBLE_BASE_URL": "http://127.0.0.1:8000/v1"}


def blocks(language: str) -> list[str]:
    return [part.partition("\n```")[0] for part in TEXT.split(f"```{language}\n")[1:]]


NAMES = [line.split('"')[1] for line in blocks("sh")[0].splitlines()]


@pytest.mark.parametrize("name", NAMES)
async def test_every_name_can_be_built(
    name: str, server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name.startswith("cassette:"):
        server.script([Reply(Say("Hello."))])
        recorded = {**KEYS, "OPENAI_BASE_URL": server.base_url, "GEOAGENT_CASSETTE": name.partition(":")[2]}
        await hear(build("openai:gpt-5.1", recorded))
    assert build(name, KEYS | ADDRESS).context_tokens > 0


async def test_the_providers_file_is_valid_and_does_what_is_said(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(blocks("json")[0])
    assert type(build("llamacpp:qwen3", {}, providers_file=file)).__name__ == "StructuredOutput"
    assert type(build("llamacpp:gemma3", {}, providers_file=file)).__name__ == "Text"
    assert type(build("openai:gpt-5.1", KEYS, providers_file=file)).__name__ == "OpenAIResponses"


def test_the_message_about_a_fault_is_as_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.json").write_text('{"providers": {"llamacpp": {"context_tokens": 0}}}')
    with pytest.raises(ModelError) as caught:
        build("offline", {}, providers_file=Path("mine.json"))
    assert str(caught.value) == blocks("text")[0]


@pytest.mark.parametrize("code", blocks("python"))
async def test_every_python_example_runs(
    code: str,
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.script([Reply(Say("Airports."))])
    compiled = compile(code, "docs/models.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    running = types.FunctionType(compiled, {})()
    if inspect.iscoroutine(running):
        await running
    printed = capsys.readouterr().out
    assert (
        any(word in printed for word in ("Airports.", "openai:gpt-5.1", "ANTHROPIC_API_KEY"))
        or "assert" in code
    )


def test_the_tables_name_every_calling_type_field_and_quirk() -> None:
    fields = {
        *CALLINGS,
        *ProviderEntry.model_fields,
        *ModelEntry.model_fields,
        *Quirks.model_fields,
        *Prices.model_fields,
    }
    missing = [name for name in sorted(fields) if f"`{name}`" not in TEXT]
    assert missing == [], "describe it in docs/models.md (docs/extending.md#add-a-calling-type)"


def test_the_quirks_defaults_are_as_shown() -> None:
    rows = [
        line.split("|") for line in TEXT.partition("| quirk |")[2].splitlines()[2:] if line.startswith("|")
    ]
    shown = {row[1].strip(" `"): row[2].strip(" `") for row in rows}
    for name, field in Quirks.model_fields.items():
        default = "" if field.default is None else field.default
        text = default if isinstance(default, str) else json.dumps(default)
        assert shown[name] == text, name
