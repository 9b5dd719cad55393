"""Layers and tiles that cannot be drawn, and what is said about them."""

from __future__ import annotations

import pytest

from server.gis.errors import InvalidFilter
from server.gis.styles.errors import NoReferenceSystem
from tests.integration.tiles.drawing import Atlas


async def test_geometries_of_several_reference_systems_are_refused_with_what_to_do(atlas: Atlas) -> None:
    """They were drawn and exported at the place that their numbers have in the system of the others."""
    await atlas.execute(
        "CREATE TABLE data.merged (id int PRIMARY KEY, geom geometry)",
        "INSERT INTO data.merged VALUES (1, 'SRID=4326;POINT(1 2)'), (2, 'SRID=4326;POINT(3 4)'),"
        " (3, 'SRID=3857;POINT(100 200)'), (4, 'POINT EMPTY')",
    )
    with pytest.raises(NoReferenceSystem, match=r"\(SRID 0\) or several.*ST_Transform"):
        await atlas.layer("data.merged")


async def test_data_without_a_reference_system_is_refused_with_what_to_do(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE TABLE data.nowhere (id int PRIMARY KEY, geom geometry(Point))",
        "INSERT INTO data.nowhere VALUES (1, ST_MakePoint(500000, 5000000))",
    )
    with pytest.raises(NoReferenceSystem, match="UpdateGeometrySRID"):
        await atlas.layer("data.nowhere")


async def test_a_tile_of_values_that_cannot_be_computed_says_why(atlas: Atlas) -> None:
    await atlas.execute(
        "CREATE VIEW data.shares AS SELECT n AS id, 10 / (n - 3) AS share, ST_Point(n, n, 4326)::geometry(Point, 4326)"
        " AS geom FROM generate_series(1, 5) n"
    )
    await atlas.layer("data.shares")
    with pytest.raises(InvalidFilter, match="divided by zero"):
        await atlas.tile(0, 0, 0)
