"""Each operation with its arguments, and GeoPandas for the same; by_hand.sql has the SQL that a person would write.
Arguments alone may also be declared by the reference test of the operation.

That measures on the spheroid (geography), as the operations do. GeoPandas calculates in the plane of UTM zone 32, which
its frames are in already. Where no person would write it by hand, the operation's own SQL, in psql, is the baseline."""

from __future__ import annotations

import geopandas as gpd
import pandas as pd
import shapely

from tests.bench.operations.case import Case, hundredth, tenth, thousandth
from tests.bench.operations.in_geopandas import (
    counted_in_squares,
    distances,
    figures_in_zones,
    joined,
    lines_from_points,
    near_others,
    ranked_by_use,
    symmetric,
    weighted,
)
from tests.support.references import references

NEIGHBOURS = {"source": "data.tenth", "column": "value", "k": 8}

CASES = (
    Case(
        "filter",
        "forest worth over 500",
        {"source": "data.parcels", "filter": "landuse = 'forest' AND value > 500"},
        geopandas=lambda town: town["parcels"].query("landuse == 'forest' and value > 500").copy(),
    ),
    Case(
        "filter",
        "points in a small box",
        {
            "source": "data.points",
            "filter": {
                "op": "s_intersects",
                "args": [{"property": "geom"}, {"bbox": [9.002, 48.751, 9.02, 48.765]}],
            },
        },
        geopandas=lambda town: town["points"].cx[500_147:501_468, 5_400_111:5_401_668].copy(),
    ),
    Case(
        "calculate",
        "two columns",
        {"source": "data.parcels", "name": "ratio", "expression": "value / (block + 1)"},
        geopandas=lambda town: town["parcels"].assign(
            ratio=lambda frame: frame["value"] / (frame["block"] + 1)
        ),
    ),
    Case(
        "columns",
        "a text, a rank of each group and a renamed column",
        {
            "source": "data.parcels",
            "changes": [
                {"function": "rename", "column": "owner", "name": "holder"},
                {"function": "upper", "column": "landuse", "name": "use"},
                {"function": "rank", "columns": ["value"], "within": ["landuse"], "name": "place"},
            ],
        },
        geopandas=ranked_by_use,
    ),
    Case(
        "deduplicate",
        "by an owner",
        {"source": "data.parcels", "by": ["owner"]},
        geopandas=lambda town: town["parcels"].drop_duplicates("owner"),
    ),
    Case(
        "tidy",
        "grid, rings and repeated points",
        {"source": "data.parcels", "grid": 1e-6, "rings": "clockwise", "repeated": True},
        geopandas=lambda town: town["parcels"].set_geometry(
            town["parcels"].geometry.remove_repeated_points().set_precision(0.1).map(shapely.normalize)
        ),
    ),
    Case(
        "summarise",
        "8 groups, mean and median",
        {
            "source": "data.parcels",
            "by": ["landuse"],
            "aggregates": [
                {"function": "count"},
                {"function": "mean", "column": "value"},
                {"function": "median", "column": "value"},
            ],
        },
        geopandas=lambda town: town["parcels"].groupby("landuse")["value"].agg(["count", "mean", "median"]),
    ),
    Case(
        "sort",
        "by value, ranked",
        {"source": "data.parcels", "by": "value"},
        geopandas=lambda town: (
            town["parcels"]
            .sort_values("value", ascending=False)
            .assign(rank=lambda frame: frame["value"].rank(ascending=False, method="min"))
        ),
    ),
    Case(
        "top",
        "100 of all",
        {"source": "data.parcels", "by": "value", "n": 100},
        geopandas=lambda town: town["parcels"].nlargest(100, "value"),
    ),
    Case(
        "sample",
        "1,000 of all, repeatable",
        {"source": "data.parcels", "n": 1000},
        geopandas=lambda town: town["parcels"].sample(min(1000, town.rows), random_state=0),
    ),
    Case(
        "join_by_attribute",
        "one to one",
        {"source": "data.parcels", "other": "data.ratings", "key": "id", "other_key": "parcel"},
        geopandas=lambda town: town["parcels"].merge(
            town["ratings"], left_on="id", right_on="parcel", how="left"
        ),
    ),
    Case(
        "merge",
        "points and sites",
        {"sources": ["data.points", "data.sites"]},
        geopandas=lambda town: pd.concat([town["points"], town["sites"]], ignore_index=True),
    ),
    Case(
        "measure",
        "area and perimeter",
        {"source": "data.parcels", "measures": ["area", "perimeter"]},
        geopandas=lambda town: town["parcels"].assign(
            area=town["parcels"].area, perimeter=town["parcels"].length
        ),
        plane=True,
    ),
    Case(
        "centroid",
        "on the spheroid",
        {"source": "data.parcels"},
        geopandas=lambda town: town["parcels"].set_geometry(town["parcels"].centroid),
        plane=True,
    ),
    Case(
        "envelope",
        "upright",
        {"source": "data.parcels"},
        geopandas=lambda town: town["parcels"].set_geometry(town["parcels"].envelope),
    ),
    Case(
        "hull",
        "convex, of each track",
        {"source": "data.points", "by": "track"},
        geopandas=lambda town: town["points"].dissolve("track").convex_hull,
    ),
    Case(
        "buffer",
        "points by 50 m",
        {"source": "data.points", "distance": "50 m"},
        geopandas=lambda town: town["points"].set_geometry(town["points"].buffer(50, quad_segs=16)),
        plane=True,
    ),
    Case(
        "buffer",
        "sites by 100 m, united",
        {"source": "data.sites", "distance": "100 m", "dissolve": True},
        geopandas=lambda town: town["sites"].buffer(100, quad_segs=16).union_all(),
        rows=hundredth,
        plane=True,
    ),
    Case("smooth", "lines, twice", {"source": "data.lines"}),
    Case(
        "densify",
        "lines to 20 m",
        {"source": "data.lines", "longest": "20 m"},
        geopandas=lambda town: town["lines"].set_geometry(town["lines"].segmentize(20)),
        plane=True,
    ),
    Case(
        "make_valid",
        "all valid",
        {"source": "data.parcels"},
        geopandas=lambda town: town["parcels"].set_geometry(town["parcels"].make_valid()),
    ),
    Case(
        "explode",
        "of one part each",
        {"source": "data.parcels"},
        geopandas=lambda town: town["parcels"].explode(index_parts=True),
    ),
    Case(
        "collect",
        "by block",
        {"source": "data.parcels", "by": ["block"]},
        geopandas=lambda town: (
            town["parcels"].groupby("block").geometry.agg(lambda each: shapely.multipolygons(list(each)))
        ),
    ),
    Case("clean_coverage", "of parcels", {"source": "data.parcels", "below": "10 m2"}),
    Case(
        "dissolve",
        "by block",
        {"source": "data.parcels", "by": ["block"]},
        geopandas=lambda town: town["parcels"].dissolve("block"),
    ),
    Case(
        "reproject",
        "to UTM",
        {"source": "data.parcels", "srid": 25832},
        geopandas=lambda town: town["parcels"].to_crs(4326),
        plane=True,
    ),
    Case(
        "points_from_columns",
        "longitude and latitude",
        {"source": "data.points", "x": "lon", "y": "lat"},
        geopandas=lambda town: gpd.GeoDataFrame(
            town["points"].drop(columns="geometry"),
            geometry=gpd.points_from_xy(town["points"].geometry.x, town["points"].geometry.y),
            crs=25832,
        ),
    ),
    Case(
        "lines_from_columns",
        "there and back",
        {"source": "data.points", "from_x": "lon", "from_y": "lat", "to_x": "lat", "to_y": "lat"},
    ),
    Case(
        "lines_from_points",
        "by track",
        {"source": "data.points", "order": "id", "by": "track"},
        geopandas=lines_from_points,
        plane=True,
    ),
    Case(
        "select_by_location",
        "points in half of the zones",
        {"source": "data.points", "other": "data.mask"},
        geopandas=lambda town: town["points"][
            town["points"].index.isin(joined(town["points"], town["mask"]).index)
        ],
    ),
    Case(
        "select_by_location",
        "parcels that hold one of the stops",
        {"source": "data.parcels", "other": "data.stops", "predicate": "contains"},
        geopandas=lambda town: town["parcels"][
            town["parcels"].index.isin(joined(town["parcels"], town["stops"], "contains").index)
        ],
    ),
    Case(
        "select_by_location",
        "points within 50 m of a site",
        {"source": "data.points", "other": "data.sites", "predicate": "within_distance", "distance": "50 m"},
        geopandas=lambda town: near_others(town["points"], town["sites"], 50),
        plane=True,
    ),
    Case(
        "spatial_join",
        "zones with figures of points",
        {
            "source": "data.zones",
            "other": "data.points",
            "aggregates": [{"function": "count"}, {"function": "mean", "column": "value"}],
        },
        geopandas=figures_in_zones,
    ),
    Case(
        "spatial_join",
        "points with their zone",
        {"source": "data.points", "other": "data.zones", "rows": "matched"},
        geopandas=lambda town: joined(town["points"], town["zones"]),
    ),
    Case(
        "distance_from_point",
        "points, from the market",
        {"source": "data.points", "longitude": 11.57, "latitude": 48.14},
    ),
    Case(
        "nearest",
        "the nearest site of each point",
        {"source": "data.points", "target": "data.sites"},
        geopandas=lambda town: gpd.sjoin_nearest(town["points"], town["sites"], distance_col="away"),
        plane=True,
    ),
    Case(
        "intersection",
        "parcels and zones",
        {"source": "data.parcels", "other": "data.zones"},
        geopandas=lambda town: gpd.overlay(town["parcels"], town["zones"]),
    ),
    Case(
        "union",
        "parcels and zones",
        {"source": "data.parcels", "other": "data.zones"},
        geopandas=lambda town: gpd.overlay(town["parcels"], town["zones"], how="union"),
    ),
    Case(
        "identity",
        "parcels and half of the zones",
        {"source": "data.parcels", "other": "data.mask"},
        geopandas=lambda town: gpd.overlay(town["parcels"], town["mask"], how="identity"),
    ),
    Case(
        "clip",
        "parcels to half of the zones",
        {"source": "data.parcels", "mask": "data.mask"},
        geopandas=lambda town: town["parcels"].clip(town["mask"]),
    ),
    Case(
        "difference",
        "parcels less half of the zones",
        {"source": "data.parcels", "other": "data.mask"},
        geopandas=lambda town: gpd.overlay(town["parcels"], town["mask"], how="difference"),
    ),
    Case(
        "symmetric_difference",
        "zones and half of them",
        {"source": "data.zones", "other": "data.mask"},
        geopandas=symmetric,
        rows=thousandth,
    ),
    Case(
        "weighted_overlap",
        "values of parcels to zones",
        {"source": "data.zones", "other": "data.parcels", "column": "value"},
        geopandas=weighted,
        plane=True,
    ),
    Case(
        "distance_matrix",
        "of up to 1,000 stops",
        {"source": "data.stops", "other": "data.stops", "name": "name", "other_name": "name"},
        geopandas=distances,
        rows=lambda rows: min(rows, 1000) ** 2,
        plane=True,
    ),
    Case(
        "voronoi",
        "a tenth of the points",
        {"source": "data.tenth"},
        geopandas=lambda town: gpd.sjoin(
            gpd.GeoDataFrame(geometry=town["tenth"].voronoi_polygons(), crs=25832), town["tenth"]
        ),
        rows=tenth,
        plane=True,
    ),
    Case(
        "delaunay",
        "a tenth of the points",
        {"source": "data.tenth"},
        geopandas=lambda town: town["tenth"].delaunay_triangles(),
        rows=tenth,
        plane=True,
    ),
    Case("cluster", "DBSCAN, 12 m, 4 points", {"source": "data.points", "distance": "12 m", "minimum": 4}),
    Case(
        "cluster", "k-means, 20, a tenth", {"source": "data.tenth", "method": "kmeans", "k": 20}, rows=tenth
    ),
    Case("hot_spots", "8 neighbours, a tenth", NEIGHBOURS, rows=tenth),
    Case("autocorrelation", "8 neighbours, a tenth", NEIGHBOURS, rows=tenth),
    Case("local_autocorrelation", "8 neighbours, a tenth", NEIGHBOURS, rows=tenth),
    Case(
        "simplify",
        "lines by 10 m",
        {"source": "data.lines", "tolerance": "10 m"},
        geopandas=lambda town: town["lines"].set_geometry(town["lines"].simplify(10)),
        plane=True,
    ),
    Case("points_along_lines", "each 50 m", {"source": "data.lines", "every": "50 m"}),
    Case(
        "grid",
        "squares of 250 m",
        {"source": "data.points", "size": "250 m", "shape": "square"},
        geopandas=counted_in_squares,
        plane=True,
    ),
    Case("heat", "sites, over 500 m", {"source": "data.sites", "bandwidth": "500 m"}, rows=hundredth),
    Case(
        "distance_bands",
        "sites, 100 m and 300 m",
        {"source": "data.sites", "distances": ["100 m", "300 m"]},
        rows=hundredth,
    ),
    Case(
        "changes", "none", {"source": "data.points", "other": "data.points", "key": ["id"], "unchanged": True}
    ),
    *(
        Case(each.operation, "as its test declares", each.benchmark)
        for each in references()
        if each.benchmark is not None
    ),
)
