"""A file that is longer than a few screens usually hides a second subject."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MAX_LINES = 400


def test_no_file_is_longer() -> None:
    assert [
        path.relative_to(ROOT).as_posix()
        for package in ("agents", "server")
        for path in (ROOT / package).rglob("*.py")
        if len(path.read_text().splitlines()) > MAX_LINES
    ] == [], "move a second subject to another module (docs/architecture.md#what-checks-ask-of-every-change)"
