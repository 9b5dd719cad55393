"""Translates every error into the socket protocol's shape: `{"error": {"code", "message"}}`.

Handlers raise `RequestFault`, a fault of a map or of the data, or an exception of aiohttp."""

from __future__ import annotations

import errno
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import structlog
from aiohttp import web

from agents.core.errors import ToolSignal
from agents.worded import stored_wording
from server import fault_texts
from server.database.outages import AWAY, why_unavailable

log = structlog.get_logger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

STATUS = {
    "forbidden": 403, "read_only": 403, "not_found": 404, "unknown_map": 404, "unknown_layer": 404,
    "unknown_table": 404, "unknown_chart": 404, "unknown_recipe": 404, "too_slow": 408, "conflict": 409,
    "columns_differ": 409, "too_large": 413, "too_many_vertices": 413, "quota": 413, "rate_limited": 429,
    "internal": 500, "unavailable": 503, "busy": 503, "no_space": 507,
}  # fmt: skip
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
NO_SPACE = fault_texts.NO_SPACE()
CODES = {400: "invalid_payload", 404: "not_found", 405: "not_found", 413: "too_large", 415: "invalid_payload"}


def fault_response(
    code: str, message: str, status: int | None = None, details: Mapping[str, Any] | None = None
) -> web.Response:
    """The answer for a fault; `details` are data for programs, such as the names to choose from."""
    more = {"details": details} if details else {}
    body = {"error": {"code": code, "message": message, **stored_wording(message), **more}}
    return web.json_response(
        body, status=status or STATUS.get(code, 400), headers={"Cache-Control": "no-store"}
    )


@web.middleware
async def faults(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Middleware that turns exceptions into answers. Unexpected ones are logged under an id that the answer names."""
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400:
            raise
        return translate(error)
    except Exception as error:
        return failure(error, request.path)


def failure(error: Exception, path: str) -> web.Response:
    """The answer for what a request has raised, besides exceptions of aiohttp."""
    if isinstance(error, ToolSignal):
        code = str(getattr(error, "code", "invalid_payload"))
        response = fault_response(code, error.message, details=getattr(error, "details", None))
        retry_after = getattr(error, "retry_after", None)
        if retry_after is not None:
            response.headers["Retry-After"] = str(math.ceil(retry_after))
        return response
    if isinstance(error, OSError) and error.errno in DISK_FULL:
        log.error("the server's disk is full", path=path)
        return fault_response("no_space", NO_SPACE)
    why = AWAY if isinstance(error, TimeoutError) else why_unavailable(error)
    if why is not None:
        return fault_response("unavailable", why)
    error_id = secrets.token_hex(4)
    log.error("a request failed", path=path, error_id=error_id, exc_info=error)
    return fault_response("internal", fault_texts.INTERNAL(id=error_id))


def translate(error: web.HTTPException) -> web.Response:
    """An exception of aiohttp as a fault; its `Allow` and `Retry-After` headers are kept."""
    code = CODES.get(error.status, "forbidden" if error.status in (401, 403) else "invalid_payload")
    response = fault_response(
        code, error.text if error.status == 400 and error.text else error.reason, error.status
    )
    for name in ("Allow", "Retry-After"):
        if name in error.headers:
            response.headers[name] = error.headers[name]
    return response
