"""Figures by place say how many rows lie in none."""

from __future__ import annotations

import pytest

from tests.integration.operations.conftest import Bench


async def test_rows_that_are_in_no_area_are_counted(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.one_zone AS SELECT 1 AS id, ST_MakeEnvelope(0, 0, 1, 1, 4326) AS geom",
        "CREATE INDEX ON data.one_zone USING gist (geom)",
        "CREATE TABLE data.posts AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, 0.5), 4326) AS geom"
        " FROM generate_series(0.5, 3.5) n UNION ALL SELECT 9, NULL",
    )
    made = await bench.run(
        "spatial_join", source="data.one_zone", other="data.posts", predicate="shares_interior"
    )
    assert list(made.rows["count"]) == [1]
    assert "4 of 5 rows of posts match no feature of one_zone." in made.receipt.notes


@pytest.mark.parametrize(
    ("other", "how", "unmatched"),
    [
        ("posts_beside", {"predicate": "intersects"}, "3 of 5 rows of posts_beside"),
        ("seen_posts", {"predicate": "intersects"}, "3 of 5 rows of seen_posts"),
        ("posts_beside", {"predicate": "within_distance", "distance": "60 km"}, None),
    ],
)
async def test_rows_that_are_in_several_areas_count_once(
    bench: Bench, other: str, how: dict[str, str], unmatched: str | None
) -> None:
    """Also those of a view; within a distance they are not counted, as no index finds them."""
    await bench.make(
        "DROP TABLE IF EXISTS data.two_zones, data.posts_beside CASCADE",
        "CREATE TABLE data.two_zones AS SELECT n AS id, ST_MakeEnvelope(0, 0, n, 1, 4326) AS geom"
        " FROM generate_series(2, 3) AS n",
        "CREATE INDEX ON data.two_zones USING gist (geom)",
        "CREATE TABLE data.posts_beside AS SELECT x AS id, ST_SetSRID(ST_MakePoint(x, 0.5), 4326) AS geom"
        " FROM unnest(ARRAY[0.5, 1, 3.4, 6.5, NULL]) AS x",
        "CREATE VIEW data.seen_posts AS SELECT * FROM data.posts_beside",
    )
    made = await bench.run("spatial_join", source="data.two_zones", other=f"data.{other}", **how)
    found = [note for note in made.receipt.notes if "match no feature" in note]
    assert len(found) == (unmatched is not None), found
    assert all(note.startswith(unmatched or "") for note in found), found


@pytest.mark.reference(
    "select_by_attribute",
    benchmark={"source": "data.parcels", "other": "data.ratings", "key": "id", "other_key": "parcel"},
)
async def test_rows_are_selected_by_a_key_as_pandas_finds_them(bench: Bench) -> None:
    """Each row once, also where several rows of the other table have its key; a row without a key has no match."""
    keys = {
        "source": "data.countries",
        "other": "data.airports",
        "key": "iso_a2",
        "other_key": "country_code",
    }
    airports, countries = await bench.frame("data.airports"), await bench.frame("data.countries")
    having = countries[countries.iso_a2.notna() & countries.iso_a2.isin(airports.country_code)]
    rows = (await bench.run("select_by_attribute", **keys)).rows
    assert sorted(rows.id) == sorted(having.id)
    assert set(rows) - {"fid"} == set(countries), "its own columns only"
    others = (await bench.run("select_by_attribute", **keys, invert=True)).rows
    assert sorted(others.id) == sorted(set(countries.id) - set(having.id))
