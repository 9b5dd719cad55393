"""What takes more than a line in GeoPandas: the same questions as the operations', in the plane of UTM zone 32."""

from __future__ import annotations

from typing import Any

import geopandas as gpd
import shapely

from tests.bench.operations.data import Town

Answer = Any


def joined(
    left: gpd.GeoDataFrame, right: gpd.GeoDataFrame, predicate: str = "intersects"
) -> gpd.GeoDataFrame:
    return gpd.sjoin(left, right, predicate=predicate)


def figures_in_zones(town: Town) -> Answer:
    inside = joined(town["points"], town["zones"][["geometry"]])
    return town["zones"].join(inside.groupby("index_right")["value"].agg(["count", "mean"]))


def lines_from_points(town: Town) -> Answer:
    ordered = town["points"].sort_values("id")
    return ordered.groupby("track").geometry.agg(
        lambda shapes: shapely.linestrings(shapely.get_coordinates(shapes))
    )


def weighted(town: Town) -> Answer:
    parcels = town["parcels"][["value", "geometry"]].assign(whole=lambda frame: frame.area)
    parts = gpd.overlay(town["zones"][["id", "geometry"]], parcels, keep_geom_type=False)
    shares = parts["value"] * parts.area / parts["whole"]
    return town["zones"].merge(shares.groupby(parts["id"]).sum().rename("shared"), on="id", how="left")


def ranked_by_use(town: Town) -> Answer:
    return (
        town["parcels"]
        .rename(columns={"owner": "holder"})
        .assign(
            use=lambda frame: frame["landuse"].str.upper(),
            place=lambda frame: frame.groupby("landuse")["value"].rank(method="min"),
        )
    )


def distances(town: Town) -> Answer:
    stops = town["stops"].geometry.to_numpy()
    return shapely.distance(stops[:, None], stops[None, :])


def symmetric(town: Town) -> Answer:
    zones, mask = town["zones"].union_all(), town["mask"].union_all()
    return gpd.GeoSeries([zones.difference(mask), mask.difference(zones)])


def counted_in_squares(town: Town) -> Answer:
    shapes = town["points"].geometry
    counts = town["points"].groupby([shapes.x // 250, shapes.y // 250]).size()
    west, south = (counts.index.get_level_values(level).to_numpy() * 250 for level in (0, 1))
    return gpd.GeoDataFrame(
        {"count": counts.to_numpy()}, geometry=shapely.box(west, south, west + 250, south + 250)
    )


def near_others(frame: gpd.GeoDataFrame, others: gpd.GeoDataFrame, metres: float) -> Answer:
    return frame[frame.index.isin(others.sindex.query(frame.geometry, "dwithin", distance=metres)[0])]
