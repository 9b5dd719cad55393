"""The web origins that may connect to this server: its own, and those in GEOAGENT_ORIGINS.

Browsers send `Origin`; programs do not, and hold no cookies that could be abused. On a loopback address the `Host` must
be loopback too, so that a hostile page cannot reach the server through a host name that it controls (DNS rebinding)."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from urllib.parse import urlsplit

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class Origins:
    """Which pages may connect, by the `Origin` that their browser sends."""

    def __init__(self, allowed: Collection[str] = (), host: str = "127.0.0.1") -> None:
        self._allowed = frozenset(origin.rstrip("/").lower() for origin in allowed)
        self._hosts = frozenset(urlsplit(origin).netloc for origin in self._allowed)
        self._loopback = host in LOOPBACK

    def allows(self, origin: str | None, host: str | None) -> bool:
        """Whether a page of `origin` may talk to the server that it reached as `host`."""
        if not origin:
            return True
        origin = origin.lower()
        if origin in self._allowed or "*" in self._allowed:
            return True
        return bool(host) and urlsplit(origin).netloc == str(host).lower()

    def knows_host(self, host: str | None) -> bool:
        """Whether a request may be for this host at all."""
        if not self._loopback or not host:
            return True
        host = host.lower()
        return host in self._hosts or _hostname(host) in LOOPBACK


@lru_cache(64)
def _hostname(host: str) -> str | None:
    return urlsplit(f"//{host}").hostname
