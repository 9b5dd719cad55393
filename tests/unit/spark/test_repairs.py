"""What a sample shows of a lake table says nothing about the shapes of its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Select

from agents.domain import Column, LakeSource, Table
from server.gis.expressions.identifiers import relation
from server.gis.operations.make_valid import MakeValid, MakeValidArguments
from server.gis.operations.support.base import Source

LAKE = LakeSource(rows=50_000_000, sample_rows=200_000, files=20, bytes=1, version="1")
ZONES = Table(
    id="data.zones",
    schema_name="data",
    name="zones",
    columns=(Column(name="geom", kind="geometry", sql_type="geometry(Polygon,4326)"),),
    geometry_column="geom",
    geometry_type="Polygon",
    srid=4326,
)


class AllValid:
    """A workspace in which no shape that PostGIS holds is invalid."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def source(self, _name: str) -> Source:
        return Source(self._table, relation(self._table).alias("s1"), "s1")

    def temporary(self, stem: str) -> str:
        return stem

    def extent(self, _source: Source) -> None:
        return None

    def is_exact_extent(self, _source: Source) -> bool:
        return False

    async def row(self, _select: Select[*tuple[Any, ...]]) -> Sequence[Any]:
        return 0, 0, 0


@pytest.mark.parametrize("lake", [None, LAKE])
async def test_all_valid_shapes_are_copied_but_those_of_files_are_looked_at(lake: LakeSource | None) -> None:
    workspace = AllValid(ZONES.model_copy(update={"lake": lake}))
    step = await MakeValid().build(MakeValidArguments(source="data.zones"), workspace)
    assert ("ST_MakeValid" in str(step.select)) == (lake is not None)
