"""Events and what follows from them are written in one place."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WRITES = re.compile(
    r"\b(?:insert|update|delete)\((?:event_table|layer_table)\b"
    r"|(?:INSERT INTO|UPDATE|DELETE FROM) geoagent\.(?:event|layer)\b"
)


def test_only_the_event_log_writes_events_and_layers() -> None:
    writers = {
        path.relative_to(ROOT).parent.as_posix()
        for path in (ROOT / "server").rglob("*.py")
        if WRITES.search(path.read_text())
    }
    assert writers == {"server/maps/log"}, (
        "record a Change instead (docs/architecture.md#what-checks-ask-of-every-change, docs/extending.md#add-an-event)"
    )
