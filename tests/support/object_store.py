"""A web server of one folder, which speaks as much of S3 as reading a dataset takes, and plain HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from xml.sax.saxutils import escape

from aiohttp import web

BUCKET = "lake"


@dataclass
class ObjectStore:
    """`asked` has the method and path of each request."""

    folder: Path
    url: str = ""
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.method, request.path))
        if request.path == "/elsewhere.parquet":
            raise web.HTTPFound("/lake/pings/zone=1/part-0.parquet")
        if "list-type" in request.query:
            return self._listed(request.query.get("prefix", ""))
        file = self.folder / request.path.removeprefix(f"/{BUCKET}/")
        if not file.is_file():
            return web.Response(status=404)
        changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
        answer = web.FileResponse(file)
        answer.headers["Last-Modified"] = format_datetime(changed, usegmt=True)
        return answer

    def _listed(self, prefix: str) -> web.Response:
        keys = sorted(
            each.relative_to(self.folder).as_posix() for each in self.folder.rglob("*") if each.is_file()
        )
        entries = []
        for key in [each for each in keys if each.startswith(prefix)]:
            state = (self.folder / key).stat()
            changed = datetime.fromtimestamp(int(state.st_mtime), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            entries.append(
                f"<Contents><Key>{escape(key)}</Key><Size>{state.st_size}</Size>"
                f"<LastModified>{changed}</LastModified></Contents>"
            )
        body = (
            '<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
            f"<Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix><KeyCount>{len(entries)}</KeyCount>"
            f"<IsTruncated>false</IsTruncated>{''.join(entries)}</ListBucketResult>"
        )
        return web.Response(text=body, content_type="application/xml")


@asynccontextmanager
async def object_store(folder: Path) -> AsyncIterator[ObjectStore]:
    """Serve the files of a folder as those of the bucket `lake`, on a free port of the loopback."""
    store = ObjectStore(folder)
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", store.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        store.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield store
    finally:
        await runner.cleanup()
