"""For those who keep the server running: is the process alive, can it serve, and what does it do.

`/healthz` asks nothing of anybody, and while the event loop is held up `health_process.py` answers it; `/readyz`
answers 503 with the reason while the server cannot do its work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

PATIENCE = 3.0

Check = Callable[[], Awaitable[str | None]]
"""What is wrong, or None."""


def routes(checks: Mapping[str, Check]) -> list[web.RouteDef]:
    async def healthz(request: web.Request) -> web.Response:
        return web.json_response({"ok": True}, headers={"Cache-Control": "no-store"})

    async def readyz(request: web.Request) -> web.Response:
        found = dict(
            zip(checks, await asyncio.gather(*(asked(check) for check in checks.values())), strict=True)
        )
        ready = not any(found.values())
        body = {"ok": ready, "checks": {name: fault or "ok" for name, fault in found.items()}}
        return web.json_response(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})

    return [web.get("/healthz", healthz), web.get("/readyz", readyz)]


async def asked(check: Check) -> str | None:
    """A check that fails or takes too long says so; its exception's text stays here."""
    try:
        return await asyncio.wait_for(check(), PATIENCE)
    except TimeoutError:
        return f"no answer within {PATIENCE:g} s"
    except Exception as error:
        return type(error).__name__
