"""`providers.json` as types: the calling type, address, key and price of each provider and model.

`Catalogue.load` reads the file that comes with GeoAgent and overrides it with a user's file. A fault in either is a
`ModelError` that names the file, the place in it and what was expected there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.core.model import ModelError

ADAPTERS = {
    "openai_responses": "OpenAIResponses",
    "openai_chat": "OpenAIChat",
    "anthropic": "Anthropic",
    "ollama": "Ollama",
}
"""Calling types with their own wire format, each with its class in the module of that name in
`agents.models.adapters`."""
WRAPPERS = {
    "structured_output": "StructuredOutput",
    "text": "Text",
    "none": "NoTools",
}
"""Calling types that use the wire format of another, the provider's `transport`: the class, as above."""
CALLINGS = (*ADAPTERS, *WRAPPERS, "offline")
if TYPE_CHECKING:
    Calling = str
    Transport = str
else:
    Calling = Literal[CALLINGS]
    Transport = Literal[tuple(ADAPTERS)]
BUILT_IN = Path(__file__).with_name("providers.json")
PROVIDERS_VARIABLE = "GEOAGENT_PROVIDERS"
"""Names a file of providers that is laid over the built-in one."""


class Entry(BaseModel):
    """A part of `providers.json`; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Prices(Entry):
    """US dollars per million tokens. Without `cached_input` cached tokens cost what others do."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class Quirks(Entry):
    """Where a server departs from the others of its calling type."""

    reasoning: bool = False
    """The model thinks first; its encrypted thoughts are kept and sent back (openai_responses)."""
    reasoning_effort: str | None = None
    temperature: float | None = None
    system_role: Literal["system", "developer"] = "system"
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    streaming: bool = True
    """Without it, replies are asked for in one piece, for servers and proxies that cannot stream."""
    max_output_tokens: int | None = Field(default=None, ge=1)
    """Asked for when the request names no limit; Anthropic demands one."""
    parallel_tool_calls: bool | None = None
    """Sent as it is when set; left out when not, for servers that refuse the field."""
    stream_usage: bool = True
    """Ask for token counts at the end of a stream (openai_chat)."""
    required_tool_choice: str = "required"
    """What the server calls "must call a tool" (openai_chat)."""
    call_id_length: int | None = Field(default=None, ge=1)
    """Call ids have to be exactly this many letters and digits."""
    native_schema: Literal["json_schema", "json_object", "none"] = "json_schema"
    """How the server holds a reply to a JSON schema (structured_output)."""
    prompt_cache: bool = True
    """Mark tools and system for the provider's prompt cache (anthropic)."""
    context_parameter: bool = True
    """Ask the server for `context_tokens` (ollama's `num_ctx`)."""
    extra_body: dict[str, Any] = {}
    """Further fields of the request body, sent as they are."""

    def overridden_by(self, others: Quirks) -> Quirks:
        """These quirks with the values that `others` sets."""
        return self.model_copy(update={name: getattr(others, name) for name in others.model_fields_set})


class Timeouts(Entry):
    """In seconds. `first_token` covers all the thinking before an answer."""

    connect: float = Field(default=10, gt=0)
    first_token: float = Field(default=300, gt=0)
    between_tokens: float = Field(default=120, gt=0)


class Retries(Entry):
    """`attempts` counts the first one; waits are in seconds. After a longer one that a server asks for, it gives up."""

    attempts: int = Field(default=4, ge=1, le=10)
    first_wait: float = Field(default=0.5, ge=0)
    longest_wait: float = Field(default=20, ge=0)


class ModelEntry(Entry):
    """Models of one provider; `pattern` is a shell pattern (`gpt-5*`). The first one that fits counts."""

    pattern: str = Field(min_length=1)
    calling: Calling | None = None
    transport: Transport | None = None
    context_tokens: int | None = Field(default=None, ge=1)
    strict: bool | None = None
    prices: Prices | None = None
    quirks: Quirks = Quirks()


class ProviderEntry(Entry):
    """A provider: its address, key, defaults and models. `key_env` is the variable with the key."""

    title: str = ""
    base_url: str | None = None
    base_url_env: str | None = None
    """A variable that, when set, overrides `base_url`."""
    key_env: str | None = None
    key_required: bool = True
    calling: Calling = "openai_chat"
    transport: Transport = "openai_chat"
    """The API that `structured_output`, `text` and `none` use."""
    context_tokens: int = Field(default=32_000, ge=1)
    strict: bool = False
    """Whether the provider can hold arguments to a tool's schema."""
    quirks: Quirks = Quirks()
    timeouts: Timeouts = Timeouts()
    retries: Retries = Retries()
    models: tuple[ModelEntry, ...] = ()

    def address(self, settings: Mapping[str, str]) -> str | None:
        """The base URL, from the variable `base_url_env` if that is set."""
        override = settings.get(self.base_url_env, "").strip() if self.base_url_env else ""
        return override or self.base_url


class ProvidersFile(Entry):
    """The whole file. A user's file needs only what it changes."""

    providers: dict[str, ProviderEntry]


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """The settings that an adapter needs for one model of one provider."""

    provider: str
    model: str
    calling: Calling = "openai_chat"
    transport: Transport = "openai_chat"
    title: str = ""
    base_url: str | None = None
    key_env: str | None = None
    key: str | None = field(default=None, repr=False)
    context_tokens: int = 32_000
    strict: bool = False
    prices: Prices | None = None
    quirks: Quirks = field(default_factory=Quirks)
    timeouts: Timeouts = field(default_factory=Timeouts)
    retries: Retries = field(default_factory=Retries)

    @property
    def name(self) -> str:
        """`provider:model`."""
        return f"{self.provider}:{self.model}"


class Catalogue:
    """Providers by name, the user's laid over the built-in ones."""

    def __init__(self, providers: Mapping[str, ProviderEntry]) -> None:
        self.providers = dict(providers)

    @classmethod
    def load(cls, user_file: Path | None = None) -> Catalogue:
        """The built-in file, with the user's laid over it. Raises ModelError `not_configured`."""
        if user_file is None:
            return cls(_built_in().providers)
        merged = _overlay(_read(BUILT_IN), _read(user_file))
        _check(_read(user_file), user_file)
        return cls(_check(merged, user_file).providers)

    @classmethod
    def named_in(cls, settings: Mapping[str, str]) -> Catalogue:
        """The catalogue with the file that `GEOAGENT_PROVIDERS` names in `settings`, or without one."""
        file = settings.get(PROVIDERS_VARIABLE, "").strip()
        return cls.load(Path(file).expanduser() if file else None)

    def config(
        self, provider: str, model: str, settings: Mapping[str, str], calling: Calling | None = None
    ) -> ModelConfig:
        """What is known of `provider:model`. Raises `not_configured` where something is missing."""
        entry = self.providers.get(provider)
        if entry is None:
            known = ", ".join(sorted(self.providers))
            raise ModelError(
                "not_configured",
                f"There is no provider '{provider}'; known are {known} and offline. "
                "Add it to a file of your own and name that file in GEOAGENT_PROVIDERS.",
            )
        found = next((one for one in entry.models if fnmatchcase(model, one.pattern)), None)
        special = found or ModelEntry(pattern="*")
        title = entry.title or provider
        return ModelConfig(
            provider=provider,
            model=model,
            calling=calling or special.calling or entry.calling,
            transport=special.transport or entry.transport,
            title=title,
            base_url=_address(entry, settings),
            key_env=entry.key_env,
            key=_key(entry, title, settings),
            context_tokens=special.context_tokens or entry.context_tokens,
            strict=entry.strict if special.strict is None else special.strict,
            prices=special.prices,
            quirks=entry.quirks.overridden_by(special.quirks),
            timeouts=entry.timeouts,
            retries=entry.retries,
        )


def _address(entry: ProviderEntry, settings: Mapping[str, str]) -> str | None:
    address, variable = entry.address(settings), entry.base_url_env
    if variable and address is None:
        raise ModelError(
            "not_configured",
            f"Set {variable} to the address of the server, for example http://127.0.0.1:8000/v1.",
        )
    # Ollama's own programs take a host alone, too.
    if variable and entry.calling != "ollama" and not (address or "").startswith(("http://", "https://")):
        raise ModelError("not_configured", f"{variable} must begin with http:// or https://.")
    return address


def _key(entry: ProviderEntry, title: str, settings: Mapping[str, str]) -> str | None:
    if entry.key_env is None:
        return None
    key = settings.get(entry.key_env, "").strip()
    if not key and entry.key_required:
        raise ModelError(
            "not_configured",
            f"Set {entry.key_env} to your {title} key, or choose another model with GEOAGENT_MODEL "
            "(`offline` needs no key).",
        )
    if not (key.isascii() and key.isprintable()):
        raise ModelError(
            "not_configured", f"{entry.key_env} holds characters that no key has; copy it again."
        )
    return key or None


@cache
def _built_in() -> ProvidersFile:
    return _check(_read(BUILT_IN), BUILT_IN)


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ModelError("not_configured", f"The providers file {file} cannot be read: {reason}.") from None
    except ValueError as error:
        raise ModelError("not_configured", f"{file} is not valid JSON: {error}.") from None
    if not isinstance(content, dict):
        raise ModelError("not_configured", f"{file}: expected an object with a field 'providers'.")
    return content


def _check(content: Mapping[str, Any], file: Path) -> ProvidersFile:
    try:
        return ProvidersFile.model_validate(content)
    except ValidationError as error:
        raise _fault(file, error) from None


def _fault(file: Path, error: ValidationError) -> ModelError:
    first = error.errors(include_url=False)[0]
    place = ""
    for step in first["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else step
    expected = first["msg"].removeprefix("Input should be ")
    if first["type"] == "extra_forbidden":
        expected = "no such field"
    given = "" if first["type"] in ("missing", "extra_forbidden") else f", not {first['input']!r:.60}"
    return ModelError("not_configured", f"{file}: at {place}: expected {expected}{given}.")


def _overlay(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """The user's fields take precedence; the user's models come before the built-in ones, so that they match first."""
    merged = {**below.get("providers", {})}
    theirs = above.get("providers")
    if not isinstance(theirs, dict):
        return above
    for name, provider in theirs.items():
        known = merged.get(name)
        if isinstance(known, dict) and isinstance(provider, dict):
            models = [*_list(provider, "models"), *_list(known, "models")]
            quirks = {**_dict(known, "quirks"), **_dict(provider, "quirks")}
            provider = {**known, **provider, "models": models, "quirks": quirks}
        merged[name] = provider
    return {**above, "providers": merged}


def _list(provider: dict[str, Any], key: str) -> list[Any]:
    value = provider.get(key, [])
    return value if isinstance(value, list) else [value]


def _dict(provider: dict[str, Any], key: str) -> dict[str, Any]:
    value = provider.get(key, {})
    return value if isinstance(value, dict) else {}
