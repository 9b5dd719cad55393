"""What operations make of shapes agrees with shapely, pyproj and geometry itself."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pyproj import Geod, Transformer
from shapely import MultiPoint, Polygon, STRtree, box, from_wkt, get_coordinates, unary_union
from shapely.geometry import Point
from shapely.ops import transform

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")
ODD = {
    1: "POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))",
    2: "POINT(5 5)",
    3: "LINESTRING(3 0, 3.5 1, 4 0)",
    4: "MULTIPOLYGON(((2 0, 3 0, 3 1, 2 1, 2 0)), ((6 0, 7 0, 7 1, 6 1, 6 0)))",
    5: "GEOMETRYCOLLECTION(POINT(6 6), LINESTRING(6 6, 7 6))",
    6: "MULTIPOLYGON EMPTY",
}


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    values = ", ".join(f"({n}, ST_Force3D(ST_GeomFromText('{wkt}', 4326)))" for n, wkt in ODD.items())
    await bench.make(
        "CREATE TABLE data.odd (id int PRIMARY KEY, geom geometry(GeometryZ, 4326))",
        f"INSERT INTO data.odd VALUES {values}, (7, NULL)",
        "CREATE TABLE data.iberia AS SELECT id, name, population, geom FROM data.cities"
        " WHERE country = 'Spain' AND population > 100000",
        "CREATE TABLE data.track (who text, at timestamp, n int, geom geometry(Point, 4326))",
        "INSERT INTO data.track SELECT CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END, timestamp '2024-01-01' + n * interval"
        " '1 hour', n, ST_SetSRID(ST_MakePoint(179 + n * 0.2 - CASE WHEN n > 5 THEN 360 ELSE 0 END, n), 4326)"
        " FROM generate_series(10, 0, -1) AS n",
        "INSERT INTO data.track VALUES ('alone', '2024-01-01', 1, ST_SetSRID(ST_MakePoint(0, 0), 4326)),"
        " ('a', NULL, 1, ST_SetSRID(ST_MakePoint(0, 0), 4326)), ('b', '2025-01-01', 1, NULL)",
    )


@pytest.mark.reference("centroid")
async def test_centroids_of_countries_are_those_of_an_equal_area_projection(bench: Bench) -> None:
    countries = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("name")
    rows = (await bench.run("centroid", source="data.countries")).rows.set_index("name")
    assert len(rows) == len(countries)
    for name in ("Poland", "Brazil", "Australia", "Egypt"):
        middle = countries.geom[name].centroid
        plane = f"+proj=laea +lat_0={middle.y} +lon_0={middle.x}"
        there = Transformer.from_crs("EPSG:4326", plane, always_xy=True)
        flat = transform(there.transform, countries.geom[name]).centroid
        x, y = there.transform(flat.x, flat.y, direction="INVERSE")
        assert GEOD.inv(x, y, rows.geom[name].x, rows.geom[name].y)[2] < 20_000, name
    # Fiji lies on both sides of the antimeridian.
    assert GEOD.inv(rows.geom["Fiji"].x, rows.geom["Fiji"].y, 178.5, -17.6)[2] < 60_000
    inside = (await bench.run("centroid", source="data.countries", inside=True)).rows.set_index("name")
    assert all(countries.geom[name].covers(point) for name, point in inside.geom.items())


async def test_nothing_put_together_is_nothing(bench: Bench) -> None:
    """No row with an empty shape, so that the analysis is known to be empty; a count of nothing is 0."""
    await bench.make("CREATE TABLE data.nowhere (id int PRIMARY KEY, geom geometry(Point, 4326))")
    for operation, arguments in (
        ("buffer", {"distance": 1000, "dissolve": True}),
        ("hull", {}),
        ("dissolve", {}),
        ("collect", {}),
    ):
        assert (await bench.run(operation, source="data.nowhere", **arguments)).receipt.rows == 0, operation
    assert (await bench.run("summarise", source="data.nowhere")).rows["count"].tolist() == [0]


@pytest.mark.reference("envelope", "hull")
async def test_envelopes_and_hulls_agree_with_shapely(bench: Bench) -> None:
    cities = (await bench.run("sample", source="data.iberia", n=1000)).rows
    countries = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("name")
    boxes = (await bench.run("envelope", source="data.countries")).rows.set_index("name")
    assert all(boxes.geom[name].bounds == shape.bounds for name, shape in countries.geom.items())
    hull = (await bench.run("hull", source="data.iberia")).rows
    assert hull.geom[0].symmetric_difference(MultiPoint(list(cities.geom)).convex_hull).area < 1e-9
    assert hull.features[0] == len(cities)
    concave = (await bench.run("hull", source="data.iberia", concave=0.3)).rows.geom[0]
    assert concave.area < hull.geom[0].area
    assert all(concave.buffer(1e-9).covers(point) for point in cities.geom)
    grouped = (await bench.run("hull", source="data.cities", by="continent")).rows
    everywhere = (await bench.run("sample", source="data.cities", n=100_000)).rows
    for row in grouped.itertuples():
        places = MultiPoint(list(everywhere[everywhere.continent == row.continent].geom))
        wanted = places.convex_hull
        if row.continent == "Oceania":  # on both sides of the antimeridian
            assert row.geom.bounds[0::2] == (-180, 180)
            wanted = _eastwards(places).convex_hull
            row = row._replace(geom=unary_union([_eastwards(part) for part in row.geom.geoms]))
        assert row.geom.symmetric_difference(wanted).area < 1e-6


def _eastwards(shape: Any) -> Any:
    """With longitudes from 0 to 360."""
    return transform(lambda x, y: (np.where(np.asarray(x) < 0, np.asarray(x) + 360, x), y), shape)


async def test_what_lies_on_both_sides_of_the_antimeridian_is_enclosed_across_it(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.islands (id int PRIMARY KEY, kind text, geom geometry(Geometry, 4326))",
        "INSERT INTO data.islands VALUES (1, 'a', 'SRID=4326;POINT(178 -18)'), (2, 'a', 'SRID=4326;POINT(-176 -13)'),"
        " (3, 'a', 'SRID=4326;POINT(-175 -21)'), (4, 'b', 'SRID=4326;MULTIPOINT(179 -8, -179 -8)'), (5, 'b', NULL)",
    )
    (hull,) = (await bench.run("hull", source="data.islands")).rows.geom
    assert hull.area == pytest.approx(
        Polygon([(178, -18), (184, -13), (185, -21), (181, -8), (179, -8)]).convex_hull.area
    )
    assert [part.bounds[0::2] for part in sorted(hull.geoms, key=lambda part: part.bounds[0])] == [
        (-180, -175),
        (178, 180),
    ]
    groups = (await bench.run("hull", source="data.islands", by="kind")).rows.set_index("kind").geom
    assert groups["a"].area == pytest.approx(Polygon([(178, -18), (184, -13), (185, -21)]).area, rel=1e-9)
    assert groups["b"].length == pytest.approx(2)
    boxes = await bench.run("envelope", source="data.islands")
    (note,) = [note for note in boxes.receipt.notes if "both sides of the antimeridian" in note]
    assert note.startswith("1 feature ")


@pytest.mark.reference("make_valid")
async def test_repairs_say_what_was_wrong(bench: Bench) -> None:
    rows = (await bench.run("make_valid", source="data.odd")).rows.set_index("id")
    assert len(rows) == 7
    assert all(shape is None or shape.is_valid for shape in rows.geom)
    assert rows.geom[1].area == pytest.approx(0.5)
    assert "Self-intersection" in rows.was_wrong[1]
    assert [bool(isinstance(why, str)) for why in rows.was_wrong] == [True] + [False] * 6


@pytest.mark.reference("reproject")
async def test_coordinates_are_transformed_as_pyproj_does(bench: Bench) -> None:
    rows = (await bench.run("reproject", source="data.iberia", srid=25830)).rows.set_index("id")
    cities = (await bench.run("sample", source="data.iberia", n=1000)).rows
    there = Transformer.from_crs(4326, 25830, always_xy=True)
    for city in cities.itertuples():
        x, y = there.transform(city.geom.x, city.geom.y)
        assert rows.geom[city.id].distance(Point(x, y)) < 0.01
    with pytest.raises(InvalidQuestion):
        await bench.run("reproject", source="data.iberia", srid=999_000)


async def test_shapes_that_become_longitudes_are_cut_at_the_antimeridian_and_around_a_pole(
    bench: Bench,
) -> None:
    await bench.make(
        "CREATE TABLE data.fiji (id int PRIMARY KEY, geom geometry(Polygon, 3832))",
        "INSERT INTO data.fiji SELECT id, ST_Transform(ST_ShiftLongitude(ST_MakeEnvelope(west, -18, west + 2, -16,"
        " 4326)), 3832) FROM (VALUES (1, 179), (2, 177)) AS each(id, west)",
        "CREATE TABLE data.cap AS SELECT 1 AS id, ST_MakeEnvelope(-500000, -500000, 500000, 500000, 3031)"
        "::geometry(Polygon, 3031) AS geom",
    )
    answer = await bench.run("reproject", source="data.fiji", srid=4326)
    crossing, plain = answer.rows.sort_values("id").geom
    assert crossing.symmetric_difference(box(179, -18, 180, -16) | box(-180, -18, -179, -16)).area < 1e-6
    assert plain.symmetric_difference(box(177, -18, 179, -16)).area < 1e-6
    assert (answer.receipt.geometry_type, plain.geom_type) == ("MULTIPOLYGON", "MultiPolygon")
    assert answer.receipt.notes[1] == (
        "1 shape of data.fiji reaches the antimeridian or surrounds a pole, and is cut there."
    )
    around = await bench.run("reproject", source="data.cap", srid=4326)
    assert around.rows.geom[0].bounds == pytest.approx((-180, -90, 180, -83.5), abs=0.1)
    whole = await bench.run("reproject", source=around.table, srid=3031)
    assert whole.rows.geom[0].area == pytest.approx(1e12, rel=1e-2)
    here = await bench.run("reproject", source=whole.table, srid=3857, outside="keep")
    assert not any("antimeridian" in note for note in here.receipt.notes)


@pytest.mark.reference("densify")
async def test_long_edges_get_corners_on_their_geodesic(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.edges_to_cut (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        "INSERT INTO data.edges_to_cut VALUES (1, ST_GeomFromText('LINESTRING(-73.78 40.64, 2.55 49)', 4326)),"
        " (2, ST_GeomFromText('LINESTRING(170 10, -170 20)', 4326)), (3, NULL)",
    )
    rows = (await bench.run("densify", source="data.edges_to_cut", longest="100 km")).rows
    for row, ends in zip(rows.itertuples(), ([-73.78, 40.64, 2.55, 49], [170, 10, -170, 20]), strict=False):
        corners = get_coordinates(row.geom)
        lengths = [GEOD.inv(*here, *there)[2] for here, there in pairwise(corners)]
        assert max(lengths) <= 100_000.001
        # No detour: together they are as long as the way.
        assert sum(lengths) == pytest.approx(GEOD.inv(*ends)[2], rel=1e-6)
    assert rows.geom[2] is None


@pytest.mark.reference("smooth")
async def test_smoothing_cuts_corners_as_chaikin_says(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.corner (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        "INSERT INTO data.corner VALUES (1, ST_GeomFromText('LINESTRING(0 0, 4 0, 4 4)', 4326))",
    )
    rows = (await bench.run("smooth", source="data.corner", iterations=1)).rows
    assert get_coordinates(rows.geom[0]).tolist() == [[0, 0], [3, 0], [4, 1], [4, 4]]
    with pytest.raises(InvalidQuestion, match="needs lines or polygons"):
        await bench.run("smooth", source="data.iberia")


@pytest.mark.reference("explode")
async def test_parts_are_rows_and_lose_nothing(bench: Bench) -> None:
    countries = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("id")
    rows = (await bench.run("explode", source="data.countries")).rows
    assert set(rows.geom.map(lambda shape: shape.geom_type)) == {"Polygon"}
    for key, shape in countries.geom.items():
        parts = rows[rows.id == key].sort_values("part")
        assert list(parts.part) == list(range(1, len(shape.geoms) + 1))
        assert all(one.equals(other) for one, other in zip(parts.geom, shape.geoms, strict=True))
    odd = (await bench.run("explode", source="data.odd")).rows
    assert odd.id.value_counts().to_dict() == {4: 2, 5: 2, 1: 1, 2: 1, 3: 1}


@pytest.mark.reference("voronoi")
async def test_voronoi_cells_hold_what_is_nearest_to_their_point(bench: Bench) -> None:
    cities = (await bench.run("sample", source="data.iberia", n=1000)).rows.set_index("id")
    rows = (await bench.run("voronoi", source="data.iberia")).rows.set_index("id")
    assert set(rows.index) == set(cities.index)
    assert all(rows.geom[key].covers(point) for key, point in cities.geom.items())
    keys, tree = list(rows.index), STRtree(list(rows.geom))
    xs, ys = ([getattr(cities.geom[key], axis) for key in keys] for axis in "xy")
    checked = 0
    for x, y in np.random.default_rng(4).uniform((-8, 37), (2, 43), (300, 2)):
        away = GEOD.inv([x] * len(keys), [y] * len(keys), xs, ys)[2]
        first, second = np.sort(away)[:2]
        if second - first < 2_000:
            continue
        checked += 1
        assert [keys[n] for n in tree.query(Point(x, y), predicate="intersects")] == [
            keys[int(np.argmin(away))]
        ]
    assert checked > 200


async def test_no_city_lies_in_the_circle_around_a_delaunay_triangle(bench: Bench) -> None:
    answer = await bench.run("delaunay", source="data.iberia")
    cities = (await bench.run("sample", source="data.iberia", n=1000)).rows
    where = answer.receipt.notes[0].split("centred at ")[1].split(";")[0].split(", ")
    plane = f"+proj=aeqd +lat_0={where[0]} +lon_0={where[1]}"
    there = Transformer.from_crs("EPSG:4326", plane, always_xy=True)
    spots = np.array([there.transform(point.x, point.y) for point in cities.geom])
    whole = sum(transform(there.transform, triangle).area for triangle in answer.rows.geom)
    assert whole == pytest.approx(MultiPoint(spots).convex_hull.area, rel=1e-3)
    for triangle in answer.rows.geom:
        (ax, ay), (bx, by), (cx, cy) = np.array(
            [there.transform(*corner) for corner in get_coordinates(triangle)[:3]]
        )
        d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
        ux = ((ax**2 + ay**2) * (by - cy) + (bx**2 + by**2) * (cy - ay) + (cx**2 + cy**2) * (ay - by)) / d
        uy = ((ax**2 + ay**2) * (cx - bx) + (bx**2 + by**2) * (ax - cx) + (cx**2 + cy**2) * (bx - ax)) / d
        radius = math.hypot(ax - ux, ay - uy)
        assert np.hypot(spots[:, 0] - ux, spots[:, 1] - uy).min() > radius * (1 - 1e-3) - 50


@pytest.mark.reference("lines_from_points")
async def test_points_become_lines_in_the_order_of_time(bench: Bench) -> None:
    rows = (await bench.run("lines_from_points", source="data.track", order="at", by="who")).rows.set_index(
        "who"
    )
    assert set(rows.index) == {"a", "b"}
    for who, first in (("a", 0), ("b", 1)):
        wanted = [(179 + n * 0.2 - (360 if n > 5 else 0), n) for n in range(first, 11, 2)]
        corners = get_coordinates(rows.geom[who])
        cut = (np.abs(corners[:, 0]) == 180) & (corners[:, 1] == 5)
        assert corners[~cut] == pytest.approx(np.array([each for each in wanted if each[1] != 5]))
        assert [sorted(shape.bounds[::2]) for shape in rows.geom[who].geoms] == [
            pytest.approx([wanted[0][0], 180]),
            pytest.approx([-180, wanted[-1][0]]),
        ]
        assert rows.points[who] == len(wanted)
        assert rows.length_m[who] == pytest.approx(GEOD.line_length(*zip(*wanted, strict=True)), rel=1e-9)


async def test_a_voyage_around_the_world_is_cut_at_every_crossing(bench: Bench) -> None:
    """Twice westwards in steps of 100 degrees, each a degree further north."""
    longitudes = [(100 - 100 * step + 180) % 360 - 180 for step in range(9)]
    values = ", ".join(f"({n}, 'SRID=4326;POINT({x} {n})')" for n, x in enumerate(longitudes))
    await bench.make(
        "CREATE TABLE data.voyage (at int, geom geometry(Point, 4326))",
        f"INSERT INTO data.voyage VALUES {values}",
    )
    (line,) = (await bench.run("lines_from_points", source="data.voyage", order="at")).rows.geom
    assert len(line.geoms) == 3
    assert line.length == pytest.approx(8 * np.hypot(100, 1))
    assert line.bounds == pytest.approx((-180, 0, 180, 8))


@pytest.mark.reference("points_from_columns")
async def test_columns_become_points(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.sheet (id int PRIMARY KEY, east float, north float, word text)",
        "INSERT INTO data.sheet VALUES (1, 500000, 4649776, 'x'), (2, NULL, 1, 'y'), (3, 440000, 4500000, 'z')",
    )
    rows = (await bench.run("points_from_columns", source="data.sheet", x="east", y="north", srid=25830)).rows
    found = {row.id: (row.geom.x, row.geom.y) for row in rows.itertuples() if row.geom is not None}
    assert found == {1: (500000, 4649776), 3: (440000, 4500000)}
    with pytest.raises(InvalidQuestion, match="not numbers"):
        await bench.run("points_from_columns", source="data.sheet", x="word", y="north")


@pytest.mark.parametrize("operation", ["centroid", "envelope", "make_valid", "explode"])
async def test_odd_shapes_come_through(bench: Bench, operation: str) -> None:
    rows = (await bench.run(operation, source="data.odd")).rows
    assert {1, 2, 3, 4, 5} <= set(rows.id)
    for row in rows.itertuples():
        if row.id not in (6, 7):
            assert row.geom.distance(from_wkt(ODD[row.id])) < 2
        else:
            assert row.geom is None or row.geom.is_empty


async def test_lines_are_kept_apart_from_other_shapes(bench: Bench) -> None:
    rows = (await bench.run("smooth", source="data.odd")).rows.set_index("id")
    assert rows.geom[2].distance(Point(5, 5)) == 0


async def test_only_rows_with_a_geometry_count_as_features(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.partly (id int PRIMARY KEY, kind text, reach float, geom geometry(Point, 4326))",
        "INSERT INTO data.partly SELECT n, 'x', CASE n WHEN 2 THEN NULL ELSE 1000 END,"
        " CASE n WHEN 4 THEN NULL WHEN 5 THEN ST_GeomFromText('POINT EMPTY', 4326)"
        " ELSE ST_SetSRID(ST_MakePoint(n, n * n), 4326) END FROM generate_series(1, 5) AS n",
    )
    for operation, arguments, wanted in (
        ("hull", {}, 3),
        ("hull", {"by": "kind"}, 3),
        ("buffer", {"distance": "1 km", "dissolve": True}, 3),
        ("buffer", {"distance_column": "reach", "dissolve": True}, 2),
    ):
        rows = (await bench.run(operation, source="data.partly", **arguments)).rows
        assert list(rows.features) == [wanted]
    assert list((await bench.run("dissolve", source="data.partly")).rows["count"]) == [3]
