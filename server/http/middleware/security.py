"""What stands before every HTTP request (hosts and origins) and on every answer (a policy for browsers)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from aiohttp import web

from server.http.errors import Handler, fault_response
from server.http.middleware.proxies import HOST, public_host
from server.origins import Origins

UNSAFE = frozenset({"POST", "PUT", "PATCH", "DELETE"})
FRAMING = re.compile(r"\*|https?://[A-Za-z0-9.*\-]{1,253}(:\d{1,5})?")

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), payment=(), usb=(), geolocation=(self)",
}

PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Max-Age": "600",
}


def gatekeeper(origins: Origins) -> Any:
    """Refuses hosts that are not this server, and pages of others that would change something."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        host = public_host(request)
        # The real header: a page that reached a loopback server by a name of its own can forge the other.
        if not origins.knows_host(request.headers.get("Host")):
            return fault_response(
                "forbidden",
                "This server answers only under its own address; see GEOAGENT_ORIGINS for others.",
            )
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            if origins.allows(request.headers.get("Origin"), host):
                return web.Response(status=204, headers=PREFLIGHT)
            return fault_response("forbidden", "This page may not ask here; see GEOAGENT_ORIGINS.")
        if request.method in UNSAFE and not origins.allows(request.headers.get("Origin"), host):
            return fault_response(
                "forbidden", "This page may not change anything here; see GEOAGENT_ORIGINS."
            )
        return await handler(request)

    return check


VIEW_PAGES = "/m/view_"


def policy(origins: Origins, foreign: Iterable[str], embedding: Iterable[str] = ()) -> Any:
    """Sets the headers as the answer is sent, so that files and errors have them too.

    `foreign` origins are those of the base map, whose tiles, fonts and images the client loads. Pages of
    `embedding` origins may show view links in a frame. A page that can change a map is framed by
    nobody else, or clicks on it could be stolen.
    """
    foreign = tuple(foreign)

    async def prepare(request: web.Request, response: web.StreamResponse) -> None:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        host = public_host(request)
        origin = request.headers.get("Origin")
        if origin and origins.allows(origin, host):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = ", ".join(filter(None, [response.headers.get("Vary"), "Origin"]))
        if response.content_type == "text/html":
            framing = tuple(embedding) if request.path.startswith(VIEW_PAGES) else ()
            response.headers["Content-Security-Policy"] = content_security(host, foreign, framing)

    return prepare


def content_security(host: str, foreign: Iterable[str], framing: Iterable[str] = ()) -> str:
    """No inline script and no foreign one. MapLibre's worker is our own file, or a blob of it."""
    others = " ".join(foreign)
    sockets = f"ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
    rules = {
        "default-src": "'none'",
        "script-src": "'self'",
        "worker-src": "'self' blob:",
        "child-src": "blob:",
        "style-src": "'self'",
        "img-src": f"'self' data: blob: {others}",
        "font-src": f"'self' data: {others}",
        "connect-src": f"'self' {sockets} {others}",
        "manifest-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": f"'self' {' '.join(each for each in framing if FRAMING.fullmatch(each))}",
    }
    return "; ".join(f"{name} {' '.join(value.split())}" for name, value in rules.items())
