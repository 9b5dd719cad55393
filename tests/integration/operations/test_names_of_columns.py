"""Columns of two tables with the same name are called after their tables in a result, also on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import text

from tests.integration.operations.conftest import Bench

BOX = "ST_MakeEnvelope({0}, 0, {0} + 2, 2, 4326)"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def lots(bench: Bench) -> AsyncIterator[Bench]:
    for table, west in (("fields", 0), ("parks", 1)):
        await bench.make(
            f"CREATE TABLE data.{table} (name text PRIMARY KEY, {table}_code text, geom geometry(Polygon, 4326))",
            f"COMMENT ON COLUMN data.{table}.name IS 'What people call it.'",
            f"INSERT INTO data.{table} VALUES ('{table} one', 'x', {BOX.format(west)})",
        )
    yield bench


@pytest.mark.parametrize("operation", ["intersection", "union"])
async def test_both_are_called_after_their_tables_where_both_are_laid_over_each_other(
    lots: Bench, operation: str
) -> None:
    rows = (await lots.run(operation, source="data.fields", other="data.parks")).rows
    assert {"fields_name", "parks_name", "fields_code", "parks_code"} <= set(rows.columns)
    assert not {"name", "name_2"} & set(rows.columns)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("identity", {}),
        ("spatial_join", {"rows": "all"}),
        ("join_by_attribute", {"key": "name", "other_key": "parks_code", "columns": ["name"]}),
    ],
)
async def test_rows_that_get_columns_keep_their_names(
    lots: Bench, operation: str, arguments: dict[str, object]
) -> None:
    answer = await lots.run(operation, source="data.fields", other="data.parks", **arguments)
    assert {"name", "parks_name"} <= set(answer.rows.columns)
    async with lots.database.reader.connect() as connection:
        about = text(
            "SELECT col_description(CAST(:name AS regclass), attnum) FROM pg_attribute WHERE attrelid ="
            " CAST(:name AS regclass) AND attname = 'parks_name'"
        )
        told = await connection.scalar(about, {"name": answer.table})
    assert told == "From data.parks, column name: What people call it."


async def test_a_table_that_meets_itself_and_the_result_of_a_step_have_readable_names(lots: Bench) -> None:
    rows = (await lots.run("intersection", source="data.parks", other="data.parks")).rows
    assert {"name", "parks_name"} <= set(rows.columns)
    await lots.make(
        "CREATE TABLE analysis.large_fields_0a1b2c AS SELECT name, geom, 1 AS fid FROM data.fields",
        "ALTER TABLE analysis.large_fields_0a1b2c ADD PRIMARY KEY (fid)",
    )
    rows = (await lots.run("intersection", source="data.parks", other="analysis.large_fields_0a1b2c")).rows
    assert {"parks_name", "large_fields_name"} <= set(rows.columns)


async def test_a_figure_that_the_table_has_already_is_called_after_what_was_counted(lots: Bench) -> None:
    await lots.make("CREATE TABLE data.counted AS SELECT name, 5 AS count, geom FROM data.fields")
    rows = (await lots.run("spatial_join", source="data.counted", other="data.parks")).rows
    assert rows["count"].tolist() == [5]
    assert rows["parks_count"].tolist() == [1]
