"""How the values of a column of a large table are spread is estimated from a sample of its pages."""

from __future__ import annotations

import pytest
import pytest_asyncio

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import TooExpensive
from server.gis.profiles.measure import measured
from server.gis.profiles.profile import TableProfile
from server.gis.query import distribution
from server.gis.query.data import PostgisData

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROWS = 30_000
MADE = (
    f"""CREATE TABLE data.pings AS SELECT n AS id, n % 100 AS value,
      CASE WHEN n % 3 > 0 THEN timestamptz '2020-01-01 00:00Z' + n * interval '1 minute' END AS at,
      date '2020-01-01' + n % 60 AS day, n / 2.0 AS half,
      ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326)::geometry(Point, 4326) AS geom
    FROM generate_series(1, {ROWS}) AS n""",
    "CREATE VIEW data.seen AS SELECT * FROM data.pings",
    "ANALYZE",
)
COST = 500.0
"""A sample costs less, and the whole table more."""
FIRST = 1_577_836_800
"""The start of 2020."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(database: Database) -> Registry:
    for statement in MADE:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    known = Registry(database.reader)
    await known.refresh(patience=10)
    return known


@pytest.fixture(autouse=True)
def small_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "SAMPLED_ROWS", 6_000)


def asking(database: Database, registry: Registry, profile: TableProfile | None = None) -> PostgisData:
    async def profile_of(table: Table) -> TableProfile | None:
        return profile

    return PostgisData(database.reader, registry, cost=COST, profile_of=profile_of, large_rows=10_000)


@pytest.mark.parametrize(
    ("column", "low", "high", "values"),
    [
        ("id", 1, ROWS, ROWS),
        ("half", 0.5, ROWS / 2, ROWS),
        ("at", FIRST + 60, FIRST + 60 * (ROWS - 1), ROWS * 2 // 3),
        ("day", FIRST, FIRST + 59 * 86_400, ROWS),
    ],
)
async def test_a_sample_tells_how_values_are_spread(
    database: Database, registry: Registry, column: str, low: float, high: float, values: int
) -> None:
    found = await asking(database, registry).histogram("pings", column, None, 10)
    assert found["sampled_from"].startswith("a sample of")
    assert sum(found["counts"]) == pytest.approx(values, rel=0.15)
    assert found["nulls"] == pytest.approx(ROWS - values, abs=ROWS * 0.05)
    width = high - low
    assert found["minimum"] == pytest.approx(low, abs=width / 10)
    assert found["maximum"] == pytest.approx(high, abs=width / 10)


@pytest.mark.parametrize(
    ("column", "low", "high"),
    [
        ("id", 1, ROWS),
        ("half", 0.5, ROWS / 2),
        ("at", FIRST + 60, FIRST + 60 * (ROWS - 1)),
        ("day", FIRST, FIRST + 59 * 86_400),
    ],
)
async def test_the_ends_are_exact_where_the_table_is_measured(
    database: Database, registry: Registry, column: str, low: float, high: float
) -> None:
    profile = await measured(database.profiler, registry.get("pings"), "v")
    found = await asking(database, registry, profile).histogram("pings", column, None, 10)
    assert (found["minimum"], found["maximum"]) == (low, high)
    assert "sampled_from" in found


async def test_of_a_filter_the_rows_that_pass_are_estimated(database: Database, registry: Registry) -> None:
    found = await asking(database, registry).histogram("pings", "id", "value < 50", 10)
    assert sum(found["counts"]) == pytest.approx(ROWS / 2, rel=0.15)


async def test_few_passing_rows_and_views_are_counted(database: Database, registry: Registry) -> None:
    whole = PostgisData(database.reader, registry, large_rows=10_000)
    found = await whole.histogram("pings", "id", "id <= 100", 10)
    assert found["counts"] == [10] * 10
    assert "sampled_from" not in found
    assert sum((await whole.histogram("seen", "id", None, 10))["counts"]) == ROWS
    with pytest.raises(TooExpensive):
        await asking(database, registry).histogram("seen", "id", None, 10)
