"""Limits that a person meets are those of the server's settings, and what is over them says so."""

from __future__ import annotations

import aiohttp
import asyncpg

from server.app import Server
from server.gis.overviews.caps import TileCaps
from server.settings import Settings
from tests.integration.tiles.drawing import decoded
from tests.support.server import client, local_server

ROWS = 1_500
MADE = f"""CREATE TABLE data.pings AS SELECT n AS id,
    ST_SetSRID(ST_MakePoint(n % 90, n / 90), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, {ROWS}) AS n;
    CREATE TABLE data.huts AS SELECT id, ST_Expand(geom, 0.4)::geometry(Polygon, 4326) AS geom FROM data.pings;
    ANALYZE data.pings; ANALYZE data.huts"""


def test_without_settings_tiles_draw_as_many_as_the_statements_do() -> None:
    settings = Settings()
    assert TileCaps(settings.tile_points, settings.tile_shapes) == TileCaps()


async def test_tiles_exports_and_uploads_end_at_the_limits_of_the_settings(samples_url: str) -> None:
    owner = await asyncpg.connect(samples_url)
    await owner.execute(MADE)
    await owner.close()
    limits = {"tile_points": 1200, "tile_shapes": 1000, "export_rows": 1400, "upload_rows": 1300}
    async with local_server(samples_url, **limits) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        for number, (table, most) in enumerate({"data.pings": 1200, "data.huts": 1000}.items(), 1):
            await one.ask("layer_add", table=table)
            layer = (await one.hears("layer_added", number))["layer"]
            note = decoded(await fetched(server, layer["tiles"].replace("{z}/{x}/{y}", "0/0/0")))["_meta"][0]
            assert note.properties == {"shown": most, "total": ROWS}
        export = f"/api/maps/{one.map_id}/layers/{layer['id']}/export"
        assert b"1,500 rows are too many" in await fetched(server, f"{export}.gpkg", 413)
        assert (await fetched(server, f"{export}.csv")).count(b"\n") == ROWS + 1
        lines = "\n".join(f"{n},48.1,9.1" for n in range(ROWS))
        answer = await uploaded(server, one.map_id, f"id,lat,lon\n{lines}")
        assert "more than 1,300 rows" in answer


async def test_a_turn_takes_no_longer_than_the_setting(samples_url: str) -> None:
    async with local_server(samples_url, turn_timeout=1e-6) as server, client(server) as one:
        await one.ask("join")
        await one.says("show the airports")
        assert "took longer than" in one.named("ai_response")[-1]["message"]
        assert not one.named("layer_added")


async def fetched(server: Server, path: str, status: int = 200) -> bytes:
    async with aiohttp.ClientSession() as session, session.get(f"{server.url.rstrip('/')}{path}") as answer:
        assert answer.status == status, await answer.text()
        return await answer.read()


async def uploaded(server: Server, map_id: str | None, text: str) -> str:
    form = aiohttp.FormData()
    form.add_field("file", text.encode(), filename="many.csv")
    address = f"{server.url.rstrip('/')}/api/uploads?map_id={map_id}"
    async with aiohttp.ClientSession() as session, session.post(address, data=form) as answer:
        return await answer.text()
