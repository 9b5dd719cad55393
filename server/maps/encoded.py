"""JSON that is encoded once and sent to many clients."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Encoded:
    """A JSON value as text."""

    text: str


def encode(value: Any) -> Encoded:
    """The value as JSON. Values of an object that are `Encoded` already are inserted as they are."""
    if isinstance(value, Encoded):
        return value
    if isinstance(value, Mapping):
        ready = {name: member for name, member in value.items() if isinstance(member, Encoded)}
        if ready:
            return joined({name: member for name, member in value.items() if name not in ready}, ready)
    return Encoded(json.dumps(value, separators=(",", ":")))


def joined(members: Mapping[str, Any], ready: Mapping[str, Encoded]) -> Encoded:
    """A JSON object of plain members and of members that are encoded already."""
    texts = [json.dumps(members, separators=(",", ":"))[1:-1]] if members else []
    texts += [f"{json.dumps(name)}:{member.text}" for name, member in ready.items()]
    return Encoded(f"{{{','.join(texts)}}}")
