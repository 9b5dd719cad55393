"""What a row is called in notes where the key of its table is GeoAgent's own, as in a loaded file."""

from __future__ import annotations

import pytest

from tests.integration.operations.conftest import Bench


@pytest.mark.parametrize("name", ["parcel_no", "ParcelNo", "well_id"])
async def test_a_value_is_named_by_the_first_column_that_is_called_like_a_key(
    bench: Bench, name: str
) -> None:
    own = await bench.run(
        "columns",
        source="data.countries",
        changes=[
            {"function": "rename", "column": "id", "name": name},
            {"function": "keep", "columns": [name, "continent"]},
        ],
    )
    cast = {"function": "cast", "column": "continent", "to": "number"}
    notes = (await bench.run("columns", source=own.table, changes=[cast])).receipt.notes
    assert f"({name} " in notes[0]
    assert "(row " not in notes[0]


async def test_a_row_without_a_value_of_that_column_has_no_name(bench: Bench) -> None:
    await bench.make("CREATE TABLE data.prices AS SELECT NULL::text AS code, 'n/a' AS price")
    cast = {"function": "cast", "column": "price", "to": "number"}
    (note,) = (await bench.run("columns", source="data.prices", changes=[cast])).receipt.notes
    assert note == "1 value of price cannot be read as number: 'n/a'. It is empty now."
