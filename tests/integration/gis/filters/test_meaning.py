"""A compiled filter passes exactly the rows that an independent evaluation in Python passes."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.domain import Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.expressions.identifiers import relation
from server.gis.filters import compile_filter, normalize, to_text
from tests.integration.gis.filters.reference import passes

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROWS = 120
WORDS = [
    "",
    "a",
    "A",
    "ab",
    "aB",
    "Éa",
    "éa",
    "ea",
    "b%",
    "b_",
    "b\\",
    "O'Brien",
    'q"uote',
    "x; DROP TABLE t; --",
    "ß",
]
NUMBERS = [-2, -1, 0, 1, 2, 3, 7]
DAYS = [date(2020, 1, day) for day in (1, 2, 3, 4, 5)]
FIRST = datetime(2020, 1, 1, tzinfo=UTC)


def _rows() -> list[dict[str, Any]]:
    chance = random.Random(7)

    def maybe(value: Any) -> Any:
        return None if chance.random() < 0.15 else value

    return [
        {
            "id": number,
            "small": maybe(chance.choice(NUMBERS)),
            "big": maybe(chance.choice([*NUMBERS, 2**53 + 1, -(2**62)])),
            "real": maybe(chance.choice([0.1, 0.5, 2.0, -1.25])),
            "double": maybe(chance.choice([*NUMBERS, 0.1, 2.5, float("nan"), float("inf"), float("-inf")])),
            "exact": maybe(Decimal(chance.choice(["0.10", "1.00", "2.50", "-7.25"]))),
            "word": maybe(chance.choice(WORDS)),
            "true?": maybe(chance.random() < 0.5),
            "day": maybe(chance.choice(DAYS)),
            "moment": maybe(FIRST + timedelta(hours=6 * chance.randrange(20))),
            "tags": maybe(chance.sample(["a", "b", "O'c"], chance.randrange(4))),
            "point": maybe((chance.choice([-175, -5, 0, 5, 175]), chance.choice([-50, 0, 50]))),
        }
        for number in range(ROWS)
    ]


DATA = _rows()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def table(database: Database) -> AsyncIterator[Table]:
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql(
            'CREATE TABLE data."rows" (id int PRIMARY KEY, small smallint, big bigint, "real" real,'
            ' "double" double precision, exact numeric(8, 2), word text, "true?" boolean, day date,'
            " moment timestamptz, tags text[], point geometry(Point, 4326))"
        )
        statement = (
            'INSERT INTO data."rows" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,'
            " ST_SetSRID(ST_MakePoint($12, $13), 4326))"
        )
        for row in DATA:
            longitude, latitude = row["point"] or (None, None)
            values = [value for name, value in row.items() if name != "point"]
            await connection.exec_driver_sql(statement, (*values, longitude, latitude))
    registry = Registry(database.reader)
    await registry.refresh(patience=10)
    yield registry.get("data.rows")


def prop(name: str) -> dict[str, str]:
    return {"property": name}


def op(name: str, *args: Any) -> dict[str, Any]:
    return {"op": name, "args": list(args)}


numeric_columns = st.sampled_from(["small", "big", "double", "exact"]).map(prop)
whole_columns = st.sampled_from(["small"]).map(prop)
numbers = st.sampled_from([*NUMBERS, 0.1, 2.5, -7.25, 1e6, 2**53 + 1])
order = st.sampled_from(["=", "<>", "<", ">", "<=", ">="])
words = st.sampled_from(WORDS)
patterns = st.sampled_from(["a%", "%a", "_a", "%", "b\\%", "b\\_", "b\\\\", "%'%", '%"%', "a_", "É%", "%;%"])
days = st.sampled_from(DAYS).map(lambda day: {"date": day.isoformat()})
hours = st.integers(0, 20).map(lambda n: FIRST + timedelta(hours=6 * n))
moments = hours.map(lambda at: {"timestamp": at.isoformat().replace("+00:00", "Z")})
ends = st.sampled_from(DAYS).map(date.isoformat)
word = st.just(prop("word"))


@st.composite
def alike(draw: st.DrawFn) -> dict[str, Any]:
    """Texts compared with the same functions around both sides."""
    around = draw(st.sampled_from([[], ["casei"], ["accenti"], ["casei", "accenti"]]))
    compared, wanted = prop("word"), draw(words)
    name = draw(st.sampled_from(["=", "<>", "like"]))
    wanted = draw(patterns) if name == "like" else wanted
    for each in around:
        compared, wanted = op(each, compared), op(each, wanted)
    return op(name, compared, wanted)


calculations = st.one_of(
    st.builds(op, st.sampled_from(["+", "-", "*", "/"]), numeric_columns, st.sampled_from(NUMBERS)),
    st.builds(op, st.sampled_from(["%", "div"]), whole_columns, st.sampled_from(NUMBERS)),
    st.builds(lambda column: op("^", column, 2), st.sampled_from(["small", "exact"]).map(prop)),
)


@st.composite
def intervals(draw: st.DrawFn) -> dict[str, Any]:
    start, end = sorted([draw(ends), draw(ends)])
    return {"interval": [draw(st.sampled_from([start, ".."])), draw(st.sampled_from([end, ".."]))]}


boxes = st.tuples(
    st.sampled_from([-180.0, -10.0, 170.0]),
    st.sampled_from([-60.0, -10.0]),
    st.sampled_from([-170.0, 10.0, 180.0]),
    st.sampled_from([10.0, 60.0]),
).map(lambda box: {"bbox": list(box)})

conditions = st.one_of(
    st.builds(op, order, numeric_columns, numbers),
    st.builds(op, order, numbers, numeric_columns),
    st.builds(op, order, numeric_columns, numeric_columns),
    st.builds(op, order, calculations, numbers),
    st.builds(op, st.sampled_from(["=", "<>", "<", ">"]), word, words),
    st.builds(op, st.just("="), st.just(prop("real")), st.sampled_from([0.1, 0.5, 2, -1.25])),
    st.builds(op, order, st.just(prop("day")), days),
    st.builds(op, order, st.just(prop("moment")), st.one_of(days, moments)),
    st.builds(op, order, days, st.just(prop("moment"))),
    st.builds(op, order, st.just(prop("day")), moments),
    st.builds(op, st.just("between"), numeric_columns, numbers, numbers),
    st.builds(op, st.just("between"), st.just(prop("moment")), days, days),
    st.builds(op, st.just("in"), numeric_columns, st.lists(numbers, min_size=1, max_size=4)),
    st.builds(op, st.just("in"), word, st.lists(words, min_size=1, max_size=4)),
    st.builds(op, st.just("in"), st.just(prop("moment")), st.lists(days, min_size=1, max_size=3)),
    st.builds(op, st.just("isNull"), st.sampled_from([name for name in DATA[0] if name != "id"]).map(prop)),
    alike(),
    st.just(prop("true?")),
    st.builds(op, st.just("="), st.just(prop("true?")), st.booleans()),
    st.builds(
        op,
        st.sampled_from(["a_contains", "a_containedBy", "a_overlaps", "a_equals"]),
        st.just(prop("tags")),
        st.lists(st.sampled_from(["a", "b", "O'c", "z"]), min_size=1, max_size=3),
    ),
    st.builds(
        op,
        st.sampled_from(
            ["t_after", "t_before", "t_disjoint", "t_during", "t_intersects", "t_starts", "t_finishes"]
        ),
        st.sampled_from(["day", "moment"]).map(prop),
        st.one_of(days, intervals()),
    ),
    st.builds(op, st.just("s_intersects"), st.just(prop("point")), boxes),
)
filters = st.recursive(
    conditions,
    lambda inner: st.one_of(
        st.builds(
            lambda name, parts: op(name, *parts),
            st.sampled_from(["and", "or"]),
            st.lists(inner, min_size=2, max_size=3),
        ),
        st.builds(lambda part: op("not", part), inner),
    ),
    max_leaves=6,
)


@settings(max_examples=400)
@given(wanted=filters)
async def test_the_same_rows_pass_in_postgis_and_in_python(
    database: Database, table: Table, wanted: dict[str, Any]
) -> None:
    assert await passing(database, table, wanted) == {row["id"] for row in DATA if passes(wanted, row)}


@settings(max_examples=200)
@given(wanted=filters)
async def test_the_canonical_form_and_its_text_mean_the_same(
    database: Database, table: Table, wanted: dict[str, Any]
) -> None:
    canonical = normalize(table, wanted)
    assert canonical is not None
    assert normalize(table, canonical) == canonical
    assert normalize(table, to_text(canonical)) == canonical
    assert await passing(database, table, canonical) == await passing(database, table, wanted)


async def passing(database: Database, table: Table, wanted: dict[str, Any]) -> set[int]:
    condition = compile_filter(table, wanted)
    assert condition is not None
    async with database.reader.connect() as connection:
        found = await connection.execute(sa.select(relation(table).c.id).where(condition))
        return set(found.scalars())
