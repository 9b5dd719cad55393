"""GET /metrics for Prometheus: at a separate address, or at the server's with a token, because it covers all users."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from server.maps.faults import RequestFault
from server.settings import display_url

log = structlog.get_logger(__name__)


def routes(metrics: CollectorRegistry, token: str | None) -> list[web.RouteDef]:
    """The route on the server's own address; without a token it refuses every request."""

    async def with_token(request: web.Request) -> web.Response:
        sent = request.headers.get("Authorization", "")
        if token is None or not hmac.compare_digest(
            sent.encode(errors="surrogateescape"), f"Bearer {token}".encode()
        ):
            raise RequestFault(
                "forbidden",
                "Metrics are read at the address in GEOAGENT_METRICS, or here with the token in "
                "GEOAGENT_METRICS_TOKEN.",
            )
        return _page(metrics)

    return [web.get("/metrics", with_token)]


@asynccontextmanager
async def serving_metrics(address: str, metrics: CollectorRegistry) -> AsyncIterator[str]:
    """Listen on `host:port`. Yields the URL of the metrics, empty if they are off or the address is in use."""
    if not address:
        yield ""
        return

    async def page(request: web.Request) -> web.Response:
        return _page(metrics)

    app = web.Application()
    app.add_routes([web.get("/metrics", page)])
    runner = web.AppRunner(app, handle_signals=False, access_log=None)
    await runner.setup()
    try:
        host, _, port = address.rpartition(":")
        try:
            await web.TCPSite(runner, host.strip("[]"), int(port)).start()
        except OSError as error:
            # A second server on the same machine runs without metrics, which is not an error.
            log.info(
                "another program listens on the address for metrics, so this server serves none; "
                "set GEOAGENT_METRICS to a free address to have them, or to off",
                address=address,
                error=str(error),
            )
            yield ""
            return
        yield f"{display_url(host.strip('[]'), runner.addresses[0][1])}/metrics"
    finally:
        await runner.cleanup()


def _page(metrics: CollectorRegistry) -> web.Response:
    return web.Response(body=generate_latest(metrics), headers={"Content-Type": CONTENT_TYPE_LATEST})
