"""What the server writes to its log."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest
import socketio
import structlog

from server import logs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def unchanged() -> Iterator[None]:
    """What a test sets up for logging ends with it."""
    root, before = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers, root.level
    yield
    root.handlers = handlers
    root.setLevel(level)
    structlog.configure(**before)


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_traceback_shows_no_values(monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO]) -> None:
    """A key of a model's provider may be among them."""
    written = stream()
    monkeypatch.setattr(sys, "stderr", written)
    logs.set_up("warning")
    key = "sk-" + "1234567890"
    try:
        raise RuntimeError(f"it failed with a key of {len(key)} characters")
    except RuntimeError as error:
        structlog.get_logger("test").error("a request failed", exc_info=error)
    assert "it failed with a key of 13 characters" in written.getvalue()
    assert key not in written.getvalue()


@pytest.mark.usefixtures("unchanged")
def test_faults_of_sockets_are_logged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stderr", written)
    for name in ("engineio.server", "socketio.server"):
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "handlers", [])
        monkeypatch.setattr(logger, "level", logging.NOTSET)
    logs.set_up("warning")
    socketio.AsyncServer(async_mode="aiohttp").eio.logger.error("not an accepted origin")
    assert [json.loads(line)["event"] for line in written.getvalue().splitlines()] == [
        "not an accepted origin"
    ]
