"""Neighbouring areas of one name are told apart: the one that is named is the one that is looked into."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import asyncpg

from tests.support.server import client, local_server


@asynccontextmanager
async def asking(database_url: str) -> AsyncIterator[Callable[[str], Awaitable[str]]]:
    """A map of its own: asks a request there and gives the answer."""
    async with local_server(database_url) as server, client(server) as one:
        await one.ask("join")

        async def answer(text: str) -> str:
            await one.says(text)
            told: str = one.named("ai_response")[-1]["message"]
            return told

        yield answer


async def test_the_area_that_is_meant_is_not_its_neighbour_of_the_same_name(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        "CREATE TABLE data.townships (id int PRIMARY KEY, name text, state text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.townships VALUES"
        " (1, 'Newcastle', 'North', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Newcastle', 'East', ST_MakeEnvelope(8, 47.1, 8.1, 47.2, 4326));"
        "CREATE TABLE data.kiosks AS SELECT n AS id,"
        " ST_SetSRID(ST_MakePoint(8.05, CASE WHEN n > 3 THEN 47.15 ELSE 47.05 END), 4326) AS geom"
        " FROM generate_series(1, 5) n"
    )
    await connection.close()
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        for place, count in (("Newcastle, North", 3), ("Newcastle, East", 2)):
            await one.says(f"how many kiosks are in {place}?")
            answer = one.named("ai_response")[-1]["message"]
            assert f"There are {count} kiosks" in answer
            assert place in answer
        await one.says("kiosks in Newcastle")
        answer = one.named("ai_response")[-1]["message"]
        assert "Newcastle, North" in answer
        assert "Newcastle, East" in answer


async def test_areas_that_nothing_tells_apart_are_meant_together(database_url: str) -> None:
    """The question which of two creeks is meant offered the same creek twice."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE SCHEMA IF NOT EXISTS data;"
        "CREATE TABLE data.catchments (id int PRIMARY KEY, name text, basin text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.catchments VALUES (1, 'Sandy Creek', 'Lockyer', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Sandy Creek', 'Condamine', ST_MakeEnvelope(9, 47, 9.1, 47.1, 4326)),"
        " (3, 'Lockyer Creek', 'Lockyer', ST_MakeEnvelope(8.1, 47, 8.2, 47.1, 4326));"
        "CREATE TABLE data.gauges AS SELECT n AS id, ST_SetSRID(ST_MakePoint(8.01 + n / 50.0, 47.05), 4326) AS geom"
        " FROM generate_series(0, 8) n; ALTER TABLE data.gauges ADD PRIMARY KEY (id); ANALYZE data.catchments"
    )
    await connection.close()
    async with asking(database_url) as answer:
        assert "5 gauges where the position is in Sandy Creek (2 catchments)" in await answer(
            "how many gauges are in Sandy Creek"
        )
        assert "9 gauges where the position is in Lockyer (basin)" in await answer(
            "how many gauges in Lockyer"
        )
        await answer("show gauges")
        assert "There are 9 gauges" in await answer("any of those in the Lockyer basin?")


async def test_a_name_means_the_area_that_has_the_others_of_the_name_in_it(database_url: str) -> None:
    """Rows in Armley were declined because a ward and a conservation area have the name."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE SCHEMA IF NOT EXISTS data;"
        "CREATE TABLE data.wards (id int PRIMARY KEY, ward_name text, district text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.wards VALUES (1, 'Armley', 'Hillside', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Roundhay', 'Hillside', ST_MakeEnvelope(8.1, 47, 8.2, 47.1, 4326));"
        "INSERT INTO data.wards SELECT 10 + n, 'W' || n, 'D' || n / 3, ST_MakeEnvelope(9, 46, 9.1, 46.1, 4326)"
        " FROM generate_series(0, 20) n;"
        "INSERT INTO data.wards VALUES (40, 'Kirk', 'Lowland', ST_MakeEnvelope(8, 46, 8.1, 46.1, 4326)),"
        " (41, 'Moor', 'Lowland', ST_MakeEnvelope(8.1, 46, 8.2, 46.1, 4326));"
        "CREATE TABLE data.conservation_areas (id int PRIMARY KEY, ca_name text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.conservation_areas VALUES"
        " (1, 'Armley', ST_MakeEnvelope(8.04, 47.04, 8.06, 47.06, 4326)),"
        " (2, 'Mill Row', ST_MakeEnvelope(8.15, 47, 8.25, 47.1, 4326));"
        "CREATE TABLE data.kiosks AS SELECT n AS id, date '2023-03-05' + 100 * n AS opened_on,"
        " n AS seats, 'K' || n AS name,"
        " ST_SetSRID(ST_MakePoint(8.01 + n / 50.0, 47.05), 4326) AS geom FROM generate_series(0, 8) n;"
        "INSERT INTO data.kiosks VALUES (10, '2021-01-01', 1, 'K10', ST_SetSRID(ST_MakePoint(8.05, 46.05), 4326)),"
        " (11, '2021-01-01', 2, 'K11', ST_SetSRID(ST_MakePoint(8.15, 46.05), 4326));"
        "ANALYZE data.wards;"
        "ALTER TABLE data.kiosks ADD PRIMARY KEY (id)"
    )
    await connection.close()
    async with asking(database_url) as answer:
        assert "5 kiosks" in await answer("show kiosks in Armley")
        assert "There are 5 kiosks" in await answer("how many is that")
        assert "Kiosks in roundhay: 4." in await answer("and in roundhay?")
        assert "conservation area: 1." in await answer("kiosks in the armley conservation area")
        assert "5 kiosks where the position is in Armley (ward)" in await answer(
            "how many kiosks are in Armley?"
        )
        assert "9 kiosks where the position is in Hillside (district)" in await answer(
            "show kiosks in Hillside"
        )
        assert "Here is a chart: **Kiosks per ward**" in await answer("kiosks per ward, as bar chart")
        # the district is none of the few values that the registry keeps
        assert "2 kiosks where the position is in Lowland (district)" in await answer("kiosks in Lowland")
        assert "greatest `seats` first" in await answer("sort them by seats, highest first")
        assert "Zoomed to **K11**" in await answer("zoom to the first one")
        assert "Here is a chart: **Total seats of kiosks per year**" in await answer(
            "total seats of the kiosks per year, as a bar chart"
        )


async def test_an_area_with_two_names_is_called_by_each_of_them(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE SCHEMA IF NOT EXISTS data; DROP TABLE IF EXISTS data.boroughs, data.benches;"
        "CREATE TABLE data.boroughs (id int PRIMARY KEY, boroughname text, geom geometry(Polygon, 4326));"
        "INSERT INTO data.boroughs VALUES (1, 'Eastville & Hyde Lane', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Westbury', ST_MakeEnvelope(8.1, 47, 8.2, 47.1, 4326));"
        "CREATE TABLE data.benches AS SELECT n AS id, ST_SetSRID(ST_MakePoint(8.01 + n / 50.0, 47.05), 4326) AS geom"
        " FROM generate_series(0, 8) n; ALTER TABLE data.benches ADD PRIMARY KEY (id)"
    )
    await connection.close()
    async with local_server(database_url) as server, client(server) as one:
        await one.ask("join")
        for place in ("eastville", "Hyde Lane"):
            await one.says(f"how many benches are in {place}")
            answer = one.named("ai_response")[-1]["message"]
            assert "There are 5 benches where the position is in Eastville & Hyde Lane." in answer
        await one.says("show benches in eastville")
        await one.says("and in Westbury?")  # no bench is in both
        assert "4 benches" in one.named("ai_response")[-1]["message"]


async def test_a_road_is_near_where_any_of_its_segments_is(database_url: str) -> None:
    """Trees near a road were declined because it has two segments, and “rd” was no part of its name."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE SCHEMA IF NOT EXISTS data;"
        "CREATE TABLE data.roads (id int PRIMARY KEY, road_nm text, geom geometry(LineString, 4326));"
        "COMMENT ON TABLE data.roads IS 'Road segments of the asset register';"
        "INSERT INTO data.roads VALUES (1, 'Unley Road', 'SRID=4326;LINESTRING(8 47, 8.01 47)'),"
        " (2, 'Unley Road', 'SRID=4326;LINESTRING(8.05 47, 8.06 47)'),"
        " (3, 'Cross Road', 'SRID=4326;LINESTRING(8.03 47, 8.04 47)');"
        "CREATE TABLE data.trees AS SELECT n AS id, ST_SetSRID(ST_MakePoint(8 + n * 0.01, 47.001), 4326) AS geom"
        " FROM generate_series(0, 6) n"
    )
    await connection.close()
    async with local_server(database_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("trees within 200 m of unley rd")
        answer = one.named("ai_response")[-1]["message"]
        assert "Trees within 200 m of unley rd: 4." in answer
        assert "Unley Road" in answer


async def test_a_name_of_an_area_and_of_its_district_is_asked_about(database_url: str) -> None:
    """Rows in a municipality were declined because a parish without any of them has its name."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE SCHEMA IF NOT EXISTS data; DROP TABLE IF EXISTS data.parishes, data.stalls, data.plots;"
        "CREATE TABLE data.parishes (id int PRIMARY KEY, par_name text, mun_name text, geom geometry(Polygon, 4326));"
        "COMMENT ON COLUMN data.parishes.mun_name IS 'Municipality (concelho)';"
        "INSERT INTO data.parishes VALUES (1, 'Góis', 'Góis', ST_MakeEnvelope(8, 47, 8.1, 47.1, 4326)),"
        " (2, 'Alvares', 'Góis', ST_MakeEnvelope(8.1, 47, 8.2, 47.1, 4326)),"
        " (3, 'Serpins', 'Lousã', ST_MakeEnvelope(8.2, 47, 8.3, 47.1, 4326));"
        "CREATE TABLE data.stalls AS SELECT n AS id, ST_SetSRID(ST_MakePoint(8.11 + n / 50.0, 47.05), 4326) AS geom"
        " FROM generate_series(0, 6) n; ALTER TABLE data.stalls ADD PRIMARY KEY (id);"
        "CREATE TABLE data.plots AS SELECT n AS id, ST_MakeEnvelope(8.05 + n / 20.0, 47, 8.1 + n / 20.0, 47.1, 4326)"
        "::geometry(Polygon, 4326) AS geom FROM generate_series(0, 4) n; ALTER TABLE data.plots ADD PRIMARY KEY (id);"
        "ANALYZE data.parishes"
    )
    await connection.close()
    async with asking(database_url) as answer:
        assert "Góis (parish); or Góis (municipality)" in await answer("how many stalls are in gois?")
        assert "There are 5 stalls" in await answer("Góis (municipality)")
        assert "5 stalls" in await answer("show stalls in the municipality of Góis")
        told = await answer("how many plots are in the municipality of Góis?")
        assert "There are 3 plots where the position is in Góis (mun_name)" in told
        assert told.count("only at the border") == 1


async def test_a_code_of_a_country_and_of_an_airport_is_asked_about(samples_url: str) -> None:
    """FRA is France and the airport of Frankfurt; from New York to France it was 2,926 km, by its islands."""
    async with asking(samples_url) as answer:
        question = await answer("how far is it from JFK to FRA")
        assert (
            "Which FRA do you mean: France (country); or Frankfurt am Main International Airport" in question
        )
        assert "6,204,670" in await answer("the second")
        assert "Interpreted as United States (country)" in await answer("cities within 50 km of USA")


async def test_a_name_in_part_with_its_noun_is_one_row(samples_url: str) -> None:
    """`Denver airport` was all airports of places called Denver, also that in North Carolina."""
    async with asking(samples_url) as answer:
        assert "Interpreted as Denver International Airport" in await answer(
            "cities within 50 km of Denver airport"
        )
        assert "**Denver International Airport**: `elevation_m` 1,656.2 m" in await answer(
            "how high is denver airport?"
        )
        assert "Which Paris airport do you mean: Paris-Orly Airport" in await answer(
            "elevation of Paris airport"
        )
        told = await answer("how far is Vienna airport from the centre of Bratislava?")
        assert "40.2 km. Interpreted as Vienna International Airport" in told
        told = await answer("put a point in the middle of each African country")
        assert "Central African Republic" not in told
        assert "country: 56." in told
