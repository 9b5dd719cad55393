"""`GET /healthz` says that the process is alive, `GET /readyz` whether it can serve.

`/healthz` waits for nothing, and while the event loop is busy the process that `process.py` starts answers it.
`/readyz` answers 503 with the checks that failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

CHECK_TIMEOUT_S = 3.0

Check = Callable[[], Awaitable[str | None]]
"""Returns what is wrong, or None."""


def routes(checks: Mapping[str, Check]) -> list[web.RouteDef]:
    """The two routes; `checks` maps the name shown in `/readyz` to its check."""

    async def healthz(request: web.Request) -> web.Response:
        return alive()

    async def readyz(request: web.Request) -> web.Response:
        found = dict(
            zip(checks, await asyncio.gather(*(run_check(check) for check in checks.values())), strict=True)
        )
        return readiness(found)

    return [web.get("/healthz", healthz), web.get("/readyz", readyz)]


def alive() -> web.Response:
    """The answer of `/healthz`."""
    return web.json_response({"ok": True}, headers={"Cache-Control": "no-store"})


def readiness(found: Mapping[str, str | None]) -> web.Response:
    """The answer of `/readyz`: what each check found, or None."""
    ready = not any(found.values())
    body = {"ok": ready, "checks": {name: fault or "ok" for name, fault in found.items()}}
    return web.json_response(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})


async def run_check(check: Check) -> str | None:
    """The check's finding. An exception is reported by the name of its type, because its text may hold secrets."""
    try:
        return await asyncio.wait_for(check(), CHECK_TIMEOUT_S)
    except TimeoutError:
        return f"no answer within {CHECK_TIMEOUT_S:g} s"
    except Exception as error:
        return type(error).__name__
