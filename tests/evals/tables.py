"""Tables of other people for the requests: a town, its trees, its bus lines, hospitals and earthquakes.

Their columns are named as such tables are named: several units, codes, values that are also words of the language
("good", "large", "none"), names that exist twice, rows without a value, and rows that lie in no district. They are
computed, so that the references can compute from the same frames what PostGIS is asked.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import asyncpg
import geopandas as gpd
import pandas as pd
from shapely import LineString, Point, Polygon

WEST, SOUTH, CELL = 9.9, 48.3, 0.05
DISTRICTS = ("Old Town", "Riverside", "North Hill", "Mill Park", "Station Quarter", "Lakeside")
SPECIES = ("Oak", "Lime", "Ash", "Plane tree", "Maple")
CONDITIONS = ("good", "fair", "poor", "dead")

COMMENTS = {
    "data.districts": "Districts of the town",
    "data.trees": "Street trees and their condition",
    "data.bus_lines": "Bus lines",
    "data.hospitals": "Hospitals and clinics",
    "data.earthquakes": "Made-up earthquakes",
}


@cache
def frames() -> dict[str, gpd.GeoDataFrame]:
    """By the name of the table; `id` is the key, `geom` the geometry in WGS 84."""
    made = {
        "districts": _districts(), "trees": _trees(), "bus_lines": _bus_lines(),
        "hospitals": _hospitals(), "earthquakes": _earthquakes(),
    }  # fmt: skip
    return {name: gpd.GeoDataFrame(frame, geometry="geom", crs=4326) for name, frame in made.items()}


async def load_tables(url: str) -> None:
    """Write the frames into the database, with keys, comments and statistics."""
    connection = await asyncpg.connect(url)
    try:
        for table_id in COMMENTS:
            await _load(connection, table_id)
    finally:
        await connection.close()


async def _load(connection: asyncpg.Connection, table_id: str) -> None:
    name = table_id.rpartition(".")[2]
    frame = frames()[name]
    types = {column: _type(frame[column]) for column in frame if column != "geom"}
    shape = "Polygon" if name == "districts" else "LineString" if name == "bus_lines" else "Point"
    columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
    await connection.execute(
        f"CREATE TABLE {table_id} ({columns}, geom geometry({shape}, 4326), PRIMARY KEY (id));"
        f"COMMENT ON TABLE {table_id} IS '{COMMENTS[table_id]}'"
    )
    slots = ", ".join(f"${number}" for number in range(1, len(types) + 1))
    rows = [
        (*(None if pd.isna(row[column]) else row[column] for column in types), row["geom"].wkb)
        for _, row in frame.iterrows()
    ]
    await connection.executemany(
        f"INSERT INTO {table_id} VALUES ({slots}, ST_SetSRID(${len(types) + 1}::bytea::geometry, 4326))", rows
    )
    await connection.execute(f"CREATE INDEX ON {table_id} USING gist (geom); ANALYZE {table_id}")


def _type(column: pd.Series) -> str:
    if pd.api.types.is_integer_dtype(column):
        return "bigint"
    if pd.api.types.is_float_dtype(column):
        return "double precision"
    return "date" if isinstance(column.iloc[0], date) else "text"


def _districts() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": index + 1,
            "name": name,
            "residents": 3100 + 2700 * index,
            "area_ha": 1850.5 - 100 * index,
            "mayor": ("Ada Frank", "Lea Stone", "Tom Lake")[index % 3],
            "geom": _cell(index % 3, index // 3),
        }
        for index, name in enumerate(DISTRICTS)
    )


def _trees() -> pd.DataFrame:
    """300 trees, every twentieth outside of all districts, every seventh without a height."""
    rows = []
    for index in range(300):
        outside = index % 20 == 19
        column, row = min(index * 7 % 11 // 3, 2), index * 5 % 2
        x = WEST + CELL * (column + 0.05 + (index * 37 % 90) / 100)
        y = SOUTH + CELL * (row + 0.05 + (index * 53 % 90) / 100) + (CELL * 4 if outside else 0)
        rows.append(
            {
                "id": index + 1,
                "species": SPECIES[(index * 3 + index // 40) % 5],
                "height_m": None if index % 7 == 6 else round(4 + index * 13 % 260 / 10, 1),
                "trunk_cm": 10 + index * 17 % 110,
                "planted": date(1950, 1, 1) + timedelta(days=index * 83),
                "condition": CONDITIONS[index * 3 % 4 if index % 11 else 0],
                "district": None if outside else DISTRICTS[column + 3 * row],
                "geom": Point(x, y),
            }
        )
    return pd.DataFrame(rows).astype({"height_m": float})


def _bus_lines() -> pd.DataFrame:
    operators = ("City Transit", "Alb Bus", "City Transit")
    return pd.DataFrame(
        {
            "id": number,
            "name": f"Line {number}",
            "operator": operators[number % 3],
            "length_km": round(4.2 + number * 1.7, 1),
            "daily_riders": 900 + number * 730 % 5000,
            "geom": LineString(
                [
                    (WEST, SOUTH + number * 0.008),
                    (WEST + 0.01 * number, SOUTH + 0.05),
                    (WEST + 0.15, SOUTH + 0.009 * number),
                ]
            ),
        }
        for number in range(1, 12)
    )  # fmt: skip


def _hospitals() -> pd.DataFrame:
    names = (
        "St. Mary", "City Hospital", "Lakeside Clinic", "Oak Park Hospital", "Springfield General",
        "Springfield General", "North Hill Clinic", "Children's Hospital", "Alb Clinic", "Station Quarter Clinic",
    )  # fmt: skip
    return pd.DataFrame(
        {
            "id": index + 1,
            "name": name,
            "beds": 40 + index * 173 % 600,
            "level": ("major", "minor", "general")[index % 3],
            "operator": ("City", "Church", "Private")[(index + index // 4) % 3],
            "emergency": ("yes", "no")[index % 2],
            "geom": Point(WEST + 0.009 * index + 0.011, SOUTH + 0.017 * (index * 3 % 5) + 0.006),
        }
        for index, name in enumerate(names)
    )


def _earthquakes() -> pd.DataFrame:
    places = ("Near the coast", "Central ridge", "Santa Maria", "Georgia", "North Sea")
    return pd.DataFrame(
        {
            "id": index,
            "place": places[index % 5],
            "magnitude": round(3 + index * 7 % 46 / 10, 1),
            "depth_km": 2 + index * 31 % 300,
            "day": date(2019, 1, 1) + timedelta(days=index * 9),
            "felt": ("widely", "locally", "not felt")[index % 3],
            "geom": Point(-160 + index * 17 % 320, -60 + index * 11 % 120),
        }
        for index in range(1, 201)
    )


def _cell(column: int, row: int) -> Polygon:
    west, south = WEST + CELL * column, SOUTH + CELL * row
    return Polygon([(west, south), (west + CELL, south), (west + CELL, south + CELL), (west, south + CELL)])
