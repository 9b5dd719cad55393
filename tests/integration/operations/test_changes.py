"""What changed between two tables is found row by row, and told."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from shapely.geometry.base import BaseGeometry
from sqlalchemy import text

from server.gis.errors import InvalidQuestion, UnknownColumn
from tests.integration.operations.conftest import Bench

FEWER_ROWS = True


def _has_moved(old: BaseGeometry, new: BaseGeometry) -> bool:
    """Whether the Hausdorff distance is more than 1e-8. It takes long to compute, and is at least that of the boxes."""
    if max(abs(a - b) for a, b in zip(old.bounds, new.bounds, strict=True)) > 1e-8:
        return True
    return not old.equals(new) and old.hausdorff_distance(new) > 1e-8


@pytest.mark.reference("changes")
async def test_changes_of_real_countries_are_those_of_pandas(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.later AS SELECT * FROM data.countries WHERE id % 17 <> 3",
        "UPDATE data.later SET population = population + 1000 WHERE id % 5 = 0",
        "UPDATE data.later SET capital = NULL WHERE id % 10 = 0",
        "UPDATE data.later SET geom = ST_Translate(geom, 0.01, 0) WHERE id % 7 = 0",
        # Another order of corners is not a change, nor is a corner on a straight edge.
        "UPDATE data.later SET geom = ST_Multi(ST_Normalize(ST_Reverse(geom))) WHERE id % 11 = 0",
        "UPDATE data.later SET geom = ST_Segmentize(geom, 0.7) WHERE id % 13 = 0",
        "INSERT INTO data.later SELECT 1000 + id, 'New ' || name, iso_a2, iso_a3, iso_numeric, continent, capital,"
        " population, area_km2, population_density, currency, geom FROM data.countries WHERE id < 4",
    )
    before = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("id")
    after = (await bench.run("sample", source="data.later", n=1000)).rows.set_index("id")
    answer = await bench.run(
        "changes", source="data.countries", other="data.later", key=["id"], unchanged=True
    )
    found = answer.rows.set_index("id")
    assert set(found.index) == set(before.index) | set(after.index)
    assert found.index.is_unique
    attributes = [name for name in before.columns if name not in ("geom", "fid")]
    for key, row in found.iterrows():
        if key not in before.index:
            wanted = "added"
        elif key not in after.index:
            wanted = "removed"
        else:
            old, new = before.loc[key], after.loc[key]
            other = [n for n in attributes if old[n] != new[n] and not (pd.isna(old[n]) and pd.isna(new[n]))]
            moved = _has_moved(old.geom, new.geom)
            wanted = {
                (False, False): "unchanged",
                (True, False): "geometry changed",
                (False, True): "attributes changed",
                (True, True): "geometry and attributes changed",
            }[moved, bool(other)]
            told = [] if pd.isna(row.changed_values) else row.changed_values.split("; ")
            assert [each.split(": ")[0] for each in told] == other
        assert row.change == wanted, key
        assert row.geom.equals((after if key in after.index else before).geom[key])
    assert set(Counter(found.change)) == {
        "added", "removed", "unchanged", "geometry changed", "attributes changed", "geometry and attributes changed",
    }  # fmt: skip
    only = (await bench.run("changes", source="data.countries", other="data.later", key=["id"])).rows
    assert sorted(only.id) == sorted(found.index[found.change != "unchanged"])


async def test_the_values_before_and_after_are_given(bench: Bench) -> None:
    await bench.make(
        'CREATE TABLE data.old (code text, part int, n int, "what; is" text, gone int, geom geometry(PointZ, 4326))',
        'CREATE TABLE data.new (code text, part int, n float, "what; is" text, extra json, geom geometry(Point, 3857))',
        "INSERT INTO data.old SELECT code, part, n, word, 1, ST_SetSRID(ST_MakePoint(x, 50, 7), 4326) FROM (VALUES"
        " ('a', 1, 1, 'x', 10), ('a', 2, 2, NULL, 11), ('b', 1, 3, 'y', 12), (NULL, 1, 4, 'z', 13)) AS t"
        " (code, part, n, word, x)",
        "INSERT INTO data.new SELECT code, part, n, word, '{}',"
        " ST_Transform(ST_SetSRID(ST_MakePoint(x, 50), 4326), 3857) FROM (VALUES ('a', 1, 1, 'x', 10),"
        " ('a', 2, 2.5, 'q', 11), ('b', 1, 3, 'y', 12.000001), (NULL, 1, 4, 'z', 13)) AS t (code, part, n, word, x)",
    )
    answer = await bench.run("changes", source="data.old", other="data.new", key=["code", "part"])
    rows = answer.rows
    rows = rows.astype(object).where(rows.notna(), None)
    found = {(row.code, row.part, row.change): row.changed_values for row in rows.itertuples()}
    assert found == {
        ("a", 2, "attributes changed"): "n: 2 → 2.5; what; is: empty → q",
        ("b", 1, "geometry changed"): None,
        (None, 1, "removed"): None,
        (None, 1, "added"): None,
    }
    assert any("Only in data.old, so not compared: gone" in note for note in answer.receipt.notes)
    assert any("Only in data.new, so not compared: extra" in note for note in answer.receipt.notes)
    # 7 cm are less than a metre.
    coarse = await bench.run(
        "changes", source="data.old", other="data.new", key=["code", "part"], tolerance="1 m"
    )
    assert "geometry changed" not in set(coarse.rows.change)


async def test_without_a_key_rows_are_the_same_where_their_geometries_are(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.stops (name text, geom geometry(Geometry, 4326))",
        "CREATE TABLE data.stops_now (name text, geom geometry(Geometry, 4326))",
        "INSERT INTO data.stops SELECT name, ST_GeomFromText(wkt, 4326) FROM (VALUES ('one', 'POINT(1 1)'),"
        " ('twin a', 'POINT(2 2)'), ('twin b', 'POINT(2 2)'), ('line', 'LINESTRING(0 0, 1 1)'), ('nothing', NULL),"
        " ('moved', 'POINT(3 3)'), ('empty', 'POINT EMPTY'), ('bow', 'POLYGON((0 0, 1 1, 1 0, 0 1, 0 0))'))"
        " AS t (name, wkt)",
        "INSERT INTO data.stops_now SELECT * FROM data.stops",
        "UPDATE data.stops_now SET geom = ST_Multi(geom) WHERE name = 'one'",
        "UPDATE data.stops_now SET name = 'line!', geom = ST_Reverse(geom) WHERE name = 'line'",
        "UPDATE data.stops_now SET geom = ST_Translate(geom, 0, 1) WHERE name = 'moved'",
    )
    rows = (await bench.run("changes", source="data.stops", other="data.stops_now")).rows
    rows = rows.astype(object).where(rows.notna(), None)
    found = {(row.name, row.change): row.changed_values for row in rows.itertuples()}
    assert found == {
        ("line!", "attributes changed"): "name: line → line!",
        ("moved", "removed"): None,
        ("moved", "added"): None,
    }
    same = await bench.run("changes", source="data.airports", other="data.airports")
    assert len(same.rows) == 0


async def test_tables_without_geometry_and_empty_ones_are_compared_by_key(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.list_a (id int, n int)",
        "CREATE TABLE data.list_b (id bigint, n int, geom geometry(Point, 4326))",
        "INSERT INTO data.list_a VALUES (1, 1), (2, 2), (3, NULL)",
    )
    rows = (await bench.run("changes", source="data.list_a", other="data.list_b", key=["id"])).rows
    assert sorted(rows.id) == [1, 2, 3]
    assert set(rows.change) == {"removed"}
    rows = (await bench.run("changes", source="data.list_b", other="data.list_a", key=["id"])).rows
    assert set(rows.change) == {"added"}


async def test_what_cannot_be_compared_is_refused(bench: Bench) -> None:
    with pytest.raises(InvalidQuestion, match="Name the key columns"):
        await bench.run("changes", source="data.list_a", other="data.list_b")
    with pytest.raises(InvalidQuestion, match=r"does not tell the rows of data\.countries apart"):
        await bench.run("changes", source="data.countries", other="data.countries", key=["continent"])
    with pytest.raises(UnknownColumn):
        await bench.run("changes", source="data.countries", other="data.airports", key=["iso_a3"])
    with pytest.raises(InvalidQuestion, match="0 m or more"):
        await bench.run("changes", source="data.countries", other="data.countries", key=["id"], tolerance=-1)


async def test_an_attribute_may_be_called_as_our_geometry_is(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.named_before (id int PRIMARY KEY, geom text, shape geometry(Point, 4326))",
        "INSERT INTO data.named_before VALUES (1, 'a', 'SRID=4326;POINT(1 1)')",
        "CREATE TABLE data.named_now AS SELECT id, 'b'::text AS geom, shape FROM data.named_before",
    )
    rows = (await bench.run("changes", source="data.named_before", other="data.named_now", key=["id"])).rows
    assert [(row.change, row.changed_values, row.geom_2) for row in rows.itertuples()] == [
        ("attributes changed", "geom: a → b", "b")
    ]


@pytest.mark.parametrize(
    ("later", "kind", "is_stored_again"),
    [("Point", "Point", False), ("MultiPoint", "MultiPoint", True), ("PointZ", "Point", False)],
)
async def test_what_both_columns_declare_is_not_looked_for_in_the_result(
    bench: Bench, later: str, kind: str, is_stored_again: bool
) -> None:
    shape = {"Point": "{}", "MultiPoint": "ST_Multi({})", "PointZ": "ST_Force3D({})"}[later]
    await bench.make(
        "DROP TABLE IF EXISTS data.spots_before, data.spots_after",
        "CREATE TABLE data.spots_before AS SELECT n AS id,"
        " ST_SetSRID(ST_MakePoint(n, n), 4326)::geometry(Point, 4326) AS geom FROM generate_series(1, 5) AS n",
        f"CREATE TABLE data.spots_after AS SELECT id, {shape.format('geom')}::geometry({later}, 4326) AS geom"
        " FROM data.spots_before WHERE id > 1",
    )
    answer = await bench.run(
        "changes", source="data.spots_before", other="data.spots_after", key=["id"], unchanged=True
    )
    async with bench.database.reader.connect() as connection:
        asked = text(
            "SELECT type FROM geometry_columns WHERE f_table_schema = 'analysis' AND f_table_name = :name"
        )
        found = await connection.scalar(asked, {"name": answer.table.split(".")[1]})
    assert found == kind.upper()
    assert ("ALTER COLUMN" in answer.receipt.sql) == is_stored_again
    assert len(answer.rows) == 5
