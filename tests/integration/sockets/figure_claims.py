"""Answers about the sample data whose numbers are true, or false in the ways in which models go wrong.

Each is `(calls, sentence, number)`: what the model asks, what it then says, and the number in it that counts."""

from __future__ import annotations

from typing import Any

Call = tuple[str, dict[str, Any]]
Claim = tuple[tuple[Call, ...], str, str]


def _is(column: str, value: str) -> dict[str, Any]:
    return {"op": "=", "args": [{"property": column}, value]}


def _above(column: str, value: float) -> dict[str, Any]:
    return {"op": ">", "args": [{"property": column}, value]}


AIRPORTS: Call = ("count_features", {"table": "data.airports"})
"""28,298"""
GERMAN: Call = ("count_features", {"table": "data.airports", "filters": _is("country", "Germany")})
"""479"""
ICELANDIC: Call = ("count_features", {"table": "data.airports", "filters": _is("country", "Iceland")})
"""79"""
ASIAN: Call = ("count_features", {"table": "data.countries", "filters": _is("continent", "Asia")})
"""50"""
AFRICAN: Call = ("count_features", {"table": "data.countries", "filters": _is("continent", "Africa")})
"""56"""
LOFTY: Call = ("count_features", {"table": "data.airports", "filters": _above("elevation_m", 4450)})
"""1 or a few; only asked, never named"""
HEIGHTS: Call = (
    "column_stats",
    {"table": "data.airports", "column": "elevation_m", "filters": _is("country", "Germany")},
)
"""count 479, mean 238.47"""
LARGEST: Call = (
    "query_features",
    {
        "table": "data.cities",
        "columns": ["name", "country", "population"],
        "sort": "population",
        "descending": True,
        "limit": 3,
    },
)
"""Shanghai 24,874,500; Beijing 18,960,744; Shenzhen 17,494,398"""
SIZES: Call = (
    "query_features",
    {
        "table": "data.countries",
        "columns": ["name", "population", "area_km2"],
        "filters": {"op": "in", "args": [{"property": "name"}, ["Germany", "France"]]},
    },
)
"""Germany 82,927,922 on 357,021 km²; France 66,987,244 on 547,030 km²"""
PLACE: Call = ("find_place", {"text": "Berlin"})
"""population 3,426,354"""


TRUE: tuple[Claim, ...] = (
    ((GERMAN,), "There are 479 airports in Germany.", "479"),
    ((AIRPORTS,), "The table has 28,298 airports.", "28,298"),
    ((AIRPORTS,), "Die Tabelle hat 28.298 Flughäfen.", "28.298"),
    ((AIRPORTS,), "Il y a 28 298 aéroports.", "28 298"),
    ((AIRPORTS,), "يوجد ٢٨٬٢٩٨ مطارًا.", "٢٨٬٢٩٨"),
    ((AIRPORTS,), "There are about 28,000 airports.", "28,000"),
    ((AIRPORTS,), "There are over 28,000 airports.", "28,000"),
    ((AIRPORTS,), "There are roughly 28 thousand airports.", "28 thousand"),
    ((GERMAN, AIRPORTS), "Germany has 1.7 % of all airports.", "1.7 %"),
    ((GERMAN, AIRPORTS), "Germany has 479 of the 28,298 airports, which is 2 percent.", "2 percent"),
    ((GERMAN, ICELANDIC), "Germany has 400 more airports than Iceland.", "400"),
    ((GERMAN, ICELANDIC), "Germany has six times as many airports as Iceland.", "six"),
    ((GERMAN, ICELANDIC), "Germany has 6.1 times as many airports as Iceland.", "6.1"),
    ((GERMAN, ICELANDIC), "Together they have 558 airports.", "558"),
    ((ASIAN, AFRICAN), "Africa has 6 more countries than Asia.", "6"),
    ((ASIAN, AFRICAN), "Asia has fifty countries.", "fifty"),
    ((ASIAN,), "There are **50** countries.", "50"),
    ((ASIAN,), "50.", "50"),
    ((HEIGHTS,), "On average they lie 238.47 m high.", "238.47"),
    ((HEIGHTS,), "Their mean elevation is about 238 m.", "238"),
    ((HEIGHTS,), "Their mean elevation is 0.238 km.", "0.238"),
    ((HEIGHTS,), "The highest of the 479 airports lies at 901 m.", "901"),
    ((HEIGHTS,), "The median is 189.9 metres, or 623 feet.", "623"),
    ((LARGEST,), "Shanghai is the largest city with 24.9 million people.", "24.9 million"),
    ((LARGEST,), "Shanghai has 24,874,500 people, Beijing has 18,960,744.", "18,960,744"),
    ((LARGEST,), "24.9 million people live in Shanghai, and 19 million in Beijing.", "19 million"),
    ((LARGEST,), "Shanghai, Beijing and Shenzhen have 24.9, 19.0 and 17.5 million people.", "19.0"),
    ((LARGEST,), "| City | People |\n| --- | --- |\n| Shenzhen | 17,494,398 |", "17,494,398"),
    ((LARGEST,), "1. Shanghai: 24.87 million\n2. Beijing: 18.96 million", "18.96 million"),
    ((LARGEST,), "Together the three have 61.3 million people.", "61.3 million"),
    ((LARGEST,), "Shanghai and Beijing together have 43,835,244 people.", "43,835,244"),
    ((LARGEST,), "Shanghai has 5,913,756 more people than Beijing.", "5,913,756"),
    ((LARGEST,), "Shanghai is 31 % larger than Beijing.", "31 %"),
    ((LARGEST,), "Their average is 20.4 million people.", "20.4 million"),
    ((LARGEST,), "These are 3 of 34,006 cities.", "34,006"),
    ((SIZES,), "Germany covers 357,021 km² and France 547,030 km².", "547,030"),
    ((SIZES,), "France covers 54.7 million hectares.", "54.7 million"),
    ((SIZES,), "Germany has 232 people per km².", "232"),
    ((SIZES,), "France is 1.5 times as large as Germany.", "1.5"),
    ((SIZES,), "Germany has 15.9 million people more than France.", "15.9 million"),
    ((SIZES,), "The population of France is 81 % of that of Germany.", "81 %"),
    ((PLACE,), "Berlin has 3,426,354 inhabitants.", "3,426,354"),
)  # fmt: skip

FALSE: tuple[Claim, ...] = (
    ((GERMAN,), "There are 480 airports in Germany.", "480"),
    ((GERMAN,), "There are 497 airports in Germany.", "497"),
    ((GERMAN,), "There are 479 cities in Germany.", "479"),
    ((GERMAN,), "There are 479 people in Germany.", "479"),
    ((GERMAN,), "The highest lies at 479 m.", "479"),
    ((GERMAN,), "It is 479 km long.", "479"),
    ((GERMAN,), "That is 479 %.", "479 %"),
    ((GERMAN,), "There are seven airports in Germany.", "seven"),
    ((GERMAN,), "There are 479 airports, and the oldest is from 1934.", "1934"),
    ((GERMAN,), "The first opened in 1910.", "1910"),
    ((AIRPORTS,), "There are about 29,500 airports.", "29,500"),
    ((AIRPORTS,), "There are over 29,000 airports.", "29,000"),
    ((AIRPORTS,), "There are almost 28,000 airports.", "28,000"),
    ((AIRPORTS,), "There are 28,298 thousand airports.", "28,298 thousand"),
    ((AIRPORTS,), "There are 82,298 airports.", "82,298"),
    ((GERMAN, AIRPORTS), "Germany has 17 % of all airports.", "17 %"),
    ((GERMAN, AIRPORTS), "Germany has 2.7 % of all airports.", "2.7 %"),
    ((GERMAN, ICELANDIC), "Germany has 410 more airports than Iceland.", "410"),
    ((GERMAN, ICELANDIC), "Germany has 7 times as many airports as Iceland.", "7"),
    ((GERMAN, ICELANDIC), "Together they have 588 airports.", "588"),
    ((ASIAN,), "The 50 passengers are safe.", "50"),
    ((ASIAN,), "There are 50 airports.", "50"),
    ((ASIAN,), "There are 5 countries.", "5"),
    ((HEIGHTS,), "Their mean elevation is 238.48 m.", "238.48"),
    ((HEIGHTS,), "Their mean elevation is 239 m.", "239"),
    ((HEIGHTS,), "Their mean elevation is 238.47 km.", "238.47"),
    ((HEIGHTS,), "Their mean elevation is 238.47 feet.", "238.47"),
    ((HEIGHTS,), "901 airports lie there.", "901"),
    ((HEIGHTS,), "Runways are 901 km² in all.", "901"),
    ((LARGEST,), "Shanghai has 18,960,744 people, Beijing has 24,874,500.", "18,960,744"),
    ((LARGEST,), "Beijing is the largest city with 24.9 million people.", "24.9 million"),
    ((LARGEST,), "| City | People |\n| --- | --- |\n| Shenzhen | 18,960,744 |", "18,960,744"),
    ((LARGEST,), "- Shanghai: 17.5 million\n- Beijing: 19.0 million", "17.5 million"),
    ((LARGEST,), "Shanghai has 24.9 billion people.", "24.9 billion"),
    ((LARGEST,), "Shanghai has 24.8 million people.", "24.8 million"),
    ((LARGEST,), "Together the three have 63.1 million people.", "63.1 million"),
    ((LARGEST,), "Shanghai is 42 % larger than Beijing.", "42 %"),
    ((LARGEST,), "Their average is 22.4 million people.", "22.4 million"),
    ((LARGEST,), "Shanghai has 24.9 million people and 14 airports.", "14"),
    ((SIZES,), "Germany covers 547,030 km² and France 357,021 km².", "547,030"),
    ((SIZES,), "France covers 547,030 m².", "547,030"),
    ((SIZES,), "Germany has 66,987,244 people.", "66,987,244"),
    ((SIZES,), "Germany has 357,021 people.", "357,021"),
    ((SIZES,), "Germany has 323 people per km².", "323"),
    ((SIZES,), "France is 2.5 times as large as Germany.", "2.5"),
    ((PLACE,), "Berlin has 3,426,354 airports.", "3,426,354"),
    ((PLACE,), "Berlin has 3,645,000 inhabitants.", "3,645,000"),
)  # fmt: skip
