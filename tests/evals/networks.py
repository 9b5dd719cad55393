"""Tables of a water utility, of traffic safety, of a zoning plan, of soil science and of the world's power plants.

"high", "low" and "medium" are risks, "fire" a hydrant's use, "open" a state, two streets and two plants share names,
`far` is a ratio, `ph` has two letters, and years are numbers."""

from __future__ import annotations

from datetime import date, timedelta

import pandas as pd
from shapely import LineString, Point, box

WEST, SOUTH, CELL = 9.9, 48.3, 0.05

COMMENTS = {
    "data.water_mains": "Water mains",
    "data.crashes": "Traffic crashes",
    "data.zoning": "Zoning plan",
    "data.soil_samples": "Soil samples",
    "data.power_plants": "Power plants",
}
COLUMN_COMMENTS = {
    ("data.zoning", "far"): "Floor area ratio",
    ("data.soil_samples", "soc_pct"): "Soil organic carbon in percent",
    ("data.power_plants", "capacity_mw"): "Installed capacity in megawatts",
}


def water_mains() -> pd.DataFrame:
    """70 pipes; every eighth has no year."""
    rows = []
    for index in range(1, 71):
        west, south = WEST + index * 31 % 142 / 1000, SOUTH + index * 23 % 94 / 1000
        rows.append(
            {
                "id": index,
                "main_id": f"M{100 + index}",
                "street": ("Mill Lane", "Ulm Street", "Church Lane", "Station Road", "Quarry Way")[
                    index * 3 % 5
                ],
                "material": ("cast iron", "PVC", "steel", "ductile iron", "PVC", "asbestos cement")[
                    (index * 5 + index // 9) % 6
                ],
                "diameter_mm": (80, 100, 150, 200, 300, 400)[index * 7 % 6],
                "installed": None if index % 8 == 0 else 1921 + index * 29 % 99,
                "pressure_bar": round(2.1 + index * 17 % 53 / 10, 1),
                "breaks": index * 11 % 7 if index % 3 else 0,
                "length_m": round(35 + index * 61.3 % 640, 1),
                "risk": ("low", "medium", "high", "low")[(index + index // 6) % 4],
                "geom": LineString(
                    [(west, south), (west + 0.003, south + 0.001), (west + 0.005, south + 0.004)]
                ),
            }
        )
    return pd.DataFrame(rows).astype({"installed": "Int64"})


def crashes() -> pd.DataFrame:
    """160 crashes; every tenth without a speed limit."""
    severities = ("slight", "slight", "serious", "slight", "fatal", "slight", "serious", "slight")
    return pd.DataFrame(
        {
            "id": index,
            "severity": severities[(index * 3 + index // 10) % 8],
            "crash_date": date(2020, 1, 3) + timedelta(days=index * 9),
            "weather": ("clear", "rain", "clear", "snow", "fog")[(index * 2 + index // 7) % 5],
            "light": ("day", "day", "dusk", "dark")[(index + index // 9) % 4],
            "vehicles": 1 + index * 7 % 4,
            "casualties": index * 13 % 6,
            "cyclist": index % 5 == 2,
            "speed_limit_kmh": None if index % 10 == 0 else (30, 50, 70, 100)[index * 3 % 4],
            "street": ("Mill Lane", "Ulm Street", "Ring Road", "Station Road")[index * 7 % 4],
            "geom": Point(WEST + 0.003 + index * 71 % 145 / 1000, SOUTH + 0.003 + index * 41 % 95 / 1000),
        }
        for index in range(1, 161)
    ).astype({"speed_limit_kmh": "Int64"})


def zoning() -> pd.DataFrame:
    """24 zones in four rows of six; the open spaces have no height."""
    uses = ("residential", "mixed use", "industrial", "open space", "residential", "commercial")
    rows = []
    for index in range(24):
        west, south = WEST + index % 6 * 0.025, SOUTH + index // 6 * 0.025
        use = uses[(index * 5 + index // 6) % 6]
        rows.append(
            {
                "id": index + 1,
                "zone_code": f"{use[0].upper()}{1 + index % 3}",
                "zone_type": use,
                "max_height_m": None if use == "open space" else 9.0 + index * 7 % 31,
                "far": round(0.4 + index * 3 % 11 * 0.25, 2),
                "max_units_ha": index * 37 % 180,
                "adopted": date(1998, 6, 1) + timedelta(days=index * 401),
                "flood_risk": ("none", "low", "high")[index * 2 % 3],
                "geom": box(west, south, west + 0.025, south + 0.025),
            }
        )
    return pd.DataFrame(rows).astype({"max_height_m": float})


def soil_samples() -> pd.DataFrame:
    """96 samples; every eleventh without carbon."""
    return pd.DataFrame(
        {
            "id": index,
            "sample_code": f"S-{index:03}",
            "ph": round(4.2 + index * 19 % 41 / 10, 1),
            "soc_pct": None if index % 11 == 0 else round(0.4 + index * 23 % 57 / 10, 1),
            "moisture_pct": round(6 + index * 29 % 350 / 10, 1),
            "depth_cm": (10, 30, 60, 100)[index * 3 % 4],
            "texture": ("clay", "loam", "sand", "silt", "loam")[(index * 2 + index // 8) % 5],
            "land_cover": ("meadow", "cropland", "forest")[(index + index // 12) % 3],
            "collector": ("R. Field", "J. Sand", "P. Moss")[index * 2 % 3],
            "collected": date(2019, 4, 2) + timedelta(days=index * 13),
            "geom": Point(WEST + 0.001 + index * 59 % 147 / 1000, SOUTH + 0.002 + index * 37 % 96 / 1000),
        }
        for index in range(1, 97)
    ).astype({"soc_pct": float})


def power_plants() -> pd.DataFrame:
    """48 plants in twelve countries, the outermost of them 3 degrees apart; two are called Santa Maria."""
    homes = (
        ("Brazil", -47.9, -15.8), ("Chile", -70.7, -33.5), ("Germany", 10.5, 51.0), ("France", 2.4, 46.6),
        ("Kenya", 37.9, 0.5), ("Ethiopia", 39.6, 8.6), ("India", 79.0, 22.5), ("China", 104.0, 33.0),
        ("Norway", 9.5, 61.5), ("Canada", -106.0, 54.0), ("South Africa", 24.7, -29.0), ("Turkey", 33.5, 39.0),
    )  # fmt: skip
    fuels = ("Hydro", "Gas", "Coal", "Solar", "Wind", "Nuclear", "Hydro")
    rows = []
    for index in range(48):
        country, lon, lat = homes[index * 5 % 12]
        rows.append(
            {
                "id": index + 1,
                "plant_name": "Santa Maria"
                if index in (5, 29)
                else f"{country} {fuels[index * 3 % 7]} {index + 1}",
                "country": country,
                "fuel": fuels[index * 3 % 7],
                "capacity_mw": round(12 + index * 211.5 % 2400, 1),
                "commissioned": 1954 + index * 17 % 69,
                "owner": None if index % 6 == 4 else ("State", "Nordkraft", "Green Grid")[index % 3],
                "geom": Point(lon + (index * 7 % 11 - 5) * 0.12, lat + (index * 5 % 9 - 4) * 0.14),
            }
        )
    return pd.DataFrame(rows)
