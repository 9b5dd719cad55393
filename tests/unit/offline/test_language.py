"""The command language, phrase by phrase: what is said, and the one tool call that it becomes.

Every case starts on a map with the layers that it names, in that order, the last one spoken of last.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import Chat, both, empty, known, like, no, where, within

ABOVE_2000 = where("elevation_m", ">", 2000)
GERMAN = where("country", "=", "Germany")


def added(table: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "add_map_layer", {"table": f"data.{table}", **arguments}


def changed(layer: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "update_map_layer", {"layer_id": layer, **arguments}


def counted(table: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "count_features", {"table": f"data.{table}", **arguments}


def measured(table: str, column: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "column_stats", {"table": f"data.{table}", "column": column, **arguments}


SHOWING = [
    ("show airports in red", added("airports", color="red")),
    ("Show airports in red.", added("airports", color="red")),
    ("please can you show me the airports in red?", added("airports", color="red")),
    ("I'd like to see all airports on the map, please", added("airports")),
    ("could you add the airports layer to the map", added("airports")),
    ("airports", added("airports")),
    ("airport", added("airports")),
    ("data.airports in #ff8800", added("airports", color="#ff8800")),
    ("display cities in dark green", added("cities", color="darkgreen")),
    ("draw the main roads in sky blue", added("main_roads", color="skyblue")),
    ("map earthquakes", added("earthquakes")),
    ("show airprots", added("airports")),
    ("show countries by population", added("countries", style={"kind": "graduated", "column": "population"})),
    (
        "colour countries by population",
        added("countries", style={"kind": "graduated", "column": "population"}),
    ),
    (
        "color countries by population",
        added("countries", style={"kind": "graduated", "column": "population"}),
    ),
    ("shade the countries by area", added("countries", style={"kind": "graduated", "column": "area_km2"})),
    (
        "colour countries by continent",
        added("countries", style={"kind": "categorical", "column": "continent"}),
    ),
    (
        "colour countries by population density in viridis with 7 classes",
        added(
            "countries",
            style={"kind": "graduated", "column": "population_density", "ramp": "viridis", "classes": 7},
        ),
    ),
    (
        "show countries coloured by population using jenks in shades of blue",
        added(
            "countries",
            style={"kind": "graduated", "column": "population", "method": "jenks", "ramp": "Blues"},
        ),
    ),
    (
        "colour countries by population in 4 equal intervals",
        added(
            "countries", style={"kind": "graduated", "column": "population", "method": "equal", "classes": 4}
        ),
    ),
    (
        "colour countries by population with natural breaks in red",
        added(
            "countries",
            style={"kind": "graduated", "column": "population", "method": "jenks", "ramp": "Reds"},
        ),
    ),
    (
        "show cities as circles sized by population",
        added("cities", style={"kind": "proportional", "column": "population"}),
    ),
    (
        "show cities as bubbles by population",
        added("cities", style={"kind": "proportional", "column": "population"}),
    ),
    (
        "show cities as circles sized by population in red",
        added("cities", color="red", style={"kind": "proportional", "column": "population"}),
    ),
    ("size cities by population", added("cities", style={"kind": "proportional", "column": "population"})),
    ("show earthquakes as a heatmap", added("earthquakes", style={"kind": "heatmap"})),
    ("heatmap of earthquakes", added("earthquakes", style={"kind": "heatmap"})),
    (
        "show a heat map of cities weighted by population",
        added("cities", style={"kind": "heatmap", "column": "population"}),
    ),
    ("show cities labelled by name", added("cities", style={"label": "name"})),
    ("show cities in red with labels", added("cities", color="red", style={"label": "name"})),
    ("show cities with their names", added("cities", style={"label": "name"})),
    ("label the cities by country", added("cities", style={"label": "country"})),
    ("show airports with size 8", added("airports", style={"size": 8})),
    ("show main roads 3 px wide in black", added("main_roads", color="black", style={"size": 3})),
]

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
    ("show airports in Europe", where("country_code", "in", ["CH", "DE", "FR", "NL"])),
    ("show European airports", where("country_code", "in", ["CH", "DE", "FR", "NL"])),
    ("show large airports", where("size", "=", "large")),
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
    ("show earthquakes above 20,000 m", "earthquakes", where("depth_km", ">", 20)),
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
    ("show main roads longer than 500 km", "main_roads", where("length_km", ">", 500)),
    ("show main roads with 6 lanes", "main_roads", where("lanes", "=", 6)),
    ("show main roads where lanes = 6", "main_roads", where("lanes", "=", 6)),
    ("show main roads with more than 2 lanes", "main_roads", where("lanes", ">", 2)),
]

CHANGING = [
    ("airports", "only the ones above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "just those above 2000 m please", changed("airports", filters=ABOVE_2000)),
    ("airports", "above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "only above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "show only airports above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "filter airports by elevation > 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "filter it to elevation above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "limit them to the ones in Germany", changed("airports", filters=GERMAN)),
    ("airports", "keep only the large ones", changed("airports", filters=where("size", "=", "large"))),
    ("airports", "only large ones", changed("airports", filters=where("size", "=", "large"))),
    (
        "airports",
        "only the large ones in Germany",
        changed("airports", filters=both(where("size", "=", "large"), GERMAN)),
    ),
    ("airports cities", "only the ones above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports cities", "only the airports above 2000 m", changed("airports", filters=ABOVE_2000)),
    ("airports", "remove the ones in Germany", changed("airports", filters=no(GERMAN))),
    ("airports", "exclude small airports", changed("airports", filters=no(where("size", "=", "small")))),
    ("airports", "without the small ones", changed("airports", filters=no(where("size", "=", "small")))),
    ("airports", "only the ones in view", None),
    ("airports", "make the airports blue", changed("airports", color="blue")),
    ("airports", "make them dark green", changed("airports", color="darkgreen")),
    ("airports", "turn it orange", changed("airports", color="orange")),
    ("airports", "colour them red", changed("airports", color="red")),
    ("airports", "show airports in green", changed("airports", color="green")),
    ("airports", "change the colour of the airports to purple", changed("airports", color="purple")),
    ("airports", "set the color to teal", changed("airports", color="teal")),
    ("airports", "colour them by elevation", changed("airports", style={"kind": "graduated", "column": "elevation_m"})),
    ("airports", "colour by size", changed("airports", style={"kind": "categorical", "column": "size"})),
    ("airports", "label them", changed("airports", style={"label": "name"})),
    ("airports", "label the airports by iata code", changed("airports", style={"label": "iata"})),
    ("airports", "show names for the airports", changed("airports", style={"label": "name"})),
    ("airports", "make the circles bigger", changed("airports", style={"size": 7.5})),
    ("airports", "set the opacity of airports to 40%", changed("airports", opacity=0.4)),
    ("airports", "opacity 0.3", changed("airports", opacity=0.3)),
    ("airports", "make the airports 30% transparent", changed("airports", opacity=0.7)),
    ("airports", "make it half transparent", changed("airports", opacity=0.5)),
    ("airports", "hide the airports", changed("airports", visible=False)),
    ("airports", "switch off the airports layer", changed("airports", visible=False)),
    ("airports", "rename airports to High ground", changed("airports", name="High ground")),
    ("airports", 'call it "A, B and C"', changed("airports", name="A, B and C")),
    ("airports cities", "move airports to the top", changed("airports", order="top")),
    ("airports cities", "bring the airports to the front", changed("airports", order="top")),
    ("airports cities", "send cities to the back", changed("cities", order="bottom")),
    ("airports cities", "put airports above cities", changed("airports", order=1)),
    ("airports cities", "move cities below airports", changed("cities", order=0)),
    ("airports", "remove the airports", ("remove_map_layer", {"layer_id": "airports"})),
    ("airports", "delete the airport layer", ("remove_map_layer", {"layer_id": "airports"})),
    ("airports", "get rid of it", ("remove_map_layer", {"layer_id": "airports"})),
    ("airports cities", "remove airports", ("remove_map_layer", {"layer_id": "airports"})),
    ("airports", "reset the map", ("reset_map", {})),
    ("airports", "clear everything", ("reset_map", {})),
    ("airports", "remove all layers", ("reset_map", {})),
    ("airports", "start over", ("reset_map", {})),
    ("airports", "undo", ("undo", {})),
    ("airports", "undo that please", ("undo", {})),
    ("airports", "redo", ("redo", {})),
    ("airports", "zoom to the airports", ("zoom_to", {"layer": "airports"})),
    ("airports", "zoom to it", ("zoom_to", {"layer": "airports"})),
    ("airports", "zoom to Ulm", ("zoom_to", {"place": "Ulm"})),
    ("", "go to Trinidad and Tobago", ("zoom_to", {"place": "Trinidad and Tobago"})),
    ("", "fly to new york city", ("zoom_to", {"place": "new york city"})),
    ("", "zoom to 5, 45, 15, 55", ("zoom_to", {"bounds": [5, 45, 15, 55]})),
    ("", "zoom to the world", ("zoom_to", {"bounds": [-180, -60, 180, 80]})),
    ("", "zoom to cities", ("zoom_to", {"bounds": [-95.56, -16.5, 121.46, 64.2]})),
]  # fmt: skip

ASKING = [
    ("how many airports are there?", counted("airports")), ("how many airports?", counted("airports")),
    ("count the airports", counted("airports")),
    ("number of airports in Germany", counted("airports", filters=GERMAN)),
    ("how many airports are there in Germany?", counted("airports", filters=GERMAN)),
    ("how many airports are above 2000 m?", counted("airports", filters=ABOVE_2000)),
    (
        "how many large airports are in France",
        counted("airports", filters=both(where("size", "=", "large"), where("country", "=", "France"))),
    ),
    (
        "how many countries have more than 100 million people?",
        counted("countries", filters=where("population", ">", 100_000_000)),
    ),
    ("what is the average elevation of airports in Germany?", measured("airports", "elevation_m", filters=GERMAN)),
    ("average airport elevation", measured("airports", "elevation_m")),
    (
        "total population of countries in Europe",
        measured("countries", "population", filters=where("continent", "=", "Europe")),
    ),
    ("what's the maximum magnitude of earthquakes", measured("earthquakes", "magnitude")),
    ("what's the maximum magnitude", measured("earthquakes", "magnitude")),
    ("median population of the cities", measured("cities", "population")),
    ("statistics of depth of earthquakes", measured("earthquakes", "depth_km")),
    ("what tables are there?", ("list_tables", {})), ("which data do you have", ("list_tables", {})),
    ("list tables", ("list_tables", {})),
    ("describe airports", ("describe_table", {"table": "data.airports"})),
    ("what columns does cities have?", ("describe_table", {"table": "data.cities"})),
    ("tell me about the countries", ("describe_table", {"table": "data.countries"})),
    ("search tables about quakes", ("search_tables", {"text": "quakes", "limit": 12})),
    ("is there data about hospitals?", ("search_tables", {"text": "hospitals", "limit": 12})),
    ("where is Ulm?", ("find_place", {"text": "Ulm"})), ("find Lima", ("find_place", {"text": "Lima"})),
]  # fmt: skip

RANKING = [
    ("top 10 cities by population", "cities", "population", True, 10, None),
    ("top 3 countries by area", "countries", "area_km2", True, 3, None),
    ("list the 5 largest cities", "cities", "population", True, 5, None),
    ("which airport is the highest?", "airports", "elevation_m", True, 1, None),
    ("what is the highest airport?", "airports", "elevation_m", True, 1, None),
    ("which is the lowest airport", "airports", "elevation_m", False, 1, None),
    ("what is the largest city in Germany?", "cities", "population", True, 1, GERMAN),
    ("which country has the largest population?", "countries", "population", True, 1, None),
    ("which country has the most inhabitants", "countries", "population", True, 1, None),
    ("what are the three strongest earthquakes", "earthquakes", "magnitude", True, 3, None),
    ("what is the smallest country", "countries", "area_km2", False, 1, None),
    ("what is the longest main road", "main_roads", "length_km", True, 1, None),
    ("latest earthquake?", "earthquakes", "happened_at", True, 1, None),
    ("what is the latest earthquake?", "earthquakes", "happened_at", True, 1, None),
]


async def _on(layers: str) -> Chat:
    chat = Chat()
    for name in layers.split():
        await chat(f"show {name}")
    return chat


@pytest.mark.parametrize(("phrase", "call"), SHOWING)
async def test_showing(phrase: str, call: tuple[str, dict[str, Any]]) -> None:
    chat = Chat()
    answer = await chat(phrase)
    assert chat.calls == [call]
    assert chat.failed == []
    assert "Added" in answer


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


@pytest.mark.parametrize(("layers", "phrase", "call"), CHANGING)
async def test_changing(layers: str, phrase: str, call: Any) -> None:
    chat = await _on(layers)
    answer = await chat(phrase)
    if call is None:
        assert all(name == "cannot_do" for name, _ in chat.calls), answer
        return
    assert chat.calls == [call], answer
    assert chat.failed == []


@pytest.mark.parametrize(("phrase", "call"), ASKING)
async def test_asking(phrase: str, call: tuple[str, dict[str, Any]]) -> None:
    chat = Chat()
    answer = await chat(phrase)
    assert chat.calls == [call], answer
    assert chat.failed == []
    assert not chat.layers


@pytest.mark.parametrize(("phrase", "table", "column", "descending", "limit", "filters"), RANKING)
async def test_ranking(
    phrase: str, table: str, column: str, descending: bool, limit: int, filters: Any
) -> None:
    chat = Chat()
    answer = await chat(phrase)
    if table is None:
        assert not chat.layers
        return
    ((name, arguments),) = chat.calls
    assert name == "query_features", answer
    found = {key: arguments[key] for key in ("table", "sort", "descending", "limit")}
    assert found == {"table": f"data.{table}", "sort": column, "descending": descending, "limit": limit}
    assert arguments["filters"] == (both(filters, known(column)) if filters else known(column))
    assert chat.failed == []
