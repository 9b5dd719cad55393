"""Logs go to standard error: JSON lines for machines, readable ones in a terminal. Quiet unless asked."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

NOISY = ("aiohttp", "asyncio", "engineio", "socketio", "httpx", "openai", "alembic", "sqlalchemy")

OWN_HANDLERS = ("engineio.server", "engineio.client", "socketio.server", "socketio.client")
"""Without a level, these add handlers of their own, which write each line a second time, as plain text."""


def set_up(level: str) -> None:
    """Set up structlog's loggers and the standard library's, at one level."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.WARNING)
    terminal = sys.stderr.isatty()
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: list[Any] = (
        # Not rich's tracebacks: they show values of variables, and rendering one blocks the loop for half a second.
        [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
        if terminal
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    for name in NOISY:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
    for name in OWN_HANDLERS:
        logging.getLogger(name).setLevel(max(number, logging.ERROR))
