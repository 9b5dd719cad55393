"""Honest questions pass all layers, and are answered as PostgreSQL itself answers the text as it was written."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from agents.core import ToolFailed
from server.gis.sql import Limits, PostgisSql
from server.gis.sql.service import MAX_CONCURRENT
from server.gis.sql.session import json_value, wrapped
from tests.integration.sql.conftest import Place

HONEST = (Path(__file__).parent / "honest.sql").read_text("utf-8").strip().split("\n\n")[1:]


def test_there_are_many() -> None:
    assert len(HONEST) >= 40


@pytest.mark.parametrize("text", HONEST, ids=[text.splitlines()[-1][:60] for text in HONEST])
async def test_an_honest_question_is_answered_rightly(text: str, place: Place) -> None:
    answer = await PostgisSql(place.database.reader_session, place.registry).run(text)
    assert answer.rows
    reference = await as_written(text, place)
    assert list(answer.rows) == reference[: len(answer.rows)]
    assert answer.truncated == (len(answer.rows) < len(reference))
    known = re.match(r"-- gives: (.*)", text)
    if known:
        assert [list(row) for row in answer.rows] == json.loads(known[1])


async def as_written(text: str, place: Place) -> list[tuple[Any, ...]]:
    """The untouched text, run by the owner."""
    await place.owner.execute("SET search_path = public, data")
    text = text.rstrip(";")
    shape = (await place.owner.prepare(text)).get_attributes()
    found = await place.owner.fetch(wrapped(text, shape, Limits()))
    return [
        tuple(json_value(kind.type.name, value, Limits()) for kind, value in zip(shape, row, strict=True))
        for row in found
    ]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT popluation FROM cities", "no column 'popluation' in data.cities. Did you mean 'population'"),
        ("SELECT c.popluation FROM cities c", "Did you mean 'population'"),
        ("SELECT 1 FROM citis", "There is no table 'citis'. The nearest are: data.cities"),
        ("SELECT st_aera(geom) FROM countries", "st_aera is not allowed here. Allowed and alike: st_area"),
        (
            "SELECT name, count(*) FROM cities",
            'PostgreSQL says: column "cities.name" must appear in the GROUP BY',
        ),
        (
            "SELECT ST_Area(name) FROM cities WHERE ST_Area(name, name) > 1",
            "PostgreSQL says: function st_area",
        ),
        ("SELECT FROM cities", "1 to 60 columns"),
        ("SELECT 1 +", "could not be read"),
        ("SELECT name FROM cities WHERE id = 1/0", "out of range"),
        ("UPDATE cities SET name = 'x'", "Only a SELECT is run; this is UPDATE"),
        ("SELECT 1; SELECT 2", "Exactly one SELECT is run at a time; this has 2 statements"),
    ],
)
async def test_a_slip_is_answered_with_the_way_to_mend_it(statement: str, message: str, place: Place) -> None:
    with pytest.raises(ToolFailed) as fault:
        await PostgisSql(place.database.reader_session, place.registry).run(statement)
    assert message in str(fault.value)


async def test_values_of_the_data_are_not_in_the_words_of_a_fault(place: Place) -> None:
    """A fault is read by the model as words of the server; text from a table must not get in that way."""
    with pytest.raises(ToolFailed) as fault:
        await PostgisSql(place.database.reader_session, place.registry).run("SELECT name::int FROM cities")
    assert "invalid input syntax" not in str(fault.value)
    assert "out of range" in str(fault.value)


async def test_rows_values_and_bytes_are_bounded(place: Place) -> None:
    sql = PostgisSql(place.database.reader_session, place.registry, Limits(rows=5, characters=10, bytes=60))
    many = await sql.run("SELECT n FROM generate_series(1, 100) AS n")
    assert [row[0] for row in many.rows] == [1, 2, 3, 4, 5]
    assert many.truncated
    wide = await sql.run("SELECT string_agg('x', '') FROM generate_series(1, 100000)")
    assert wide.rows == (("xxxxxxxxxx…",),)
    assert not wide.truncated
    long = await sql.run("SELECT 'abcdefghi', 'abcdefghi' FROM generate_series(1, 4)")
    assert len(long.rows) < 4
    assert long.truncated


async def test_values_come_as_plain_json(place: Place) -> None:
    answer = await PostgisSql(place.database.reader_session, place.registry).run(
        "SELECT 1 AS i, 1.50 AS n, 'NaN'::float8 AS nan, 9007199254740993 AS big, true AS b, NULL AS nothing, "
        "date '2024-02-29' AS d, ARRAY[1, 2] AS a, '{\"k\": 1}'::jsonb AS j, ST_MakePoint(1, 2) AS p, "
        "'SRID=4326;POINT(1 2)'::geography AS g"
    )
    assert answer.columns == ("i", "n", "nan", "big", "b", "nothing", "d", "a", "j", "p", "g")
    assert answer.rows == (
        (1, 1.5, "NaN", "9007199254740993", True, None, "2024-02-29", "{1,2}", '{"k": 1}', "POINT(1 2)",
         "SRID=4326;POINT(1 2)"),
    )  # fmt: skip


async def test_the_statements_of_all_turns_count_against_one_limit(place: Place) -> None:
    at_once: list[int] = [0]

    @asynccontextmanager
    async def counted(settings: Mapping[str, str]) -> AsyncIterator[asyncpg.Connection]:
        async with place.database.reader_session(settings) as session:
            at_once.append(at_once[-1] + 1)
            yield session
            at_once.append(at_once[-1] - 1)

    server = PostgisSql(counted, place.registry)
    turns = [server.reading(place.registry) for _ in range(4)]
    await asyncio.gather(*(turn.run("SELECT count(*) FROM cities") for turn in turns))
    assert (max(at_once), at_once[-1]) == (MAX_CONCURRENT, 0)


async def test_names_are_read_as_postgresql_reads_them(place: Place) -> None:
    await place.owner.execute('CREATE TABLE data."Odd ""Name""" ("Ünï" int, "select" int, plain int)')
    await place.owner.execute('INSERT INTO data."Odd ""Name""" VALUES (1, 2, 3)')
    await place.registry.refresh()
    sql = PostgisSql(place.database.reader_session, place.registry)
    answer = await sql.run('SELECT o."Ünï", o."select", PLAIN FROM data."Odd ""Name""" AS O')
    assert answer.rows == ((1, 2, 3),)
    assert answer.sql == ('SELECT "o"."Ünï", "o"."select", "plain" FROM "data"."Odd ""Name""" AS "o"')
    with pytest.raises(ToolFailed, match="no column"):
        await sql.run('SELECT o."Plain" FROM data."Odd ""Name""" AS o')
