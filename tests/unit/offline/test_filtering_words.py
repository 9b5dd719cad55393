"""Filters in words: which phrase becomes which CQL2."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import Chat, both, empty, known, like, no, where, within
from tests.unit.offline.test_language import ABOVE_2000, GERMAN, added

IN_EUROPE = where("country", "in", ["France", "Germany", "Netherlands", "Switzerland"])
FILTERING = [
    ("show airports above 2000 m", ABOVE_2000),
    ("show airports over 2 km", where("elevation_m", ">", 2000)),
    ("show airports higher than 2,000 metres", ABOVE_2000),
    ("show airports above 6,500 ft", where("elevation_ft", ">", 6500)),
    ("show airports with an elevation above 2000 m", ABOVE_2000),
    ("show airports where elevation > 2000", ABOVE_2000),
    ("show airports where elevation_ft is at least 10000", where("elevation_ft", ">=", 10000)),
    ("show airports at least 2000 m high", where("elevation_m", ">=", 2000)),
    ("show airports 2000 m or higher", where("elevation_m", ">=", 2000)),
    ("show airports below sea level", where("elevation_m", "<", 0)),
    ("show airports below 0 m", where("elevation_m", "<", 0)),
    ("show airports not above 2000 m", where("elevation_m", "<=", 2000)),
    ("show airports no more than 500 m high", where("elevation_m", "<=", 500)),
    ("show airports between 1000 and 2000 m", within("elevation_m", 1000, 2000)),
    ("show airports between 6,500 ft and 3 km", within("elevation_ft", 6500, 9842.519685)),
    ("show airports from 1 to 2 km", within("elevation_m", 1000, 2000)),
    ("show airports in Germany", GERMAN),
    ("show airports in germany", GERMAN),
    ("show German airports", GERMAN),
    ("show airports in DE", where("country_code", "=", "DE")),
    ("show airports with country Germany", GERMAN),
    ("show airports whose country is Germany", GERMAN),
    ("show airports where country = 'Germany'", GERMAN),
    ("show airports in Germany or France", where("country", "in", ["Germany", "France"])),
    ("show airports in Germany, France and Peru", where("country", "in", ["Germany", "France", "Peru"])),
    ("show airports in Trinidad and Tobago", where("country", "=", "Trinidad and Tobago")),
    (
        "show airports in Trinidad and Tobago or Peru",
        where("country", "in", ["Trinidad and Tobago", "Peru"]),
    ),
    ("show airports in Denver", where("city", "=", "Denver")),
    ("show airports in the USA", where("country", "=", "United States")),
    ("show airports not in Germany", no(GERMAN)),
    ("show airports outside Germany", no(GERMAN)),
    ("show airports except Germany", no(GERMAN)),
    ("show airports in Europe", IN_EUROPE),
    ("show European airports", IN_EUROPE),
    ("show large airports", where("size", "=", "large")),
    ("show the large and small airports", where("size", "in", ["large", "small"])),
    ("show airports that are neither large nor small", no(where("size", "in", ["large", "small"]))),
    ("show airports that are large", where("size", "=", "large")),
    ("show airports of type large", where("size", "=", "large")),
    ("show towered airports", where("towered", "=", True)),
    ("show airports without an iata code", empty("iata")),
    ("show airports with an iata code", known("iata")),
    ("show airports where iata is empty", empty("iata")),
    ("show airports where iata is not empty", known("iata")),
    ("show airports where towered is false", where("towered", "=", False)),
    ("show airports named Munich Airport", where("name", "=", "Munich Airport")),
    ("show airports called munich airport", where("name", "=", "Munich Airport")),
    ("show airports named Ulm", like("name", "%Ulm%")),
    ("show airports whose name contains international", like("name", "%international%")),
    ("show airports with a name starting with M", like("name", "M%")),
    ("show airports whose icao starts with 'ED'", like("icao", "ED%")),
    ("show airports whose name ends with Airport", like("name", "%Airport")),
    ("show airports whose name contains \"100%\"", like("name", "%100\\%%")),
    ("show airports in Germany above 400 m", both(GERMAN, where("elevation_m", ">", 400))),
    ("show airports in Germany and above 400 m", both(GERMAN, where("elevation_m", ">", 400))),
    ("show large airports in Germany", both(where("size", "=", "large"), GERMAN)),
    (
        "show airports below 0 m or above 4000 m",
        both(where("elevation_m", "<", 0), where("elevation_m", ">", 4000), op="or"),
    ),
    (
        "show airports in Peru above 3 km that are not small",
        both(where("country", "=", "Peru"), where("elevation_m", ">", 3000), no(where("size", "=", "small"))),
    ),
]  # fmt: skip

OTHER_FILTERS = [
    ("show cities over 10 million", "cities", where("population", ">", 10_000_000)),
    ("show cities with more than 5 million people", "cities", where("population", ">", 5_000_000)),
    ("show cities with over 1.5M inhabitants", "cities", where("population", ">", 1_500_000)),
    ("show cities with a population over 500k", "cities", where("population", ">", 500_000)),
    (
        "show cities with population between 1 and 5 million",
        "cities",
        within("population", 1_000_000, 5_000_000),
    ),
    ("cities with between 500000 and 1 million people", "cities", within("population", 500_000, 1_000_000)),
    ("cities with 100 to 200 thousand people", "cities", within("population", 100_000, 200_000)),
    ("cities with population between 200k and 1m", "cities", within("population", 200_000, 1_000_000)),
    ("show cities with half a million people or more", "cities", where("population", ">=", 500_000)),
    ("show cities with less than a million inhabitants", "cities", where("population", "<", 1_000_000)),
    ("show cities without population", "cities", empty("population")),
    ("show countries larger than 1 million km2", "countries", where("area_km2", ">", 1_000_000)),
    ("show countries above 1,000,000 square kilometres", "countries", where("area_km2", ">", 1_000_000)),
    ("show countries smaller than 100,000 hectares", "countries", where("area_km2", "<", 1000)),
    (
        "show countries with a population density over 200 people per square kilometre",
        "countries",
        where("population_density", ">", 200),
    ),
    ("show countries with over 300 people per km2", "countries", where("population_density", ">", 300)),
    ("show European countries", "countries", where("continent", "=", "Europe")),
    ("show South American countries", "countries", where("continent", "=", "South America")),
    ("show countries in Asia or Africa", "countries", where("continent", "in", ["Asia", "Africa"])),
    ("show countries with capital Paris", "countries", where("capital", "=", "Paris")),
    ("show countries whose capital is Paris", "countries", where("capital", "=", "Paris")),
    ("show earthquakes stronger than 7", "earthquakes", where("magnitude", ">", 7)),
    ("show earthquakes with magnitude at least 7.8", "earthquakes", where("magnitude", ">=", 7.8)),
    ("show earthquakes deeper than 20 km", "earthquakes", where("depth_km", ">", 20)),
    ("show earthquakes over 20,000 m", "earthquakes", where("depth_km", ">", 20)),
    (
        "show earthquakes after 2015",
        "earthquakes",
        where("happened_at", ">=", {"timestamp": "2016-01-01T00:00:00Z"}),
    ),
    (
        "show earthquakes since 2011",
        "earthquakes",
        where("happened_at", ">=", {"timestamp": "2011-01-01T00:00:00Z"}),
    ),
    (
        "show earthquakes before 1970",
        "earthquakes",
        where("happened_at", "<", {"timestamp": "1970-01-01T00:00:00Z"}),
    ),
    (
        "show earthquakes after 2020-10-30",
        "earthquakes",
        where("happened_at", ">=", {"timestamp": "2020-10-31T00:00:00Z"}),
    ),
    (
        "show earthquakes since 6 February 2023",
        "earthquakes",
        where("happened_at", ">=", {"timestamp": "2023-02-06T00:00:00Z"}),
    ),
    (
        "show earthquakes in 2011",
        "earthquakes",
        both(
            where("happened_at", ">=", {"timestamp": "2011-01-01T00:00:00Z"}),
            where("happened_at", "<", {"timestamp": "2012-01-01T00:00:00Z"}),
        ),
    ),
    (
        "show earthquakes until March 2011",
        "earthquakes",
        where("happened_at", "<", {"timestamp": "2011-04-01T00:00:00Z"}),
    ),
    (
        "show earthquakes in the 1960s",
        "earthquakes",
        both(
            where("happened_at", ">=", {"timestamp": "1960-01-01T00:00:00Z"}),
            where("happened_at", "<", {"timestamp": "1970-01-01T00:00:00Z"}),
        ),
    ),
    ("show main roads with no lanes", "main_roads", where("lanes", "=", 0)),
    ("show main roads longer than 500 km", "main_roads", where("length_km", ">", 500)),
    ("show main roads with 6 lanes", "main_roads", where("lanes", "=", 6)),
    ("show main roads where lanes = 6", "main_roads", where("lanes", "=", 6)),
    ("show main roads with more than 2 lanes", "main_roads", where("lanes", ">", 2)),
]


@pytest.mark.parametrize(("phrase", "filters"), FILTERING)
async def test_filters_of_airports(phrase: str, filters: Any) -> None:
    await _shows(phrase, "airports", filters)


@pytest.mark.parametrize(("phrase", "table", "filters"), OTHER_FILTERS)
async def test_filters_of_other_tables(phrase: str, table: str, filters: Any) -> None:
    await _shows(phrase, table, filters)


async def _shows(phrase: str, table: str, filters: Any) -> None:
    chat = Chat()
    answer = await chat(phrase)
    if filters is None:
        assert not chat.layers, "what is not understood changes nothing"
        return
    assert chat.calls == [added(table, filters=filters)], answer
    assert chat.failed == []
    count = len(chat.world.data.passing(f"data.{table}", filters))
    assert (f": {count} " in answer) if count else ("empty" in answer)
