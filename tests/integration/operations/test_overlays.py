"""Overlays, unions and groups agree with GeoPandas on countries and on a table of squares laid over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from geopandas import GeoDataFrame, clip, overlay
from pandas import isna
from pyproj import Geod
from shapely import get_coordinates, make_valid, unary_union
from shapely.geometry.base import BaseGeometry

from server.gis.errors import InvalidQuestion
from server.gis.operations.support.geometry import uniting
from tests.integration.operations.conftest import Bench

GEOD = Geod(ellps="WGS84")


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    """Squares of five degrees, one bow-tie among them, one missing and one empty; once more in Web Mercator."""
    await bench.make(
        "CREATE TABLE data.africa AS SELECT id, name, population, continent, geom FROM data.countries"
        " WHERE continent = 'Africa'",
        "CREATE TABLE data.squares (square int PRIMARY KEY, side text, amount float, geom geometry(Polygon, 4326))",
        "INSERT INTO data.squares SELECT row_number() OVER (), CASE WHEN x < 20 THEN 'west' ELSE 'east' END, x + y,"
        " ST_MakeEnvelope(x, y, x + 5, y + 5, 4326) FROM generate_series(5, 35, 10) x, generate_series(-25, 15, 10) y",
        "INSERT INTO data.squares VALUES (100, 'bow', 1, ST_GeomFromText('POLYGON((0 20, 4 24, 4 20, 0 24, 0 20))',"
        " 4326)), (101, NULL, 1, NULL), (102, 'west', NULL, ST_GeomFromText('POLYGON EMPTY', 4326))",
        "CREATE TABLE data.squares_3857 AS SELECT square, side, ST_Transform(geom, 3857) AS geom FROM data.squares",
        "ALTER TABLE data.squares_3857 ALTER COLUMN geom TYPE geometry(Polygon, 3857)",
    )


async def _frame(bench: Bench, table: str) -> GeoDataFrame:
    """All rows, their areas repaired."""
    if "analysis." in table:
        rows = (await bench.rows(table)).set_geometry("geom", crs=4326).drop(columns="fid")
    else:
        rows = await bench.frame(table)
    rows["geom"] = [None if shape is None else make_valid(shape) for shape in rows.geom]
    return rows


def _areas(rows: GeoDataFrame, *keys: str) -> Mapping[Any, float]:
    found = rows.dissolve(list(keys) if len(keys) > 1 else keys[0])
    return {key: area for key, area in found.geometry.area.items() if area > 1e-9}


def _same(found: Mapping[Any, float], wanted: Mapping[Any, float]) -> None:
    assert set(found) == set(wanted)
    for key, area in wanted.items():
        assert found[key] == pytest.approx(area, rel=1e-6, abs=1e-9), key


@pytest.mark.reference("clip")
async def test_clip_agrees_with_geopandas(bench: Bench) -> None:
    rows = (await bench.run("clip", source="data.africa", mask="data.squares")).rows.set_geometry(
        "geom", crs=4326
    )
    africa, squares = await _frame(bench, "data.africa"), await _frame(bench, "data.squares")
    _same(_areas(rows, "name"), _areas(clip(africa, unary_union(squares.geom.dropna())), "name"))
    assert list(rows.columns) == ["fid", "id", "name", "population", "continent", "geom"]
    assert set(rows.geom.geom_type) == {"MultiPolygon"}


async def test_points_are_clipped_by_areas_in_another_reference_system(bench: Bench) -> None:
    rows = (await bench.run("clip", source="data.cities", mask="data.squares_3857")).rows
    cities, squares = await _frame(bench, "data.cities"), await _frame(bench, "data.squares")
    # Straight sides of a Mercator square are parallels, so it is the same square.
    land = unary_union(squares.geom.dropna())
    wanted = cities[cities.intersects(land)]
    assert len(wanted) > 100
    on_a_side = set(cities[cities.distance(land.boundary) < 1e-9].id)
    assert set(rows.id) ^ set(wanted.id) <= on_a_side


@pytest.mark.reference("intersection")
async def test_intersection_agrees_with_geopandas(bench: Bench) -> None:
    rows = (await bench.run("intersection", source="data.africa", other="data.squares")).rows
    africa, squares = await _frame(bench, "data.africa"), await _frame(bench, "data.squares")
    wanted = overlay(africa, squares[squares.geom.notna()], how="intersection", keep_geom_type=True)
    _same(_areas(rows.set_geometry("geom"), "name", "square"), _areas(wanted, "name", "square"))
    assert {"population", "amount"} <= set(rows.columns)


@pytest.mark.reference("difference")
async def test_difference_agrees_with_geopandas(bench: Bench) -> None:
    rows = (await bench.run("difference", source="data.africa", other="data.squares")).rows.set_geometry(
        "geom"
    )
    africa, squares = await _frame(bench, "data.africa"), await _frame(bench, "data.squares")
    wanted = overlay(africa, squares[squares.geom.notna()], how="difference", keep_geom_type=True)
    _same(_areas(rows, "name"), _areas(wanted, "name"))
    whole = await bench.run("difference", source="data.africa", other="data.africa")
    assert len(whole.rows) == 0


@pytest.fixture(params=[uniting.SMALL_BYTES, 0], ids=["at once", "in ranges"])
def ways_of_uniting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shapes are united at once, as those of small tables are, and in ranges, as those of large ones."""
    monkeypatch.setattr(uniting, "SMALL_BYTES", request.param)


@pytest.mark.reference("symmetric_difference")
@pytest.mark.usefixtures("ways_of_uniting")
async def test_symmetric_difference_agrees_with_shapely(bench: Bench) -> None:
    rows = (await bench.run("symmetric_difference", source="data.africa", other="data.squares")).rows
    africa, squares = [
        unary_union(frame.geom.dropna())
        for frame in (await _frame(bench, "data.africa"), await _frame(bench, "data.squares"))
    ]
    found = dict(zip(rows.only_in, (shape.area for shape in rows.geom), strict=True))
    _same(found, {"data.africa": (africa - squares).area, "data.squares": (squares - africa).area})


def _pieces(rows: GeoDataFrame) -> Mapping[Any, float]:
    """Area of the pieces by who they come from; nothing for who is not there."""
    named = rows.assign(name=rows.name.fillna("-"), square=rows.square.fillna(-1).astype(int))
    return _areas(named, "name", "square")


@pytest.mark.reference("identity", "union")
@pytest.mark.parametrize("how", ["union", "identity"])
@pytest.mark.parametrize("squares", ["data.squares", "data.squares_3857"])
async def test_pieces_agree_with_geopandas(bench: Bench, how: str, squares: str) -> None:
    rows = (await bench.run(how, source="data.africa", other=squares)).rows
    africa, other = await _frame(bench, "data.africa"), await _frame(bench, "data.squares")
    wanted = overlay(africa, other[[bool(shape) for shape in other.geom]], how=how)
    found = rows.set_geometry("geom")
    assert set(found.geom.geom_type) == {"MultiPolygon"}
    if squares == "data.squares_3857":  # of the bow-tie only the upright sides are the same lines there
        crossed = other[other.square == 100].union_all().buffer(0.01)
        found, wanted = (each[~each.intersects(crossed)] for each in (found, wanted))
    _same(_pieces(found), _pieces(wanted))
    assert {"population", "side"} <= set(rows.columns)
    both = rows.name.notna() & rows.square.notna()
    assert (both == (rows.lies_in == "both")).all()
    assert (rows[rows.name.isna()].lies_in == squares).all()
    assert set(rows[rows.square.isna()].lies_in) == {"data.africa"}
    if squares == "data.squares":
        whole = [unary_union(frame.geom.dropna()) for frame in (africa, other)]
        area = whole[0].union(whole[1]).area if how == "union" else whole[0].area
        assert found.geom.area.sum() == pytest.approx(area, rel=1e-6)


async def test_a_union_with_itself_has_every_overlap_in_both_orders(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.over (name text, geom geometry(Polygon, 4326))",
        "INSERT INTO data.over VALUES ('a', ST_MakeEnvelope(0, 0, 2, 1, 4326)), ('b', ST_MakeEnvelope(1, 0, 3, 1,"
        " 4326)), ('none', NULL), ('empty', 'SRID=4326;POLYGON EMPTY')",
    )
    rows = (await bench.run("union", source="data.over", other="data.over")).rows
    areas = {
        (row.name, row.over_name): row.geom.area for row in rows.drop(columns="fid").itertuples(index=False)
    }
    assert areas == pytest.approx({("a", "a"): 2, ("b", "b"): 2, ("a", "b"): 1, ("b", "a"): 1})


async def test_lines_are_cut_along_areas_and_lose_nothing(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.ways (way int, geom geometry(LineString, 4326))",
        "INSERT INTO data.ways VALUES (1, 'SRID=4326;LINESTRING(0 -22, 40 -22)'),"
        " (2, 'SRID=4326;LINESTRING(-9 60, 0 60)')",
    )
    rows = (await bench.run("identity", source="data.ways", other="data.squares")).rows
    assert {shape.geom_type for shape in rows.geom} == {"MultiLineString"}
    lengths = rows.assign(long=[shape.length for shape in rows.geom]).groupby(["way", "lies_in"]).long.sum()
    assert dict(lengths) == pytest.approx({(1, "both"): 20, (1, "data.ways"): 20, (2, "data.ways"): 9})
    for operation, source, other in (("identity", "africa", "ways"), ("union", "ways", "africa")):
        with pytest.raises(InvalidQuestion, match="holds no areas"):
            await bench.run(operation, source=f"data.{source}", other=f"data.{other}")


async def test_a_plan_from_when_merge_was_called_union_still_runs(bench: Bench) -> None:
    rows = (await bench.run("union", sources=["data.africa", "data.squares"])).rows
    assert set(rows.from_table) == {"data.africa", "data.squares"}


@pytest.mark.reference("merge")
async def test_merge_puts_rows_together(bench: Bench) -> None:
    rows = (await bench.run("merge", sources=["data.africa", "data.squares", "data.squares_3857"])).rows
    africa = await _frame(bench, "data.africa")
    counts = {"data.africa": len(africa), "data.squares": 23, "data.squares_3857": 23}
    assert dict(rows.from_table.value_counts()) == counts
    assert rows[rows.from_table == "data.squares"].name.isna().all()
    first, again = (
        rows[(rows.from_table == name) & (rows.square == 1)].geom.iloc[0]
        for name in ("data.squares", "data.squares_3857")
    )
    assert first.hausdorff_distance(again) < 1e-9
    shared = (await bench.run("merge", sources=["data.africa", "data.squares"], keep=False)).rows
    assert set(shared.columns) == {"from_table", "geom", "fid"}


async def test_merge_takes_tables_without_geometry_and_says_what_it_transforms(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.sheet_1 AS SELECT 'a' AS code, 1 AS n",
        "CREATE TABLE data.sheet_2 AS SELECT 'b' AS code, 2.5 AS cost",
    )
    sheets = await bench.run("merge", sources=["data.sheet_1", "data.sheet_2"])
    assert sheets.receipt.geometry_type is None
    assert list(sheets.rows.code) == ["a", "b"]
    assert [list(sheets.rows[name].dropna()) for name in ("n", "cost")] == [[1], [2.5]]
    mixed = await bench.run("merge", sources=["data.sheet_1", "data.squares", "data.squares_3857"])
    assert (mixed.receipt.geometry_type, mixed.receipt.srid) == ("MULTIPOLYGON", 4326)
    assert mixed.rows[mixed.rows.from_table == "data.sheet_1"].geom.isna().all()
    assert "data.squares_3857 was transformed from EPSG:3857 to EPSG:4326." in mixed.receipt.notes


async def test_columns_that_only_the_third_table_has_keep_their_types(bench: Bench) -> None:
    await bench.make(
        "CREATE TYPE data.mood AS ENUM ('good', 'bad')",
        *(
            f"CREATE TABLE data.part_{n} AS SELECT {n} AS id, 'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom"
            for n in (1, 2)
        ),
        "CREATE TABLE data.part_3 AS SELECT 3::bigint AS people, date '2024-01-02' AS day, 'bad'::data.mood AS mood, "
        "'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom",
    )
    rows = (await bench.run("merge", sources=["data.part_1", "data.part_2", "data.part_3"])).rows
    (last,) = rows[rows.from_table == "data.part_3"].to_dict("records")
    assert (last["people"], str(last["day"]), last["mood"]) == (3, "2024-01-02", "bad")
    assert rows.people.isna().sum() == 2


@pytest.mark.reference("dissolve")
@pytest.mark.usefixtures("ways_of_uniting")
@pytest.mark.parametrize("by", [["continent"], []])
async def test_dissolve_agrees_with_geopandas(bench: Bench, by: list[str]) -> None:
    figures = [{"function": "count"}, {"function": "sum", "column": "population"}]
    rows = (await bench.run("dissolve", source="data.countries", by=by, aggregates=figures)).rows
    countries = await _frame(bench, "data.countries")
    countries["continent"] = countries.continent.fillna("none")
    rows["continent"] = rows.continent.fillna("none") if by else None
    groups = countries.groupby("continent") if by else [(None, countries)]
    assert len(rows) == len(groups)
    for key, group in groups:
        row = rows[rows[by[0]] == key].iloc[0] if by else rows.iloc[0]
        assert row["count"] == len(group)
        assert float(row.sum_population or 0) == group.population.astype(float).sum()
        assert row.geom.symmetric_difference(unary_union(list(group.geom))).area < 1e-6


@pytest.mark.usefixtures("ways_of_uniting")
async def test_dissolve_repairs_and_keeps_a_group_without_a_name(bench: Bench) -> None:
    rows = (await bench.run("dissolve", source="data.squares", by=["side"])).rows
    rows = rows.astype(object).where(rows.notna(), None)
    sides = dict(zip(rows.side, rows.geom, strict=True))
    assert set(sides) == {"bow", "east", "west", None}
    assert sides["bow"].area == pytest.approx(8)
    assert sides["west"].area == pytest.approx(250)
    assert sides[None] is None


@pytest.mark.reference("collect")
async def test_collect_keeps_inner_borders(bench: Bench) -> None:
    rows = (await bench.run("collect", source="data.africa", by=["continent"])).rows
    africa = await _frame(bench, "data.africa")
    assert len(rows) == 1
    assert rows["count"][0] == len(africa)
    assert rows.geom[0].length == pytest.approx(sum(shape.length for shape in africa.geom))
    assert len(get_coordinates(rows.geom[0])) == len(get_coordinates(list(africa.geom)))


@pytest.mark.reference("weighted_overlap")
async def test_amounts_are_shared_out_by_overlap(bench: Bench) -> None:
    rows = (
        await bench.run("weighted_overlap", source="data.squares", other="data.africa", column="population")
    ).rows
    africa, squares = await _frame(bench, "data.africa"), await _frame(bench, "data.squares")

    def area(shape: BaseGeometry) -> float:
        parts = getattr(shape, "geoms", [shape])
        return sum(
            abs(GEOD.geometry_area_perimeter(part)[0]) for part in parts if part.geom_type == "Polygon"
        )

    for row in rows.itertuples():
        shape = squares.geom[squares.square == row.square].iloc[0]
        if shape is None or shape.is_empty:
            assert isna(row.sum_population)
            continue
        wanted = sum(
            float(country.population) * area(country.geom.intersection(shape)) / area(country.geom)
            for country in africa.itertuples()
            if country.geom.intersects(shape)
        )
        figure = 0.0 if isna(row.sum_population) else float(row.sum_population)
        assert figure == pytest.approx(wanted, rel=1e-5, abs=1)


async def test_what_has_no_reference_system_is_not_overlaid(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.adrift (id int PRIMARY KEY, geom geometry(Polygon))",
        "INSERT INTO data.adrift VALUES (1, ST_MakeEnvelope(0, 0, 10, 10))",
    )
    for operation, other in (
        ("clip", "mask"),
        ("difference", "other"),
        ("intersection", "other"),
        ("union", "other"),
        ("identity", "other"),
    ):
        with pytest.raises(InvalidQuestion, match="SRID 0"):
            await bench.run(operation, source="data.africa", **{other: "data.adrift"})
