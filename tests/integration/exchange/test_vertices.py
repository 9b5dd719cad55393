"""Shapes of very many vertices are refused, or cut into pieces that hold the same, before the database meets them."""

from __future__ import annotations

from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely

from server.database.engines import Database
from server.gis.ingest import CannotLoad, IngestLimits, load_file
from server.gis.ingest.limits import TooManyVertices
from tests.integration.exchange.test_ingest import exists, rows

MOST = 1_000


def many_sided(tmp_path: Path) -> Path:
    """A lake with an island, a small pond, and a river, of 4,000 vertices each but for the pond."""
    angles = np.linspace(0, 2 * np.pi, 2_000, endpoint=False)
    ring = np.column_stack((9 + np.cos(angles), 48 + np.sin(angles)))
    lake = shapely.Polygon(ring, [9 + (ring - [9, 48]) * 0.5 - [0, 0] + [0, 39]])
    pond = shapely.Point(20, 40).buffer(1)
    river = shapely.LineString(
        np.column_stack((np.linspace(0, 10, 4_000), np.sin(np.linspace(0, 60, 4_000))))
    )
    frame = geopandas.GeoDataFrame(
        {"name": ["lake", "pond", "river"]}, geometry=[lake, pond, river], crs=4326
    )
    path = tmp_path / "waters.gpkg"
    frame.to_file(path, driver="GPKG")
    return path


async def test_a_shape_of_too_many_vertices_is_refused_with_its_row_and_what_to_do(
    database: Database, tmp_path: Path
) -> None:
    with pytest.raises(
        TooManyVertices, match=r"Row 1: .* 4,002 vertices; at most 1,000 .* Simplify it, or .*subdivide"
    ):
        await load_file(database, many_sided(tmp_path), "refused", limits=IngestLimits(vertices=MOST))
    assert not await exists(database, "refused")


async def test_pieces_hold_the_same_area_and_length_and_keep_the_values(
    database: Database, tmp_path: Path
) -> None:
    path = many_sided(tmp_path)
    whole = geopandas.read_file(path)
    limits = IngestLimits(vertices=MOST, subdivide=True)
    report = await load_file(database, path, "waters", limits=limits)
    found = await rows(
        database,
        "SELECT name, count(*), sum(ST_Area(geom)), sum(ST_Length(geom)), max(ST_NPoints(geom)),"
        " bool_and(ST_IsValid(geom)) FROM data.waters GROUP BY name ORDER BY name",
    )
    assert [row.name for row in found] == ["lake", "pond", "river"]
    for row, shape in zip(found, whole.geometry, strict=True):
        pieces, area, length, most, is_valid = row[1:]
        assert most <= MOST
        assert is_valid
        assert area == pytest.approx(shape.area)
        if row.name == "river":
            assert length == pytest.approx(shape.length)
        assert (pieces == 1) == (row.name == "pond")
    total = sum(row[1] for row in found)
    assert report.rows == total
    assert f"2 shapes with too many vertices were cut into {total - 1} pieces" in " ".join(report.remarks)


async def test_a_tangle_that_no_cut_makes_simpler_is_refused(database: Database, tmp_path: Path) -> None:
    vertices = 5_000
    x = np.random.default_rng(1).uniform(-10, 10, vertices)
    y = np.where(np.arange(vertices) % 2, 40.0, 60.0)
    tangle = geopandas.GeoDataFrame(geometry=[shapely.Polygon(np.column_stack((x, y)))], crs=4326)
    tangle.to_file(tmp_path / "tangle.gpkg", driver="GPKG")
    limits = IngestLimits(vertices=MOST, subdivide=True)
    with pytest.raises(CannotLoad, match="5,001 vertices and cannot be cut into pieces"):
        await load_file(database, tmp_path / "tangle.gpkg", limits=limits)
