"""What is found does not depend on the way it is looked for: from the many to the few, or the other way round."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio
from pandas import isna
from shapely import box, points, unary_union

from tests.integration.operations.conftest import Bench

AREAS = [box(0, 0, 3, 3), box(2, 2, 5, 5), box(8, 8, 9, 9)]


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def _grid(bench: Bench) -> None:
    """1,600 points, some on borders; the same in a partitioned table, where addresses repeat; three areas."""
    areas = ", ".join(f"({number}, '{area.wkt}')" for number, area in enumerate(AREAS))
    await bench.make(
        "CREATE TABLE data.dots AS SELECT i * 40 + j AS id, ST_SetSRID(ST_MakePoint(i / 4.0, j / 4.0), 4326)"
        "::geometry(Point, 4326) AS geom FROM generate_series(0, 39) i, generate_series(0, 39) j",
        "INSERT INTO data.dots VALUES (9999, NULL)",
        "CREATE INDEX ON data.dots USING gist (geom)",
        "CREATE TABLE data.parted (id int, geom geometry(Point, 4326)) PARTITION BY RANGE (id)",
        "CREATE TABLE data.parted_1 PARTITION OF data.parted FOR VALUES FROM (0) TO (800)",
        "CREATE TABLE data.parted_2 PARTITION OF data.parted FOR VALUES FROM (800) TO (10000)",
        "INSERT INTO data.parted SELECT * FROM data.dots",
        "CREATE VIEW data.seen AS SELECT * FROM data.dots",
        "CREATE TABLE data.areas (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.areas SELECT id, ST_GeomFromText(wkt, 4326) FROM (VALUES {areas}) AS v (id, wkt)",
        "ANALYZE data.dots, data.parted, data.areas",
    )


def _expected(predicate: str) -> set[int]:
    coordinates = [(i * 40 + j, i / 4, j / 4) for i in range(40) for j in range(40)]
    spots = points([(x, y) for _id, x, y in coordinates])
    whole = unary_union(AREAS)
    met = [any(getattr(spot, predicate)(area) for area in AREAS) for spot in spots]
    assert 0 < sum(met) < len(met)
    assert predicate != "intersects" or sum(met) == sum(whole.covers(spot) for spot in spots)
    return {number for (number, _x, _y), is_met in zip(coordinates, met, strict=True) if is_met}


@pytest.mark.parametrize("table", ["data.dots", "data.parted", "data.seen"])
@pytest.mark.parametrize("predicate", ["intersects", "within", "touches"])
async def test_each_feature_is_selected_once_or_not_at_all(bench: Bench, table: str, predicate: str) -> None:
    wanted = _expected(predicate)
    chosen = {"source": table, "other": "data.areas", "predicate": predicate}
    inside = (await bench.run("select_by_location", **chosen)).rows
    outside = (await bench.run("select_by_location", **chosen, invert=True)).rows
    assert sorted(inside.id) == sorted(wanted)
    assert len(inside) + len(outside) == 1601
    assert set(outside.id).isdisjoint(wanted)


@pytest.mark.parametrize("table", ["data.dots", "data.parted", "data.seen"])
async def test_figures_of_what_a_feature_meets_are_those_of_shapely(bench: Bench, table: str) -> None:
    aggregates = [
        {"function": "count"},
        {"function": "sum", "column": "id"},
        {"function": "max", "column": "id"},
    ]
    rows = (await bench.run("spatial_join", source=table, other="data.areas", aggregates=aggregates)).rows
    assert len(rows) == len(set(rows.id)) == 1601
    for row in rows.itertuples():
        met = [] if row.geom is None else [n for n, area in enumerate(AREAS) if row.geom.intersects(area)]
        assert row.count == len(met)
        assert (row.sum_id == sum(met) and row.max_id == max(met)) if met else isna(row.sum_id)


async def test_the_few_are_where_the_search_starts(bench: Bench) -> None:
    """Each of many points asking for its few areas reads each area again and again."""
    await bench.make(
        "CREATE TABLE data.round AS SELECT g AS id, ST_Buffer(ST_SetSRID(ST_MakePoint(g, g), 4326), 1, 200)"
        "::geometry(Polygon, 4326) AS geom FROM generate_series(1, 9) g",
        "CREATE INDEX ON data.round USING gist (geom)",
        "ANALYZE data.round",
    )
    answer = await bench.run("select_by_location", source="data.dots", other="data.round")
    statement = answer.receipt.sql.partition(" AS ")[2].partition(";")[0]
    async with bench.database.reader.connect() as connection:
        lines = await connection.exec_driver_sql(f"EXPLAIN {statement}")
        plan = "\n".join(row[0] for row in lines)
    assert "dots_geom_idx" in plan, plan
    assert len(set(answer.rows.id)) == len(answer.rows) > 100


async def test_points_of_a_grid_are_projected_by_several_processes_and_their_cells_hashed(
    bench: Bench,
) -> None:
    await bench.make(
        "CREATE TABLE data.near AS SELECT i AS id, ST_SetSRID(ST_MakePoint(9 + i / 1e4, 48), 4326)"
        "::geometry(Point, 4326) AS geom FROM generate_series(1, 1600) AS i",
        "ANALYZE data.near",
    )
    answer = await bench.run("grid", source="data.near", size="1 km", shape="square")
    assert answer.rows["count"].sum() == 1600
    statement = answer.receipt.sql.partition(" AS ")[2].partition(";")[0]
    async with bench.database.reader.begin() as connection:
        await connection.exec_driver_sql("SET LOCAL min_parallel_table_scan_size = 0")
        lines = await connection.exec_driver_sql(f"EXPLAIN VERBOSE {statement}")
        plan = "\n".join(row[0] for row in lines)
    assert "HashAggregate" in plan, plan
    assert "st_transform(s1.geom" in plan.partition("Parallel Seq Scan")[2].partition("Filter")[0], plan


@pytest.mark.parametrize(
    ("operation", "arguments", "differences"),
    [
        ("symmetric_difference", {"source": "data.areas", "other": "data.areas"}, 2),
        ("distance_bands", {"source": "data.areas", "distances": ["1 km", "2 km"]}, 1),
    ],
)
async def test_what_is_left_out_where_it_is_empty_is_computed_once(
    bench: Bench, operation: str, arguments: dict[str, Any], differences: int
) -> None:
    answer = await bench.run(operation, **arguments)
    *prepared, statement, _key = answer.receipt.sql.split(";\n")
    async with bench.database.owner.connect() as connection:
        for each in prepared:
            await connection.exec_driver_sql(each)
        lines = await connection.exec_driver_sql(f"EXPLAIN VERBOSE {statement.partition(' AS ')[2]}")
        plan = "\n".join(row[0] for row in lines)
    assert plan.count("st_difference(") == differences, plan


@pytest.mark.parametrize("k", [1, 3, 20])
async def test_the_nearest_are_those_of_a_scan_whatever_the_sphere_says(bench: Bench, k: int) -> None:
    """On a grid north-south and east-west neighbours differ by less than a sphere errs."""
    await bench.make(
        "DROP TABLE IF EXISTS data.lattice",
        "CREATE TABLE data.lattice AS SELECT row_number() OVER () AS id, ST_SetSRID(ST_MakePoint(i * 0.0997, "
        "j * 0.1), 4326)::geometry(Point, 4326) AS geom FROM generate_series(-12, 12) i, generate_series(-12, 12) j",
        "ANALYZE data.lattice",
    )
    found = (await bench.run("nearest", source="data.lattice", target="data.lattice", k=k)).rows
    scanned = (
        "SELECT a.id, x.metres FROM data.lattice a, LATERAL (SELECT ST_Distance(a.geom::geography, "
        "b.geom::geography) AS metres FROM data.lattice b WHERE b.id <> a.id ORDER BY 1 "
        f"LIMIT {k}) x ORDER BY 1, 2"
    )
    async with bench.database.reader.connect() as connection:
        wanted = [tuple(row) for row in await connection.exec_driver_sql(scanned)]
    had = sorted(zip(found.id, found.distance_m, strict=True))
    assert [number for number, _metres in had] == [number for number, _metres in wanted]
    assert [metres for _number, metres in had] == pytest.approx(
        [metres for _number, metres in wanted], abs=1e-6
    )
