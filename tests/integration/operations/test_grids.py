"""Cells are equal on the ground, each feature is counted once, and heat is what the kernel says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from pyproj import Geod, Transformer
from shapely import STRtree, get_coordinates
from shapely.geometry import Point
from shapely.geometry.base import BaseGeometry

from server.gis.errors import InvalidQuestion, UnknownColumn
from tests.integration.operations.conftest import Answer, Bench

FEWER_ROWS = True

GEOD = Geod(ellps="WGS84")


def equal(column: str, value: str) -> Mapping[str, Any]:
    return {"op": "=", "args": [{"property": column}, value]}


def _square_metres(shape: BaseGeometry) -> float:
    return sum(abs(GEOD.geometry_area_perimeter(part)[0]) for part in shape.geoms)


def _plane(answer: Answer) -> Transformer:
    """To the projection that the receipt names."""
    found = re.search(r"\+proj=laea [^']*", answer.receipt.sql)
    assert found is not None
    return Transformer.from_crs("EPSG:4326", found[0], always_xy=True)


@pytest.mark.parametrize("shape", ["square", "hexagon"])
async def test_airports_are_counted_once_in_cells_of_one_size(bench: Bench, shape: str) -> None:
    airports = await bench.run("filter", source="data.airports", filter=equal("country", "Germany"))
    cells = (await bench.run("grid", source=airports.table, size="40 km", shape=shape, density=True)).rows
    assert cells["count"].sum() == len(airports.rows) > 100
    assert (cells["count"] > 0).all()
    size = 40_000**2 * (1 if shape == "square" else math.sqrt(3) / 2)
    for cell in cells.to_dict("records"):
        assert _square_metres(cell["geom"]) == pytest.approx(size, rel=1e-3)
        assert cell["count_per_km2"] == pytest.approx(cell["count"] / (size / 1e6), rel=1e-6)
    # Counted again by shapely.
    tree = STRtree(list(airports.rows.geom))
    assert [len(tree.query(cell, predicate="intersects")) for cell in cells.geom] == list(cells["count"])


@pytest.mark.parametrize("shape", ["square", "hexagon"])
async def test_empty_cells_fill_the_extent_without_gaps_or_overlaps(bench: Bench, shape: str) -> None:
    airports = await bench.run("filter", source="data.airports", filter=equal("country", "Italy"))
    arguments = {"source": airports.table, "size": "60 km", "shape": shape}
    full = (await bench.run("grid", **arguments, empty=True)).rows
    some = (await bench.run("grid", **arguments)).rows
    assert full["count"].sum() == some["count"].sum() == len(airports.rows)
    assert len(full) > len(some) == (full["count"] > 0).sum()
    united = STRtree(list(full.geom))
    pairs = [(a, b) for a, b in united.query(list(full.geom), predicate="intersects").T if a < b]
    assert sum(full.geom[a].intersection(full.geom[b]).area for a, b in pairs) < 1e-9
    west, south, east, north = airports.rows.set_geometry("geom").total_bounds
    for point in (Point(x, y) for x in np.linspace(west, east, 9) for y in np.linspace(south, north, 9)):
        # The extent is one of the projection, which is turned a little against longitude and latitude.
        inside = west + 1 < point.x < east - 1 and south + 1 < point.y < north - 1
        assert not inside or len(united.query(point, predicate="intersects")) >= 1


@pytest.mark.reference("grid")
async def test_sums_and_means_agree_with_pandas(bench: Bench) -> None:
    cities = await bench.run("filter", source="data.cities", filter=equal("country", "Spain"))
    figures = [
        {"function": name, "column": "population"} for name in ("sum", "mean", "median", "max", "count")
    ]
    answer = await bench.run(
        "grid", source=cities.table, size="100 km", shape="square", aggregates=figures, density=True
    )
    rows = cities.rows
    x, y = _plane(answer).transform([p.x for p in rows.geom], [p.y for p in rows.geom])
    rows["i"], rows["j"] = np.floor(np.array(x) / 1e5), np.floor(np.array(y) / 1e5)
    rows["population"] = rows.population.astype(float)
    wanted = rows.groupby(["i", "j"]).population.agg(["sum", "mean", "median", "max", "count"])
    wanted = wanted.sort_values(["sum", "max"]).reset_index()
    found = answer.rows.sort_values(["sum_population", "max_population"]).reset_index()
    for name in ("sum", "mean", "median", "max", "count"):
        np.testing.assert_allclose(found[f"{name}_population"].astype(float), wanted[name], rtol=1e-9)
    np.testing.assert_allclose(
        found.sum_population_per_km2.astype(float), found.sum_population.astype(float) / 1e4, rtol=1e-6
    )
    assert "mean_population_per_km2" not in found


async def test_areas_are_counted_at_their_centre_on_one_sheet_of_the_whole_world(bench: Bench) -> None:
    answer = await bench.run("grid", source="data.countries", size="500 km", shape="square")
    assert answer.rows["count"].sum() == 240
    assert any("equal-area projection (EPSG:6933)" in note for note in answer.receipt.notes)
    assert any("centre of gravity" in note for note in answer.receipt.notes)
    assert all(-180 <= x <= 180 for x in get_coordinates(list(answer.rows.geom))[:, 0])
    whole = [cell for cell in answer.rows.geom if abs(cell.bounds[0]) < 170 and abs(cell.bounds[2]) < 170]
    areas = [_square_metres(cell) for cell in whole if max(map(abs, cell.bounds[1::2])) < 80]
    assert len(areas) > 50
    np.testing.assert_allclose(areas, 500_000**2, rtol=0.01)
    # The centre of Fiji, whose islands lie on both sides of the antimeridian, is there and not in Africa.
    fiji = await bench.run("filter", source="data.countries", filter=equal("name", "Fiji"))
    (cell,) = (await bench.run("grid", source=fiji.table, size="50 km")).rows.geom
    assert min(abs(abs(x) - 180) for x in get_coordinates(cell)[:, 0]) < 3


async def test_the_centre_of_an_area_is_computed_once_for_its_cell(bench: Bench) -> None:
    """A hexagon is found from many mentions of the centre: 240 countries took a minute."""
    answer = await bench.run("grid", source="data.countries", size="500 km")
    statement = answer.receipt.sql.partition(" AS ")[2].partition(";")[0]
    async with bench.database.reader.connect() as connection:
        plan = "\n".join(row[0] for row in await connection.exec_driver_sql(f"EXPLAIN VERBOSE {statement}"))
    assert plan.count("st_isvalid") == 1, plan


async def test_cells_at_the_south_pole_and_the_antimeridian_are_whole(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.edges (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.edges SELECT n, ST_SetSRID(ST_MakePoint(-180 + n * 7, -89.9 + (n % 5)), 4326)"
        " FROM generate_series(0, 50) AS n",
        "INSERT INTO data.edges VALUES (51, ST_SetSRID(ST_MakePoint(12, -90), 4326))",
    )
    cells = (await bench.run("grid", source="data.edges", size="100 km", shape="square")).rows
    assert cells["count"].sum() == 52
    for cell in cells.geom:
        assert cell.is_valid
        # The cut along the antimeridian is two metres wide.
        assert _square_metres(cell) == pytest.approx(100_000**2, rel=0.01)
        assert cell.bounds[0] >= -180
        assert cell.bounds[2] <= 180
    points = (await bench.run("sample", source="data.edges", n=100)).rows
    inside = STRtree(list(cells.geom)).query(list(points.geom), predicate="dwithin", distance=0.01)
    assert set(inside[0]) == set(range(52))
    await bench.make(
        "CREATE TABLE data.islands (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.islands SELECT n, ST_SetSRID(ST_MakePoint(CASE WHEN n < 20 THEN 178 + n * 0.1 ELSE -180 +"
        " (n - 20) * 0.1 END, -17 + n % 3), 4326) FROM generate_series(0, 39) AS n",
    )
    cells = (await bench.run("grid", source="data.islands", size="50 km", empty=True)).rows
    assert cells["count"].sum() == 40
    for cell in cells.geom:
        assert _square_metres(cell) == pytest.approx(50_000**2 * math.sqrt(3) / 2, rel=0.002)
        assert all(part.bounds[2] - part.bounds[0] < 1 for part in cell.geoms)


async def test_awkward_tables_are_counted_as_far_as_they_go(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.mixture (id int PRIMARY KEY, n float, geom geometry(GeometryZ, 3857))",
        "INSERT INTO data.mixture SELECT row_number() OVER (), n, ST_Transform(ST_Force3D(ST_GeomFromText(wkt, 4326)),"
        " 3857) FROM (VALUES ('POINT(10 50)', 1), ('LINESTRING(10 50, 10.001 50)', 2), ('POLYGON((10 50, 10.001 50.001,"
        " 10.001 50, 10 50.001, 10 50))', 4), ('GEOMETRYCOLLECTION(POINT(10 50), POINT(10.001 50))', NULL),"
        " ('POINT EMPTY', 16), (NULL, 32)) AS t (wkt, n)",
        "CREATE TABLE data.void (id int PRIMARY KEY, n float, geom geometry(Point, 4326))",
        "CREATE TABLE data.placeless (id int PRIMARY KEY, geom geometry(Point))",
        "INSERT INTO data.placeless VALUES (1, ST_MakePoint(1, 2))",
    )
    figures = [{"function": "count"}, {"function": "sum", "column": "n"}]
    rows = (await bench.run("grid", source="data.mixture", size="300 km", aggregates=figures)).rows
    assert rows["count"].sum() == 4
    assert rows.sum_n.sum() == 7
    warm = (await bench.run("heat", source="data.mixture", bandwidth="300 km", weight="n")).rows
    assert (warm.density_per_km2 * 60**2).sum() == pytest.approx(7, rel=0.02)
    for name in ("grid", "heat"):
        size = {"size": "1 km"} if name == "grid" else {"bandwidth": "1 km"}
        with pytest.raises(InvalidQuestion, match="no geometry in any row"):
            await bench.run(name, source="data.void", **size)
        with pytest.raises(InvalidQuestion, match="SRID 0"):
            await bench.run(name, source="data.placeless", **size)


async def test_too_many_or_senseless_cells_are_refused_with_advice(bench: Bench) -> None:
    airports = await bench.run("filter", source="data.airports", filter=equal("country", "Italy"))
    with pytest.raises(InvalidQuestion, match=r"Use cells of [\d,]+ m or more, or empty=false"):
        await bench.run("grid", source=airports.table, size="500 m", empty=True)
    assert len((await bench.run("grid", source=airports.table, size="500 m")).rows) <= len(airports.rows)
    with pytest.raises(InvalidQuestion, match="A cell measures 1 m to 1,000 km"):
        await bench.run("grid", source=airports.table, size=0)
    with pytest.raises(InvalidQuestion, match="would warm"):
        await bench.run("heat", source="data.cities", bandwidth="10 km", size="100 m")
    with pytest.raises(InvalidQuestion, match="between a 100th of it"):
        await bench.run("heat", source=airports.table, bandwidth="10 km", size="20 km")
    with pytest.raises(InvalidQuestion, match="one country or continent"):
        await bench.run("heat", source="data.airports", bandwidth="10 km")
    with pytest.raises(UnknownColumn):
        await bench.run("heat", source=airports.table, bandwidth="10 km", weight="elevation")
    with pytest.raises(InvalidQuestion, match="not numbers"):
        await bench.run("heat", source=airports.table, bandwidth="10 km", weight="name")


@pytest.mark.reference("heat")
@pytest.mark.parametrize("kernel", ["quartic", "gaussian"])
@pytest.mark.parametrize("weight", [None, "population"])
async def test_heat_is_the_kernel_density_worked_out_with_numpy(
    bench: Bench, kernel: str, weight: str | None
) -> None:
    cities = await bench.run("filter", source="data.cities", filter=equal("country", "Portugal"))
    bandwidth, size = 40_000.0, 10_000.0
    answer = await bench.run(
        "heat", source=cities.table, bandwidth=bandwidth, size=size, kernel=kernel, weight=weight
    )
    assert any("bandwidth 40 km, taken at the middle of cells of 10 km." in n for n in answer.receipt.notes)
    plane = _plane(answer)
    x, y = (
        np.array(each) for each in plane.transform(*zip(*((p.x, p.y) for p in cities.rows.geom), strict=True))
    )
    mass = np.ones(len(x)) if weight is None else cities.rows[weight].fillna(0).to_numpy(float)
    corners = [np.array(plane.transform(*get_coordinates(cell).T)).T for cell in answer.rows.geom]
    middles = np.array([(corner.min(axis=0) + corner.max(axis=0)) / 2 for corner in corners])
    np.testing.assert_allclose(middles / size - np.floor(middles / size), 0.5, atol=1e-3)
    squared = ((middles[:, None, 0] - x) ** 2 + (middles[:, None, 1] - y) ** 2) / bandwidth**2
    if kernel == "quartic":
        spread = np.where(squared < 1, 3 / np.pi * (1 - squared) ** 2, 0)
    else:
        spread = np.where(squared < 9, np.exp(-squared / 2) / (2 * np.pi * (1 - np.exp(-4.5))), 0)
    wanted = (spread * mass).sum(axis=1) / (bandwidth / 1000) ** 2
    np.testing.assert_allclose(answer.rows.density_per_km2.astype(float), wanted, rtol=1e-3, atol=1e-9)
    # Nothing is lost: the surface holds what was put in.
    held = (answer.rows.density_per_km2.astype(float) * (size / 1000) ** 2).sum()
    assert held == pytest.approx(mass.sum(), rel=0.01)
