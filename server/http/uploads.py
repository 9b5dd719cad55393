"""POST /api/uploads: a file of the person's own becomes a table. `multipart/form-data` with `file` and, as wanted,
`table` (its name), `layer`, `srid` and `encoding`; answered with 201 and what came of it."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path, PurePath

from aiohttp import BodyPartReader, web

from server.database import Database
from server.gis.ingest import IngestLimits, load_file
from server.http.errors import HttpFault

AT_ONCE = 2
"""Files loaded at the same time; more wait for their turn."""
PIECE = 256 * 1024
LONGEST_FIELD = 1000
FIELDS = ("table", "layer", "srid", "encoding")

Loaded = Callable[[], Awaitable[None]]


def routes(
    database: Database, limits: IngestLimits | None = None, loaded: Loaded | None = None
) -> list[web.RouteDef]:
    """`loaded` is awaited after each new table, before the answer: the registry looks for it there."""
    turns = asyncio.Semaphore(AT_ONCE)
    allowed = limits or IngestLimits()

    async def upload(request: web.Request) -> web.Response:
        if not request.content_type.startswith("multipart/"):
            raise HttpFault(
                "invalid_payload", "Send the file as multipart/form-data, in a field named `file`."
            )
        if request.content_length is not None and request.content_length > allowed.bytes + PIECE:
            raise _too_large(allowed)
        async with turns:
            with tempfile.TemporaryDirectory(prefix="geoagent-upload-") as folder:
                path, fields = await _received(request, Path(folder), allowed)
                report = await load_file(
                    database,
                    path,
                    fields.get("table") or None,
                    layer=fields.get("layer") or None,
                    srid=_srid(fields.get("srid")),
                    encoding=fields.get("encoding") or None,
                    limits=allowed,
                )
        if loaded is not None:
            await loaded()
        return web.json_response(report.model_dump(), status=201, headers={"Cache-Control": "no-store"})

    return [web.post("/api/uploads", upload)]


async def _received(request: web.Request, folder: Path, limits: IngestLimits) -> tuple[Path, dict[str, str]]:
    """The file, on disk piece by piece, and the fields."""
    path: Path | None = None
    fields: dict[str, str] = {}
    try:
        async for part in await request.multipart():
            if not isinstance(part, BodyPartReader):
                raise HttpFault(
                    "invalid_payload", "A multipart body within a multipart body is not understood."
                )
            if part.name == "file" and path is None:
                path = folder / file_name(part.filename)
                await _save(part, path, limits)
            elif part.name in FIELDS:
                fields[part.name] = await _text(part)
            else:
                raise HttpFault(
                    "invalid_payload", f"Unknown field {part.name!r}: send `file` once, and {FIELDS}."
                )
    except ValueError as error:
        raise HttpFault("invalid_payload", "The body is no multipart/form-data that can be read.") from error
    if path is None:
        raise HttpFault("invalid_payload", "There is no field `file`.")
    return path, fields


async def _save(part: BodyPartReader, path: Path, limits: IngestLimits) -> None:
    size = 0
    with path.open("xb") as file:
        while piece := await part.read_chunk(PIECE):
            size += len(piece)
            if size > limits.bytes:
                raise _too_large(limits)
            await asyncio.to_thread(file.write, piece)


async def _text(part: BodyPartReader) -> str:
    text = bytearray()
    while piece := await part.read_chunk(LONGEST_FIELD):
        text += piece
        if len(text) > LONGEST_FIELD:
            raise HttpFault("invalid_payload", f"The field {part.name!r} is too long.")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise HttpFault("invalid_payload", f"The field {part.name!r} is not UTF-8.") from None


def file_name(sent: str | None) -> str:
    """The last part of what the browser says, without anything that is special to a file system."""
    name = PurePath((sent or "").replace("\\", "/")).name
    stem, dot, suffix = re.sub(r"[\x00-\x1f\x7f/:]", "_", name).rpartition(".")
    if not dot or not stem.strip(". "):
        raise HttpFault(
            "invalid_payload", "The file needs a name that ends in what it is: .geojson, .gpkg, .zip ..."
        )
    # A name has at most 255 bytes on disk.
    return f"{stem.encode()[:200].decode(errors='ignore')}.{suffix[:20]}"


def _srid(text: str | None) -> int | None:
    if not text:
        return None
    code = re.fullmatch(r"(?:EPSG:)?(\d{1,6})", text.strip(), re.IGNORECASE | re.ASCII)
    if code is None:
        raise HttpFault("invalid_payload", f"srid {text[:20]!r} is no EPSG code. An example is 4326.")
    return int(code.group(1))


def _too_large(limits: IngestLimits) -> HttpFault:
    return HttpFault(
        "too_large", f"The file is too large: at most {limits.bytes // 1024 // 1024} MB are loaded."
    )
