"""POST /api/uploads: a file of the person's own becomes a table. `multipart/form-data` with `file` and, as wanted,
`map` (which alone sees the table until it is shared; without it, everybody does), `table` (its name), `layer`, `srid`,
`encoding`, `subdivide` (`true` cuts shapes of too many vertices into pieces), `layers` (`each` makes a table of each
layer, `united` one table of all), `mode` (`append` adds the rows to the upload `table` of the same map, `replace` puts
them in place of its rows) and `stage` (`true` reads the file and waits for a decision: `server.http.staged_uploads`);
answered with 201 and what came of it: with `layers=each` a list `tables`, and in `failed` the layers that could not be
loaded. POST /api/maps/{map_id}/tables/{table_id}/share shows it to all.

A body is received to the spool first, at the client's own pace, and waits for a slot only when it is complete.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from aiohttp import BodyPartReader, ClientConnectionError, web

from server.database.engines import Database
from server.database.lanes import Lane, working_for
from server.gis.errors import GisError
from server.gis.ingest import CannotLoad, IngestLimits, IngestReport, layer_names, load_file, table_for
from server.gis.ingest.limits import FileTooLarge
from server.gis.ingest.merge import staging_name
from server.gis.ingest.table import CONTROLS
from server.gis.reading.archive import is_archive
from server.http.errors import HttpFault
from server.http.middleware.abandoned_requests import (
    CLIENT_CLOSED_REQUEST,
    ClientGone,
    cancel_if_client_leaves,
)
from server.http.middleware.slow_clients import Pace, whole_transfer
from server.http.spool import Spool, Transfer
from server.maps.access import Access, read_only
from server.sockets.limits import shared_address
from server.transfers.staging import Decision, StagedUploads, decision_of
from server.transfers.uploads import QuotaExceeded, Reservation, Uploads

RECEIVED_AT_ONCE = 512
RECEIVED_PER_ADDRESS = 32
"""Each holds a file and no more; the spool bounds the bytes, and `slow_clients` the time."""
WAIT_S = 300.0
"""For the files of others to be loaded."""
SMALL_FILE = 8 * 1024 * 1024
"""Bytes; larger files leave a turn free for smaller ones."""
PIECE = 256 * 1024
LONGEST_FIELD = 1000
FIELDS = ("table", "layer", "layers", "srid", "encoding", "map", "subdivide", "mode", "stage")
LAYERS = ("", "each", "united")

Loaded = Callable[[], Awaitable[None]]
LoadTable = Callable[[str, str | None], Awaitable[IngestReport]]
"""Loads a layer, or what the file is, as a table of this name."""
AccessTo = Callable[[str], Awaitable[Access]]
Complete = Callable[[Reservation], Awaitable[None]]


@dataclass(frozen=True)
class Received:
    """A file of an upload, as it lies on the disk, and the fields that came with it."""

    path: Path
    name: str
    fields: dict[str, str]


@dataclass(frozen=True)
class UploadPolicy:
    """How much may be loaded, by whom, and who sees it."""

    limits: IngestLimits = field(default_factory=IngestLimits)
    uploads: Uploads | None = None
    staged: StagedUploads | None = None
    look: Callable[[str], Awaitable[dict[str, Any]]] | None = None
    """Where and what a staged table is, by its id."""
    access: AccessTo | None = None
    """What a link to a map allows; without it, maps are not looked at."""
    share_all: bool = False


def routes(
    database: Database, spool: Spool, policy: UploadPolicy, loaded: Loaded | None = None
) -> list[web.RouteDef]:
    """`loaded` is awaited after each new table, before the answer: the registry looks for it there."""
    at_once = database.lanes["uploads"].size
    receiving = Lane("receiving", RECEIVED_AT_ONCE, RECEIVED_PER_ADDRESS, wait=0)
    # One place stays free for other addresses, whatever somebody loads.
    turns = Lane("loading", at_once, max(1, at_once - 1), wait=WAIT_S)
    large_at_once = max(1, at_once - 1)
    turns_of_large = Lane("loading large files", large_at_once, max(1, large_at_once - 1), wait=WAIT_S)
    # Each may wait for a lock, with a connection that joins and chats need.
    sharing = Lane("sharing", 1)
    uploads = policy.uploads or Uploads(database.owner)
    staged = policy.staged or StagedUploads(database.owner, uploads, policy.limits.seconds)

    async def upload(request: web.Request) -> web.Response:
        if not request.content_type.startswith("multipart/"):
            raise HttpFault(
                "invalid_payload", "Send the file as multipart/form-data, in a field named `file`."
            )
        if (
            request.content_length is not None
            and request.content_length > policy.limits.bytes + LONGEST_FIELD * 10
        ):
            raise _too_large(policy.limits)
        address = shared_address(request)
        with working_for(address), spool.transfer(address) as transfer:
            async with receiving.place(), whole_transfer(request):
                received = await _received(request, transfer, policy.limits)
            map_id = await _map_of(received, policy)
            loading = asyncio.create_task(load(received, transfer, map_id, address))
            try:
                answer = await cancel_if_client_leaves(request, loading)
            except ClientGone:
                return web.Response(status=CLIENT_CLOSED_REQUEST)
            finally:
                # It is cancelled already where the client left; once more would disturb its tidying up.
                if not loading.cancelling():
                    loading.cancel()
                await asyncio.gather(loading, return_exceptions=True)
        return web.json_response(answer, status=201, headers={"Cache-Control": "no-store"})

    async def load(
        received: Received, transfer: Transfer, map_id: str | None, address: str
    ) -> dict[str, Any]:
        size = transfer.size
        shared = map_id is None or policy.share_all
        decision = _decision(received.fields, map_id)
        large = turns_of_large.place() if size > SMALL_FILE else nullcontext()
        await uploads.check(map_id, address, size)
        async with large, turns.place():
            if await asyncio.to_thread(is_archive, received.path, received.name):
                transfer.grow(policy.limits.expanded(size, policy.limits.unpacked))
            load_table = partial(load_one, received, transfer, map_id, address)
            if received.fields.get("stage") or decision is not None:
                return await stage_one(received, transfer, map_id, address, decision)
            if received.fields.get("layers") == "each":
                answer = await load_each(received, transfer, load_table)
            else:
                name = received.fields.get("table") or Path(received.name).stem
                answer = (await load_table(name, received.fields.get("layer") or None)).model_dump()
        if loaded is not None:
            await loaded()
        return {**answer, "shared": shared, "quota": await uploads.used(address)}

    async def load_one(
        received: Received,
        transfer: Transfer,
        map_id: str | None,
        address: str,
        name: str,
        layer: str | None,
        complete: Complete | None = None,
    ) -> IngestReport:
        fields = received.fields
        async with uploads.reserved(name, map_id, address, transfer.size) as reservation:
            report = await load_file(
                database,
                received.path,
                name,
                file=received.name,
                layer=layer,
                unite=fields.get("layers") == "united",
                srid=_srid(fields.get("srid")),
                encoding=fields.get("encoding") or None,
                limits=replace(
                    policy.limits,
                    space=min(policy.limits.space, reservation.left),
                    subdivide=fields.get("subdivide") == "true",
                ),
                shared=False,
                folder=transfer.folder,
            )
            if complete is None:
                await uploads.complete(reservation, map_id is None or policy.share_all)
            else:
                await complete(reservation)
        return report

    async def stage_one(
        received: Received, transfer: Transfer, map_id: str | None, address: str, decision: Decision | None
    ) -> dict[str, Any]:
        """Reads the file into a table that no map sees, and carries the decision out if there is one already."""
        numbers: list[int] = []

        async def complete(reservation: Reservation) -> None:
            await staged.stage(reservation)
            numbers.append(reservation.number)

        layer = received.fields.get("layer") or None
        report = await load_one(received, transfer, map_id, address, staging_name(), layer, complete)
        if loaded is not None:
            await loaded()
        answer = report.model_dump()
        if decision is None:
            seen = await policy.look(report.table) if policy.look is not None else {}
            return {**answer, **seen, "staged": numbers[0]}
        try:
            finished = await staged.finish(map_id, numbers[0], decision, policy.share_all)
        except GisError:
            await staged.discard(map_id, numbers[0])
            raise
        if loaded is not None:
            await loaded()
        return {
            **answer,
            **finished,
            "remarks": [*report.remarks, *finished["remarks"]],
            "added": report.rows,
        }

    async def load_each(received: Received, transfer: Transfer, load_table: LoadTable) -> dict[str, Any]:
        """A table of each layer. A layer that cannot be loaded does not keep the others from it."""
        names = await layer_names(
            received.path,
            file=received.name,
            encoding=received.fields.get("encoding") or None,
            limits=policy.limits,
            folder=transfer.folder,
        )
        stem = received.fields.get("table") or Path(received.name).stem
        reports: list[dict[str, Any]] = []
        failed: list[dict[str, str]] = []
        faults: list[GisError] = []
        deadline = time.monotonic() + policy.limits.seconds
        for layer in names:
            try:
                if time.monotonic() > deadline:
                    raise FileTooLarge("The time for loading this file was over before this layer.")
                reports.append((await load_table(table_for(stem, layer), layer)).model_dump())
            except (CannotLoad, QuotaExceeded) as fault:
                faults.append(fault)
                failed.append({"layer": layer, "code": fault.code, "message": str(fault)})
        if not reports:
            raise faults[0]
        return {"tables": reports, "failed": failed}

    async def share(request: web.Request) -> web.Response:
        """View links only read, so `addresses.keys` refuses them."""
        async with sharing.place():
            known = await uploads.share(request.match_info["map_id"], request.match_info["table_id"])
        if not known:
            raise HttpFault("unknown_table", "This map has no upload of this name.")
        if loaded is not None:
            await loaded()
        return web.json_response({"shared": True}, headers={"Cache-Control": "no-store"})

    return [
        web.post("/api/uploads", upload),
        web.post("/api/maps/{map_id}/tables/{table_id}/share", share),
    ]


def _decision(fields: dict[str, str], map_id: str | None) -> Decision | None:
    """What becomes of the rows, where they do not simply become a new table."""
    if fields.get("mode", "new") == "new" and not fields.get("stage"):
        return None
    if map_id is None:
        raise HttpFault(
            "invalid_payload", "Send `map`: only its own uploads are changed, and it alone can decide."
        )
    if fields.get("layers") == "each":
        raise HttpFault("invalid_payload", "Send one `layer`, or `layers=united`: the rows go to one table.")
    return None if fields.get("stage") else decision_of(fields.get("mode"), fields.get("table"))


async def _map_of(received: Received, policy: UploadPolicy) -> str | None:
    key = received.fields.get("map")
    if not key or policy.access is None:
        return key or None
    access = await policy.access(key)
    if not access.may_change:
        raise read_only()
    return access.map_id


async def _received(request: web.Request, transfer: Transfer, limits: IngestLimits) -> Received:
    """The file, on disk piece by piece, and the fields."""
    name = ""
    path = transfer.folder / "upload"
    fields: dict[str, str] = {}
    pace = Pace()
    try:
        parts = await request.multipart()
        while (part := await pace.part(parts.next())) is not None:
            if not isinstance(part, BodyPartReader):
                raise HttpFault(
                    "invalid_payload", "A multipart body within a multipart body is not understood."
                )
            if part.name == "file" and not name:
                name = file_name(part.filename)
                await _save(part, path, transfer, limits, pace)
            elif part.name in FIELDS:
                fields[part.name] = await _text(part, pace)
            else:
                raise HttpFault(
                    "invalid_payload", f"Unknown field {part.name!r}: send `file` once, and {FIELDS}."
                )
    except ClientConnectionError as error:
        raise ConnectionResetError("the client left") from error
    except ValueError as error:
        raise HttpFault("invalid_payload", "The body is no multipart/form-data that can be read.") from error
    if not name:
        raise HttpFault("invalid_payload", "There is no field `file`.")
    if fields.get("layers", "") not in LAYERS:
        raise HttpFault("invalid_payload", "`layers` is `each` or `united`.")
    if fields.get("layers") and fields.get("layer"):
        raise HttpFault("invalid_payload", "Send `layer` or `layers`, not both.")
    return Received(path, name, fields)


async def _save(
    part: BodyPartReader, path: Path, transfer: Transfer, limits: IngestLimits, pace: Pace
) -> None:
    size = 0
    with path.open("xb") as file:
        while piece := await pace.of(part.read_chunk(PIECE)):
            size += len(piece)
            if size > limits.bytes:
                raise _too_large(limits)
            transfer.grow(len(piece))
            await asyncio.to_thread(file.write, piece)


async def _text(part: BodyPartReader, pace: Pace) -> str:
    text = bytearray()
    while piece := await pace.of(part.read_chunk(LONGEST_FIELD)):
        text += piece
        if len(text) > LONGEST_FIELD:
            raise HttpFault("invalid_payload", f"The field {part.name!r} is too long.")
    if b"\x00" in text:
        raise HttpFault("invalid_payload", f"The field {part.name!r} must not hold NUL characters.")
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise HttpFault("invalid_payload", f"The field {part.name!r} is not UTF-8.") from None


def file_name(sent: str | None) -> str:
    """The last part of what the browser says, without anything that is special to a file system."""
    name = PurePath((sent or "").replace("\\", "/")).name
    stem, dot, suffix = re.sub("[/:]", "_", CONTROLS.sub("_", name)).rpartition(".")
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
