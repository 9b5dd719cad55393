"""A result is in the reference system of the table that it was made of, and its notes say what was counted."""

from __future__ import annotations

import math
from typing import Any

import pytest
import shapely
from shapely import box

from tests.integration.operations.conftest import Answer, Bench

CASES: list[tuple[str, dict[str, Any]]] = [
    ("buffer", {"source": "data.lots", "distance": "5 m"}),
    ("buffer", {"source": "data.lots", "distance": "5 m", "dissolve": True}),
    ("centroid", {"source": "data.lots"}),
    ("voronoi", {"source": "data.wells"}),
    ("delaunay", {"source": "data.wells"}),
    ("densify", {"source": "data.lots", "longest": "2 m"}),
    ("distance_bands", {"source": "data.wells", "distances": ["5 m", "10 m"]}),
    ("envelope", {"source": "data.lots"}),
    ("hull", {"source": "data.lots"}),
    ("grid", {"source": "data.wells", "size": "10 m"}),
    ("heat", {"source": "data.wells", "bandwidth": "20 m"}),
    ("simplify", {"source": "data.lots", "tolerance": "1 m"}),
    ("intersection", {"source": "data.lots", "other": "data.zones"}),
    ("clip", {"source": "data.lots", "mask": "data.zones"}),
]


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    lots = [box(n * 30, 0, n * 30 + 10 + n * 5, 40) for n in range(4)]
    values = ", ".join(f"({n}, ST_GeomFromText('{shape.wkt}', 0))" for n, shape in enumerate(lots, 1))
    await bench.make(
        "CREATE TABLE data.lots (id int PRIMARY KEY, geom geometry(Polygon, 2154))",
        "INSERT INTO data.lots SELECT id, ST_SetSRID(ST_Translate(shape, 700000, 6600000), 2154)"
        f" FROM (VALUES {values}) AS made(id, shape)",
        "INSERT INTO data.lots VALUES (9, NULL)",
        "CREATE TABLE data.wells (id int PRIMARY KEY, geom geometry(Point, 2154))",
        "INSERT INTO data.wells SELECT n, ST_SetSRID(ST_MakePoint(700000 + n % 7 * 13, 6600000 + n % 5 * 11), 2154)"
        " FROM generate_series(0, 34) n",
        "INSERT INTO data.wells VALUES (50, (SELECT geom FROM data.wells WHERE id = 3)), (51, NULL)",
        "CREATE TABLE data.zones (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        "INSERT INTO data.zones SELECT 1, ST_Transform(ST_MakeEnvelope(700000, 6600000, 700050, 6600020, 2154), 4326)",
        "CREATE TABLE data.stations (id int PRIMARY KEY, geom geometry(Point, 3031))",
        "INSERT INTO data.stations VALUES (1, ST_SetSRID(ST_MakePoint(0, 1000000), 3031)),"
        " (2, ST_SetSRID(ST_MakePoint(0, -1000000), 3031))",
    )


async def system_of(bench: Bench, answer: Answer) -> str:
    """The type of the geometry column of a result."""
    return str(bench.registry.get(answer.table).column("geom").sql_type)  # type: ignore[union-attr]


@pytest.mark.parametrize(("operation", "arguments"), CASES)
async def test_what_a_projected_table_becomes_stays_in_its_system(
    bench: Bench, operation: str, arguments: dict[str, Any]
) -> None:
    answer = await bench.run(operation, **arguments)
    assert (await system_of(bench, answer)).endswith(",2154)")
    assert answer.receipt.srid == 2154
    shapes = [shape for shape in answer.rows.geom if shape is not None]
    assert shapes
    assert shapely.union_all(shapes).distance(shapely.Point(700050, 6600020)) < 100
    assert all(shape.is_valid for shape in shapes)


async def test_boxes_and_hulls_lie_along_the_axes_of_the_table(bench: Bench) -> None:
    boxes = (await bench.run("envelope", source="data.lots")).rows.geom
    assert boxes[1].equals(box(700030, 6600000, 700045, 6600040))
    hull = (await bench.run("hull", source="data.lots")).rows.geom[0]
    assert hull.equals(box(700000, 6600000, 700115, 6600040))


async def test_a_result_near_a_pole_is_valid_in_a_polar_system(bench: Bench) -> None:
    answer = await bench.run("buffer", source="data.stations", distance="200 km")
    assert (await system_of(bench, answer)) == "geometry(MultiPolygon,3031)"
    assert [round(shape.area / 1e9) for shape in answer.rows.geom] == [pytest.approx(125, abs=10)] * 2
    assert all(shape.is_valid for shape in answer.rows.geom)


async def test_reprojecting_to_degrees_gives_degrees(bench: Bench) -> None:
    answer = await bench.run("reproject", source="data.lots", srid=4326)
    assert (await system_of(bench, answer)).endswith(",4326)")


async def test_areas_that_a_negative_buffer_leaves_nothing_of_are_counted(bench: Bench) -> None:
    answer = await bench.run("buffer", source="data.lots", distance="-10 m")
    assert sum(shape is None for shape in answer.rows.geom) == 3, "two vanish, one never had a shape"
    assert "2 areas vanished, being nowhere wider than 20 m." in answer.receipt.notes
    answer = await bench.run("buffer", source="data.lots", distance="-1 m")
    assert "No area vanished: each is wider than 2 m somewhere." in answer.receipt.notes


async def test_duplicates_within_a_distance_are_counted(bench: Bench) -> None:
    answer = await bench.run("deduplicate", source="data.wells", tolerance="1 m")
    assert len(answer.rows) == 36
    assert "1 row left out: an earlier row is within 1 m." in answer.receipt.notes
    answer = await bench.run("deduplicate", source="data.wells", tolerance="12 m")
    (note,) = [each for each in answer.receipt.notes if "left out" in each]
    assert note == f"{37 - len(answer.rows)} rows left out: an earlier row is within 12 m."
    answer = await bench.run("deduplicate", source="data.wells", tolerance="12 m", parts="single")
    assert not [each for each in answer.receipt.notes if "left out" in each]


async def test_cells_at_the_edge_and_points_that_share_one_are_counted(bench: Bench) -> None:
    notes = (await bench.run("voronoi", source="data.wells")).receipt.notes
    assert "20 of 35 cells end at the edge of the diagram, a box around all points." in notes
    assert "1 point is at the place of another one and shares its cell." in notes
    assert "1 row without a geometry: no cell." in notes


async def test_a_band_around_the_pole_is_a_ring_in_a_polar_projection(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.bands AS SELECT 1 AS id,"
        " 'SRID=4326;POLYGON((-180 70,180 70,180 80,-180 80,-180 70))'::geometry(Polygon, 4326) AS geom"
    )
    (ring,) = (await bench.run("reproject", source="data.bands", srid=3413)).rows.geom
    assert ring.geom_type == "Polygon"
    assert len(ring.interiors) == 1
    outer, inner = (shapely.Polygon(each).area for each in (ring.exterior, ring.interiors[0]))
    assert outer == pytest.approx(math.pi * 2_187_928**2, rel=1e-3)
    assert inner == pytest.approx(math.pi * 1_085_920**2, rel=1e-3)
