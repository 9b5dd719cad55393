"""The command language, phrase by phrase: what is said, and the one tool call that it becomes.

Every case starts on a map with the layers that it names, in that order, the last one spoken of last.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import Chat, both, known, no, where

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
            style={"kind": "graduated", "column": "population_density", "ramp": "Viridis", "classes": 7},
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
    ("show earthquakes as hexbins", added("earthquakes", style={"kind": "hexbin"})),
    (
        "hexbins of airports by average elevation",
        added("airports", style={"kind": "hexbin", "column": "elevation_m", "statistic": "mean"}),
    ),
    (
        "show cities as a grid with the total of population",
        added("cities", style={"kind": "grid", "column": "population", "statistic": "sum"}),
    ),
    (
        "show cities in hexagons coloured by the highest population",
        added("cities", style={"kind": "hexbin", "column": "population", "statistic": "max"}),
    ),
    ("cluster the earthquakes", added("earthquakes", style={"kind": "cluster"})),
    ("show earthquakes clustered in red", added("earthquakes", color="red", style={"kind": "cluster"})),
    ("show cities labelled by name", added("cities", style={"label": "name"})),
    ("show cities in red with labels", added("cities", color="red", style={"label": "name"})),
    ("show cities with their names", added("cities", style={"label": "name"})),
    ("label the cities by country", added("cities", style={"label": "country"})),
    (
        "show cities labelled by name and population in red",
        added("cities", color="red", style={"label": "{name} ({population})"}),
    ),
    (
        "show cities labelled `{name}: {population}` and coloured by country",
        added("cities", style={"kind": "categorical", "column": "country", "label": "{name}: {population}"}),
    ),
    (
        'show airports labelled by "iata code"',
        added("airports", style={"label": "iata"}),
    ),
    (
        "show airports labelled by name and size 8",
        added("airports", style={"size": 8, "label": "name"}),
    ),
    ("show airports with size 8", added("airports", style={"size": 8})),
    ("show main roads 3 px wide in black", added("main_roads", color="black", style={"size": 3})),
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
    ("airports", "label by name and elevation", changed("airports", style={"label": "{name} ({elevation_m})"})),
    (
        "airports",
        "label them with “{name} ({elevation} m)”",
        changed("airports", style={"label": "{name} ({elevation_m} m)"}),
    ),
    ("airports", 'label the airports "{iata code}"', changed("airports", style={"label": "{iata}"})),
    ("airports", "show names for the airports", changed("airports", style={"label": "name"})),
    ("airports", "make the circles bigger", changed("airports", style={"size": 7.5})),
    ("airports", "set the opacity of airports to 40%", changed("airports", opacity=0.4)),
    ("airports", "opacity 0.3", changed("airports", opacity=0.3)),
    ("airports", "make the airports 30% transparent", changed("airports", opacity=0.7)),
    ("airports", "make it half transparent", changed("airports", opacity=0.5)),
    ("airports", "blend the airports with multiply", changed("airports", style={"blend": "multiply"})),
    ("airports", "draw the airports with blend multiply", changed("airports", style={"blend": "multiply"})),
    ("airports", "draw it with screen blending", changed("airports", style={"blend": "screen"})),
    ("airports", "stop blending the airports", changed("airports", style={"blend": "normal"})),
    ("airports", "hide the airports", changed("airports", visible=False)),
    ("airports", "switch off the airports layer", changed("airports", visible=False)),
    ("airports", "rename airports to High ground", changed("airports", name="High ground")),
    ("airports", 'call it "A, B and C"', changed("airports", name="A, B and C")),
    ("airports cities", "move airports to the top", changed("airports", order="top")),
    ("airports cities", "bring the airports to the front", changed("airports", order="top")),
    ("airports cities", "send cities to the back", changed("cities", order="bottom")),
    ("airports cities", "put airports above cities", changed("airports", order=1)),
    ("airports cities", "move cities below airports", changed("cities", order=0)),
    ("airports", "put airports into the group Transport", changed("airports", group="Transport")),
    ("airports", "group airports as Ways", changed("airports", group="Ways")),
    ("airports", "take airports out of the group", changed("airports", group="")),
    ("airports", "ungroup the airports", changed("airports", group="")),
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


async def test_the_unit_behind_the_columns_of_a_ranking_is_that_of_its_figure() -> None:
    chat = Chat()
    answer = await chat("list the five largest countries with their area in square miles")
    assert [name for name, _ in chat.calls] == ["query_features"]
    assert "| Antarctica | 5,405,430 sq mi |" in answer
    answer = await chat("list the three most populous countries with their area in square miles")
    assert "| China | 1,411,778,724 | 3,705,407 sq mi |" in answer
    assert "not known" in await chat(
        "list the three most populous countries with their population in square miles"
    )


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
