"""A coverage that was cleaned has no overlaps and no small gaps, and covers what it covered before."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import combinations

import pytest
import pytest_asyncio
from shapely import from_wkb, unary_union
from sqlalchemy import text

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench


def box(west: float, south: float, east: float, north: float) -> str:
    return f"ST_MakeEnvelope({west}, {south}, {east}, {north}, 32633)"


SHAPES = {
    # Overlaps the second by 10 m, and leaves a gap of 20 m by 20 m with it and the third.
    1: f"ST_Difference({box(500000, 0, 500110, 100)}, {box(500080, 80, 500120, 120)})",
    2: box(500100, 0, 500200, 100),
    3: f"ST_Difference({box(500000, 100, 500200, 200)}, {box(500150, 150, 500190, 190)})",
    # Cut in two by the first and the third, of higher rank: beyond the third a sliver is left.
    4: box(500020, -50, 500024, 200.5),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lots(bench: Bench) -> AsyncIterator[Bench]:
    await bench.make(
        "CREATE TABLE data.cadastre (id integer PRIMARY KEY, owner text, place integer, geom geometry(Polygon, 32633))",
        *(
            f"INSERT INTO data.cadastre VALUES ({n}, 'owner {n}', {-n}, {shape})"
            for n, shape in SHAPES.items()
        ),
        "INSERT INTO data.cadastre VALUES (5, 'nowhere', -5, NULL)",
    )
    yield bench


@pytest.mark.reference("clean_coverage")
async def test_overlaps_and_small_gaps_are_gone_and_large_gaps_stay(lots: Bench) -> None:
    async with lots.database.reader.connect() as connection:
        found = await connection.execute(
            text("SELECT ST_AsBinary(ST_Union(geom)) AS geom FROM data.cadastre")
        )
        before = from_wkb(bytes(found.scalar_one()))
    answer = await lots.run("clean_coverage", source="data.cadastre", below="1000 m2")
    rows = answer.rows.sort_values("id")
    assert rows.owner.tolist() == [*(f"owner {n}" for n in SHAPES), "nowhere"]
    shapes = [shape for shape in rows.geom if shape is not None]
    assert len(shapes) == len(SHAPES)
    assert all(shape.is_valid and shape.geom_type == "MultiPolygon" for shape in shapes)
    assert max(a.intersection(b).area for a, b in combinations(shapes, 2)) == pytest.approx(0, abs=1e-6)
    after = unary_union(shapes)
    holes = [ring for part in getattr(after, "geoms", [after]) for ring in part.interiors]
    assert [round(abs(ring.envelope.area)) for ring in holes] == [1600], "the large gap is a lake"
    assert before.difference(after).area == pytest.approx(0, abs=1e-6)
    assert rows.set_index("id").geom[4].area == pytest.approx(4 * 50, abs=0.1), "the sliver is the third's"
    assert after.area - before.area == pytest.approx(400, abs=1)


async def test_a_column_says_who_keeps_an_overlap(lots: Bench) -> None:
    kept = {}
    for order in ("place", None):
        arguments = {} if order is None else {"order": order}
        rows = (await lots.run("clean_coverage", source="data.cadastre", below="1 m2", **arguments)).rows
        kept[order] = rows.set_index("id").geom[1].area
    assert kept[None] - kept["place"] == pytest.approx(10 * 80 + 4 * 100, abs=1)


async def test_lines_are_refused(lots: Bench) -> None:
    await lots.make("CREATE TABLE data.cables (id int PRIMARY KEY, geom geometry(LineString, 4326))")
    with pytest.raises(InvalidQuestion, match="needs polygons"):
        await lots.run("clean_coverage", source="data.cables", below="1 m2")


async def test_overlaps_alone_are_removed_where_no_size_is_given(lots: Bench) -> None:
    shapes = [
        shape for shape in (await lots.run("clean_coverage", source="data.cadastre")).rows.geom if shape
    ]
    assert max(a.intersection(b).area for a, b in combinations(shapes, 2)) == pytest.approx(0, abs=1e-6)
    whole = unary_union(shapes)
    assert sum(len(part.interiors) for part in getattr(whole, "geoms", [whole])) == 2


LIKE_POSTGIS_3_6 = (
    # As a window over ordered rows: the state is what all rows so far cover, and what is left of the last of them.
    "CREATE FUNCTION public.uncovered(state geometry[], shape geometry, gap float8, snapping float8, strategy text)"
    " RETURNS geometry[] LANGUAGE sql IMMUTABLE AS $$ SELECT CASE strategy WHEN 'MERGE_MIN_INDEX' THEN ARRAY["
    "ST_Union(COALESCE(state[1], shape), shape), COALESCE(ST_Difference(shape, state[1]), shape)] END $$",
    "CREATE FUNCTION public.last_of(state geometry[]) RETURNS geometry LANGUAGE sql IMMUTABLE AS 'SELECT state[2]'",
    "CREATE AGGREGATE public.st_coverageclean(geometry, float8, float8, text)"
    " (sfunc = public.uncovered, stype = geometry[], finalfunc = public.last_of)",
)


async def test_the_coverage_function_of_postgis_is_used_where_there_is_one(lots: Bench) -> None:
    by_hand = await lots.run("clean_coverage", source="data.cadastre", below="1000 m2", order="place")
    assert "ST_CoverageClean" not in by_hand.receipt.sql
    await lots.make(*LIKE_POSTGIS_3_6)
    try:
        by_postgis = await lots.run("clean_coverage", source="data.cadastre", below="1000 m2", order="place")
    finally:
        await lots.make("DROP AGGREGATE public.st_coverageclean(geometry, float8, float8, text)")
    assert "ST_CoverageClean" in by_postgis.receipt.sql
    assert any("keeps the common part (ST_CoverageClean)." in note for note in by_postgis.receipt.notes)
    shapes = [answer.rows.set_index("id").geom for answer in (by_hand, by_postgis)]
    assert shapes[1][5] is None
    for number in SHAPES:
        assert shapes[0][number].symmetric_difference(shapes[1][number]).area == pytest.approx(0, abs=1e-6)


async def test_rows_stay_in_their_order(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.growing (id int PRIMARY KEY, geom geometry(Polygon, 25832))",
        "INSERT INTO data.growing SELECT n, ST_MakeEnvelope(n * 100, 0, n * 100 + n * 5, 10, 25832)"
        " FROM generate_series(1, 9) n",
    )
    assert list((await bench.run("clean_coverage", source="data.growing")).rows.id) == list(range(1, 10))


async def test_rough_outlines_are_cleaned_although_their_mitred_outline_crosses_itself(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.rough AS SELECT id, ST_MakeValid(ST_Simplify(geom, 0.1)) AS geom FROM data.countries"
        " WHERE name IN ('Antarctica', 'Morocco', 'Western Sahara', 'Algeria', 'Mauritania')"
    )
    made = await bench.run("clean_coverage", source="data.rough", below="2 ha")
    assert len(made.rows) >= 4
    assert all(shape.is_valid for shape in made.rows.geom)
