"""The OpenAI SDK's client, for both of its APIs and for every compatible server. `base` retries."""

from __future__ import annotations

from typing import Any

from agents.models.adapters.base import Adapter
from agents.models.providers import ModelConfig

NO_KEY = "none"
"""Sent to servers that need no key: the SDK does not start without one."""


def make_client(config: ModelConfig) -> Any:
    """A client of OpenAI's SDK with our limits. What is made with it is closed by `aclose`."""
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    # The SDK's own HTTP client closes its sockets when it is garbage-collected, when their file descriptors may
    # already belong to others; this one closes them in `aclose` only.
    client = AsyncOpenAI(
        api_key=config.key or NO_KEY, base_url=config.base_url, http_client=DefaultAsyncHttpxClient()
    )
    return _with_our_limits(client, config)


def _with_our_limits(client: Any, config: ModelConfig) -> Any:
    """The client, with its connections, but our limits: `StreamDeadlines` watches over reading."""
    from openai import Timeout

    timeout = Timeout(connect=config.timeouts.connect, read=None, write=60, pool=60)
    return client.with_options(max_retries=0, timeout=timeout)


class OpenAIAdapter(Adapter):
    """Base of the adapters that use this client."""

    def _make_client(self) -> Any:
        return make_client(self.config)

    def _limited(self, client: Any) -> Any:
        return _with_our_limits(client, self.config)
