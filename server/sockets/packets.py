"""Parses Socket.IO packets of untrusted clients: bounded, and without exceptions.

A packet that cannot be parsed becomes an event with the payload `Unreadable`, so that its sender gets an error."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from socketio.packet import ACK, BINARY_EVENT, CONNECT, DISCONNECT, EVENT, Packet

from server.maps.encoded import Encoded, encode

MAX_TEXT = 512 * 1024
NO_BINARY = "Binary data is not taken here; upload files by HTTP."
UNDERSTOOD = frozenset({CONNECT, DISCONNECT, EVENT, ACK, BINARY_EVENT})
EVENT_HEAD = re.compile(r'\["([a-z_]{1,40})",')
RESERVED = frozenset({"connect", "disconnect", "connect_error", "__disconnect_final", "*"})


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Replaces a payload that cannot be parsed; has the code and message of the fault."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Unread:
    """One or more payloads as they were received: JSON that has not been parsed."""

    text: str


class BoundedJson:
    """The `json` that the Socket.IO server reads with. It leaves payloads to the models that check them."""

    @staticmethod
    def dumps(value: Any, **options: Any) -> str:
        """An event's or acknowledgement's arguments; those that are encoded already go in as they are."""
        if isinstance(value, list) and any(isinstance(item, Encoded) for item in value):
            return f"[{','.join(encode(item).text for item in value)}]"
        return json.dumps(value, **options)

    @staticmethod
    def loads(text: str) -> Any:
        """An event's name with its unread payload, or with the reason why it cannot be read."""
        if len(text) > MAX_TEXT:
            return [event_name(text), Unreadable("too_large", f"A message may have {MAX_TEXT} bytes.")]
        head = EVENT_HEAD.match(text)
        if head is not None and text.endswith("]"):
            return [head[1], Unread(text[head.end() : -1])]
        try:
            return json.loads(text)
        except RecursionError:
            return [event_name(text), Unreadable("invalid_payload", "The payload is nested too deeply.")]
        except ValueError:
            return [event_name(text), Unreadable("invalid_payload", "The payload is not valid JSON.")]


class BoundedPacket(Packet):  # type: ignore[misc]  # python-socketio has no types
    """A packet that always makes sense: what does not becomes an event without a name.

    Attachments are counted and dropped, since nothing here takes binary data."""

    json = BoundedJson
    data: Any
    packet_type: int
    attachment_count: int

    def decode(self, encoded_packet: str | bytes) -> int:
        """Read a packet; returns how many attachments follow. Never raises."""
        self.received = 0
        try:
            if isinstance(encoded_packet, bytes):
                raise ValueError("a binary message that no packet announced")
            count: int = super().decode(encoded_packet) or 0
        except (ValueError, TypeError, IndexError):
            return self._make_nothing()
        if self.packet_type not in UNDERSTOOD:
            return self._make_nothing()
        if self.packet_type in (EVENT, BINARY_EVENT):
            self.data = named(self.data)
        if self.packet_type == BINARY_EVENT and not count:
            self.packet_type = EVENT
        return count

    def add_attachment(self, attachment: str | bytes) -> bool:
        """Count an attachment; True after the last, and the event is then refused."""
        self.received += 1
        if self.received < self.attachment_count:
            return False
        self.data = [self.data[0], Unreadable("invalid_payload", NO_BINARY)]
        return True

    def _make_nothing(self) -> int:
        self.packet_type, self.namespace, self.data = EVENT, None, [""]
        return 0


def named(data: Any) -> list[Any]:
    """The event's name and its arguments; the name is empty where a packet has none."""
    if not isinstance(data, list) or not data:
        return ["", *([] if data is None else [data])]
    name, *rest = data
    if not isinstance(name, str):
        return ["", *rest]
    return [f"reserved:{name}" if name in RESERVED else name, *rest]


def event_name(text: str) -> str:
    """The name at the head of an event that could not be read."""
    try:
        name, _end = json.JSONDecoder().raw_decode(text[:200], 1)
    except (ValueError, RecursionError):
        return ""
    return name if isinstance(name, str) else ""
