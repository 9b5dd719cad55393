"""From what a socket sent to a request of the protocol, or to the fault that says what was wrong with it."""

from __future__ import annotations

import json
import math
import re
import secrets
from typing import Any, get_args

import structlog
from pydantic import BaseModel, ValidationError

from agents.core.errors import ToolSignal, faults_in
from agents.worded import wording_of
from server import fault_texts
from server.database.outages import AWAY, why_unavailable
from server.database.sqlstates import LOCK_NOT_AVAILABLE, sqlstate
from server.maps.faults import RequestFault
from server.protocol import REQUESTS, Fault, Request
from server.sockets.packets import NO_BINARY, Unread, Unreadable

log = structlog.get_logger(__name__)

CODES = frozenset(get_args(Fault.model_fields["code"].annotation))
MAX_DEPTH = 40
MAX_VALUES = 50_000
SURROGATE = re.compile("[\ud800-\udfff]")


def read_request(event: str, arguments: tuple[Any, ...]) -> Request:
    """The request of an event. Raises RequestFault with code `invalid_payload` or `too_large`."""
    model = REQUESTS.get(event)
    if model is None:
        raise RequestFault(
            "invalid_payload", f"There is no event {event[:60]!r}. Events: {', '.join(REQUESTS)}."
        )
    if len(arguments) > 1:
        raise RequestFault("invalid_payload", f"`{event}` takes one payload, and {len(arguments)} came.")
    payload = arguments[0] if arguments else {}
    if isinstance(payload, Unread):
        return read_unread(event, model, payload.text)
    if isinstance(payload, Unreadable):
        raise RequestFault(payload.code, payload.message)
    if payload is None and event == "join":
        payload = {}
    if not isinstance(payload, dict):
        raise RequestFault("invalid_payload", f"The payload of `{event}` must be an object.")
    check_values(payload)
    try:
        # As JSON: there, an array is accepted as a tuple, but no text or boolean as a number.
        return model.model_validate_json(json.dumps(payload), strict=True)
    except ValidationError as error:
        faults = faults_in("payload", error)
        raise RequestFault("invalid_payload", f"Invalid `{event}` payload: {faults}.") from None


def read_unread(event: str, model: type[Request], text: str) -> Request:
    """The request, read from JSON once. Only what must be refused is read again, to say why."""
    try:
        request = model.model_validate_json(text, strict=True)
        check_values(request)
        return request
    except (ValidationError, RequestFault):
        try:
            arguments = json.loads(f"[{text}]")
        except RecursionError:
            arguments = [Unreadable("invalid_payload", "The payload is nested too deeply.")]
        except ValueError:
            arguments = [Unreadable("invalid_payload", "The payload is not valid JSON.")]
        return read_request(event, tuple(arguments))


def check_values(payload: dict[str, Any] | Request) -> None:
    """Refuse payloads that PostgreSQL cannot store as JSON, that are nested too deeply or that have too many values.

    Works level by level, without a function call for each value."""
    level: list[Any] = [payload]
    seen = 0
    for _depth in range(MAX_DEPTH + 1):
        seen += len(level)
        if seen > MAX_VALUES:
            raise RequestFault("too_large", f"A payload may hold {MAX_VALUES} values.")
        inside: list[Any] = []
        for value in level:
            kind = type(value)
            if kind is float:
                if not math.isfinite(value):
                    raise RequestFault("invalid_payload", "Numbers must be finite.")
            elif kind is int:
                if not -(2**63) <= value <= 2**63:
                    raise RequestFault("invalid_payload", "Whole numbers must fit into 64 bits.")
            elif kind is str:
                if "\x00" in value or SURROGATE.search(value):
                    raise RequestFault("invalid_payload", "Text must be Unicode without NUL characters.")
            elif kind is list or kind is tuple:
                inside += value
            elif kind is dict:
                inside += value
                inside += value.values()
            elif isinstance(value, BaseModel):
                inside += vars(value).values()
            elif value is not None and kind is not bool:
                raise RequestFault("invalid_payload", NO_BINARY)
        if not inside:
            return
        level = inside
    raise RequestFault("invalid_payload", f"A payload may be nested {MAX_DEPTH} levels deep.")


def refusal(event: str, error: Exception) -> dict[str, Any]:
    """The acknowledgement for an exception. Only the messages of faults that are meant for users are sent."""
    if isinstance(error, ToolSignal):
        code = str(getattr(error, "code", "invalid_payload"))
        known = code if code in CODES else "internal"
        return answer(known, error.message, getattr(error, "retry_after", None))
    if sqlstate(error) == LOCK_NOT_AVAILABLE:
        return answer("conflict", fault_texts.MAP_BUSY())
    why = AWAY if isinstance(error, TimeoutError) else why_unavailable(error)
    if why is not None:
        return answer("unavailable", why)
    error_id = secrets.token_hex(4)
    log.error("a request failed", event_name=event, error_id=error_id, exc_info=error)
    return answer("internal", fault_texts.INTERNAL(id=error_id))


def answer(code: str, message: str, retry_after: float | None = None) -> dict[str, Any]:
    """The acknowledgement of a request that failed; `retry_after` in seconds."""
    fault = Fault.model_validate(
        {"code": code, "message": message, "wording": wording_of(message), "retry_after": retry_after}
    )
    return {"ok": False, "error": fault.model_dump(mode="json", exclude_defaults=True)}
