"""The browser client: `/` and `/m/{map_id}` give its page, every other path a file of the build.

Files are read and compressed once in a process and served from memory; a rebuilt client is detected by file times.
Files with a content hash in their name are immutable, the page is loaded each time."""

from __future__ import annotations

import asyncio
import functools
import gzip
import hashlib
import mimetypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aiohttp import web

from server.maps.faults import RequestFault

CLIENT = Path(__file__).resolve().parents[2] / "web" / "dist"
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "no-cache"
COMPRESSIBLE = (
    "text/", "application/json", "application/javascript", "image/svg+xml", "application/geo+json",
)  # fmt: skip
TYPES = {
    ".mjs": "text/javascript", ".js": "text/javascript", ".webmanifest": "application/manifest+json",
    ".geojson": "application/geo+json", ".topojson": "application/json", ".woff2": "font/woff2",
    ".pbf": "application/x-protobuf",
}  # fmt: skip
MAX_FILES = 500
"""More than a build has."""
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>GeoAgent</title>
<h1>GeoAgent is running, but its browser client is not built.</h1>
<p>Run <code>make run</code>, or <code>npm ci &amp;&amp; npm run build</code> in <code>web</code>.</p>"""


@dataclass(frozen=True, slots=True)
class File:
    """A file in memory; `packed` is its gzip, None where that saves nothing."""

    body: bytes
    packed: bytes | None
    content_type: str
    etag: str


class Site:
    """The files of the built client."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = (folder or CLIENT).resolve()

    async def page(self, request: web.Request) -> web.Response:
        """The page itself, which names the current assets; 503 before the client was built."""
        file = await _file(self._folder / "index.html")
        if file is None:
            return web.Response(text=NOT_BUILT, content_type="text/html", status=503)
        return answer(request, file, REVALIDATED)

    async def file(self, request: web.Request) -> web.Response:
        """A file of the client. Raises RequestFault for one that does not exist or lies elsewhere."""
        asked = request.match_info["path"]
        if "\x00" in asked:
            raise RequestFault("not_found", "There is nothing at this address.")
        path = (self._folder / asked).resolve()
        file = await _file(path) if path.is_relative_to(self._folder) else None
        if file is None:
            raise RequestFault("not_found", "There is nothing at this address.")
        hashed = path.parent.name == "assets"
        return answer(request, file, IMMUTABLE if hashed else REVALIDATED)


async def _file(path: Path) -> File | None:
    return await asyncio.to_thread(_current, path)


def _current(path: Path) -> File | None:
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(MAX_FILES)
def _read(path: Path, _modified: int) -> File:
    """The file as it is since that time, in nanoseconds."""
    body = path.read_bytes()
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    packed = gzip.compress(body, 9, mtime=0) if kind.startswith(COMPRESSIBLE) and len(body) > 500 else None
    return File(body, packed, kind, hashlib.sha256(body).hexdigest()[:24])


def answer(request: web.Request, file: File, caching: str) -> web.Response:
    """The file, compressed if the client accepts gzip, or 304 if it has it already.

    A page is always sent: on a 304 browsers keep its old Content-Security-Policy, and settings change that."""
    headers = {"Cache-Control": caching, "Vary": "Accept-Encoding"}
    if file.content_type != "text/html":
        headers["ETag"] = f'"{file.etag}"'
        if any(tag.value in (file.etag, "*") for tag in request.if_none_match or ()):
            return web.Response(status=304, headers=headers)
    body = file.body
    if file.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        body = file.packed
        headers["Content-Encoding"] = "gzip"
    charset = "utf-8" if file.content_type.startswith("text/") else None
    return web.Response(body=body, content_type=file.content_type, charset=charset, headers=headers)


def routes(config: Callable[[], Mapping[str, Any]], site: Site | None = None) -> list[web.RouteDef]:
    """The client's routes; `config` is called for every `/api/config`. Add these routes last: they match every path."""
    files = site or Site()

    async def settings(request: web.Request) -> web.Response:
        return web.json_response(config(), headers={"Cache-Control": REVALIDATED})

    return [
        web.get("/", files.page),
        web.get("/m/{map_id}", files.page),
        web.get("/api/config", settings),
        web.get("/{path:.+}", files.file),
    ]
