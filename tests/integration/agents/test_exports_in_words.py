"""Files that are asked for in plain words, without a language model, hold what was asked for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import aiohttp
import pyogrio
import pytest
from sqlalchemy import text

from server.app import Server
from tests.support.server import Client, client


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
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("buffer the airports in Peru by 5 km")
        await one.says("show cities in Japan")
        await one.says("export the result as GeoPackage in EPSG:2154")
        path, answer = await delivered(offline_server, one, tmp_path)
        assert "161 rows in EPSG:2154" in answer
        info = pyogrio.read_info(path)
        assert (info["crs"], info["features"], info["geometry_type"]) == ("EPSG:2154", 161, "MultiPolygon")
        await one.says("export it as geojson")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert path.suffix == ".geojson"
        assert pyogrio.read_info(path)["geometry_type"] == "Point"


async def test_a_result_without_geometry_is_exported_too(offline_server: Server, tmp_path: Path) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("summarise countries by continent with total population")
        await one.says("export the result as csv")
        path, _ = await delivered(offline_server, one, tmp_path)
        header, *rows = path.read_text("utf-8-sig").splitlines()
        assert header == "continent,count,sum_population"
        assert len(rows) == 8
        await one.says("export the result as csv with the columns continent, count")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert path.read_text("utf-8-sig").splitlines()[0] == "continent,count"


@pytest.mark.parametrize(
    ("text", "name", "rows"),
    [
        ("export airports as a shapefile", "airports.zip", 28_298),
        ("download the countries in EPSG:3035 as GeoPackage", "countries.gpkg", 240),
        ("can I get the countries as a GeoJSON or CSV file?", "countries.geojson", 240),
        ("how do I get the countries as a GeoPackage?", "countries.gpkg", 240),
    ],
)
async def test_a_table_is_exported_without_being_on_the_map(
    offline_server: Server, tmp_path: Path, text: str, name: str, rows: int
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says(text)
        path, answer = await delivered(offline_server, one, tmp_path)
        assert path.name == name
        assert f"{rows:,} rows" in answer
        assert pyogrio.read_info(path)["features"] == rows


async def test_several_tables_are_exported_into_one_file(offline_server: Server, tmp_path: Path) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("export countries and airports as one GeoPackage in EPSG:3857")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert [name for name, _ in pyogrio.list_layers(path)] == ["countries", "airports"]
        assert pyogrio.read_info(path, layer="countries")["crs"] == "EPSG:3857"
        assert pyogrio.read_info(path, layer="airports")["features"] == 28_298


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("export the columns name and iata of airports as csv", "name,iata,longitude,latitude"),
        ("export the columns name, iata of airports as csv without geometry", "name,iata"),
        ("export only the columns iata of airports as csv with wkt", "iata,geometry"),
        ("export airports as csv with the columns name, iata, without geometry", "name,iata"),
        ("export airports as csv, only the columns name and iata", "name,iata,longitude,latitude"),
        ("export airports as csv with iata and name only", "iata,name,longitude,latitude"),
        (
            "export the columns name and iata of airports as csv with name as title",
            "title,iata,longitude,latitude",
        ),
        (
            "export the columns iata and name of airports as csv without geometry, with name as title and iata as code",
            "code,title",
        ),
        (
            "export cities as csv with population as people without geometry",
            "id,name,country,country_code,continent,people,is_capital,timezone",
        ),
    ],
)
async def test_columns_and_places_are_chosen_in_words(
    offline_server: Server, tmp_path: Path, text: str, header: str
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says(text)
        path, _ = await delivered(offline_server, one, tmp_path)
        assert path.read_text("utf-8-sig").splitlines()[0] == header


async def test_a_layer_and_columns_of_a_selection_are_renamed_in_words(
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says(
            "export airports above 4000 m as GeoPackage with layer name heights, with name as title"
        )
        path, _ = await delivered(offline_server, one, tmp_path)
        assert [name for name, _ in pyogrio.list_layers(path)] == ["heights"]
        fields = list(pyogrio.read_info(path, layer="heights")["fields"])
        assert "title" in fields
        assert "name" not in fields
        assert len(fields) > 3


async def test_the_encoding_is_chosen_in_words(offline_server: Server, tmp_path: Path) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("show airports in Peru")
        await one.says("export it as csv in utf-16")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert len(path.read_text("utf-16").splitlines()) == 162


async def test_the_sentences_of_an_analyst_end_in_the_right_files(
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        async with offline_server.database.owner.begin() as connection:
            for statement in (
                "CREATE TABLE data.lots (id int PRIMARY KEY, owner text, price text, geom geometry(Point, 2154))",
                "INSERT INTO data.lots SELECT n, 'Owner ' || n, CASE n WHEN 7 THEN 'n/a' ELSE (n * 1000)::text END,"
                " ST_SetSRID(ST_MakePoint(700000 + n / 2 * 10 + n % 2 * 0.4, 6600000), 2154)"
                " FROM generate_series(1, 20) n",
            ):
                await connection.exec_driver_sql(statement)
        await offline_server.registry.refresh()
        await one.ask("join")
        await one.says("rename the column owner of lots to holder")
        await one.says("export the result as GeoPackage in EPSG:3857")
        path, _ = await delivered(offline_server, one, tmp_path)
        info = pyogrio.read_info(path)
        assert (list(info["fields"]), info["crs"]) == (["id", "holder", "price"], "EPSG:3857")
        await one.says("make the column price of lots a number")
        answer = str(one.named("ai_response")[-1]["message"])
        assert "1 value of price cannot be read as number: 'n/a' (id 7). It is empty now." in answer
        await one.says("export the result as GeoPackage in EPSG:2154")
        path, _ = await delivered(offline_server, one, tmp_path)
        frame = pyogrio.read_dataframe(path)
        assert frame["price"].dtype == "float64"
        assert frame["price"].sum() == sum(range(1, 21)) * 1000 - 7000
        assert frame.crs.to_epsg() == 2154
        await one.says("drop duplicates of lots within 1 m")
        await one.says("export the result as GeoPackage")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert sorted(pyogrio.read_dataframe(path)["id"]) == [1, *range(2, 21, 2)]
        await one.says("reproject the countries to EPSG:3035")
        refused = str(one.named("ai_response")[-1]["message"])
        assert "95 of 240 features of data.countries are far outside" in refused
        await one.says("reproject the countries to EPSG:3035 without those outside")
        await one.says("export the result as FlatGeobuf")
        path, _ = await delivered(offline_server, one, tmp_path)
        assert (pyogrio.read_info(path)["features"], pyogrio.read_info(path)["crs"]) == (145, "EPSG:3035")


async def test_json_has_the_groups_members_and_decimals_that_were_asked_for_in_words(
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")

        async def exported(sentence: str) -> tuple[str, Any]:
            await one.says(sentence)
            path, _ = await delivered(offline_server, one, tmp_path)
            return path.name, json.loads(path.read_text("utf-8"))

        name, grouped = await exported(
            "export the columns name and continent of countries as JSON grouped by continent without geometry"
        )
        assert name == "countries.json"
        assert {"name": "Peru", "continent": "South America"} in grouped["South America"]
        assert len(grouped["South America"]) == 13
        _, same = await exported(
            "export the columns name and continent of countries grouped by continent as json without geometry"
        )
        assert same == grouped

        _, document = await exported(
            "export airports in Peru as GeoJSON with 3 decimals, with a note 'Draft, not for navigation' and the count"
        )
        assert (document["note"], document["count"]) == ("Draft, not for navigation", 161)
        assert len(document["features"]) == 161
        places = [each["geometry"]["coordinates"] for each in document["features"]]
        assert all(round(value, 3) == value for place in places for value in place)
        assert any(round(value, 2) != value for place in places for value in place)

        async with offline_server.database.reader.connect() as connection:
            count = await connection.scalar(text("SELECT count(*) FROM data.cities WHERE population > 15e6"))
        _, document = await exported(
            'export cities with more than 15 million people as json with the member source "Natural Earth", '
            "the member year 2024 and the number of rows"
        )
        assert {**document, "records": len(document["records"])} == {
            "source": "Natural Earth",
            "year": 2024,
            "count": count,
            "records": count,
        }

        _, document = await exported("export airports in Peru as geojson in EPSG:2154 rounded to 0 decimals")
        assert document["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::2154"
        assert all(value == int(value) for value in document["features"][0]["geometry"]["coordinates"])


async def test_the_file_is_named_zipped_and_of_single_parts_in_words(
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says('export countries in Europe as GeoPackage with single parts, called "europe 2024"')
        path, answer = await delivered(offline_server, one, tmp_path)
        assert path.name == "europe 2024.gpkg"
        info = pyogrio.read_info(path)
        assert info["geometry_type"] == "Polygon"
        assert info["features"] > 51
        await one.says("export airports in Peru to peru.csv")
        path, answer = await delivered(offline_server, one, tmp_path)
        assert (path.name, "161 rows" in answer) == ("peru.csv", True)
        await one.says("export airports in Peru as a zip of shapefiles")
        path, answer = await delivered(offline_server, one, tmp_path)
        assert {Path(name).suffix for name in ZipFile(path).namelist()} >= {".shp", ".cpg"}
        await one.says("export airports in Peru as a zipped GeoPackage in ESRI:54009")
        path, answer = await delivered(offline_server, one, tmp_path)
        assert (path.suffix, "ESRI:54009" in answer) == (".zip", True)
        assert pyogrio.read_info(path)["features"] == 161


async def test_what_a_system_has_no_coordinates_for_is_left_out_in_words(
    offline_server: Server, tmp_path: Path
) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.says("export airports as GeoPackage in EPSG:2154")
        refused = str(one.named("ai_response")[-1]["message"])
        assert "far outside of the area of use of EPSG:2154" in refused
        assert "without those outside" in refused
        await one.says("export airports as GeoPackage in EPSG:2154 without those outside")
        path, answer = await delivered(offline_server, one, tmp_path)
        rows = pyogrio.read_info(path)["features"]
        assert 0 < rows < 28_298
        assert f"{28_298 - rows:,} of 28,298 features of airports are far outside" in answer
