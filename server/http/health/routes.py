"""`GET /healthz` says that the process is alive, `GET /readyz` whether it can serve.

`/healthz` waits for nothing, and while the event loop is busy the process that `process.py` starts answers it.
`/readyz` answers 503 with the checks that failed. Its checks run at most once a second, however often it is asked."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

CHECK_TIMEOUT_S = 3.0
KEPT_S = 1.0
"""Time for which `/readyz` repeats the last findings."""
ALIVE = b'{"ok": true}'

Check = Callable[[], Awaitable[str | None]]
"""Returns the fault, or None."""


class Readiness:
    """The latest findings of the checks, as the body of an answer. All requests that come while the checks run wait for
    the same run."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._found = (503, b"")
        self._until = 0.0
        self._run: asyncio.Task[None] | None = None

    async def answer(self) -> tuple[int, bytes]:
        """Status and body, at most `KEPT_S` old."""
        if time.monotonic() >= self._until:
            if self._run is None or self._run.done():
                self._run = asyncio.create_task(self._check())
            await asyncio.shield(self._run)
        return self._found

    async def _check(self) -> None:
        found = await asyncio.gather(*(run_check(check) for check in self._checks.values()))
        self._found = readiness(dict(zip(self._checks, found, strict=True)))
        self._until = time.monotonic() + KEPT_S


def routes(checks: Mapping[str, Check]) -> list[web.RouteDef]:
    """The two routes; `checks` maps the name shown in `/readyz` to its check."""
    ready = Readiness(checks)

    async def healthz(request: web.Request) -> web.Response:
        return health_answer(200, ALIVE)

    async def readyz(request: web.Request) -> web.Response:
        return health_answer(*await ready.answer())

    return [web.get("/healthz", healthz), web.get("/readyz", readyz)]


def health_answer(status: int, body: bytes) -> web.Response:
    """An answer of `/healthz` or `/readyz`."""
    headers = {"Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store"}
    return web.Response(body=body, status=status, headers=headers)


def readiness(found: Mapping[str, str | None]) -> tuple[int, bytes]:
    """Status and body of `/readyz`: what each check found, or None."""
    ready = not any(found.values())
    body = {"ok": ready, "checks": {name: fault or "ok" for name, fault in found.items()}}
    return 200 if ready else 503, json.dumps(body).encode()


async def run_check(check: Check) -> str | None:
    """The check's finding. An exception is reported by the name of its type, because its text may hold secrets."""
    try:
        return await asyncio.wait_for(check(), CHECK_TIMEOUT_S)
    except TimeoutError:
        return f"no answer within {CHECK_TIMEOUT_S:g} s"
    except Exception as error:
        return type(error).__name__
