"""Simplified areas have fewer corners, lie near the old ones, and neighbours stay neighbours."""

from __future__ import annotations

import pytest
from geopandas import GeoDataFrame
from pyproj import Geod
from shapely import STRtree, get_coordinates, unary_union
from shapely.geometry import LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry

from server.gis.errors import InvalidQuestion
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")
SMALL = 1e-9
"""Square degrees (some square metres): what rounding leaves."""


def _corners(rows: GeoDataFrame) -> set[tuple[float, float]]:
    return {tuple(corner) for shape in rows.geom for corner in get_coordinates(shape).tolist()}


def _square_kilometres(shape: BaseGeometry) -> float:
    return sum(abs(GEOD.geometry_area_perimeter(part)[0]) for part in shape.geoms) / 1e6


def _overlap(rows: GeoDataFrame) -> float:
    """How much ground two of them claim, in square degrees."""
    shapes, found = list(rows.geom), 0.0
    for one, other in STRtree(shapes).query(shapes, predicate="intersects").T:
        if one < other:
            found += shapes[one].intersection(shapes[other]).area
    return found


def _gaps(before: GeoDataFrame, after: GeoDataFrame) -> list[str]:
    """Holes among the new areas that were no lake or sea, but land of the old ones."""
    land, whole = unary_union(list(before.geom)), unary_union(list(after.geom))
    rings = [Polygon(ring) for part in getattr(whole, "geoms", [whole]) for ring in part.interiors]
    return [hole.wkt for hole in rings if hole.intersection(land).area > 0.5 * hole.area]


def _borders(rows: GeoDataFrame, least: float) -> dict[tuple[str, str], float]:
    """The length of the shared border (degrees) of each two neighbours that have one longer than `least`."""
    shapes, names = list(rows.geom), list(rows.name)
    found = {}
    for one, other in STRtree(shapes).query(shapes, predicate="intersects").T:
        if one < other:
            shared = shapes[one].intersection(shapes[other]).length
            if shared > least:
                first, second = sorted((names[one], names[other]))
                found[first, second] = shared
    return found


async def test_neighbouring_countries_stay_neighbours_without_gaps_or_overlaps(bench: Bench) -> None:
    before = (await bench.run("sample", source="data.countries", n=1000)).rows
    answer = await bench.run("simplify", source="data.countries", tolerance="10 km")
    after = answer.rows
    assert sorted(after.name) == sorted(before.name)
    assert all(shape.is_valid and not shape.is_empty for shape in after.geom)
    assert len(get_coordinates(list(after.geom))) < 0.4 * len(get_coordinates(list(before.geom)))
    assert _overlap(before) < SMALL
    assert _overlap(after) < SMALL
    assert _gaps(before, after) == []
    # Lengths only shrink: a border of a degree may become a straight line, never none.
    assert set(_borders(before, 1.0)) <= set(_borders(after, 0.1))
    assert any("longitude and latitude" in note for note in answer.receipt.notes)


@pytest.mark.reference("simplify")
async def test_no_border_moves_farther_than_the_tolerance_and_areas_change_little(bench: Bench) -> None:
    before = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("name")
    after = (await bench.run("simplify", source="data.countries", tolerance="10 km")).rows.set_index("name")
    # No corner is new.
    assert _corners(after) <= _corners(before)
    tolerance = 10_000 / LONGEST_DEGREE_M
    total = 0.0
    for name, shape in before.geom.items():
        old, new = _square_kilometres(shape), _square_kilometres(after.geom[name])
        total += abs(new - old) / 1.5e8
        if old > 100_000:
            assert new == pytest.approx(old, rel=0.02), name
            corners = [
                Point(corner) for corner in get_coordinates(max(shape.geoms, key=lambda part: part.area))
            ]
            edge = after.geom[name].boundary
            assert max(edge.distance(corner) for corner in corners) <= tolerance * 1.001, name
    assert total < 0.01


async def test_in_a_local_projection_it_holds_as_well(bench: Bench) -> None:
    names = ["Germany", "France", "Belgium", "Netherlands", "Luxembourg", "Switzerland", "Austria", "Czechia",
             "Poland", "Denmark", "Italy", "Slovenia", "Liechtenstein", "San Marino", "Vatican"]  # fmt: skip
    wanted = {"op": "in", "args": [{"property": "name"}, names]}
    middle = await bench.run("filter", source="data.countries", filter=wanted)
    parts = await bench.run("explode", source=middle.table)
    near = {"op": "s_intersects", "args": [{"property": "geom"}, {"bbox": [-5, 35, 25, 58]}]}
    before = await bench.run("filter", source=parts.table, filter=near)
    answer = await bench.run("simplify", source=before.table, tolerance="5 km")
    assert any("azimuthal equidistant" in note for note in answer.receipt.notes)
    after = answer.rows
    assert len(after) == len(before.rows)
    assert all(shape.is_valid and not shape.is_empty for shape in after.geom)
    assert len(_corners(after)) < 0.5 * len(_corners(before.rows))
    assert _overlap(after) < SMALL
    assert _gaps(before.rows, after) == []
    assert set(_borders(before.rows, 1.0)) <= set(_borders(after, 0.1))


async def test_the_shared_border_of_two_fields_is_straightened_once(bench: Bench) -> None:
    """In Web Mercator: a zigzag of 20 m between two fields of a kilometre."""
    zigzag = [(1000 + (20 if n % 2 else -20), n * 50) for n in range(1, 20)]
    left = Polygon([(0, 0), (1000, 0), *zigzag, (1000, 1000), (0, 1000)])
    right = Polygon([(2000, 0), (2000, 1000), (1000, 1000), *reversed(zigzag), (1000, 0)])
    fields = enumerate((left, right, Polygon()), 1)
    values = ", ".join(f"({n}, ST_GeomFromText('{field.wkt}', 3857))" for n, field in fields)
    await bench.make(
        "CREATE TABLE data.fields (id int PRIMARY KEY, geom geometry(Polygon, 3857))",
        f"INSERT INTO data.fields VALUES {values}, (4, NULL)",
    )
    rows = (await bench.run("simplify", source="data.fields", tolerance="50 m")).rows
    assert list(rows.id) == [1, 2, 3, 4]
    one, other = (
        {tuple(round(v, 3) for v in corner) for corner in get_coordinates(shape)} for shape in rows.geom[:2]
    )
    assert one == {(0, 0), (1000, 0), (1000, 1000), (0, 1000)}
    assert other == {(2000, 0), (1000, 0), (1000, 1000), (2000, 1000)}
    assert rows.geom[0].intersection(rows.geom[1]).length == pytest.approx(1000, rel=1e-6)
    assert rows.geom[3] is None
    kept = (await bench.run("simplify", source="data.fields", tolerance="10 m")).rows
    assert len(get_coordinates(kept.geom[0])) == 24


async def test_a_strip_between_two_neighbours_does_not_vanish(bench: Bench) -> None:
    """A lens of 600 m in width that lies between two halves of a square of 20 km, simplified by 5 km."""
    lens = "POLYGON((0 0.1, 0.05 0.103, 0.1 0.103, 0.2 0.1, 0.1 0.097, 0.05 0.097, 0 0.1))"
    await bench.make(
        "CREATE TABLE data.strips (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.strips VALUES (1, ST_GeomFromText('{lens}', 4326)),"
        " (2, ST_GeomFromText('POLYGON((0 0.1, 0.05 0.103, 0.1 0.103, 0.2 0.1, 0.2 0.2, 0 0.2, 0 0.1))', 4326)),"
        " (3, ST_GeomFromText('POLYGON((0 0.1, 0 0, 0.2 0, 0.2 0.1, 0.1 0.097, 0.05 0.097, 0 0.1))', 4326))",
    )
    rows = (await bench.run("simplify", source="data.strips", tolerance="5 km")).rows
    assert all(shape.is_valid and shape.area > 0 for shape in rows.geom)
    assert _overlap(rows) < SMALL
    assert unary_union(list(rows.geom)).area == pytest.approx(0.04, rel=1e-6)


async def test_what_the_antimeridian_cuts_stays_cut_there(bench: Bench) -> None:
    cut = {"op": "in", "args": [{"property": "name"}, ["Fiji", "Russia", "Antarctica"]]}
    before = await bench.run("filter", source="data.countries", filter=cut)
    after = (await bench.run("simplify", source=before.table, tolerance="20 km")).rows.set_index("name")
    for row in before.rows.itertuples():
        for x in (-180, 180):
            line = LineString([(x, -90), (x, 90)])
            old, new = (shape.intersection(line).length for shape in (row.geom, after.geom[row.name]))
            assert new == pytest.approx(old, abs=1e-9), (row.name, x)
        assert after.geom[row.name].bounds[0] == -180


async def test_awkward_shapes_come_through(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.odd_shapes (id int PRIMARY KEY, geom geometry(GeometryZ, 4326))",
        "INSERT INTO data.odd_shapes SELECT n, ST_Force3D(ST_GeomFromText(wkt, 4326)) FROM (VALUES"
        " (1, 'POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))'), (2, 'POINT(5 5)'), (3, 'LINESTRING(3 0, 3.5 0.0001, 4 0)'),"
        " (4, 'POLYGON((2 0, 2.5 0.0001, 3 0, 3 1, 2 1, 2 0), (2.4 0.4, 2.6 0.4, 2.6 0.6, 2.4 0.6, 2.4 0.4))'),"
        " (5, 'GEOMETRYCOLLECTION(POINT(6 6), LINESTRING(6 6, 6.5 6.0001, 7 6))'), (6, 'MULTIPOLYGON EMPTY'),"
        " (7, NULL), (8, 'POLYGON((2.4 0.4, 2.6 0.4, 2.6 0.6, 2.4 0.6, 2.4 0.4))')) AS t (n, wkt)",
    )
    rows = (await bench.run("simplify", source="data.odd_shapes", tolerance="1 km")).rows.set_index("id")
    shapes = rows.geom
    assert len(shapes) == 8
    assert shapes[1].is_valid
    assert shapes[1].area == pytest.approx(0.5, rel=1e-6)
    assert shapes[2].distance(Point(5, 5)) < 1e-9
    assert get_coordinates(shapes[3]) == pytest.approx(get_coordinates(LineString([(3, 0), (4, 0)])))
    assert shapes[4].area == pytest.approx(0.96, rel=1e-6)
    assert len(get_coordinates(shapes[4])) == 10
    assert len(get_coordinates(shapes[5])) == 4
    assert shapes[6] is None or shapes[6].is_empty
    assert shapes[7] is None
    assert shapes[4].intersection(shapes[8]).area < SMALL
    assert shapes[8].area == pytest.approx(0.04, rel=1e-6)


async def test_lines_keep_their_ends(bench: Bench) -> None:
    ways = {n: [(10 + i * 0.01, 50 + n * 0.1 + (0.0004 if i % 2 else 0)) for i in range(20)] for n in (1, 2)}
    values = ", ".join(f"({n}, ST_GeomFromText('{LineString(way).wkt}', 4326))" for n, way in ways.items())
    await bench.make(
        "CREATE TABLE data.wiggles (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        f"INSERT INTO data.wiggles VALUES {values}, (3, NULL)",
    )
    rows = (await bench.run("simplify", source="data.wiggles", tolerance="100 m")).rows
    for row in rows[:2].itertuples():
        found = get_coordinates(row.geom)
        assert found[[0, -1]] == pytest.approx(get_coordinates(LineString(ways[row.id]))[[0, -1]], abs=1e-9)
        assert len(found) < 5
        wide = LineString(ways[row.id])
        assert row.geom.hausdorff_distance(wide) < 100 / 71_000
    assert rows.geom[2] is None


async def test_lines_of_several_zones_are_simplified_each_in_its_own(bench: Bench) -> None:
    """A zigzag of 60 m in each, from the equator to the north of Norway and to New Zealand."""
    places = [(-9, 38.7), (5.999, 0), (6.001, 0), (15, 45), (25, 70), (179, -41), (-179.5, -17), (100, -79)]
    ways = dict(
        enumerate(([(x + i * 0.003, y + (0.00054 if i % 2 else 0)) for i in range(21)] for x, y in places), 1)
    )
    values = ", ".join(f"({n}, ST_GeomFromText('{LineString(way).wkt}', 4326))" for n, way in ways.items())
    await bench.make(
        "CREATE TABLE data.zigzags (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        f"INSERT INTO data.zigzags VALUES {values}, (9, NULL), (10, 'SRID=4326;LINESTRING EMPTY')",
    )
    answer = await bench.run("simplify", source="data.zigzags", tolerance="59 m")
    assert any("UTM zone of its middle" in note and "0.099 %" in note for note in answer.receipt.notes)
    assert not any("azimuthal" in note for note in answer.receipt.notes)
    straight = (
        (await bench.run("simplify", source="data.zigzags", tolerance="61 m")).rows.set_index("id").geom
    )
    shapes = answer.rows.set_index("id").geom
    for n, way in ways.items():
        assert len(get_coordinates(shapes[n])) > 2
        assert get_coordinates(straight[n]) == pytest.approx(
            get_coordinates(LineString(way))[[0, -1]], abs=1e-9
        )
    assert shapes[9] is None
    assert shapes[10] is None or shapes[10].is_empty


async def test_a_line_that_is_wider_than_its_zone_is_simplified_in_the_plane_of_all(bench: Bench) -> None:
    wide = LineString([(-9 + i * 0.2, 45 + (0.0009 if i % 2 else 0)) for i in range(100)])
    await bench.make(
        "CREATE TABLE data.roads (id int PRIMARY KEY, geom geometry(LineString, 4326))",
        f"INSERT INTO data.roads VALUES (0, ST_GeomFromText('{wide.wkt}', 4326))",
        "INSERT INTO data.roads SELECT n, ST_SetSRID(ST_MakeLine(ARRAY[ST_MakePoint(n / 10.0, 45),"
        " ST_MakePoint(n / 10.0 + 0.01, 45.0001), ST_MakePoint(n / 10.0 + 0.02, 45)]), 4326)"
        " FROM generate_series(1, 99) AS n",
    )
    answer = await bench.run("simplify", source="data.roads", tolerance="20 m")
    notes = " ".join(answer.receipt.notes)
    assert "For 1 lines that reach farther" in notes
    assert notes.index("UTM zone of its middle") < notes.index("azimuthal equidistant")
    shapes = answer.rows.set_index("id").geom
    assert get_coordinates(shapes[0]) == pytest.approx(get_coordinates(wide), abs=1e-9)
    assert {len(get_coordinates(shapes[n])) for n in range(1, 100)} == {2}


async def test_points_and_no_tolerance_are_refused(bench: Bench) -> None:
    with pytest.raises(InvalidQuestion, match="needs lines or polygons"):
        await bench.run("simplify", source="data.cities", tolerance="1 km")
    with pytest.raises(InvalidQuestion, match="more than 0"):
        await bench.run("simplify", source="data.countries", tolerance=0)
