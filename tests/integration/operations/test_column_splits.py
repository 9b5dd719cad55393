"""A text is split at a separator into a column of each part."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from geopandas import GeoDataFrame

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench


def _values(rows: GeoDataFrame, name: str) -> list[Any]:
    return [None if pd.isna(value) else value for value in rows[name]]


async def test_a_text_is_split_into_all_its_parts(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.owned (id int PRIMARY KEY, owner text, long text)",
        "INSERT INTO data.owned VALUES (1, 'Ng, Ann, Dr', NULL), (2, 'Ode', NULL), (3, NULL, NULL),"
        " (4, ' Li,Bo', array_to_string(array_fill('x'::text, array[30]), ','))",
    )
    split = {"function": "split", "column": "owner", "separator": ","}
    rows = (await bench.run("columns", source="data.owned", changes=[split])).rows.sort_values("id")
    assert _values(rows, "owner_1") == ["Ng", "Ode", None, "Li"]
    assert _values(rows, "owner_2") == ["Ann", None, None, "Bo"]
    assert _values(rows, "owner_3") == ["Dr", None, None, None]
    assert _values(rows, "owner") == ["Ng, Ann, Dr", "Ode", None, " Li,Bo"]
    whole = await bench.run(
        "columns", source="data.owned", changes=[{**split, "separator": ";", "name": "part"}]
    )
    assert list(whole.receipt.notes) == ["No value of owner has ';' in it."]
    with pytest.raises(InvalidQuestion, match="up to 30 parts"):
        await bench.run("columns", source="data.owned", changes=[{**split, "column": "long"}])
