"""Joins, selections, summaries and clusters agree with GeoPandas, pandas and a scan of all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from geopandas import sjoin
from pandas import isna
from pyproj import Geod

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

FEWER_ROWS = True

GEOD = Geod(ellps="WGS84")


@pytest.mark.parametrize(
    ("predicate", "reference"),
    [
        ("intersects", "intersects"),
        ("shares_interior", "intersects"),  # of points
        ("within", "within"),
        ("contains", "contains"),
    ],
)
@pytest.mark.reference("select_by_location")
async def test_selections_by_location_are_those_of_geopandas(
    bench: Bench, predicate: str, reference: str
) -> None:
    source, other = ("countries", "airports") if predicate == "contains" else ("airports", "countries")
    one, two = await bench.frame(f"data.{source}"), await bench.frame(f"data.{other}")
    met = set(sjoin(one, two[["geom"]], predicate=reference).id)
    for invert, wanted in ((False, met), (True, set(one.id) - met)):
        found = await bench.run(
            "select_by_location",
            source=f"data.{source}",
            other=f"data.{other}",
            predicate=predicate,
            invert=invert,
        )
        assert 0 < len(wanted) < len(one)
        assert set(found.rows.id) == wanted


async def test_neighbours_touch(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.switzerland AS SELECT * FROM data.countries WHERE name = 'Switzerland'"
    )
    found = await bench.run(
        "select_by_location", source="data.countries", other="data.switzerland", predicate="touches"
    )
    assert set(found.rows.name) == {"Austria", "France", "Germany", "Italy", "Liechtenstein"}


async def test_neighbours_that_only_share_a_border_are_not_in_an_area(bench: Bench) -> None:
    square = (
        "ST_SetSRID(ST_MakeEnvelope({0}, {1}, {0} + {2}, {1} + {2}), 3857)::geometry(Polygon, 3857) AS geom"
    )
    await bench.make(
        f"CREATE TABLE data.two_zones AS SELECT z AS id, {square.format('2 * z', 0, 2)} FROM generate_series(0, 1) z",
        f"CREATE TABLE data.eight_parcels AS SELECT 2 * x + y AS id, {square.format('x', 'y', 1)}"
        " FROM generate_series(0, 3) x, generate_series(0, 1) y",
        "CREATE TABLE data.parcels_and_trees AS SELECT id, geom::geometry(Geometry, 3857) FROM data.eight_parcels"
        " UNION ALL SELECT 8, ST_SetSRID(ST_MakePoint(2, 1), 3857)",
        "CREATE TABLE data.first_zone AS SELECT * FROM data.two_zones WHERE id = 0",
    )

    async def counts(other: str, predicate: str) -> list[int]:
        made = await bench.run("spatial_join", source="data.two_zones", other=other, predicate=predicate)
        return sorted(made.rows["count"])

    assert await counts("data.eight_parcels", "intersects") == [6, 6]
    assert await counts("data.eight_parcels", "shares_interior") == [4, 4]
    assert await counts("data.parcels_and_trees", "shares_interior") == [5, 5], (
        "a tree on the border is in both"
    )
    chosen = {"other": "data.first_zone", "predicate": "shares_interior"}
    inside = await bench.run("select_by_location", source="data.eight_parcels", **chosen)
    outside = await bench.run("select_by_location", source="data.eight_parcels", **chosen, invert=True)
    assert (sorted(inside.rows.id), sorted(outside.rows.id)) == ([0, 1, 2, 3], [4, 5, 6, 7])


async def test_matches_within_a_distance_equal_a_scan_of_all_pairs(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.hubs AS SELECT id, name, ST_Transform(geom, 3857) AS geom FROM data.cities"
        " WHERE population > 8000000",
        "ALTER TABLE data.hubs ALTER COLUMN geom TYPE geometry(Point, 3857)",
        "INSERT INTO data.hubs VALUES (0, 'nowhere', NULL), (1, 'empty', ST_GeomFromText('POINT EMPTY', 3857))",
    )
    found = await bench.run(
        "select_by_location",
        source="data.airports",
        other="data.hubs",
        predicate="within_distance",
        distance="30 km",
    )
    airports = await bench.frame("data.airports")
    cities = await bench.frame("data.cities")
    hubs = cities[cities.population.astype(float) > 8_000_000]
    near = np.zeros(len(airports), bool)
    for hub in hubs.geom:
        n = len(airports)
        near |= np.array(GEOD.inv(airports.geom.x, airports.geom.y, [hub.x] * n, [hub.y] * n)[2]) <= 30_000
    assert near.sum() > 20
    assert set(found.rows.id) == set(airports[near].id)
    with pytest.raises(InvalidQuestion, match="needs a distance"):
        await bench.run(
            "select_by_location", source="data.airports", other="data.hubs", predicate="within_distance"
        )


@pytest.mark.reference("spatial_join")
async def test_figures_of_a_spatial_join_are_those_of_geopandas(bench: Bench) -> None:
    figures = [
        {"function": "count"},
        {"function": "max", "column": "elevation_m"},
        {"function": "mean", "column": "elevation_m"},
    ]
    rows = (
        await bench.run("spatial_join", source="data.countries", other="data.airports", aggregates=figures)
    ).rows
    countries, airports = await bench.frame("data.countries"), await bench.frame("data.airports")
    joined = sjoin(airports, countries[["id", "geom"]], predicate="intersects", rsuffix="country")
    groups = joined.groupby("id_country").elevation_m
    wanted = groups.agg(["size", "max", "mean"])
    assert len(rows) == len(countries)
    for row in rows.itertuples():
        if row.id not in wanted.index:
            assert isna(row.max_elevation_m)
            continue
        assert row.max_elevation_m == wanted["max"][row.id]
        assert row.mean_elevation_m == pytest.approx(wanted["mean"][row.id])
    counts = dict(zip(rows.id, rows["count"], strict=True))
    assert {key: count for key, count in counts.items() if count} == wanted["size"].to_dict()


async def test_all_and_matched_rows_of_a_spatial_join(bench: Bench) -> None:
    countries, hubs = await bench.frame("data.countries"), await bench.frame("data.cities")
    hubs = hubs[hubs.population.astype(float) > 8_000_000]
    pairs = sjoin(countries, hubs[["geom"]], predicate="intersects")
    matched = await bench.run("spatial_join", source="data.countries", other="data.hubs", rows="matched")
    assert sorted(matched.rows.id) == sorted(pairs.id)
    assert {"name", "hubs_name"} <= set(matched.rows)
    every = await bench.run("spatial_join", source="data.countries", other="data.hubs", rows="all")
    assert len(every.rows) == len(pairs) + len(countries) - pairs.id.nunique()


@pytest.mark.reference("join_by_attribute")
async def test_columns_are_brought_by_a_key_as_pandas_merges(bench: Bench) -> None:
    arguments = {
        "source": "data.airports",
        "other": "data.countries",
        "key": "country_code",
        "other_key": "iso_a2",
    }
    airports, countries = await bench.frame("data.airports"), await bench.frame("data.countries")
    merged = airports.merge(
        countries[["iso_a2", "population", "name"]].dropna(subset="iso_a2"),
        left_on="country_code", right_on="iso_a2", how="left", suffixes=("", "_other"),
    )  # fmt: skip
    rows = (await bench.run("join_by_attribute", **arguments, columns=["population", "name"])).rows
    assert len(rows) == len(merged)
    found, wanted = rows.set_index("id"), merged.set_index("id")
    assert (found.countries_name.fillna("") == wanted.name_other.reindex(found.index).fillna("")).all()
    matched = (await bench.run("join_by_attribute", **arguments, rows="matched")).rows
    assert set(matched.id) == set(merged[merged.iso_a2.notna()].id)


@pytest.mark.reference("summarise")
async def test_summaries_are_those_of_pandas(bench: Bench) -> None:
    functions = [
        "count",
        "sum",
        "mean",
        "median",
        "min",
        "max",
        "stddev",
        "p10",
        "p25",
        "p75",
        "p90",
        "distinct",
    ]
    figures = [{"function": name, "column": "elevation_m"} for name in functions]
    answer = await bench.run("summarise", source="data.airports", by=["continent"], aggregates=figures)
    assert "geom" not in answer.rows
    groups = (await bench.frame("data.airports")).groupby("continent").elevation_m
    wanted = {
        "count": groups.count(), "sum": groups.sum(), "mean": groups.mean(), "median": groups.median(),
        "min": groups.min(), "max": groups.max(), "stddev": groups.std(), "p10": groups.quantile(0.1),
        "p25": groups.quantile(0.25), "p75": groups.quantile(0.75), "p90": groups.quantile(0.9),
        "distinct": groups.nunique(),
    }  # fmt: skip
    rows = answer.rows.set_index("continent")
    assert set(rows.index) == set(wanted["count"].index)
    for name, figure in wanted.items():
        for continent, value in figure.items():
            assert float(rows[f"{name}_elevation_m"][continent]) == pytest.approx(value, rel=1e-9), (
                name,
                continent,
            )


async def test_clusters_by_density_hold_together_and_apart(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.alpine_airports AS SELECT * FROM data.airports"
        " WHERE country IN ('Austria', 'Italy', 'Switzerland')",
        "ALTER TABLE data.alpine_airports ALTER COLUMN geom DROP NOT NULL",
        "INSERT INTO data.alpine_airports (id, name) VALUES (-1, 'nowhere')",
    )
    rows = (await bench.run("cluster", source="data.alpine_airports", distance="20 km", minimum=2)).rows
    n = len(rows)
    assert n > 50
    x, y = (np.array([getattr(point, axis) for point in rows.geom]) for axis in "xy")
    a, b = np.meshgrid(np.arange(n), np.arange(n))
    away = np.array(GEOD.inv(x[a.ravel()], y[a.ravel()], x[b.ravel()], y[b.ravel()])[2]).reshape(n, n)
    names = [None if isna(name) else int(name) for name in rows.cluster]
    for i in range(n):
        near = [j for j in range(n) if j != i and away[i, j] < 20_000 * 0.999]
        if near:
            # With a minimum of two each neighbour within reach belongs to the same cluster.
            assert names[i] is not None
            assert {names[j] for j in near} == {names[i]}
        elif not any(away[i, j] < 20_000 * 1.001 for j in range(n) if j != i):
            assert names[i] is None
    assert len(set(names)) > 3
    with pytest.raises(InvalidQuestion, match="needs a distance"):
        await bench.run("cluster", source="data.alpine_airports")


async def test_k_means_is_not_torn_by_the_antimeridian(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.two_places (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.two_places SELECT n, ST_SetSRID(ST_MakePoint(CASE WHEN n < 5 THEN 179 + n * 0.1"
        " WHEN n < 10 THEN -180 + n * 0.1 ELSE n END, 0), 4326) FROM generate_series(0, 19) AS n",
    )
    rows = (await bench.run("cluster", source="data.two_places", method="kmeans", k=2)).rows.set_index("id")
    assert rows.cluster[:10].nunique() == rows.cluster[10:].nunique() == 1
    assert rows.cluster[0] != rows.cluster[10]


async def test_numbers_are_0_in_rows_without_a_match_where_that_is_asked_for(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.per_country AS SELECT country, count(*) AS n, min(name) AS first FROM data.airports"
        " GROUP BY country"
    )
    found = await bench.run(
        "join_by_attribute", source="data.countries", other="data.per_country", key="name", other_key="country",
        zero=True,
    )  # fmt: skip
    alone = found.rows[isna(found.rows["first"])]
    assert 0 < len(alone) < len(found.rows)
    assert set(alone["n"]) == {0}
    assert not any("without a match" in note for note in found.receipt.notes)


async def test_rows_that_a_join_adds_or_leaves_alone_are_reported(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.lands (id int PRIMARY KEY, code text, people int)",
        "INSERT INTO data.lands VALUES (1, 'a', 10), (2, ' A', 20), (3, 'b', 30), (4, 'c', 40), (5, 'x', 50),"
        " (6, NULL, 60)",
        "CREATE TABLE data.towns (code text, town int)",
        "INSERT INTO data.towns VALUES ('a', 1), ('A', 2), ('a', 3), ('b', 4), ('b', 5), ('c', 6),"
        " ('y', 7), ('y', 8), (NULL, 9), (NULL, 10)",
    )
    keys = {"source": "data.lands", "other": "data.towns", "key": "code", "other_key": "code"}
    lands, towns = [
        (await bench.run("sample", source=f"data.{name}", n=100)).rows.drop(columns="fid")
        for name in ("lands", "towns")
    ]
    lands["code"], towns["code"] = lands.code.str.strip().str.lower(), towns.code.str.lower()
    merged = lands.merge(towns.dropna(), on="code", how="left")
    answer = await bench.run("join_by_attribute", **keys)
    assert sorted(zip(answer.rows.id, answer.rows.town.fillna(0), strict=True)) == sorted(
        zip(merged.id, merged.town.fillna(0), strict=True)
    )
    added = len(merged) - len(lands)
    assert answer.receipt.notes == (
        f"2 keys occur more than once in data.towns: {added} rows were added, and sums over columns of data.lands "
        "count theirs more than once.",
        "2 rows of lands without a match in towns: kept, with empty columns.",
    )
    matched = await bench.run("join_by_attribute", **keys, rows="matched")
    assert len(matched.rows) == len(merged.dropna(subset="town"))
    assert matched.receipt.notes[1].endswith("left out.")
    back = await bench.run("join_by_attribute", **{**keys, "source": "data.towns", "other": "data.lands"})
    assert back.receipt.notes[0].startswith("1 key occurs more than once in data.lands: 3 rows were added")
    one = await bench.run(
        "join_by_attribute", source="data.lands", other="data.lands", key="id", other_key="id"
    )
    assert one.receipt.notes == ()


KEYS = {
    "i": ("int", ["7", "8", "9007199254740993"]),
    "n": ("numeric(20, 2)", ["7", "8.5", "9007199254740993"]),
    "f": ("float", ["7", "8.5", "0.1"]),
    "t": ("text", ["' 007 '", "'8.50'", "'none'"]),
    "d": ("date", ["'2024-03-01'", "'2024-03-02'", "'2024-03-03'"]),
    "s": ("timestamp", ["'2024-03-01 00:00'", "'2024-03-02 08:00'", "NULL"]),
    "z": ("timestamptz", ["'2024-03-01 02:00+02'", "'2024-03-02 08:00Z'", "NULL"]),
    "dt": ("text", ["'2024-03-01'", "NULL", "NULL"]),
}


@pytest.mark.parametrize(
    ("key", "other_key", "pairs"),
    [
        ("i", "n", [(1, 1), (3, 3)]),
        ("i", "f", [(1, 1)]),
        ("i", "t", [(1, 1)]),
        ("n", "t", [(1, 1), (2, 2)]),
        ("f", "t", [(1, 1), (2, 2)]),
        ("n", "f", [(1, 1), (2, 2)]),
        ("d", "s", [(1, 1)]),
        ("d", "z", [(1, 1)]),
        ("s", "z", [(1, 1), (2, 2)]),
        ("d", "dt", [(1, 1)]),
    ],
)
async def test_keys_of_different_types_agree_by_their_values(
    bench: Bench, key: str, other_key: str, pairs: list[tuple[int, int]]
) -> None:
    kinds = ", ".join(f"{name} {kind.replace('int', 'bigint')}" for name, (kind, _) in KEYS.items())
    values = ", ".join(f"({n + 1}, {', '.join(values[n] for _, values in KEYS.values())})" for n in range(3))
    await bench.make(
        "DROP TABLE IF EXISTS data.keys",
        f"CREATE TABLE data.keys (id int PRIMARY KEY, {kinds})",
        f"INSERT INTO data.keys VALUES {values}",
    )
    for one, other, wanted in ((key, other_key, pairs), (other_key, key, [(b, a) for a, b in pairs])):
        answer = await bench.run(
            "join_by_attribute", source="data.keys", other="data.keys", key=one, other_key=other,
            columns=["id"], rows="matched",
        )  # fmt: skip
        assert sorted(zip(answer.rows.id, answer.rows.keys_id, strict=True)) == sorted(wanted)
        notes = " ".join(answer.receipt.notes)
        assert ("as their midnights" in notes) == (
            not {"d"}.isdisjoint((one, other)) and "dt" not in (one, other)
        )
        assert ("taken as UTC" in notes) == ("z" in (one, other))
        assert ("compared as numbers" in notes) == ("t" in (one, other))


async def test_keys_that_can_never_agree_are_refused(bench: Bench) -> None:
    for other_key in ("d", "s", "z"):
        with pytest.raises(InvalidQuestion, match="never agree"):
            await bench.run(
                "join_by_attribute", source="data.keys", other="data.keys", key="i", other_key=other_key
            )


@pytest.mark.reference("distance_matrix")
async def test_lines_between_pairs_go_the_short_way_over_the_antimeridian(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.ports (name text PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.ports SELECT name, ST_SetSRID(ST_MakePoint(x, y), 4326) FROM (VALUES"
        " ('Suva', 178.0, -18.0), ('Apia', -172.0, -14.0), ('Lima', -77.0, -12.0), ('Rome', 12.5, 41.9),"
        " ('line', 180.0, 0.0)) AS t (name, x, y)",
    )
    ports = (await bench.frame("data.ports")).set_index("name").geom
    rows = (
        await bench.run(
            "distance_matrix", source="data.ports", other="data.ports", name="name", other_name="name"
        )
    ).rows
    assert len(rows) == 25
    for row in rows.itertuples():
        here, there = ports[row.origin], ports[row.destination]
        assert row.distance_m == pytest.approx(GEOD.inv(here.x, here.y, there.x, there.y)[2], abs=1e-3)
        turn = abs(here.x - there.x)
        short = min(turn, 360 - turn)
        assert row.geom.length == pytest.approx(math.hypot(short, here.y - there.y))
        west, _, east, _ = row.geom.bounds
        assert west >= -180
        assert east <= 180
        ends = {end for part in row.geom.geoms for end in part.coords if abs(end[0]) < 180}
        assert ends == {(spot.x, spot.y) for spot in (here, there) if abs(spot.x) < 180}
    whole = rows[(rows.origin == "Suva") & (rows.destination == "Apia")].geom.iloc[0]
    assert [sorted(x for x, _ in part.coords) for part in whole.geoms] == [[178, 180], [-180, -172]]
