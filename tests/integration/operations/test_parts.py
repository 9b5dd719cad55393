"""Single or multi-part results, as asked: the column of a result declares what its rows hold."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import text

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

SINGLE = "ST_MakeEnvelope({0}, 0, {0} + 1, 1, 4326)"
TWO = f"ST_Collect({SINGLE.format(0)}, {SINGLE.format(3)})"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lots(bench: Bench) -> AsyncIterator[Bench]:
    await bench.make(
        "CREATE TABLE data.plots (id integer PRIMARY KEY, kind text, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.plots VALUES (1, 'a', {SINGLE.format(0)}), (2, 'a', {SINGLE.format(5)}), (3, 'b', NULL)",
        "CREATE TABLE data.estates (id integer PRIMARY KEY, kind text, geom geometry(MultiPolygon, 4326))",
        f"INSERT INTO data.estates VALUES (1, 'a', {TWO}), (2, 'b', ST_Multi({SINGLE.format(7)})), (3, 'b', NULL)",
        "CREATE TABLE data.any_lots (id integer PRIMARY KEY, geom geometry)",
        f"INSERT INTO data.any_lots VALUES (1, {TWO}), (2, {SINGLE.format(7)})",
        "CREATE TABLE data.prices (id integer PRIMARY KEY, price integer)",
    )
    yield bench


async def declared(bench: Bench, table: str) -> str:
    async with bench.database.reader.connect() as connection:
        schema, name = table.split(".")
        found = text(
            "SELECT type FROM geometry_columns WHERE f_table_schema = :schema AND f_table_name = :name"
        )
        return str(await connection.scalar(found, {"schema": schema, "name": name}))


@pytest.mark.parametrize(
    ("operation", "arguments", "declares"),
    [
        ("filter", {"source": "data.plots", "filter": "id < 3"}, "POLYGON"),
        ("filter", {"source": "data.plots", "filter": "id < 3", "parts": "multi"}, "MULTIPOLYGON"),
        ("filter", {"source": "data.estates", "filter": "id < 3", "parts": "single"}, "POLYGON"),
        ("merge", {"sources": ["data.plots", "data.plots"]}, "MULTIPOLYGON"),
        ("merge", {"sources": ["data.airports", "data.cities"]}, "POINT"),
        ("merge", {"sources": ["data.plots", "data.estates"]}, "MULTIPOLYGON"),
        ("merge", {"sources": ["data.estates", "data.estates"], "parts": "single"}, "POLYGON"),
        ("collect", {"source": "data.plots", "by": ["id"]}, "MULTIPOLYGON"),
        ("dissolve", {"source": "data.plots", "by": ["id"]}, "MULTIPOLYGON"),
        ("dissolve", {"source": "data.plots", "parts": "single"}, "POLYGON"),
        ("tidy", {"source": "data.any_lots", "parts": "multi"}, "MULTIPOLYGON"),
        ("tidy", {"source": "data.any_lots", "parts": "single"}, "POLYGON"),
        ("symmetric_difference", {"source": "data.plots", "other": "data.estates"}, "MULTIPOLYGON"),
        ("centroid", {"source": "data.plots"}, "POINT"),
        ("centroid", {"source": "data.plots", "parts": "multi"}, "MULTIPOINT"),
    ],
)
async def test_a_step_declares_what_it_holds(
    lots: Bench, operation: str, arguments: dict[str, object], declares: str
) -> None:
    answer = await lots.run(operation, **arguments)
    assert await declared(lots, answer.table) == declares
    assert {shape.geom_type.upper() for shape in answer.rows.geom if shape is not None} == {declares}


async def test_each_part_has_a_row_with_the_attributes_and_no_row_is_lost(lots: Bench) -> None:
    rows = (await lots.run("sort", source="data.estates", by="id", ascending=True, parts="single")).rows
    assert rows.id.tolist() == [1, 1, 2, 3]
    assert [shape is None for shape in rows.geom] == [False, False, False, True]


async def test_what_has_no_geometry_has_no_parts(lots: Bench) -> None:
    with pytest.raises(InvalidQuestion, match="no geometry"):
        await lots.run("sort", source="data.prices", by="price", parts="multi")
