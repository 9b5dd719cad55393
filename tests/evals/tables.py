"""Tables of other people for the requests: a town, its trees, bus lines, parcels, schools and permits, hospitals
and earthquakes.

Their columns are named as such tables are named: several units, codes, values that are also words of the language
("good", "large", "none"), names that exist twice, rows without a value, and rows that lie in no district. They are
computed, so that the references can compute from the same frames what PostGIS is asked."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import asyncpg
import geopandas as gpd
import pandas as pd
import shapely
from shapely import LineString, Point, Polygon

from tests.evals import networks, services, survey

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
    "data.parcels": "Parcels and their land use",
    "data.schools": "Schools",
    "data.building_permits": "Building permits",
    **survey.COMMENTS,
    **services.COMMENTS,
    **networks.COMMENTS,
}


@cache
def frames() -> dict[str, gpd.GeoDataFrame]:
    """By the name of the table; `id` is the key, `geom` the geometry in WGS 84."""
    made = {
        "districts": _districts(), "trees": _trees(), "bus_lines": _bus_lines(),
        "hospitals": _hospitals(), "earthquakes": _earthquakes(), "parcels": _parcels(), "schools": _schools(),
        "building_permits": _building_permits(), "wells": survey.wells(), "road_segments": survey.road_segments(),
        "air_stations": survey.air_stations(), "census_tracts": survey.census_tracts(),
        "fire_stations": services.fire_stations(), "incidents": services.incidents(),
        "warehouses": services.warehouses(), "bird_sightings": services.bird_sightings(),
        "water_mains": networks.water_mains(), "crashes": networks.crashes(), "zoning": networks.zoning(),
        "soil_samples": networks.soil_samples(), "power_plants": networks.power_plants(),
    }  # fmt: skip
    return {name: gpd.GeoDataFrame(frame, geometry="geom", crs=4326) for name, frame in made.items()}


async def load_tables(url: str) -> None:
    """Write the tables into the database, with keys, comments and statistics."""
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
    shape = frame.geometry.iloc[0].geom_type
    columns = ", ".join(f'"{column}" {kind}' for column, kind in types.items())
    await connection.execute(
        f"CREATE TABLE {table_id} ({columns}, geom geometry({shape}, 4326), PRIMARY KEY (id));"
        f"COMMENT ON TABLE {table_id} IS '{COMMENTS[table_id]}'"
    )
    for (table, column), text in {**survey.COLUMN_COMMENTS, **networks.COLUMN_COMMENTS}.items():
        if table == table_id:
            await connection.execute(f"COMMENT ON COLUMN {table}.{column} IS '{text}'")
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
    if pd.api.types.is_bool_dtype(column):
        return "boolean"
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


def _parcels() -> pd.DataFrame:
    """120 parcels, twenty in each district; the parks and the vacant ones have no floors and no year."""
    uses = ("residential", "residential", "commercial", "vacant", "industrial", "park", "residential")
    owners = ("Private", "City", "Housing Association", "Church")
    rows = []
    for index in range(120):
        use, district = uses[index * 5 % 7 if index % 9 else 3], index % 6
        side = 0.0004 + index * 7 % 11 * 0.0001
        west = WEST + CELL * (district % 3) + 0.003 + index * 29 % 40 / 1000
        south = SOUTH + CELL * (district // 3) + 0.003 + index * 13 % 41 / 1000
        built = use not in ("vacant", "park")
        rows.append(
            {
                "id": index + 1,
                "parcel_no": f"P-{index + 1:03}",
                "land_use": use,
                "area_m2": 300 + index * 211 % 4100,
                "assessed_value": 80_000 + index * 37_250 % 1_900_000,
                "owner": owners[(index + index // 7) % 4],
                "district": DISTRICTS[district],
                "built_year": 1890 + index * 17 % 133 if built else None,
                "floors": 1 + index * 3 % 7 if built else None,
                "geom": shapely.box(west, south, west + side, south + side),
            }
        )
    return pd.DataFrame(rows).astype({"built_year": "Int64", "floors": "Int64"})


def _schools() -> pd.DataFrame:
    """14 schools, none in Mill Park."""
    names = (
        "Old Town Primary", "Riverside Primary", "Goethe School", "Lakeside Primary", "Station College",
        "Anne Frank School", "North Hill Primary", "Technical College", "St. Mary", "Humboldt School",
        "Bridge Primary", "Mill Street School", "Lake College", "Garden Primary",
    )  # fmt: skip
    homes = (0, 1, 0, 5, 4, 2, 2, 4, 1, 5, 1, 0, 5, 2)
    return pd.DataFrame(
        {
            "id": index + 1,
            "name": name,
            "kind": "primary" if "Primary" in name else "vocational" if "College" in name else "secondary",
            "pupils": 140 + index * 91 % 760,
            "capacity": 180 + index * 131 % 700,
            "opened": date(1921 + index * 23 % 97, 9, 1),
            "district": DISTRICTS[home],
            "geom": Point(
                WEST + CELL * (home % 3) + 0.004 + index * 17 % 41 / 1000,
                SOUTH + CELL * (home // 3) + 0.004 + index * 11 % 41 / 1000,
            ),
        }
        for index, (name, home) in enumerate(zip(names, homes, strict=True))
    )


def _building_permits() -> pd.DataFrame:
    statuses = ("approved", "approved", "pending", "rejected", "approved")
    return pd.DataFrame(
        {
            "id": index,
            "permit_no": f"B-{2000 + index}",
            "status": statuses[(index * 3 + index // 8) % 5],
            "dwellings": index * 7 % 23,
            "issued": date(2019, 2, 1) + timedelta(days=index * 19),
            "district": DISTRICTS[index * 5 % 6],
            "cost_eur": 150_000 + index * 61_700 % 3_400_000,
            "geom": Point(
                WEST + CELL * (index * 5 % 6 % 3) + 0.004 + index * 19 % 41 / 1000,
                SOUTH + CELL * (index * 5 % 6 // 3) + 0.004 + index * 23 % 41 / 1000,
            ),
        }
        for index in range(1, 91)
    )


def _cell(column: int, row: int) -> Polygon:
    west, south = WEST + CELL * column, SOUTH + CELL * row
    return Polygon([(west, south), (west + CELL, south), (west + CELL, south + CELL), (west, south + CELL)])
