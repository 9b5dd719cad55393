"""POST /api/uploads: a file of the person's own becomes a table. `multipart/form-data` with `file` and, as
wanted, `map` (which alone sees the table until it is shared; without it, everybody does), `table` (its name),
`layer`, `srid`, `encoding`, `subdivide` (`true` cuts shapes of too many vertices into pieces), `quoted` (`text`
keeps values in quotes as texts where a CSV quotes all values), `layers` (`each` makes a table of each, `united`
one table of all), `mode` (`append` adds the rows to the upload `table` of the same map, `replace` puts them in
place of its rows) and `stage` (`true` reads the file and waits for a decision: `server.http.staged_uploads`);
answered with 201 and the outcome: with `layers=each` a list `tables`, and in `failed` the layers that could not
be loaded. POST /api/maps/{map_id}/tables/{table_id}/share shows it to all.

A body is received to the spool first, at the client's own pace, and waits for a slot only when it is complete."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from email.message import Message
from pathlib import Path, PurePath
from typing import Any

from aiohttp import BodyPartReader, ClientConnectionError, web
from aiohttp.http_exceptions import HttpProcessingError

from server import fault_texts
from server.database.lanes import Lane, working_for
from server.gis.ingest import IngestLimits
from server.gis.ingest.table import CONTROLS
from server.http.answers import json_answer
from server.http.middleware.abandoned_requests import cancel_if_client_leaves
from server.http.middleware.proxies import shared_address
from server.http.middleware.slow_clients import Pace, whole_transfer
from server.maps.access import Access, read_only
from server.maps.faults import RequestFault
from server.transfers.loading import LAYERS, FileLoader, FileToLoad
from server.transfers.spool import Spool, Transfer
from server.transfers.staging import Decision, decision_of

MAX_CONCURRENT_UPLOADS = 512
MAX_UPLOADS_PER_ADDRESS = 32
"""Each holds a file and no more; the spool bounds the bytes, and `slow_clients` the time."""
CHUNK_BYTES = 256 * 1024
MAX_FIELD_BYTES = 1000
FIELDS = ("table", "layer", "layers", "srid", "encoding", "map", "subdivide", "quoted", "mode", "stage")

AccessTo = Callable[[str], Awaitable[Access]]


def routes(loader: FileLoader, spool: Spool, access: AccessTo | None = None) -> list[web.RouteDef]:
    """`access` checks the rights of a link to a map; without it, rights are not checked."""
    receiving = Lane("receiving", MAX_CONCURRENT_UPLOADS, MAX_UPLOADS_PER_ADDRESS, wait=0)
    # Each may wait for a lock, with a connection that joins and chats need.
    sharing = Lane("sharing", 1)
    limits = loader.limits

    async def upload(request: web.Request) -> web.Response:
        _check_head(request, limits)
        address = shared_address(request)
        with working_for(address), spool.transfer(address) as transfer:
            async with receiving.place(), whole_transfer(request):
                name, fields = await _received(request, transfer, limits)
            map_id = await _map_of(fields.get("map"), access)
            file = FileToLoad(
                transfer.folder / "upload", name, transfer, map_id, address, **_options(fields, map_id)
            )
            loading = asyncio.create_task(loader.load(file))
            try:
                answer = await cancel_if_client_leaves(request, loading)
            finally:
                # It is already cancelled if the client left; a second cancellation would interrupt its cleanup.
                if not loading.cancelling():
                    loading.cancel()
                await asyncio.gather(loading, return_exceptions=True)
        return json_answer(answer, 201)

    async def share(request: web.Request) -> web.Response:
        """View links only read, so `addresses.keys` refuses them."""
        async with sharing.place():
            known = await loader.uploads.share(request.match_info["map_id"], request.match_info["table_id"])
        if not known:
            raise RequestFault("unknown_table", fault_texts.NO_UPLOAD())
        await loader.refresh()
        return json_answer({"shared": True})

    return [web.post("/api/uploads", upload), web.post("/api/maps/{map_id}/tables/{table_id}/share", share)]


def _check_head(request: web.Request, limits: IngestLimits) -> None:
    """Refuses what cannot be an upload before its body is read."""
    if not request.content_type.startswith("multipart/"):
        raise RequestFault(
            "invalid_payload", "Send the file as multipart/form-data, in a field named `file`."
        )
    length = request.content_length
    if length is not None and length > limits.bytes + MAX_FIELD_BYTES * 10:
        raise _too_large(limits)


def _options(fields: dict[str, str], map_id: str | None) -> dict[str, Any]:
    """The arguments of `FileToLoad` that the fields of the form give."""
    return {
        "table": fields.get("table") or None,
        "layer": fields.get("layer") or None,
        "layers": fields.get("layers", ""),
        "srid": _srid(fields.get("srid")),
        "encoding": fields.get("encoding") or None,
        "subdivide": fields.get("subdivide") == "true",
        "quoted_text": fields.get("quoted") == "text",
        "stage": bool(fields.get("stage")),
        "decision": _decision(fields, map_id),
    }


def _decision(fields: dict[str, str], map_id: str | None) -> Decision | None:
    """The decision of the form; None if the rows become a new table."""
    if fields.get("mode", "new") == "new" and not fields.get("stage"):
        return None
    if map_id is None:
        raise RequestFault(
            "invalid_payload", "Send `map`: only its own uploads are changed, and it alone can decide."
        )
    if fields.get("layers") == "each":
        raise RequestFault(
            "invalid_payload", "Send one `layer`, or `layers=united`: the rows go to one table."
        )
    return None if fields.get("stage") else decision_of(fields.get("mode"), fields.get("table"))


async def _map_of(key: str | None, access: AccessTo | None) -> str | None:
    if not key or access is None:
        return key or None
    link = await access(key)
    if not link.may_change:
        raise read_only()
    return link.map_id


async def _received(
    request: web.Request, transfer: Transfer, limits: IngestLimits
) -> tuple[str, dict[str, str]]:
    """Saves the file as `upload` in the folder of the transfer; returns its name and the fields."""
    name = ""
    path = transfer.folder / "upload"
    fields: dict[str, str] = {}
    pace = Pace()
    try:
        parts = await request.multipart()
        while (part := await pace.part(parts.next())) is not None:
            if not isinstance(part, BodyPartReader):
                raise RequestFault(
                    "invalid_payload", "A multipart body within a multipart body is not understood."
                )
            field, sent_name = _names_of(part)
            if field == "file" and not name:
                name = file_name(sent_name)
                await _save(part, path, transfer, limits, pace)
            elif field in FIELDS:
                fields[field] = await _text(part, field, pace)
            else:
                raise RequestFault(
                    "invalid_payload", f"Unknown field {field!r}: send `file` once, and {FIELDS}."
                )
    except ClientConnectionError as error:
        raise ConnectionResetError("the client left") from error
    except (ValueError, HttpProcessingError) as error:
        raise RequestFault("invalid_payload", "The body is not valid multipart/form-data.") from error
    if not name:
        raise RequestFault("invalid_payload", "There is no field `file`.")
    if fields.get("layers", "") not in LAYERS:
        raise RequestFault("invalid_payload", "`layers` is `each` or `united`.")
    if fields.get("layers") and fields.get("layer"):
        raise RequestFault("invalid_payload", "Send `layer` or `layers`, not both.")
    return name, fields


def _names_of(part: BodyPartReader) -> tuple[str, str]:
    """The names of the field and of its file. aiohttp does not read those with several semicolons."""
    header = Message()
    header["Content-Disposition"] = part.headers.get("Content-Disposition", "")
    return str(header.get_param("name", "", "Content-Disposition")), header.get_filename("")


async def _save(
    part: BodyPartReader, path: Path, transfer: Transfer, limits: IngestLimits, pace: Pace
) -> None:
    size = 0
    with path.open("xb") as file:
        while piece := await pace.of(part.read_chunk(CHUNK_BYTES)):
            size += len(piece)
            if size > limits.bytes:
                raise _too_large(limits)
            transfer.grow(len(piece))
            await asyncio.to_thread(file.write, piece)


async def _text(part: BodyPartReader, field: str, pace: Pace) -> str:
    text = bytearray()
    while piece := await pace.of(part.read_chunk(MAX_FIELD_BYTES)):
        text += piece
        if len(text) > MAX_FIELD_BYTES:
            raise RequestFault("invalid_payload", f"The field {field!r} is too long.")
    if b"\x00" in text:
        raise RequestFault("invalid_payload", f"The field {field!r} must not hold NUL characters.")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise RequestFault("invalid_payload", f"The field {field!r} is not UTF-8.") from None


def file_name(sent: str | None) -> str:
    """The last part of what the browser says, without anything that is special to a file system."""
    name = PurePath((sent or "").replace("\\", "/")).name
    stem, dot, suffix = re.sub("[/:]", "_", CONTROLS.sub("_", name)).rpartition(".")
    if not dot or not stem.strip(". "):
        raise RequestFault("invalid_payload", fault_texts.FILE_NAME())
    # A name has at most 255 bytes on disk.
    return f"{stem.encode()[:200].decode(errors='ignore')}.{suffix[:20]}"


def _srid(text: str | None) -> int | None:
    if not text:
        return None
    code = re.fullmatch(r"(?:EPSG:)?(\d{1,6})", text.strip(), re.IGNORECASE | re.ASCII)
    if code is None:
        raise RequestFault("invalid_payload", fault_texts.NO_EPSG(text=repr(text[:20])))
    return int(code.group(1))


def _too_large(limits: IngestLimits) -> RequestFault:
    return RequestFault("too_large", fault_texts.FILE_TOO_LARGE(mb=limits.bytes // 1024 // 1024))
