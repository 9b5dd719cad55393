"""A web server of one folder, which speaks as much of S3 and Google Cloud Storage as reading a dataset takes, and
plain HTTP."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape

from aiohttp import web

BUCKET = "lake"
GOOGLE = f"/storage/v1/b/{BUCKET}/o"
"""The objects of the bucket in the JSON interface of Google Cloud Storage."""


@dataclass
class ObjectStore:
    """`asked` has the method and path of each request, and `sent` is how many bytes of files were given."""

    folder: Path
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)
    sent: int = 0
    has_ranges: bool = True
    busy: int = 0
    """So many requests are answered 503."""
    delay: float = 0.0
    """Seconds before each answer."""
    before: Callable[[], None] = lambda: None
    """Called before each answer."""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.path))
        self.before()
        if self.busy:
            self.busy -= 1
            return web.Response(status=503)
        await asyncio.sleep(self.delay)
        if request.path == "/elsewhere.parquet":
            raise web.HTTPFound("/lake/pings/zone=1/part-0.parquet")
        if request.path == GOOGLE:
            return self._listed_by_google(request.query.get("prefix", ""))
        if request.path.startswith(f"{GOOGLE}/"):
            return self._given_by_google(request)
        if "list-type" in request.query:
            return self._listed(request.query.get("prefix", ""))
        file = self.folder / request.path.removeprefix(f"/{BUCKET}/")
        if not file.is_file():
            return web.Response(status=404)
        changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
        headers = {"Last-Modified": format_datetime(changed, usegmt=True)}
        if not self.has_ranges:
            self.sent += file.stat().st_size
            return web.Response(body=file.read_bytes(), headers=headers)
        self._count(request, file)
        return web.FileResponse(file, headers=headers)

    def _count(self, request: web.Request, file: Path) -> None:
        if request.method == "GET":
            start, stop, _ = request.http_range.indices(file.stat().st_size)
            self.sent += stop - start

    def _keys(self, prefix: str) -> list[str]:
        keys = (each.relative_to(self.folder).as_posix() for each in self.folder.rglob("*") if each.is_file())
        return sorted(key for key in keys if key.startswith(prefix))

    def _state(self, key: str) -> tuple[int, str]:
        """The size of a file, and when it was changed."""
        state = (self.folder / key).stat()
        changed = datetime.fromtimestamp(int(state.st_mtime), UTC)
        return state.st_size, changed.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def _given_by_google(self, request: web.Request) -> web.StreamResponse:
        key = request.path.removeprefix(f"{GOOGLE}/")
        if not (self.folder / key).is_file():
            return web.json_response({"error": {"code": 404, "message": "No such object"}}, status=404)
        if request.query.get("alt") == "media":
            self._count(request, self.folder / key)
            return web.FileResponse(self.folder / key)
        return web.json_response(self._described(key))

    def _listed_by_google(self, prefix: str) -> web.Response:
        items = [self._described(key) for key in self._keys(prefix)]
        return web.json_response({"kind": "storage#objects", "items": items})

    def _described(self, key: str) -> dict[str, str]:
        size, changed = self._state(key)
        about = {"kind": "storage#object", "id": f"{BUCKET}/{key}/1", "name": key, "bucket": BUCKET}
        times = {"timeCreated": changed, "updated": changed}
        return {**about, **times, "size": str(size), "generation": "1", "metageneration": "1"}

    def _listed(self, prefix: str) -> web.Response:
        entries = []
        for key in self._keys(prefix):
            size, changed = self._state(key)
            entries.append(
                f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size>"
                f"<LastModified>{changed}</LastModified></Contents>"
            )
        body = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(entries)}</KeyCount>"
            f"<IsTruncated>false</IsTruncated>{''.join(entries)}</ListBucketResult>"
        )
        return web.Response(text=body, content_type="application/xml")


@asynccontextmanager
async def object_store(folder: Path, certificate: Path | None = None) -> AsyncIterator[ObjectStore]:
    """Serve the files of a folder as those of the bucket `lake`, on a free port of the loopback; with a certificate
    (and its key in the same file), by HTTPS."""
    store = ObjectStore(folder)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", store.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        encrypted = None
        if certificate is not None:
            encrypted = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            encrypted.load_cert_chain(certificate)
        site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=encrypted)
        await site.start()
        store.url = f"{'http' if encrypted is None else 'https'}://127.0.0.1:{runner.addresses[0][1]}"
        yield store
    finally:
        await runner.cleanup()


def own_certificate(folder: Path) -> Path:
    """A new certificate for the loopback, with its key in the same file."""
    file = folder / "certificate.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "1",
        "-subj",
        "/CN=127.0.0.1",
    ]
    named = [
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(file),
        "-out",
        str(folder / "public.pem"),
    ]
    subprocess.run([*made, *named], check=True, capture_output=True)
    file.write_text(file.read_text() + (folder / "public.pem").read_text())
    return file
