"""Tables of services and of nature in the town of tables.py: fire stations, incidents, warehouses, bird sightings.

Stations bear the names of districts, "false alarm" and "river" are values, priorities are numbers that mean no amount,
response times and weights have their units in the name, and some rows have no value."""

from __future__ import annotations

from datetime import date, timedelta

import pandas as pd
from shapely import Point

WEST, SOUTH, CELL = 9.9, 48.3, 0.05
HOMES = ("Old Town", "Riverside", "North Hill", "Mill Park", "Station Quarter", "Lakeside")

COMMENTS = {
    "data.fire_stations": "Fire stations",
    "data.incidents": "Incidents of the emergency services",
    "data.warehouses": "Warehouses",
    "data.bird_sightings": "Sightings of birds",
}


def fire_stations() -> pd.DataFrame:
    """8 stations; six are named like districts."""
    names = (
        "Central",
        "North Hill",
        "Riverside",
        "Lakeside",
        "Harbour",
        "Old Town",
        "Mill Park",
        "Station Quarter",
    )
    return pd.DataFrame(
        {
            "id": index + 1,
            "name": name,
            "engines": 1 + index * 5 % 4,
            "staff": 12 + index * 17 % 61,
            "volunteer": index % 3 == 1,
            "geom": Point(WEST + 0.006 + index * 43 % 137 / 1000, SOUTH + 0.008 + index * 29 % 83 / 1000),
        }
        for index, name in enumerate(names)
    )


def incidents() -> pd.DataFrame:
    """150 incidents; every 13th has no response time."""
    kinds = ("fire", "medical", "medical", "rescue", "false alarm", "flood", "medical")
    return pd.DataFrame(
        {
            "id": index,
            "incident_no": f"I-{index:03}",
            "kind": kinds[(index * 3 + index // 11) % 7],
            "priority": 1 + index * 5 % 4,
            "response_min": None if index % 13 == 0 else round(3 + index * 37 % 190 / 10, 1),
            "injured": index * 11 % 5 if index % 3 else 0,
            "reported": date(2021, 1, 4) + timedelta(days=index * 9),
            "district": HOMES[index * 7 % 6],
            "geom": Point(
                WEST + CELL * (index * 7 % 6 % 3) + 0.004 + index * 19 % 41 / 1000,
                SOUTH + CELL * (index * 7 % 6 // 3) + 0.004 + index * 23 % 41 / 1000,
            ),
        }
        for index in range(1, 151)
    ).astype({"response_min": float})  # fmt: skip


def warehouses() -> pd.DataFrame:
    """16 warehouses; two are called Depot North, and every fifth has no operator."""
    names = (
        "Depot North", "Depot South", "Harbour Store", "Cold Hall", "Depot North", "Alb Logistics", "Rail Yard",
        "Parcel Hub", "Danube Store", "Market Hall", "Depot West", "Cross Dock", "Bulk Terminal", "Fresh Centre",
        "Spare Parts", "Depot East",
    )  # fmt: skip
    operators = ("Rapid Freight", "Nordway", "City")
    return pd.DataFrame(
        {
            "id": index + 1,
            "name": name,
            "operator": None if index % 5 == 4 else operators[index % 3],
            "floor_area_m2": 900 + index * 1370 % 14_500,
            "loading_docks": 2 + index * 7 % 23,
            "max_load_t": 40 + index * 130 % 1100,
            "cold_storage": index % 4 == 3,
            "opened": date(1974, 5, 1) + timedelta(days=index * 1103),
            "geom": Point(WEST + 0.003 + index * 53 % 141 / 1000, SOUTH + 0.005 + index * 37 % 91 / 1000),
        }
        for index, name in enumerate(names)
    )


def bird_sightings() -> pd.DataFrame:
    """180 sightings; every ninth was not counted."""
    species = ("Kingfisher", "Grey heron", "Red kite", "Lapwing", "White stork")
    return pd.DataFrame(
        {
            "id": index,
            "species": species[(index * 2 + index // 13) % 5],
            "individuals": None if index % 9 == 0 else 1 + index * 13 % 37,
            "habitat": ("forest", "wetland", "field", "river")[(index + index // 7) % 4],
            "observer": ("A. Brown", "C. Wolf", "M. Rivers")[index * 2 % 3],
            "seen_on": date(2018, 3, 2) + timedelta(days=index * 12),
            "breeding": index % 4 == 1,
            "geom": Point(WEST + 0.002 + index * 67 % 146 / 1000, SOUTH + 0.002 + index * 47 % 96 / 1000),
        }
        for index in range(1, 181)
    ).astype({"individuals": "Int64"})
