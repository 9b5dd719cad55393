"""The sample data as it arrives in a database: real, valid, commented, whole and loaded once."""

from __future__ import annotations

import asyncio
from importlib.resources import files

import asyncpg
import pytest

from server import samples as sample_data
from server.database.engines import Database
from server.samples.sources import SAMPLES

TABLES = ("countries", "cities", "airports")


@pytest.fixture(scope="module")
async def reader(samples: Database) -> asyncpg.Pool:
    return samples.tile_pool


async def test_there_are_as_many_rows_as_promised(reader: asyncpg.Pool) -> None:
    counts = {table: await reader.fetchval(f"SELECT count(*) FROM data.{table}") for table in TABLES}
    assert counts["countries"] == 240
    assert counts["cities"] > 20_000
    assert counts["airports"] > 20_000


@pytest.mark.parametrize("table", TABLES)
async def test_every_table_and_every_column_has_a_comment(reader: asyncpg.Pool, table: str) -> None:
    bare = await reader.fetchval(
        "SELECT count(*) FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 "
        "AND col_description(attrelid, attnum) IS NULL",
        f"data.{table}",
    )
    comment = await reader.fetchval("SELECT obj_description($1::text::regclass, 'pg_class')", f"data.{table}")
    assert bare == 0
    assert "CC BY 4.0" in comment or "MIT" in comment


@pytest.mark.parametrize("table", TABLES)
async def test_geometries_are_valid_indexed_and_on_the_earth(reader: asyncpg.Pool, table: str) -> None:
    row = await reader.fetchrow(
        f"SELECT bool_and(ST_IsValid(geom)) AS valid, bool_or(ST_IsEmpty(geom)) AS empty, "
        f"min(ST_SRID(geom)) AS srid, ST_Extent(geom) AS extent, "
        f"min(ST_XMin(geom)) >= -180 AND max(ST_XMax(geom)) <= 180 AS inside FROM data.{table}"
    )
    assert row["valid"]
    assert not row["empty"]
    assert row["inside"]
    assert row["srid"] == 4326
    assert await reader.fetchval(
        "SELECT count(*) FROM pg_indexes "
        "WHERE schemaname = 'data' AND tablename = $1 AND indexdef LIKE '%gist%'",
        table,
    )


async def test_no_country_but_the_one_around_the_pole_streaks_across_the_map(reader: asyncpg.Pool) -> None:
    wide = await reader.fetch(
        "SELECT DISTINCT name FROM data.countries, ST_Dump(geom) AS part "
        "WHERE ST_XMax(part.geom) - ST_XMin(part.geom) > 160"
    )
    assert [row["name"] for row in wide] == ["Antarctica"]
    for name, longitude, latitude in (("Russia", -175, 66.5), ("Russia", 100, 60), ("Fiji", 178, -17.8)):
        assert await reader.fetchval(
            "SELECT name FROM data.countries WHERE ST_Contains(geom, ST_Point($1, $2, 4326))",
            longitude, latitude,
        ) == name  # fmt: skip
    assert await reader.fetchval(
        "SELECT name FROM data.countries WHERE ST_Contains(geom, ST_Point(0, -89.5, 4326))"
    ) == "Antarctica"  # fmt: skip


async def test_shapes_and_attributes_belong_together(reader: asyncpg.Pool) -> None:
    rows = await reader.fetch(
        "SELECT name, area_km2, ST_Area(geom::geography) / 1e6 AS drawn FROM data.countries "
        "WHERE area_km2 > 20000"
    )
    assert len(rows) > 150
    off = [row["name"] for row in rows if not 0.75 < row["drawn"] / row["area_km2"] < 1.25]
    assert off == ["Morocco", "Oman", "Somalia", "Western Sahara"]  # the sources disagree there
    berlin = await reader.fetchval(
        "SELECT c.name FROM data.cities t JOIN data.countries c ON ST_Contains(c.geom, t.geom) "
        "WHERE t.name = 'Berlin' AND t.country_code = 'DE'"
    )
    assert berlin == "Germany"


async def test_known_facts_are_right(reader: asyncpg.Pool) -> None:
    germany = await reader.fetchrow("SELECT * FROM data.countries WHERE iso_a3 = 'DEU'")
    assert (germany["iso_a2"], germany["continent"], germany["capital"]) == ("DE", "Europe", "Berlin")
    assert 80e6 < germany["population"] < 86e6
    assert germany["population_density"] == pytest.approx(
        germany["population"] / germany["area_km2"], abs=0.01
    )
    assert await reader.fetchval("SELECT population FROM data.countries WHERE name = 'Kosovo'") > 1e6
    denver = await reader.fetchrow("SELECT * FROM data.airports WHERE iata = 'DEN'")
    assert denver["elevation_m"] == pytest.approx(1656, abs=2)
    assert denver["elevation_ft"] == pytest.approx(5434, abs=5)
    assert denver["country"] == "United States"


async def test_a_country_has_the_same_name_in_all_tables(reader: asyncpg.Pool) -> None:
    for table in ("cities", "airports"):
        different = await reader.fetchval(
            f"SELECT count(*) FROM data.{table} t JOIN data.countries c ON c.iso_a2 = t.country_code "
            "WHERE c.name <> t.country OR c.continent <> t.continent"
        )
        assert different == 0


async def test_each_country_has_one_capital_at_most_and_it_is_the_known_one(reader: asyncpg.Pool) -> None:
    rows = await reader.fetch("SELECT country, name FROM data.cities WHERE is_capital")
    capitals = {row["country"]: row["name"] for row in rows}
    assert len(capitals) == len(rows) > 220
    assert capitals["India"] == "New Delhi"
    assert capitals["Brazil"] == "Brasília"
    assert capitals["Kazakhstan"] == "Astana"
    washington = "SELECT ST_X(geom) FROM data.cities WHERE is_capital AND country = 'United States'"
    assert await reader.fetchval(washington) == pytest.approx(-77.04, abs=0.01)


async def test_statistics_are_fresh_and_notes_are_there(samples: Database) -> None:
    connection = await asyncpg.connect(samples.url)
    estimate = await connection.fetchval("SELECT reltuples FROM pg_class WHERE oid = 'data.cities'::regclass")
    notes = await connection.fetch(
        "SELECT title, tables FROM geoagent.info_note WHERE search @@ plainto_tsquery('english', 'elevation')"
    )
    await connection.close()
    assert estimate > 20_000
    assert [tuple(note["tables"]) for note in notes] == [("data.airports",)]


async def test_loading_again_or_twice_at_once_loads_nothing_twice(database: Database) -> None:
    first = await asyncio.gather(sample_data.load(database), sample_data.load(database))
    assert sorted(first) == [False, True]
    assert await sample_data.load(database) is False
    assert await database.tile_pool.fetchval("SELECT count(*) FROM data.countries") == 240


async def test_a_table_that_a_person_dropped_stays_dropped(database: Database) -> None:
    await sample_data.load(database)
    connection = await asyncpg.connect(database.url)
    await connection.execute("DROP TABLE data.airports")
    assert await sample_data.load(database) is False
    assert await connection.fetchval("SELECT to_regclass('data.airports')") is None
    await connection.close()


def test_the_attribution_names_every_table() -> None:
    text = (files(sample_data) / "ATTRIBUTION.md").read_text("utf-8")
    assert all(f"`data.{sample.table}`" in text for sample in SAMPLES)


def test_the_samples_are_looked_for_by_the_names_that_they_have() -> None:
    assert {sample.table for sample in SAMPLES} == set(sample_data.TABLES)
