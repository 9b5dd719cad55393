"""Duplicates and cleaned geometries agree with pandas and shapely."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import shapely
from pyproj import Geod
from shapely import LineString, MultiPolygon, Point, Polygon, box

from agents.geo.wording.phrases import count_of
from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")
KEYS = [("a", 1), ("b", 1), ("a", 2), (None, 3), ("a", 1), (None, 4), ("c", 5), ("B", 1)]
METRE = 1 / 111_320.0
PLACES = [0.0, 0.4, 0.8, 50.0, 50.0, 120.0]
"""Metres along the equator."""
HOLED = Polygon(
    box(8, 48, 9, 49).exterior, [box(8.1, 48.1, 8.2, 48.2).exterior, box(8.5, 48.5, 8.501, 48.501).exterior]
)
SHAPES = [
    HOLED,
    MultiPolygon([HOLED, box(10, 48, 11, 49)]),
    Polygon([(0, 0), (0, 1), (1, 1), (1, 0)]),
    Polygon([(5.00004, 5), (5.00003, 5.00001), (5.00001, 5.00002)]),
    None,
]
ACROSS = [
    Polygon([(179, -17), (-179, -17), (-179, -16), (179, -16)]),
    Polygon([(179, 10), (181, 10), (181, 11), (179, 11)]),
    box(10, 10, 20, 20),
]


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.keyed (id int PRIMARY KEY, code text, n int)",
        "CREATE TABLE data.stops_near (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "CREATE TABLE data.dirty (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "CREATE TABLE data.across (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        "CREATE TABLE data.high (id int PRIMARY KEY, geom geometry(LineStringZ, 25832))",
        "INSERT INTO data.high VALUES (1, ST_GeomFromEWKT('SRID=25832;LINESTRING Z(500000.123 5400000.4 7,"
        " 500010 5400010 8, 500010 5400010 8)'))",
    )
    async with bench.database.owner.begin() as connection:
        for number, (code, n) in enumerate(KEYS):
            await connection.exec_driver_sql("INSERT INTO data.keyed VALUES ($1, $2, $3)", (number, code, n))
        for table, shapes in (
            ("stops_near", [*(Point(place * METRE, 0) for place in PLACES), None]),
            ("dirty", SHAPES),
            ("across", ACROSS),
        ):
            for number, shape in enumerate(shapes):
                await connection.exec_driver_sql(
                    f"INSERT INTO data.{table} VALUES ($1, ST_GeomFromText($2, 4326))",
                    (number, shape.wkt if shape is not None else None),
                )
    await bench.registry.refresh()
    await bench.registry.settle()


def _areas(shape: Any) -> float:
    return abs(GEOD.geometry_area_perimeter(shapely.orient_polygons(shape))[0])


@pytest.mark.reference("deduplicate")
@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("by", [["code"], ["code", "n"]])
async def test_one_row_of_each_key_stays_as_in_pandas(bench: Bench, by: list[str], keep: Any) -> None:
    frame = pd.DataFrame(KEYS, columns=["code", "n"])
    unknown = frame.code.isna()
    wanted = sorted([*frame[~unknown].drop_duplicates(by, keep=keep).index, *frame[unknown].index])
    answer = await bench.run("deduplicate", source="data.keyed", by=by, keep=keep)
    assert sorted(answer.rows.id) == wanted
    gone = count_of(len(KEYS) - len(wanted), "row")
    assert answer.receipt.notes[0].startswith(f"{gone}, repeating the {', '.join(by)} of another, ")
    assert answer.receipt.geometry_type is None


@pytest.mark.reference("deduplicate")
async def test_the_row_that_stays_is_chosen_by_a_column(bench: Bench) -> None:
    frame = pd.DataFrame(KEYS, columns=["code", "n"]).dropna()
    wanted = frame.sort_values("n", kind="stable").drop_duplicates("code", keep="last").index
    answer = await bench.run("deduplicate", source="data.keyed", by=["code"], order="n", keep="last")
    assert set(answer.rows[answer.rows.code.notna()].id) == set(wanted)


@pytest.mark.reference("deduplicate")
async def test_equal_geometries_stay_once_and_near_ones_within_a_tolerance(bench: Bench) -> None:
    exact = await bench.run("deduplicate", source="data.stops_near")
    assert sorted(exact.rows.id) == [0, 1, 2, 3, 5, 6]
    near = await bench.run("deduplicate", source="data.stops_near", tolerance="1 m")
    assert sorted(near.rows.id) == [0, 3, 5, 6]
    assert near.receipt.geometry_type == "POINT"
    last = await bench.run("deduplicate", source="data.stops_near", tolerance="100 m", keep="last")
    assert sorted(last.rows.id) == [5, 6]
    with pytest.raises(InvalidQuestion, match="not both"):
        await bench.run("deduplicate", source="data.stops_near", by=["id"], tolerance="1 m")


@pytest.mark.reference("deduplicate")
async def test_areas_repeat_each_other_only_if_all_their_corners_are_near(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.fields AS SELECT i AS id, ST_SetSRID(ST_MakeEnvelope(0, 0, 0.01 + 0.00001 * i, 0.01), 4326)"
        "::geometry(Polygon, 4326) AS geom FROM generate_series(0, 3) i"
    )
    answer = await bench.run("deduplicate", source="data.fields", tolerance="2.5 m")
    assert sorted(answer.rows.id) == [0]
    answer = await bench.run("deduplicate", source="data.fields", tolerance="1 m")
    assert sorted(answer.rows.id) == [0, 1, 2, 3]


@pytest.mark.reference("tidy")
async def test_holes_below_an_area_are_filled_and_others_stay(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.dirty", holes="1 km2")
    found = dict(zip(answer.rows.id, answer.rows.geom, strict=True))
    filled = Polygon(HOLED.exterior, [HOLED.interiors[0]])
    assert found[0].equals(filled)
    assert found[1].equals(MultiPolygon([filled, box(10, 48, 11, 49)]))
    assert found[2].equals(SHAPES[2])
    assert found[4] is None
    assert answer.receipt.notes[0] == "2 of 4 geometries were changed."
    everything = await bench.run("tidy", source="data.dirty", holes="1000000 km2")
    assert everything.rows.geom[0].equals(Polygon(HOLED.exterior))


@pytest.mark.reference("tidy")
async def test_coordinates_are_snapped_to_a_grid_and_stay_valid(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.dirty", grid=0.001)
    assert answer.rows.geom[3] is None
    assert "1 geometry is smaller than the grid" in answer.receipt.notes[1]
    for shape, found in zip(SHAPES[:3], answer.rows.geom, strict=False):
        wanted = shapely.set_precision(shape, 0.001)
        assert found.equals(wanted)
        assert found.is_valid


@pytest.mark.reference("tidy")
async def test_a_grid_in_metres_is_one_in_the_units_of_the_table(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.high", grid="5 m")
    (line,) = answer.rows.geom
    assert line.geoms[0].equals_exact(LineString([(500000, 5400000), (500010, 5400010)]), 0)
    with pytest.raises(InvalidQuestion, match="not stored in metres"):
        await bench.run("tidy", source="data.dirty", grid="1 m")
    with pytest.raises(InvalidQuestion, match="larger than 0"):
        await bench.run("tidy", source="data.high", grid=-1)


@pytest.mark.reference("tidy")
async def test_rings_are_turned_as_shapely_turns_them(bench: Bench) -> None:
    for rings, clockwise in (("counterclockwise", False), ("clockwise", True)):
        answer = await bench.run("tidy", source="data.dirty", rings=rings)
        for shape in answer.rows.geom.dropna():
            assert shape.equals_exact(shapely.orient_polygons(shape, exterior_cw=clockwise), 0)
        (line,) = (await bench.run("tidy", source="data.high", rings=rings, parts="single")).rows.geom
        assert line.coords[0][0] == 500000.123, "lines keep their direction"


@pytest.mark.reference("tidy")
async def test_heights_and_repeated_points_go(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.high", flat=True, repeated=True, parts="multi")
    (line,) = answer.rows.geom
    assert answer.receipt.geometry_type == "MULTILINESTRING"
    assert answer.receipt.srid == 25832
    assert line.geoms[0].equals_exact(LineString([(500000.123, 5400000.4), (500010, 5400010)]), 0)
    assert not line.has_z


@pytest.mark.reference("tidy")
async def test_what_crosses_the_antimeridian_is_split_there(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.across", antimeridian=True)
    first, second, third = answer.rows.sort_values("id").geom
    assert first.equals(MultiPolygon([box(179, -17, 180, -16), box(-180, -17, -179, -16)]))
    assert second.equals(MultiPolygon([box(179, 10, 180, 11), box(-180, 10, -179, 11)]))
    assert third.equals(ACROSS[2])
    assert answer.receipt.geometry_type == "MULTIPOLYGON"
    assert answer.receipt.notes[0].startswith("3 of 3") or answer.receipt.notes[0].startswith("2 of 3")
    with pytest.raises(InvalidQuestion, match="Reproject the table to EPSG:4326"):
        await bench.run("tidy", source="data.high", antimeridian=True)
    with pytest.raises(InvalidQuestion, match="Say what is to be cleaned"):
        await bench.run("tidy", source="data.high")


async def test_an_area_around_a_pole_has_its_centre_there_and_cannot_be_split(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.polar_cap (id int PRIMARY KEY, geom geometry(MultiPolygon, 5041))",
        "INSERT INTO data.polar_cap VALUES (2, NULL), (3, 'SRID=5041;MULTIPOLYGON EMPTY'),"
        " (1, ST_Multi(ST_MakeEnvelope(1000000, 1000000, 3000000, 3000000, 5041)))",
    )
    (centre,) = (await bench.run("centroid", source="data.polar_cap")).rows.geom.dropna()
    assert centre.distance(Point(2_000_000, 2_000_000)) < 5_000
    assert (await bench.run("explode", source="data.polar_cap")).receipt.notes[0] == (
        "2 rows were left out, having no shape."
    )
    await bench.make(
        "CREATE TABLE data.torn_cap AS SELECT id, ST_Transform(geom, 4326)::geometry(MultiPolygon, 4326) AS geom"
        " FROM data.polar_cap"
    )
    split = await bench.run("tidy", source="data.torn_cap", antimeridian=True)
    assert "Longitudes still jump within 1 shape that cannot be split" in split.receipt.notes[1]


@pytest.mark.reference("buffer")
async def test_a_negative_distance_takes_a_border_strip_away(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.block AS SELECT 1 AS id, ST_MakeEnvelope(10, 10, 20, 20, 4326)"
        "::geometry(Polygon, 4326) AS geom UNION ALL SELECT 2, ST_MakeEnvelope(0, 0, 0.1, 0.1, 4326)"
    )
    answer = await bench.run("buffer", source="data.block", distance="-10 km")
    inner, gone = answer.rows.sort_values("id").geom
    assert gone is None
    assert ACROSS[2].contains(inner)
    west = GEOD.inv(10, 15, inner.intersection(LineString([(9, 15), (21, 15)])).bounds[0], 15)[2]
    assert west == pytest.approx(10_000, rel=0.005)
    with pytest.raises(InvalidQuestion, match="needs polygons"):
        await bench.run("buffer", source="data.stops_near", distance="-1 m")


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        ({"grid": "1 m"}, "1 of 4 geometries was"),
        ({"holes": "1 ha"}, "1 of 4 geometries was"),
        ({"rings": "counterclockwise"}, "1 of 4 geometries was"),
        ({"parts": "multi"}, "4 of 4 geometries were"),
        ({"repeated": True}, "0 of 4 geometries were"),
        ({"flat": True}, "0 of 4 geometries were"),
    ],
)
async def test_only_geometries_that_differ_are_counted_as_changed(
    bench: Bench, arguments: dict[str, Any], changed: str
) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.tidied",
        "CREATE TABLE data.tidied (id int PRIMARY KEY, geom geometry(Polygon, 2154))",
        *(
            f"INSERT INTO data.tidied VALUES ({number}, 'SRID=2154;{shape.wkt}')"
            for number, shape in enumerate(
                [
                    box(600000, 6800000, 600100, 6800100),  # counterclockwise
                    box(600100.4, 6800000, 600200, 6800100),  # off the grid
                    Polygon(
                        box(600200, 6800000, 600400, 6800200).exterior,
                        [box(600250, 6800050, 600300, 6800100, ccw=False).exterior],
                    ),
                    box(600500, 6800000, 600600, 6800100, ccw=False),
                ]
            )
        ),
    )
    answer = await bench.run("tidy", source="data.tidied", **arguments)
    assert answer.receipt.notes[0] == f"{changed} changed."


async def test_only_geometries_that_are_split_are_counted_as_changed(bench: Bench) -> None:
    answer = await bench.run("tidy", source="data.across", antimeridian=True)
    assert answer.receipt.notes[0] == "2 of 3 geometries were changed."
    await bench.make(
        "CREATE TABLE data.across_mixed (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.across_mixed SELECT id, geom FROM data.across"
        " UNION ALL VALUES (10, 'SRID=4326;POINT(1 2)'::geometry), (11, 'SRID=4326;LINESTRING(170 0, 190 0)')",
    )
    mixed = await bench.run("tidy", source="data.across_mixed", antimeridian=True)
    assert mixed.receipt.notes[0] == "3 of 5 geometries were changed."
