"""Files that are asked for in plain words, without a language model, hold what was asked for."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp
import pyogrio
import pytest

from server.app import Server
from tests.support.server import Client, client, local_server


async def delivered(server: Server, one: Client, folder: Path) -> tuple[Path, str]:
    """The file of the latest answer, and the answer."""
    answer = str(one.named("ai_response")[-1]["message"])
    found = re.search(r"\[([^\]]+)\]\(([^)]+)\)", answer)
    assert found is not None, answer
    link = found[2] if found[2].startswith("/") else f"/api/maps/{one.map_id}/{found[2]}"
    async with aiohttp.ClientSession(server.url) as session, session.get(link) as response:
        assert response.status == 200, link
        path = folder / found[1]
        path.write_bytes(await response.read())
    return path, answer


async def test_the_result_is_exported_in_the_system_and_format_that_were_asked_for(
    samples_url: str, tmp_path: Path
) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("buffer the airports in Peru by 5 km")
        await one.says("show cities in Japan")
        await one.says("export the result as GeoPackage in EPSG:2154")
        path, answer = await delivered(server, one, tmp_path)
        assert "161 rows in EPSG:2154" in answer
        info = pyogrio.read_info(path)
        assert (info["crs"], info["features"], info["geometry_type"]) == ("EPSG:2154", 161, "MultiPolygon")
        await one.says("export it as geojson")
        path, _ = await delivered(server, one, tmp_path)
        assert path.suffix == ".geojson"
        assert pyogrio.read_info(path)["geometry_type"] == "Point"


async def test_a_result_without_geometry_is_exported_too(samples_url: str, tmp_path: Path) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("summarise countries by continent with total population")
        await one.says("export the result as csv")
        path, _ = await delivered(server, one, tmp_path)
        header, *rows = path.read_text("utf-8-sig").splitlines()
        assert header == "continent,count,sum_population"
        assert len(rows) == 8


@pytest.mark.parametrize(
    ("text", "name", "rows"),
    [
        ("export airports as a shapefile", "airports.zip", 28_298),
        ("download the countries in EPSG:3035 as GeoPackage", "countries.gpkg", 240),
    ],
)
async def test_a_table_is_exported_without_being_on_the_map(
    samples_url: str, tmp_path: Path, text: str, name: str, rows: int
) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says(text)
        path, answer = await delivered(server, one, tmp_path)
        assert path.name == name
        assert f"{rows:,} rows" in answer
        assert pyogrio.read_info(path)["features"] == rows
