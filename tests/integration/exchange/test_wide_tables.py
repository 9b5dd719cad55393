"""Tables of very many columns: what fits is exported, and what does not is refused with the limit and a way out."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

from server.database.engines import Database
from server.gis.errors import GisError
from server.gis.ingest import load_file
from server.gis.ingest.limits import FileTooLarge
from tests.integration.exchange.deliverables import frame, made
from tests.integration.tiles.drawing import Atlas

COLUMNS = 1_200


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def atlas(database: Database) -> Atlas:
    made = Atlas(database)
    columns = ", ".join(f"c{n} numeric" for n in range(COLUMNS))
    values = ", ".join(str(n) for n in range(COLUMNS))
    await made.execute(
        f"CREATE TABLE data.wide (id int PRIMARY KEY, geom geometry(Point, 4326), {columns})",
        f"INSERT INTO data.wide SELECT n, 'SRID=4326;POINT(1 2)', {values} FROM generate_series(1, 3) n",
    )
    return made


async def test_a_file_whose_rows_are_too_wide_is_refused_with_the_limit(
    database: Database, tmp_path: Path
) -> None:
    names = [f"share_{n}" for n in range(COLUMNS)]
    lines = [",".join(names), *(",".join(f"{n}.{row}25" for n in range(COLUMNS)) for row in range(3))]
    (tmp_path / "shares.csv").write_text("\n".join(lines))
    with pytest.raises(FileTooLarge) as refused:
        await load_file(database, tmp_path / "shares.csv")
    for part in ("holds 8,160 in a row", "the file has 1,200 columns", "parts with fewer columns"):
        assert part in refused.value.message


@pytest.mark.parametrize("kind", ["gpkg", "geojson", "fgb", "parquet", "csv", "xlsx", "json"])
async def test_very_many_columns_are_exported(atlas: Atlas, tmp_path: Path, kind: str) -> None:
    path, _ = await made(atlas, tmp_path, "data.wide", format=kind)
    found = frame(path, kind)
    assert len(found) == 3
    assert float(found[f"c{COLUMNS - 1}"].iloc[0]) == COLUMNS - 1


async def test_a_shapefile_has_255_columns_at_most(atlas: Atlas, tmp_path: Path) -> None:
    with pytest.raises(
        GisError, match=r"wide has 1,201 columns; a Shapefile holds 255. Choose fewer, or use gpkg."
    ):
        await made(atlas, tmp_path, "data.wide", format="shp")
