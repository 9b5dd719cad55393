"""From whatever a provider's SDK raises to one `ModelError`: a sentence that says what to do, free of secrets.

Works on what all the SDKs' errors have in common (a status, headers, a body), so that none has to be imported."""

from __future__ import annotations

import json
import logging
import math
import re
import time
import traceback
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from agents.core.model import ModelError
from agents.models.providers import ModelConfig

log = logging.getLogger(__name__)
_SECRET_PARTS = re.compile(r"\b(?:sk-|gsk_|xai-)[A-Za-z0-9*_-]{12,}|(?i:\bbearer\s+)[\w\-.~+/=]{8,}")
MIN_SECRET_CHARS = 8
_TOO_LONG = (
    "context_length", "context length", "context window", "maximum context", "context size",
    "exceed_context_size", "context limit", "prompt is too long", "too many tokens",
)  # fmt: skip
_CONNECTION_ERRORS = ("APIConnectionError", "RequestError", "TransportError", "ConnectionError", "OSError")
_NO_CREDIT = ("insufficient_quota", "billing", "credit balance")
_NOTHING_THERE = re.compile(r"(?i)\W*(404\b)?\W*(page )?(not found)?\W*")
"""What web servers say of a path that they do not know."""
_NO_TOOLS = (
    "does not support tools", "tool choice requires", "tools param requires", "support tool use",
)  # fmt: skip
"""Of Ollama, vLLM, llama.cpp, and OpenRouter."""
_NO_KEY = ("api key not valid",)
"""Gemini refuses keys with status 400."""


def translate(error: Exception, config: ModelConfig) -> ModelError:
    """The `ModelError` that explains `error` to the user, as a sentence. A `ModelError` keeps what it says."""
    fault = error if isinstance(error, ModelError) else _explained(error, config)
    words = str(fault)
    if not words.startswith("the "):  # names such as vLLM stay
        return fault
    return ModelError(fault.code, f"T{words[1:]}", retryable=fault.retryable, retry_after=fault.retry_after)


def _explained(error: Exception, config: ModelConfig) -> ModelError:
    body = _body(error)
    kind = " ".join(
        str(word)
        for word in (
            *(getattr(error, name, "") for name in ("code", "type")),
            body.get("code"),
            body.get("type"),
        )
        if word
    )
    reported = body.get("message") or getattr(error, "error", None)
    message = _with_size(str(reported or error), body)
    status = _status(error, kind)
    if status is not None:
        return from_status(
            status, kind, message, config, retry_after=_retry_after(error), is_reported=bool(reported)
        )
    if _is_a(error, "APITimeoutError", "TimeoutException", "TimeoutError"):
        return ModelError("timeout", f"{config.title} did not answer in time; try again.", retryable=True)
    if _is_a(error, *_CONNECTION_ERRORS):
        return unreachable(config)
    if _is_a(error, "APIError") and message:
        return ModelError(
            "unavailable",
            f"{config.title} broke off with an error: {_quote(message, config)}",
            retryable=True,
        )
    if isinstance(error, ValueError):
        return ModelError(
            "bad_reply", f"{config.title} sent a reply that cannot be read; try again.", retryable=True
        )
    trace = "".join(traceback.format_exception(error))
    log.error("%s: an unexpected error\n%s", config.name, redact(trace, config.key))
    return ModelError(
        "unavailable",
        f"The request to {config.title} failed unexpectedly ({type(error).__name__}); see the log.",
    )


def from_status(
    status: int,
    kind: str,
    message: str,
    config: ModelConfig,
    *,
    retry_after: float | None = None,
    is_reported: bool = True,
) -> ModelError:
    """The error for an HTTP status; `kind` is the provider's own code and `message` its message, shown only where
    it helps. `is_reported` is false if the message is the SDK's and not the server's."""
    title, words = config.title, f"{kind} {message}".lower()
    if status in (401, 403) or any(sign in words for sign in _NO_KEY):
        return ModelError("refused_key", _refused(config))
    if status == 402 or any(sign in words for sign in _NO_CREDIT):
        return ModelError(
            "rate_limited",
            f"{title} reports that the account has no credit left; add some, or choose another model.",
        )
    if any(sign in words for sign in _NO_TOOLS):
        return ModelError("bad_request", _no_tools(message, config))
    if status == 404:
        nothing_there = not is_reported or _NOTHING_THERE.fullmatch(message)
        if nothing_there and not (config.calling == "openai_responses" and _ends_in_v1(config)):
            return ModelError("not_configured", _no_such_api(config))
        return ModelError("unknown_model", _unknown(config))
    if status == 429:
        wait = f" in {retry_after:.0f} seconds" if retry_after and retry_after >= 1 else " in a moment"
        return ModelError(
            "rate_limited",
            f"{title} allows no more requests for now; try again{wait}.",
            retryable=True,
            retry_after=retry_after,
        )
    too_long = status in (400, 422) or status >= 500
    if status == 413 or (too_long and any(sign in words for sign in _TOO_LONG)):
        return ModelError("context_exceeded", _too_long(message, config))
    if status in (408, 409) or status >= 500:
        why = f": {_quote(message, config)}" if is_reported and message else ""
        return ModelError(
            "unavailable",
            f"{title} has a problem (status {status}{why}); try again in a moment.",
            retryable=True,
            retry_after=retry_after,
        )
    return ModelError("bad_request", f"{title} refused the request: {_quote(message, config)}")


def unreachable(config: ModelConfig) -> ModelError:
    """The error of a model whose server does not answer, with its host."""
    where = _host(config)
    at = f" ({where})" if where and where not in config.title else ""
    hint = (
        "start it with `ollama serve`" if config.provider == "ollama" else "check the network and the address"
    )
    return ModelError("unavailable", f"{config.title}{at} could not be reached; {hint}.", retryable=True)


def ended_early(config: ModelConfig) -> ModelError:
    """The server ended its reply without having finished it."""
    return ModelError("unavailable", f"{config.title} ended its reply too early; try again.", retryable=True)


def broken(error: Exception, config: ModelConfig) -> ModelError:
    """The error of a reply of which a part has been shown already: it is not asked for again."""
    fault = translate(error, config)
    if not fault.retryable:
        return fault
    if _is_a(error, *_CONNECTION_ERRORS):
        text = f"The connection to {config.title} broke in the middle of the answer; ask again."
        return ModelError("unavailable", text)
    return ModelError(fault.code, f"The answer broke off: {fault}", retry_after=fault.retry_after)


def redact(text: str, *secrets: str | None) -> str:
    """The text without the secrets, and without anything that looks like a key.

    Values of fewer than 8 characters are placeholders such as "none", not keys, and would match inside other words."""
    for secret in secrets:
        if secret and len(secret) >= MIN_SECRET_CHARS:
            text = text.replace(secret, "[secret]")
    return _SECRET_PARTS.sub("[secret]", text)


def _is_a(error: Exception, *names: str) -> bool:
    return any(cls.__name__ in names for cls in type(error).__mro__)


def _host(config: ModelConfig) -> str:
    return urlsplit(config.base_url or "").netloc.rpartition("@")[2]


def _refused(config: ModelConfig) -> str:
    if config.key_env is None:
        return f"{config.title} refused access to {config.model}; check the client's key."
    if config.key is None:
        return f"{config.title} demands a key; put it into {config.key_env}."
    return (
        f"The key in {config.key_env} was refused by {config.title}; put a valid one there and start again."
    )


def _unknown(config: ModelConfig) -> str:
    if config.provider == "ollama":
        return f"Ollama does not have the model '{config.model}'; run `ollama pull {config.model}`."
    if config.calling == "openai_responses" and "api.openai.com" not in (config.base_url or ""):
        return (
            f"The server at {_host(config)} does not know the model '{config.model}' or the Responses API; if it "
            f"speaks Chat Completions alone, name the model `{config.name}@openai_chat` in GEOAGENT_MODEL."
        )
    return (
        f"{config.title} does not know the model '{config.model}', or this key may not use it; "
        "name another one in GEOAGENT_MODEL."
    )


def _no_such_api(config: ModelConfig) -> str:
    """The address answers, but not as a model server."""
    where = _host(config) + urlsplit(config.base_url or "").path
    hint = "check OLLAMA_HOST" if config.provider == "ollama" else "check the address"
    if config.transport.startswith("openai") and not _ends_in_v1(config):
        hint += ", which usually ends in /v1"
    return f"{config.title} has no chat API at {where} (status 404); {hint}."


def _no_tools(message: str, config: ModelConfig) -> str:
    said = "" if "does not support tools" in message.lower() else f" ({_quote(message, config)})"
    return (
        f"{config.model} cannot call tools by itself{said}; name it `{config.name}@structured_output` or "
        f"`{config.name}@text` in GEOAGENT_MODEL."
    )


def _ends_in_v1(config: ModelConfig) -> bool:
    return (config.base_url or "").rstrip("/").endswith("/v1")


def _too_long(message: str, config: ModelConfig) -> str:
    return (
        f"The request is too long for {config.name}, for which a context of {config.context_tokens:,} tokens is "
        f"configured ({_quote(message, config)}); set `context_tokens` in the providers file to the size that the "
        "model really has, start a new map, or choose a model with a larger context."
    )


def _with_size(message: str, body: Mapping[str, Any]) -> str:
    """llama.cpp gives the sizes apart from its words."""
    size = body.get("n_prompt_tokens")
    if not size or str(size) in message:
        return message
    return f"{message} ({size} tokens for a context of {body.get('n_ctx', 'unknown size')})"


def _quote(message: str, config: ModelConfig) -> str:
    line = " ".join(redact(message, config.key).split())
    return line if len(line) <= 300 else line[:297] + "..."


def _status(error: Exception, kind: str) -> int | None:
    """Errors inside a stream have the status of its start, 200, so they are classified by their kind, which may be the
    number of a status."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int) and status >= 400:
        return status
    if number := re.search(r"\b[45]\d\d\b", kind):
        return int(number[0])
    for sign, meaning in _KINDS.items():
        if sign in kind:
            return meaning
    return 500 if isinstance(status, int) else None


_KINDS = {
    "rate_limit": 429, "insufficient_quota": 429, "overloaded": 529, "server_error": 500, "api_error": 500,
    "authentication": 401, "invalid_api_key": 401, "permission": 403, "model_not_found": 404, "not_found": 404,
    "context_length": 400, "exceed_context_size": 400, "invalid": 400,
}  # fmt: skip


def _body(error: Exception) -> Mapping[str, Any]:
    """What the server said about the error, with its words as `message`, in whichever form it sent them."""
    body = getattr(error, "body", None)
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except ValueError:
            text = body.strip()
            return {} if text.startswith("<") else {"message": text}
    if isinstance(body, list):  # Gemini
        body = next((item for item in body if isinstance(item, Mapping)), {})
    if not isinstance(body, Mapping):
        return {}
    fault = body.get("error")
    if isinstance(fault, Mapping):
        return fault
    words = body.get("message") or fault or body.get("detail")  # FastAPI
    if isinstance(words, list):
        words = "; ".join(str(item.get("msg", item) if isinstance(item, Mapping) else item) for item in words)
    return {**body, "message": words}


def _retry_after(error: Exception) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    return seconds_of(headers)


def seconds_of(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms`, or from `Retry-After` in seconds or as a date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        value = headers.get("retry-after", "").strip()
        if not value:
            return None
        if value[0].isdigit() or value[0] == ".":
            seconds = float(value)
            return seconds if math.isfinite(seconds) else None
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
