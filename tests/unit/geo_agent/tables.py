"""Tables of a few real rows for the ports in memory: countries, cities, airports, earthquakes, roads and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Bounds, Column, ColumnKind, Table

Row = dict[str, Any]


def make_table(
    id: str,
    geometry: str | None,
    comment: str,
    columns: Sequence[tuple[str, ColumnKind, str]],
    rows: Sequence[Sequence[Any]],
) -> tuple[Table, list[Row]]:
    """A table and its rows; the last value of a row of a table with geometry is its position."""
    schema, _, name = id.partition(".")
    names = [column[0] for column in columns] + (["geom"] if geometry else [])
    made = [dict(zip(names, row, strict=True)) for row in rows]
    found = [_column(*column, [row[column[0]] for row in made]) for column in columns]
    if geometry:
        found.append(Column(name="geom", kind="geometry", sql_type=f"geometry({geometry}, 4326)"))
    points = [row["geom"] for row in made] if geometry else []
    table = Table(
        id=id,
        schema_name=schema,
        name=name.strip('"'),
        columns=tuple(found),
        key=("id",),
        geometry_column="geom" if geometry else None,
        geometry_type=geometry,
        srid=4326 if geometry else 0,
        bounds=box_of(points) if points else None,
        row_estimate=len(made),
        comment=comment,
    )
    return table, made


def _column(name: str, kind: ColumnKind, comment: str, values: list[Any]) -> Column:
    there = [value for value in values if value is not None]
    numeric = kind in ("integer", "number")
    return Column(
        name=name,
        kind=kind,
        sql_type={"text": "text", "integer": "bigint", "number": "double precision"}.get(kind, kind),
        comment=comment or None,
        samples=tuple(sorted({str(value) for value in there}))[:5] if kind == "text" else (),
        minimum=min(there) if numeric and there else None,
        maximum=max(there) if numeric and there else None,
    )


def box_of(points: Sequence[tuple[float, float]]) -> Bounds | None:
    if not points:
        return None
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return (min(xs), min(ys), max(xs), max(ys))


COUNTRIES = make_table(
    "data.countries",
    "MULTIPOLYGON",
    "Countries of the world and dependent territories, with population and area",
    [
        ("id", "integer", "Number of the row in this table; means nothing elsewhere"),
        ("name", "text", "Common English name"),
        ("iso_a2", "text", "ISO 3166-1 code of two letters, for example DE"),
        ("iso_numeric", "integer", "ISO 3166-1 number, for example 276"),
        ("continent", "text", "Continent, for example Africa or North America"),
        ("capital", "text", "Name of the capital city"),
        ("population", "integer", "Inhabitants, an estimate by GeoNames"),
        ("area_km2", "number", "Land area in square kilometres"),
        ("population_density", "number", "Inhabitants per square kilometre"),
    ],
    [
        (1, "Germany", "DE", 276, "Europe", "Berlin", 82927922, 357021.0, 232.3, (10.0, 51.0)),
        (2, "France", "FR", 250, "Europe", "Paris", 66987244, 547030.0, 122.5, (2.0, 46.0)),
        (3, "Bolivia", "BO", 68, "South America", "Sucre", 11353142, 1098580.0, 10.3, (-65.0, -17.0)),
        (4, "Peru", "PE", 604, "South America", "Lima", 31989256, 1285220.0, 24.9, (-76.0, -10.0)),
        (5, "China", "CN", 156, "Asia", "Beijing", 1411778724, 9596960.0, 147.1, (105.0, 35.0)),
        (6, "India", "IN", 356, "Asia", "New Delhi", 1352617328, 3287590.0, 411.4, (79.0, 22.0)),
        (
            7,
            "United States",
            "US",
            840,
            "North America",
            "Washington",
            327167434,
            9629091.0,
            34.0,
            (-98.0, 39.0),
        ),
        (
            8,
            "Trinidad and Tobago",
            "TT",
            780,
            "North America",
            "Port of Spain",
            1389858,
            5128.0,
            271.0,
            (-61.0, 10.5),
        ),
        (9, "Côte d'Ivoire", "CI", 384, "Africa", "Yamoussoukro", 25069229, 322460.0, 77.7, (-5.5, 7.5)),
        (10, "Georgia", "GE", 268, "Asia", "Tbilisi", 3731000, 69700.0, 53.5, (43.5, 42.0)),
        (11, "Antarctica", "AQ", 10, "Antarctica", None, 0, 14000000.0, 0.0, (0.0, -80.0)),
        (12, "Switzerland", "CH", 756, "Europe", "Bern", 8516543, 41290.0, 206.3, (8.0, 47.0)),
        (13, "Netherlands", "NL", 528, "Europe", "Amsterdam", 17231017, 41526.0, 415.0, (5.3, 52.2)),
        (14, "Greenland", "GL", 304, "North America", "Nuuk", 56025, 2166086.0, 0.03, (-42.0, 72.0)),
    ],
)
CITIES = make_table(
    "data.cities",
    "POINT",
    "Cities of the world with more than 15,000 inhabitants",
    [
        ("id", "integer", "GeoNames number of the city"),
        ("name", "text", "Name as GeoNames spells it"),
        ("country", "text", "English name of the country"),
        ("country_code", "text", "ISO code of the country, two letters"),
        ("continent", "text", "Continent of the country"),
        ("population", "integer", "Inhabitants according to GeoNames; NULL where not known"),
    ],
    [
        (1, "Berlin", "Germany", "DE", "Europe", 3426354, (13.41, 52.52)),
        (2, "Hamburg", "Germany", "DE", "Europe", 1845229, (10.0, 53.55)),
        (3, "Munich", "Germany", "DE", "Europe", 1260391, (11.58, 48.14)),
        (4, "Ulm", "Germany", "DE", "Europe", 120451, (9.99, 48.4)),
        (5, "Paris", "France", "FR", "Europe", 2138551, (2.35, 48.85)),
        (6, "Lyon", "France", "FR", "Europe", 522969, (4.85, 45.75)),
        (7, "La Paz", "Bolivia", "BO", "South America", 812799, (-68.15, -16.5)),
        (8, "El Alto", "Bolivia", "BO", "South America", 943558, (-68.16, -16.5)),
        (9, "Lima", "Peru", "PE", "South America", 7737002, (-77.03, -12.04)),
        (10, "Shanghai", "China", "CN", "Asia", 24874500, (121.46, 31.22)),
        (11, "Beijing", "China", "CN", "Asia", 18960744, (116.4, 39.91)),
        (12, "Delhi", "India", "IN", "Asia", 10927986, (77.23, 28.65)),
        (13, "Mumbai", "India", "IN", "Asia", 12691836, (72.88, 19.07)),
        (14, "New York City", "United States", "US", "North America", 8804190, (-74.0, 40.71)),
        (15, "Paris", "United States", "US", "North America", 24782, (-95.56, 33.66)),
        (16, "Port of Spain", "Trinidad and Tobago", "TT", "North America", 49031, (-61.5, 10.66)),
        (17, "Nuuk", "Greenland", "GL", "North America", None, (-51.7, 64.2)),
    ],
)
AIRPORTS = make_table(
    "data.airports",
    "POINT",
    "Airports and airfields of the world with their elevation",
    [
        ("id", "integer", "Number of the row in this table; means nothing elsewhere"),
        ("name", "text", "Name of the airport"),
        ("icao", "text", "ICAO code of four characters, for example EDDF"),
        ("iata", "text", "IATA code of three letters; NULL for airports without airline service"),
        ("city", "text", "City or place served"),
        ("country", "text", "English name of the country"),
        ("country_code", "text", "ISO code of the country, two letters"),
        ("elevation_m", "number", "Elevation above sea level in metres"),
        ("elevation_ft", "number", "Elevation above sea level in feet"),
        ("size", "text", "How big it is: large, medium or small"),
        ("towered", "boolean", "Whether it has a control tower"),
    ],
    [
        (
            1,
            "El Alto International Airport",
            "SLLP",
            "LPB",
            "La Paz",
            "Bolivia",
            "BO",
            4061.5,
            13325.0,
            "large",
            True,
            (-68.19, -16.51),
        ),
        (
            2,
            "Daocheng Yading Airport",
            "ZUDC",
            "DCY",
            "Daocheng",
            "China",
            "CN",
            4411.0,
            14472.0,
            "medium",
            True,
            (100.05, 29.32),
        ),
        (
            3,
            "Cusco International Airport",
            "SPZO",
            "CUZ",
            "Cusco",
            "Peru",
            "PE",
            3310.0,
            10860.0,
            "medium",
            True,
            (-71.94, -13.54),
        ),
        (
            4,
            "Samedan Airport",
            "LSZS",
            "SMV",
            "Samedan",
            "Switzerland",
            "CH",
            1707.0,
            5600.0,
            "small",
            False,
            (9.88, 46.53),
        ),
        (
            5,
            "Frankfurt am Main Airport",
            "EDDF",
            "FRA",
            "Frankfurt",
            "Germany",
            "DE",
            111.0,
            364.0,
            "large",
            True,
            (8.57, 50.03),
        ),
        (
            6,
            "Munich Airport",
            "EDDM",
            "MUC",
            "Munich",
            "Germany",
            "DE",
            453.0,
            1487.0,
            "large",
            True,
            (11.79, 48.35),
        ),
        (
            7,
            "Berlin Brandenburg Airport",
            "EDDB",
            "BER",
            "Berlin",
            "Germany",
            "DE",
            48.0,
            157.0,
            "large",
            True,
            (13.5, 52.36),
        ),
        (8, "Ulm Airfield", "EDZZ", None, "Ulm", "Germany", "DE", 480.0, 1575.0, "small", False, (9.9, 48.4)),
        (
            9,
            "Paris Charles de Gaulle",
            "LFPG",
            "CDG",
            "Paris",
            "France",
            "FR",
            119.0,
            392.0,
            "large",
            True,
            (2.55, 49.01),
        ),
        (
            10,
            "Amsterdam Schiphol",
            "EHAM",
            "AMS",
            "Amsterdam",
            "Netherlands",
            "NL",
            -3.0,
            -11.0,
            "large",
            True,
            (4.76, 52.31),
        ),
        (
            11,
            "Piarco International Airport",
            "TTPP",
            "POS",
            "Port of Spain",
            "Trinidad and Tobago",
            "TT",
            18.0,
            58.0,
            "medium",
            True,
            (-61.34, 10.6),
        ),
        (
            12,
            "Denver International Airport",
            "KDEN",
            "DEN",
            "Denver",
            "United States",
            "US",
            1656.0,
            5434.0,
            "large",
            True,
            (-104.67, 39.86),
        ),
        (
            13,
            "Telluride Regional Airport",
            "KTEX",
            "TEX",
            "Telluride",
            "United States",
            "US",
            2767.0,
            9078.0,
            "small",
            False,
            (-107.9, 37.95),
        ),
        (
            14,
            "Nowhere Strip",
            "XXXX",
            None,
            None,
            "Greenland",
            "GL",
            None,
            None,
            "small",
            None,
            (-40.0, 70.0),
        ),
    ],
)
QUAKES = make_table(
    "data.earthquakes",
    "POINT",
    "Earthquakes since 1900",
    [
        ("id", "integer", ""),
        ("magnitude", "number", "Moment magnitude"),
        ("depth_km", "number", "Depth in kilometres"),
        ("happened_at", "timestamp", "Time of the earthquake"),
        ("place", "text", "Where it was"),
    ],
    [
        (1, 9.5, 33.0, "1960-05-22T19:11:14Z", "Valdivia, Chile", (-73.05, -38.14)),
        (2, 9.1, 29.0, "2011-03-11T05:46:24Z", "Tohoku, Japan", (142.37, 38.3)),
        (3, 7.8, 17.9, "2023-02-06T01:17:35Z", "Pazarcik, Turkey", (37.03, 37.17)),
        (4, 6.9, 10.0, "2020-10-30T11:51:27Z", "Samos, Greece", (26.79, 37.91)),
    ],
)
ROADS = make_table(
    "data.main_roads",
    "LINESTRING",
    "Main roads",
    [
        ("id", "integer", ""),
        ("name", "text", ""),
        ("length_km", "number", "Length in kilometres"),
        ("lanes", "integer", "Number of lanes"),
    ],
    [(1, "A7", 963.0, 6, (10.0, 52.0)), (2, "A8", 505.0, 6, (10.5, 48.6)), (3, "B10", 268.0, 2, (9.9, 48.5))],
)
PARKS_OF_DATA = make_table(
    "data.parks",
    "POLYGON",
    "City parks",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "Au", (10.0, 48.4))],
)
PARKS_OF_CITY = make_table(
    "town.parks",
    "POLYGON",
    "Parks of the town",
    [("id", "integer", ""), ("name", "text", "")],
    [(1, "Lido", (9.0, 48.0))],
)
AIRLINES = make_table(
    "data.airlines", None, "Airlines, without positions",
    [("id", "integer", ""), ("name", "text", ""), ("fleet", "integer", "Aircraft")],
    [(1, "Lufthansa", 280), (2, "Swiss", 90)],
)  # fmt: skip
EVERYTHING = (COUNTRIES, CITIES, AIRPORTS, QUAKES, ROADS, PARKS_OF_DATA, PARKS_OF_CITY, AIRLINES)
