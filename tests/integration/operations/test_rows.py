"""Operations that choose and order rows agree with pandas, on cities and on a table with every gap."""

from __future__ import annotations

import numpy as np
import pytest
from pandas import DataFrame, to_numeric

from tests.integration.operations.conftest import Bench

FEWER_ROWS = True

GAPS = (3.5, None, float("nan"), -1.0, 3.5, 0.0, float("inf"), None, 12.25)


@pytest.fixture(scope="module", autouse=True)
async def _tables(bench: Bench) -> None:
    written = ", ".join(
        f"({number}, {'NULL' if value is None else repr(str(value))})" for number, value in enumerate(GAPS)
    )
    await bench.make(
        "CREATE TABLE data.gaps (id int PRIMARY KEY, v float)", f"INSERT INTO data.gaps VALUES {written}"
    )


async def _cities(bench: Bench) -> DataFrame:
    async with bench.database.reader.connect() as connection:
        found = await connection.exec_driver_sql("SELECT id, name, country, population FROM data.cities")
        rows = DataFrame(found.all(), columns=list(found.keys()))
    return rows.assign(population=to_numeric(rows.population))


@pytest.mark.reference("filter")
async def test_a_filter_keeps_the_rows_that_pandas_keeps(bench: Bench) -> None:
    cities = await _cities(bench)
    asked = "population > 1000000 AND (country = 'Peru' OR name LIKE 'San%') AND NOT country = 'Chile'"
    kept = cities[
        (cities.population > 1_000_000)
        & ((cities.country == "Peru") | cities.name.str.startswith("San"))
        & (cities.country != "Chile")
    ]
    rows = (await bench.run("filter", source="data.cities", filter=asked)).rows
    assert len(kept) > 3
    assert sorted(rows.id) == sorted(kept.id)
    gaps = (await bench.run("filter", source="data.gaps", filter="v < 3.6")).rows
    assert sorted(gaps.id) == [0, 3, 4, 5]


@pytest.mark.reference("sort")
@pytest.mark.parametrize("ascending", [True, False])
async def test_ranks_are_those_of_pandas(bench: Bench, ascending: bool) -> None:
    cities = await _cities(bench)
    rows = (await bench.run("sort", source="data.cities", by="population", ascending=ascending)).rows
    wanted = cities.assign(rank=cities.population.rank(method="min", ascending=ascending)).set_index("id")[
        "rank"
    ]
    known = rows[rows.population.notna()]
    assert len(rows) == len(cities)
    assert dict(zip(known.id, known["rank"], strict=True)) == dict(wanted[wanted.notna()].astype(int))
    figures = known.population.astype(float).to_numpy()
    assert (np.diff(figures) >= 0).all() if ascending else (np.diff(figures) <= 0).all()


@pytest.mark.reference("top")
@pytest.mark.parametrize("smallest", [True, False])
async def test_the_top_rows_are_those_of_pandas(bench: Bench, smallest: bool) -> None:
    cities = await _cities(bench)
    rows = (await bench.run("top", source="data.cities", by="population", n=25, smallest=smallest)).rows
    pick = cities.population.nsmallest if smallest else cities.population.nlargest
    assert list(rows.population.astype(float)) == list(pick(25).astype(float))
    gaps = (await bench.run("top", source="data.gaps", by="v", n=3, smallest=smallest)).rows
    assert list(gaps.v) == ([-1, 0, 3.5] if smallest else [float("inf"), 12.25, 3.5])


@pytest.mark.parametrize(("n", "found"), [(2, 2), (3, 4), (99, 6)])
async def test_with_ties_no_row_is_left_out_that_shares_the_last_value(
    bench: Bench, n: int, found: int
) -> None:
    rows = (await bench.run("top", source="data.gaps", by="v", n=n, ties=True)).rows
    assert len(rows) == found


@pytest.mark.parametrize("smallest", [True, False])
@pytest.mark.parametrize("ties", [True, False])
async def test_the_top_rows_of_each_group_are_those_of_pandas(
    bench: Bench, smallest: bool, ties: bool
) -> None:
    cities = await _cities(bench)
    asked = {"by": "population", "per": ["country"], "n": 2, "smallest": smallest, "ties": ties}
    step = await bench.run("top", source="data.cities", **asked)
    known = cities.dropna(subset=["country", "population"]).assign(
        p=lambda each: each.population.astype(float)
    )
    place = known.groupby("country").p.rank(method="min", ascending=smallest)
    within = known[place <= 2]
    if ties:
        assert set(step.rows.id) == set(within.id)
    else:
        wanted = known.sort_values(["p", "id"], ascending=[smallest, True]).groupby("country").head(2)
        assert set(step.rows.id) == set(wanted.id)
    assert not step.rows.country.isna().any()


@pytest.mark.parametrize("per", [["country"], []])
async def test_a_later_place_leaves_out_the_first_rows(bench: Bench, per: list[str]) -> None:
    cities = await _cities(bench)
    asked = {"by": "population", "per": per, "n": 3, "skip": 1, "ties": True}
    rows = (await bench.run("top", source="data.cities", **asked)).rows
    known = cities.dropna(subset=["country", "population"]).assign(
        p=lambda each: each.population.astype(float)
    )
    place = (known.groupby("country").p if per else known.p).rank(method="min", ascending=False)
    assert set(rows.id) == set(known[place.between(2, 3)].id)


@pytest.mark.reference("sample")
async def test_a_sample_is_repeatable_and_favours_no_row(bench: Bench) -> None:
    cities = await _cities(bench)
    one, again, other = [
        (await bench.run("sample", source="data.cities", n=500, seed=seed)).rows for seed in (1, 1, 2)
    ]
    assert len(set(one.id)) == 500
    assert set(one.id) <= set(cities.id)
    assert sorted(one.id) == sorted(again.id)
    assert set(one.id) != set(other.id)
    # The mean place in the table of 500 of n rows drawn evenly lies within five standard errors of the middle.
    place = cities.reset_index().set_index("id")["index"] / len(cities)
    assert place[one.id].mean() == pytest.approx(0.5, abs=5 / np.sqrt(12 * 500))
