"""Tables of an environmental survey, in the town of tables.py: wells, road segments, air stations, census tracts.

Names as exports of other programs have them: units in the name or only in the comment, upper case, two years of one
measure side by side, yes and no as booleans, "none" and "active" as values, a class that several rows share, and
first places that two rows share."""

from __future__ import annotations

from datetime import date, timedelta

import pandas as pd
from shapely import LineString, Point, box

WEST, SOUTH, CELL = 9.9, 48.3, 0.05

COMMENTS = {
    "data.wells": "Groundwater wells",
    "data.road_segments": "Road segments",
    "data.air_stations": "Air quality stations",
    "data.census_tracts": "Census tracts",
}
COLUMN_COMMENTS = {
    ("data.wells", "no3_mg_l"): "Nitrate (NO3) in mg/l",
    ("data.wells", "static_level_ft"): "Depth to water in feet",
    ("data.road_segments", "aadt"): "Average annual daily traffic, vehicles per day",
    ("data.air_stations", "pm2_5"): "Fine particles PM2.5 in µg/m³",
    ("data.census_tracts", "pct_renters"): "Share of renter households in percent",
}


def wells() -> pd.DataFrame:
    """44 wells, every sixth without a water level."""
    rows = []
    for index in range(1, 45):
        rows.append(
            {
                "id": index,
                "well_no": f"W-{index:02}",
                "depth_ft": 40.0 + index * 97 % 560,
                "static_level_ft": None if index % 6 == 0 else 8.5 + index * 31 % 90,
                "no3_mg_l": round(index * 37 % 640 / 10, 1),
                "aquifer": ("Upper", "Lower", "Lower", "none")[index * 3 % 4],
                "status": ("active", "active", "dry", "abandoned", "active")[(index + index // 9) % 5],
                "drilled": date(1962, 3, 31) + timedelta(days=index * 487),
                "Yield_GPM": 5 + index * 23 % 180,
                "geom": Point(WEST + 0.002 + index * 61 % 146 / 1000, SOUTH + 0.002 + index * 43 % 96 / 1000),
            }
        )
    return pd.DataFrame(rows).astype({"static_level_ft": float})


def road_segments() -> pd.DataFrame:
    """60 segments of nine roads; every ninth was never counted."""
    rows = []
    for index in range(1, 61):
        west, south = WEST + index * 29 % 140 / 1000, SOUTH + index * 17 % 92 / 1000
        rows.append(
            {
                "id": index,
                "road_name": (
                    "Ring Road", "Ulm Street", "Mill Lane", "A 8", "Ring Road",
                    "Station Road", "Church Lane", "Alb Road", "River Road",
                )[index * 5 % 9],
                "class": ("local", "primary", "secondary", "motorway", "local")[(index * 2 + index // 7) % 5],
                "surface": ("asphalt", "asphalt", "gravel", "concrete")[(index + index // 5) % 4],
                "lanes": 1 + index * 7 % 4,
                "speed_kmh": (30, 50, 70, 80, 100, 120)[index * 5 % 6],
                "aadt": None if index % 9 == 0 else 150 + index * 971 % 24_000,
                "lit": index % 3 == 0,
                "length_m": round(120 + index * 83.5 % 1900, 1),
                "year_built": 1931 + index * 13 % 90,
                "geom": LineString([(west, south), (west + 0.004, south + 0.002), (west + 0.006, south + 0.006)]),
            }
        )  # fmt: skip
    return pd.DataFrame(rows).astype({"aadt": "Int64"})


def air_stations() -> pd.DataFrame:
    """12 stations; the two highest PM10 values are the same, and three stations measure no NO2."""
    names = (
        "Main Street", "Ring Road", "Town Hall", "Harbour", "Mill Park", "Airport",
        "Lake View", "Old Bridge", "Brewery", "Stadium", "North Gate", "University",
    )  # fmt: skip
    pm10 = (41.5, 38.0, 22.4, 47.0, 15.2, 30.9, 12.8, 26.6, 47.0, 33.3, 19.9, 24.1)
    return pd.DataFrame(
        {
            "id": index + 1,
            "station": name,
            "type": ("traffic", "background", "industrial")[(index + index // 5) % 3],
            "pm10": pm10[index],
            "pm2_5": round(pm10[index] * 0.45 + index % 4, 1),
            "no2": None if index % 4 == 3 else round(14 + index * 13.7 % 40, 1),
            "in_operation": index % 5 != 2,
            "since": date(1988, 5, 1) + timedelta(days=index * 997),
            "geom": Point(WEST + 0.007 + index * 47 % 137 / 1000, SOUTH + 0.006 + index * 31 % 89 / 1000),
        }
        for index, name in enumerate(names)
    ).astype({"no2": float})


def census_tracts() -> pd.DataFrame:
    """18 tracts in two counties of nine each; one has no income."""
    rows = []
    for index in range(18):
        west, south = WEST + index % 6 * 0.025, SOUTH + index // 6 * 0.1 / 3
        rows.append(
            {
                "id": index + 1,
                "geoid": f"08425-{1001 + index * 7}",
                "county": ("Ulm", "Alb-Donau")[index % 2],
                "pop_2010": 900 + index * 613 % 3700,
                "pop_2020": 1000 + index * 547 % 3900,
                "households": 380 + index * 211 % 1500,
                "med_income_usd": None if index == 7 else 28_000 + index * 5_310 % 61_000,
                "pct_renters": round(12.5 + index * 17.3 % 70, 1),
                "area_sq_mi": round(1.1 + index % 5 * 0.35, 2),
                "geom": box(west, south, west + 0.025, south + 0.1 / 3),
            }
        )
    return pd.DataFrame(rows).astype({"med_income_usd": "Int64"})
