"""Points along lines and bands around features lie where geodesics on the WGS 84 spheroid say."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from pyproj import Geod, Transformer
from shapely import STRtree
from shapely.geometry import LineString, Point
from shapely.ops import transform, unary_union

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")


def _along(line: list[tuple[float, float]], metres: float) -> tuple[float, float]:
    """The place so many metres along a line of geodesics."""
    for (x, y), (to_x, to_y) in pairwise(line):
        azimuth, _, length = GEOD.inv(x, y, to_x, to_y)
        if metres <= length:
            return GEOD.fwd(x, y, azimuth, metres)[:2]
        metres -= length
    return line[-1]


WAYS = {
    "far": [(-0.45, 51.47), (-73.78, 40.64), (-118.4, 33.94)],
    "over 180": [(175, -20), (-175, -15), (-174, -10)],
    "near the pole": [(0, 85), (120, 88), (-120, 86)],
    "short": [(10, 50), (10.001, 50)],
    "standing": [(10, 50), (10, 50), (10.1, 50), (10.1, 50)],
}


@pytest.mark.reference("points_along_lines")
@pytest.mark.parametrize(("every", "ends"), [("50 km", True), ("50 km", False), (100_000, True)])
async def test_points_lie_every_so_many_metres_along_geodesics(
    bench: Bench, every: str | int, ends: bool
) -> None:
    values = ", ".join(
        f"('{name}', ST_GeomFromText('{LineString(way).wkt}', 4326))" for name, way in WAYS.items()
    )
    await bench.make(
        "DROP TABLE IF EXISTS data.ways",
        "CREATE TABLE data.ways (name text PRIMARY KEY, geom geometry(LineString, 4326))",
        f"INSERT INTO data.ways VALUES {values}, ('none', NULL), ('empty', ST_GeomFromText('LINESTRING EMPTY', 4326))",
    )
    rows = (await bench.run("points_along_lines", source="data.ways", every=every, ends=ends)).rows
    step = 100_000 if every == 100_000 else 50_000
    assert set(rows.name) == set(WAYS)
    for name, way in WAYS.items():
        total = GEOD.line_length(*zip(*way, strict=True))
        wanted = [n * step for n in range(math.ceil(total / step))] + ([total] if ends else [])
        found = rows[rows.name == name].sort_values("along_m")
        np.testing.assert_allclose(found.along_m.astype(float), wanted, rtol=1e-12, atol=1e-3)
        for row in found.itertuples():
            x, y = _along(way, row.along_m)
            assert GEOD.inv(row.geom.x, row.geom.y, x, y)[2] < 0.01


async def test_each_part_of_a_line_is_measured_from_its_own_start(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.parts (id int PRIMARY KEY, part text, geom geometry(MultiLineStringZ, 3857))",
        "INSERT INTO data.parts VALUES (1, 'x', ST_Transform(ST_Force3D(ST_GeomFromText("
        "'MULTILINESTRING((10 50, 10 51), (20 50, 20 50.5))', 4326)), 3857))",
        "CREATE TABLE data.mixed_ways (id int PRIMARY KEY, geom geometry)",
        "INSERT INTO data.mixed_ways VALUES (1, ST_GeomFromText('LINESTRING(0 0, 0 0.01)', 4326)),"
        " (2, ST_GeomFromText('POINT(1 1)', 4326)), (3, ST_GeomFromText('POLYGON((0 0, 1 0, 1 1, 0 0))', 4326))",
        "ALTER TABLE data.mixed_ways ALTER COLUMN geom TYPE geometry(Geometry, 4326)",
    )
    rows = (await bench.run("points_along_lines", source="data.parts", every="30 km", ends=False)).rows
    assert list(zip(rows.part_2, rows.along_m, strict=True)) == [
        (1, 0),
        (1, 30e3),
        (1, 60e3),
        (1, 90e3),
        (2, 0),
        (2, 30e3),
    ]
    assert list(rows.part) == ["x"] * 6
    to_lonlat = Transformer.from_crs(3857, 4326, always_xy=True)
    assert [round(to_lonlat.transform(point.x, point.y)[0], 6) for point in rows.geom] == [
        10,
        10,
        10,
        10,
        20,
        20,
    ]
    mixed = (await bench.run("points_along_lines", source="data.mixed_ways", every="500 m")).rows
    assert list(mixed.id) == [1, 1, 1, 1]


async def test_points_that_are_too_many_or_on_no_line_are_refused(bench: Bench) -> None:
    with pytest.raises(InvalidQuestion, match=r"Use a distance of [\d,]+ m or more"):
        await bench.run("points_along_lines", source="data.ways", every="1 m")
    with pytest.raises(InvalidQuestion, match=r"at least 0\.1 m apart"):
        await bench.run("points_along_lines", source="data.ways", every=0)
    with pytest.raises(InvalidQuestion, match="needs lines"):
        await bench.run("points_along_lines", source="data.cities", every="1 km")


@pytest.mark.reference("distance_bands")
async def test_bands_around_airports_are_those_of_shapely_in_a_local_projection(bench: Bench) -> None:
    box = {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [10.5, 47.5, 12.5, 48.7]}]}
    airports = await bench.run("filter", source="data.airports", filter=box)
    assert len(airports.rows) > 20
    edges = [2_000, 5_000, 10_000]
    bands = (
        await bench.run("distance_bands", source=airports.table, distances=["2 km", "5 km", "10 km"])
    ).rows
    assert list(zip(bands.from_m, bands.to_m, strict=True)) == [(0, 2000), (2000, 5000), (5000, 10000)]
    assert list(bands.band) == ["0-2 km", "2-5 km", "5-10 km"]
    to_plane = Transformer.from_crs(4326, "+proj=aeqd +lat_0=48.1 +lon_0=11.5", always_xy=True).transform
    spots = [transform(to_plane, point) for point in airports.rows.geom]
    around = [unary_union([spot.buffer(edge, 64) for spot in spots]) for edge in edges]
    rings = [around[0], around[1] - around[0], around[2] - around[1]]
    for ring, band in zip(rings, bands.geom, strict=True):
        assert transform(to_plane, band).symmetric_difference(ring).area < 0.01 * ring.area
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert bands.geom[one].intersection(bands.geom[other]).area < 1e-9
    # And by distance: places taken at random lie in the band of their nearest airport.
    places = np.random.default_rng(3).uniform((10.6, 47.6), (12.4, 48.6), (200, 2))
    tree = STRtree(list(bands.geom))
    for x, y in places:
        n = len(airports.rows)
        away = min(
            GEOD.inv([x] * n, [y] * n, [p.x for p in airports.rows.geom], [p.y for p in airports.rows.geom])[
                2
            ]
        )
        if min(abs(away - edge) / edge for edge in edges) < 0.005:
            continue
        wanted = next((n for n, edge in enumerate(edges) if away < edge), None)
        assert list(tree.query(Point(x, y), predicate="intersects")) == ([] if wanted is None else [wanted])


async def test_bands_around_odd_features(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.around (id int PRIMARY KEY, geom geometry(GeometryZ, 4326))",
        "INSERT INTO data.around SELECT n, ST_Force3D(ST_GeomFromText(wkt, 4326)) FROM (VALUES (1, 'POINT(180 0)'),"
        " (2, 'LINESTRING(20 0, 20 0.1)'), (3, 'POLYGON((40 0, 41 1, 41 0, 40 1, 40 0))'), (4, 'POINT EMPTY'),"
        " (5, NULL)) AS t (n, wkt)",
        "CREATE TABLE data.nothing_around (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "CREATE TABLE data.at_the_pole (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.at_the_pole VALUES (1, ST_SetSRID(ST_MakePoint(0, 89.99), 4326))",
    )
    rows = (await bench.run("distance_bands", source="data.around", distances=[500, "30 km"])).rows
    assert list(rows.band) == ["0-500 m", "0.5-30 km"]
    for distance, inside in ((400, 0), (10_000, 1), (29_000, 1), (31_000, None)):
        for azimuth in (80, 280):
            x, y, _ = GEOD.fwd(180, 0, azimuth, distance)
            holding = [n for n, band in enumerate(rows.geom) if band.intersects(Point(x, y))]
            assert holding == ([] if inside is None else [inside])
    assert rows.geom[0].intersects(Point(40.9, 0.5))
    empty = await bench.run("distance_bands", source="data.nothing_around", distances=["1 km"])
    assert len(empty.rows) == 0
    with pytest.raises(InvalidQuestion, match="pole"):
        await bench.run("distance_bands", source="data.at_the_pole", distances=["1 km", "50 km"])


@pytest.mark.parametrize("distances", [[5000, 1000], [1000, 1000], [0, 1000], [-5]])
async def test_bands_that_do_not_rise_are_refused(bench: Bench, distances: list[int]) -> None:
    with pytest.raises(InvalidQuestion, match="more than 0 and rise"):
        await bench.run("distance_bands", source="data.airports", distances=distances)
