"""Areas that cross themselves are repaired before they are buffered or measured, and the receipt counts them.

PostGIS buffers one half of a bow-tie only, and its area is that of one half less the other."""

from __future__ import annotations

import pytest
from shapely import box, make_valid
from shapely.geometry import Polygon

from tests.integration.operations.conftest import Bench

BOW_TIE = Polygon([(600700, 6800000), (600800, 6800100), (600800, 6800000), (600700, 6800100)])
"""Of two triangles of 2,500 m2 each."""
UNEVEN = Polygon([(601000, 6800000), (601100, 6800100), (601100, 6800060), (601000, 6800080)])
BESIDE = box(600000, 6800000, 600100, 6800100)


@pytest.fixture(scope="module", autouse=True)
async def parcels(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.crossed (ref text PRIMARY KEY, geom geometry(Polygon, 2154))",
        *(
            f"INSERT INTO data.crossed VALUES ('{ref}', 'SRID=2154;{shape.wkt}')"
            for ref, shape in (("bow-tie", BOW_TIE), ("uneven", UNEVEN), ("sound", BESIDE))
        ),
    )


async def own_areas(bench: Bench, table: str) -> dict[str, float]:
    """In the plane of Lambert-93."""
    moved = await bench.run("reproject", source=table, srid=2154)
    return {row.ref: row.geom.area for row in moved.rows.itertuples()}


async def test_all_of_an_area_that_crosses_itself_is_buffered(bench: Bench) -> None:
    answer = await bench.run("buffer", source="data.crossed", distance="10 m")
    expected = {
        "bow-tie": make_valid(BOW_TIE).buffer(10).area,
        "uneven": make_valid(UNEVEN).buffer(10).area,
        "sound": BESIDE.buffer(10).area,
    }
    assert await own_areas(bench, answer.table) == pytest.approx(expected, rel=0.005)
    note = "2 invalid shapes were repaired (ST_MakeValid) before they were buffered."
    assert note in answer.receipt.notes
    inward = await bench.run("buffer", source="data.crossed", distance="-5 m")
    assert note in inward.receipt.notes
    united = await bench.run("buffer", source="data.crossed", distance="10 m", dissolve=True)
    assert note in united.receipt.notes


async def test_bands_lie_around_all_of_an_area_that_crosses_itself(bench: Bench) -> None:
    answer = await bench.run("distance_bands", source="data.crossed", distances=["10 m"])
    moved = await bench.run("reproject", source=answer.table, srid=2154)
    expected = sum(make_valid(shape).buffer(10).area for shape in (BOW_TIE, UNEVEN, BESIDE))
    assert moved.rows.geom.iloc[0].area == pytest.approx(expected, rel=0.005)
    assert "2 invalid shapes were repaired (ST_MakeValid) before they were buffered." in answer.receipt.notes


async def test_halves_of_an_area_that_crosses_itself_are_added_up(bench: Bench) -> None:
    answer = await bench.run("measure", source="data.crossed", measures=["area", "perimeter"])
    measured = dict(zip(answer.rows.ref, answer.rows.area_m2, strict=True))
    expected = {"bow-tie": 5000.0, "uneven": make_valid(UNEVEN).area, "sound": 10_000.0}
    assert measured == pytest.approx(expected, rel=0.002)
    assert "2 invalid shapes were repaired (ST_MakeValid) before they were measured." in answer.receipt.notes
    assert answer.rows[answer.rows.ref == "bow-tie"].geom.iloc[0].equals_exact(BOW_TIE), "stored as it was"
    changes = [{"function": "geometry", "fact": "area_m2"}]
    columns = await bench.run("columns", source="data.crossed", changes=changes)
    assert columns.rows.area_m2.tolist() == answer.rows.area_m2.tolist()
    assert "2 invalid shapes were repaired (ST_MakeValid) before they were measured." in columns.receipt.notes


async def test_sound_shapes_need_no_word_of_repairs(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.uncrossed (geom geometry(Polygon, 2154))",
        f"INSERT INTO data.uncrossed VALUES ('SRID=2154;{BESIDE.wkt}')",
    )
    for operation, arguments in (("buffer", {"distance": "10 m"}), ("measure", {})):
        answer = await bench.run(operation, source="data.uncrossed", **arguments)
        assert not [note for note in answer.receipt.notes if "invalid" in note]


async def test_an_area_column_follows_straight_edges_of_a_projected_table_as_measuring_does(
    bench: Bench,
) -> None:
    sheet = box(3_000_000, 1_500_000, 5_500_000, 4_500_000)
    await bench.make(
        "CREATE TABLE data.sheets (geom geometry(Polygon, 3035))",
        f"INSERT INTO data.sheets VALUES ('SRID=3035;{sheet.wkt}')",
    )
    changes = [{"function": "geometry", "fact": fact} for fact in ("area_m2", "perimeter_m")]
    columns = await bench.run("columns", source="data.sheets", changes=changes)
    assert columns.rows.area_m2.iloc[0] == pytest.approx(sheet.area, rel=1e-5), (
        "the projection is of equal areas"
    )
    measured = await bench.run("measure", source="data.sheets", measures=["area", "perimeter"])
    assert columns.rows.perimeter_m.iloc[0] == pytest.approx(measured.rows.perimeter_m.iloc[0], rel=1e-9)
