"""Receipts count what a reader of the result would not see: ties, values that are empty, gaps that stay open."""

from __future__ import annotations

import pytest
from pyproj import Geod, Transformer
from shapely import box, segmentize, transform

from tests.integration.operations.conftest import Bench

SITES = (
    "CREATE TABLE data.stops (code text PRIMARY KEY, geom geometry(Point, 4326))",
    # Two stops are as far from the first house, one is at the second, three meet at one place.
    "INSERT INTO data.stops VALUES ('e', 'SRID=4326;POINT(1 0)'), ('w', 'SRID=4326;POINT(-1 0)'),"
    " ('at', 'SRID=4326;POINT(20 10)'), ('c', 'SRID=4326;POINT(40 40)'), ('a', 'SRID=4326;POINT(40 40)'),"
    " ('b', 'SRID=4326;POINT(40 40)')",
    "CREATE TABLE data.houses (name text, geom geometry(Point, 4326))",
    "INSERT INTO data.houses VALUES ('between', 'SRID=4326;POINT(0 0)'), ('at a stop', 'SRID=4326;POINT(20 10)'),"
    " ('near three', 'SRID=4326;POINT(40 41)'), ('nowhere', NULL)",
)


async def test_nearest_counts_features_with_several_equally_near_and_always_takes_the_same(
    bench: Bench,
) -> None:
    await bench.make(*SITES)
    one = await bench.run("nearest", source="data.houses", target="data.stops")
    assert list(one.rows.columns) == ["fid", "name", "near_code", "distance_m", "geom"]
    assert one.rows.near_code.tolist()[:3] == ["e", "at", "a"]
    assert (
        "For 2 features more neighbours are at the same distance (to the millimetre) than were taken; ties were "
        "broken by code." in one.receipt.notes
    )
    two = await bench.run("nearest", source="data.houses", target="data.stops", k=2)
    assert [note for note in two.receipt.notes if "same distance" in note] == [
        "For 1 feature more neighbours are at the same distance (to the millimetre) than were taken; ties were broken "
        "by code."
    ], "both stops of the first house are in the result; the nearest of the second is not a tie"
    assert two.rows[two.rows.name == "near three"].near_code.tolist() == ["a", "b"]
    parts = await bench.run("nearest", source="data.houses", target="data.stops", parts="single")
    assert list(parts.rows.columns) == list(one.rows.columns)


async def test_nearest_without_ties_says_nothing_of_them(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.depots (geom geometry(Point, 4326))",
        "INSERT INTO data.depots VALUES ('SRID=4326;POINT(1 0)'), ('SRID=4326;POINT(1.00001 0)')",
    )
    answer = await bench.run("nearest", source="data.houses", target="data.depots")
    assert answer.rows.distance_m.notna().sum() == 3
    assert not any("same distance" in note for note in answer.receipt.notes)


async def test_calculate_counts_the_rows_without_a_value(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.fractions (above int, below int)",
        "INSERT INTO data.fractions VALUES (1, 2), (3, 0), (NULL, 1), (4, 4)",
    )
    answer = await bench.run("calculate", source="data.fractions", name="share", expression="above / below")
    assert answer.rows.share.isna().sum() == 2
    assert answer.receipt.notes == (
        "share is empty in 2 rows: a value is missing there, or the calculation has no result (division by zero).",
    )
    full = await bench.run(
        "calculate", source="data.fractions", name="one", expression="coalesce(below, 1) * 0 + 1"
    )
    assert full.receipt.notes == ()


async def test_gaps_that_are_open_to_the_outside_are_counted(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.plots (id int PRIMARY KEY, geom geometry(Polygon, 32633))",
        # A slit of 2 m by 100 m between the first two; the third touches the second, shorter: a corner, not a slit.
        "INSERT INTO data.plots VALUES (1, ST_MakeEnvelope(500000, 0, 500100, 100, 32633)),"
        " (2, ST_MakeEnvelope(500102, 0, 500200, 100, 32633)), (3, ST_MakeEnvelope(500200, 0, 500300, 60, 32633))",
    )
    answer = await bench.run("clean_coverage", source="data.plots", below="1000 m2")
    assert (
        "1 narrow gap between areas is open to the outside, and stays: only enclosed gaps are closed."
        in answer.receipt.notes
    )
    closed = await bench.run("clean_coverage", source="data.plots", below="1 m2")
    assert not any("narrow gap" in note for note in closed.receipt.notes), "the slit is larger than that"
    lonlat = await bench.run("reproject", source="data.plots", srid=4326)
    again = await bench.run("clean_coverage", source=lonlat.table, below="1000 m2")
    assert any(note.startswith("1 narrow gap") for note in again.receipt.notes)


SHEET = box(3_000_000, 1_500_000, 5_500_000, 4_500_000)


async def test_areas_of_a_projected_system_are_measured_along_edges_that_are_straight_there(
    bench: Bench,
) -> None:
    await bench.make(
        "CREATE TABLE data.sheets (name text, geom geometry(Polygon, 3035))",
        f"INSERT INTO data.sheets VALUES ('large', ST_GeomFromText('{SHEET.wkt}', 3035)), ('empty', NULL)",
    )
    measures = ["area", "perimeter"]
    answer = await bench.run("measure", source="data.sheets", measures=measures)
    assert answer.rows.area_m2[0] == pytest.approx(SHEET.area, rel=2e-6), "EPSG:3035 keeps areas"
    lonlat = Transformer.from_crs(3035, 4326, always_xy=True)
    outline = transform(segmentize(SHEET, 5_000), lonlat.transform, interleaved=False)
    assert answer.rows.perimeter_m[0] == pytest.approx(
        Geod(ellps="WGS84").geometry_length(outline.exterior), rel=1e-6
    )
    assert not any("longitude and latitude" in note for note in answer.receipt.notes)


async def test_areas_of_long_edges_in_degrees_say_how_much_depends_on_the_way_of_the_edges(
    bench: Bench,
) -> None:
    await bench.make(
        "CREATE TABLE data.fields (name text, geom geometry(Polygon, 4326))",
        "INSERT INTO data.fields VALUES ('large', ST_MakeEnvelope(0, 40, 30, 50, 4326)),"
        " ('small', ST_MakeEnvelope(0, 40, 0.1, 40.1, 4326)), ('empty', 'SRID=4326;POLYGON EMPTY')",
    )
    answer = await bench.run("measure", source="data.fields")
    geod, field = Geod(ellps="WGS84"), box(0, 40, 30, 50)
    by_corners, by_outline = (
        abs(geod.geometry_area_perimeter(shape)[0]) for shape in (field, segmentize(field, 0.1))
    )
    assert answer.rows.area_m2[0] == pytest.approx(by_corners, rel=1e-6)
    percent = abs(by_outline / by_corners - 1) * 100
    assert percent > 0.1
    assert (
        f"Edges are measured along geodesics. Along straight lines of longitude and latitude the area of 1 feature "
        f"with long edges differs, by up to {percent:.2f} %." in answer.receipt.notes
    )
    short = await bench.run("measure", source="data.airports")
    assert not any("straight lines" in note for note in short.receipt.notes)
