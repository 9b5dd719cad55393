"""Security of all HTTP requests: checks of host and origin, and the headers of every answer."""

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


def check_origin(origins: Origins) -> Any:
    """Middleware that refuses requests for unknown hosts, and changes requested by pages of other origins."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        # The Host header itself: a page that reached a loopback server under its own name (DNS rebinding) can
        # forge X-Forwarded-Host.
        if not origins.knows_host(request.headers.get("Host")):
            return fault_response(
                "forbidden",
                "This server answers only under its own address; see GEOAGENT_ORIGINS for others.",
            )
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            if origins.allows(request.headers.get("Origin"), public_host(request)):
                return web.Response(status=204, headers=PREFLIGHT)
            return fault_response("forbidden", "This page may not ask here; see GEOAGENT_ORIGINS.")
        if request.method in UNSAFE and not origins.allows(
            request.headers.get("Origin"), public_host(request)
        ):
            return fault_response(
                "forbidden", "This page may not change anything here; see GEOAGENT_ORIGINS."
            )
        return await handler(request)

    return check


VIEW_PAGES = "/m/view_"


def security_headers(origins: Origins, base_map_origins: Iterable[str], embedding: Iterable[str] = ()) -> Any:
    """Sets security headers when an answer is sent, so that files and errors have them too.

    `base_map_origins` are those of the base map's tiles, fonts and images. Pages of `embedding` origins may show view
    links in a frame. A page that can change a map may not be framed, because clicks on it could be stolen."""
    base_map_origins = tuple(base_map_origins)

    async def prepare(request: web.Request, response: web.StreamResponse) -> None:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        origin = request.headers.get("Origin")
        if origin and origins.allows(origin, public_host(request)):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Vary"] = ", ".join(filter(None, [response.headers.get("Vary"), "Origin"]))
        if response.content_type == "text/html":
            framing = tuple(embedding) if request.path.startswith(VIEW_PAGES) else ()
            response.headers["Content-Security-Policy"] = content_security(
                public_host(request), base_map_origins, framing
            )

    return prepare


def content_security(host: str, base_map_origins: Iterable[str], framing: Iterable[str] = ()) -> str:
    """The Content-Security-Policy: no inline and no foreign scripts. MapLibre's worker is our own file, or a
    blob of it."""
    others = " ".join(base_map_origins)
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
