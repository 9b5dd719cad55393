"""JSON that was written once and is sent to many."""

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
    """The value as JSON. An object may hold what is encoded already, which goes in as it is."""
    if isinstance(value, Encoded):
        return value
    if isinstance(value, Mapping):
        ready = {name: member for name, member in value.items() if isinstance(member, Encoded)}
        if ready:
            return joined({name: member for name, member in value.items() if name not in ready}, ready)
    return Encoded(json.dumps(value, separators=(",", ":")))


def joined(members: Mapping[str, Any], ready: Mapping[str, Encoded]) -> Encoded:
    """An object of members, and of others that are encoded already."""
    texts = [json.dumps(members, separators=(",", ":"))[1:-1]] if members else []
    texts += [f"{json.dumps(name)}:{member.text}" for name, member in ready.items()]
    return Encoded(f"{{{','.join(texts)}}}")
