"""What the sample data really says, by pandas and GeoPandas from the sources, without PostGIS and GeoAgent.

A case's `reference` is an expression over the frames `airports`, `cities` and `countries`, those of tables.py, and the
functions below.
Distances are geodesic, on WGS 84, by pyproj."""

from __future__ import annotations

from functools import cache
from typing import Any

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import Geod

from server.samples.sources import SAMPLES
from tests.evals import tables

GEOD = Geod(ellps="WGS84")
SLACK = 1.006
"""By so much a distance on the ellipsoid may differ from one on the sphere: what is nearest there is nearest here,
or nearly so."""
AT_ONCE = 500


@cache
def frames() -> dict[str, gpd.GeoDataFrame]:
    """The sample tables, each with its columns and `geom`."""
    return {sample.table: _frame(sample) for sample in SAMPLES}


def evaluate(expression: str) -> Any:
    """The value of a reference. The expressions are those of the files beside this one."""
    known = {"np": np, "pd": pd, "nearest_m": nearest_m, "near": near, "inside": inside, "named": named}
    known |= {"spot": spot, "area_km2": area_km2, "grouped": grouped, "GEOD": GEOD}
    return eval(expression, {**known, **frames(), **tables.frames()})


def named(frame: gpd.GeoDataFrame, name: str) -> gpd.GeoDataFrame:
    """The rows of that name; of several cities the most populous."""
    found = frame[frame.name == name]
    return found.nlargest(1, "population") if "population" in frame else found


def grouped(values: pd.Series) -> pd.DataFrame:
    """An aggregate by group, as the rows of a layer with names and values."""
    return pd.DataFrame({"name": values.index, "value": values.to_numpy()})


def spot(longitude: float, latitude: float) -> gpd.GeoDataFrame:
    """One point as a frame."""
    return gpd.GeoDataFrame(geometry=gpd.points_from_xy([longitude], [latitude]), crs=4326)


def nearest_m(points: gpd.GeoDataFrame, others: gpd.GeoDataFrame) -> pd.Series:
    """Metres from each point to the nearest of the others."""
    here, there = _on_sphere(points), _on_sphere(others)
    lon, lat = points.geometry.x.to_numpy(), points.geometry.y.to_numpy()
    x, y = others.geometry.x.to_numpy(), others.geometry.y.to_numpy()
    nearest = np.full(len(points), np.inf)
    for group in _groups(here, np.arange(len(points))):
        possible = _possible(here[group], there)
        cosines = here[group] @ there[possible].T
        angle = np.arccos(np.clip(cosines.max(axis=1), -1, 1))
        close = cosines >= np.cos(np.minimum(angle * SLACK + 1e-7, np.pi))[:, None]
        # Flat: numpy looks for what is true in one dimension much faster than in two.
        row, column = np.divmod(np.flatnonzero(close), close.shape[1])
        row, other = group[row], possible[column]
        _, _, metres = GEOD.inv(lon[row], lat[row], x[other], y[other])
        np.minimum.at(nearest, row, metres)
    return pd.Series(nearest, index=points.index)


def _groups(sphere: np.ndarray[Any, Any], rows: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The rows in groups of at most `AT_ONCE` that lie together."""
    if len(rows) <= AT_ONCE:
        return [rows] if len(rows) else []
    axis = np.ptp(sphere[rows], axis=0).argmax()
    ordered = rows[np.argsort(sphere[rows, axis], kind="stable")]
    half = len(rows) // 2
    return [*_groups(sphere, ordered[:half]), *_groups(sphere, ordered[half:])]


def _possible(group: np.ndarray[Any, Any], there: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Which of the others can be the nearest of a point of the group, by their angles to the one in its middle."""
    middle = group[(group @ group.mean(axis=0)).argmax()]
    radius = np.arccos(np.clip(group @ middle, -1, 1)).max()
    angles = np.arccos(np.clip(there @ middle, -1, 1))
    return np.flatnonzero(angles <= (angles.min() + radius) * SLACK + radius + 1e-6)


def near(points: gpd.GeoDataFrame, others: gpd.GeoDataFrame, km: float) -> gpd.GeoDataFrame:
    """The points at most so far from any of the others."""
    return points[nearest_m(points, others) <= km * 1000]


def area_km2(areas: gpd.GeoDataFrame) -> pd.Series:
    """Geodesic areas on the ellipsoid."""
    return areas.geometry.map(
        lambda shape: abs(GEOD.geometry_area_perimeter(shapely.orient_polygons(shape))[0]) / 1e6
    )


def inside(features: gpd.GeoDataFrame, areas: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The features in any of the areas, each once; a line or an area that only shares a border is not in it."""
    pairs = features.sjoin(areas[["geom"]], predicate="intersects")
    other = areas.geometry.loc[pairs["index_right"]]
    only_touches = shapely.touches(pairs.geometry.to_numpy(), other.to_numpy())
    is_point = shapely.get_dimensions(pairs.geometry.to_numpy()) == 0
    return features.loc[pairs.index[is_point | ~only_touches].unique()]


def _frame(sample: Any) -> gpd.GeoDataFrame:
    columns = [column.name for column in sample.columns]
    frame = pd.DataFrame(list(sample.records()), columns=columns)
    for name in ("population", "area_km2", "population_density"):
        if name in frame:
            frame[name] = pd.to_numeric(frame[name])
    return gpd.GeoDataFrame(frame, geometry=shapely.from_wkb(frame.pop("geom")), crs=4326).rename_geometry(
        "geom"
    )


def _on_sphere(frame: gpd.GeoDataFrame) -> np.ndarray[Any, Any]:
    longitude, latitude = np.radians(frame.geometry.x), np.radians(frame.geometry.y)
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )
