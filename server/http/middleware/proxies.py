"""The client's address and the server's public address, behind reverse proxies.

`X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` are used only if they come from the networks in
GEOAGENT_TRUSTED_PROXIES, because any client can send them. Socket handlers pass `environ["aiohttp.request"]`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from aiohttp import web
from multidict import MultiMapping

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

TRUSTED_PROXIES = web.AppKey("trusted_proxies", tuple)
"""Networks of trusted proxies, whose forwarding headers are used; set on the application."""
HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(:\d{1,5})?|\[[0-9A-Fa-f:]{2,45}\](:\d{1,5})?")
ADDRESS_WITH_PORT = re.compile(r"\[(?P<v6>[^\]]+)\](:\d+)?|(?P<v4>[0-9.]+):\d+")
IPV6_PREFIX = 64
"""Bits of an IPv6 address that belong to one customer: they may use every address below it."""
UNKNOWN = "unknown"
"""Address of a client that is disconnected already."""


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Networks or single addresses, as `10.0.0.0/8` or `::1`. Raises ValueError for anything else."""
    return tuple(ip_network(text, strict=False) for text in texts)


def client_address(request: web.BaseRequest) -> str:
    """IP address of the client: the last one in `X-Forwarded-For` that is not a trusted proxy.

    Without a trusted proxy it is the address of the connection. IPv4 addresses that are mapped into IPv6 are
    returned as IPv4."""
    return address_behind(request.remote or "", request.headers, _trusted_by(request))


def shared_address(request: web.BaseRequest) -> str:
    """The client's IPv4 address or IPv6 network: what limits per address count by."""
    return counted_address(client_address(request))


@lru_cache(1024)
def counted_address(address: str) -> str:
    """What limits count this address by."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return address


def address_behind(remote: str, headers: MultiMapping[str], trusted: Iterable[Network]) -> str:
    """`client_address` of a request whose connection comes from `remote`."""
    nearest = _parsed(remote)
    if nearest is None:
        return UNKNOWN
    for hop in reversed(_values(headers, "X-Forwarded-For")):
        if not any(nearest in network for network in trusted):
            break
        address = _parsed(hop)
        if address is None:
            break
        nearest = address
    return str(nearest)


def is_trusted(remote: str, trusted: Iterable[Network]) -> bool:
    """Whether connections from this address are those of a trusted proxy."""
    address = _parsed(remote)
    return address is not None and any(address in network for network in trusted)


def public_host(request: web.BaseRequest) -> str:
    """Host, and port if it is not the default one, as in the browser's address bar; empty if unknown."""
    forwarded = _forwarded(request, "X-Forwarded-Host")
    if forwarded and HOST.fullmatch(forwarded):
        return forwarded
    return request.headers.get("Host", "")


def public_origin(request: web.BaseRequest) -> str:
    """Scheme, host and port under which the client reaches this server, as `https://maps.example.org`."""
    forwarded = _forwarded(request, "X-Forwarded-Proto").lower()
    scheme = forwarded if forwarded in ("http", "https") else request.url.scheme
    host = public_host(request)
    return f"{scheme}://{host}" if HOST.fullmatch(host) else str(request.url.origin())


def _forwarded(request: web.BaseRequest, header: str) -> str:
    """The value that the nearest proxy set, if that proxy is trusted."""
    nearest = _parsed(request.remote or "")
    if nearest is None or not any(nearest in network for network in _trusted_by(request)):
        return ""
    values = _values(request.headers, header)
    return values[-1] if values else ""


def _values(headers: MultiMapping[str], header: str) -> list[str]:
    listed = ",".join(headers.getall(header, ()))
    return [value.strip() for value in listed.split(",") if value.strip()]


def _trusted_by(request: web.BaseRequest) -> tuple[Network, ...]:
    application = getattr(request, "app", None)
    return application.get(TRUSTED_PROXIES, ()) if application is not None else ()


@lru_cache(1024)
def _parsed(text: str) -> Address | None:
    with_port = ADDRESS_WITH_PORT.fullmatch(text)
    try:
        address = ip_address((with_port["v6"] or with_port["v4"]) if with_port else text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
