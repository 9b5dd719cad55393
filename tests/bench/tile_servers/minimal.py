"""The shortest server of a table's tiles: aiohttp that compresses what the bare query returns.

`python -m tests.bench.tile_servers.minimal URL` prints its address when it listens."""

from __future__ import annotations

import asyncio
import sys
import zlib

import asyncpg
import uvloop
from aiohttp import web

from server.gis.tiles.grid import BUFFER, EXTENT

CONNECTIONS = 8
GZIP = 31
KEPT = b"t" * 11_000
"""As many bytes as a tile."""


def bare_query(name: str, srid: int) -> str:
    """The shortest statement that draws the same features with the same columns; of $1/$2/$3, zoom, column and row."""
    return f"""SELECT ST_AsMVT(feature, 'features', {EXTENT}, 'drawn', 'id') FROM (
      SELECT ST_AsMVTGeom(ST_Transform(geom, 3857), ST_TileEnvelope($1, $2, $3), {EXTENT}, {BUFFER}) AS drawn,
             id, name, value FROM data.{name}
      WHERE geom && ST_Transform(
        ST_TileEnvelope($1, $2, $3, margin => {BUFFER}.0 / {EXTENT}), {srid})) AS feature"""


async def serve(url: str) -> None:
    pool = await asyncpg.create_pool(
        url, min_size=1, max_size=CONNECTIONS, server_settings={"application_name": "minimal", "jit": "off"}
    )

    async def tile(request: web.Request) -> web.Response:
        wanted = request.match_info
        z, x, y, srid = (int(wanted[name]) for name in ("z", "x", "y", "srid"))
        drawn = await pool.fetchval(bare_query(wanted["name"], srid), z, x, y)
        packer = zlib.compressobj(1, wbits=GZIP)
        body = packer.compress(drawn) + packer.flush()
        return web.Response(body=body, headers={"Content-Encoding": "gzip"})

    async def kept(request: web.Request) -> web.Response:
        return web.Response(body=KEPT, headers={"Content-Encoding": "gzip"})

    app = web.Application()
    app.add_routes([web.get("/{name}/{srid}/{z}/{x}/{y}", tile), web.get("/kept", kept)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port, *_ = runner.addresses[0]
    print(f"http://{host}:{port}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as running:
        running.run(serve(sys.argv[1]))
