"""Results are what they say: types, reference systems and notes hold for the rows that are stored."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
import pytest_asyncio
from pyproj import CRS
from shapely import box
from sqlalchemy import text

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

FEWER_ROWS = True

ZERO_AREA = "POLYGON((0 0, 1 1, 2 2, 0 0))"
CROSSED = "POLYGON((10 10, 12 12, 12 10, 10 12, 10 10))"
SQUARE = "POLYGON((20 20, 21 20, 21 21, 20 21, 20 20))"


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def some_tables(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.plots (id int PRIMARY KEY, kind text, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.plots VALUES (1, 'a', 'SRID=4326;{ZERO_AREA}'), (2, 'a', 'SRID=4326;{CROSSED}'),"
        f" (3, 'b', 'SRID=4326;{SQUARE}'), (4, 'c', 'SRID=4326;{ZERO_AREA}'), (5, 'd', NULL)",
        "CREATE TABLE data.either (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        f"INSERT INTO data.either VALUES (1, 'SRID=4326;{SQUARE}'),"
        f" (2, ST_Multi('SRID=4326;{SQUARE}'::geometry)), (3, NULL)",
        "CREATE TABLE data.singles (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
        "INSERT INTO data.singles VALUES (1, 'SRID=4326;LINESTRING(0 0, 1 1)')",
    )


async def held(bench: Bench, table: str) -> tuple[str, set[Any]]:
    """What the column declares, and what its rows are."""
    async with bench.database.reader.connect() as connection:
        schema, name = table.split(".")
        declared = await connection.scalar(
            text("SELECT type FROM geometry_columns WHERE f_table_schema = :schema AND f_table_name = :name"),
            {"schema": schema, "name": name},
        )
        kinds = await connection.scalars(
            text(f"SELECT DISTINCT GeometryType(geom) FROM {table} WHERE geom IS NOT NULL")
        )
        return str(declared), set(kinds)


async def test_dissolved_polygons_stay_polygons_and_the_rest_is_counted(bench: Bench) -> None:
    answer = await bench.run("dissolve", source="data.plots", by=["kind"])
    assert await held(bench, answer.table) == ("MULTIPOLYGON", {"MULTIPOLYGON"})
    rows = answer.rows.set_index("kind")
    assert rows.loc["a"].geom.area == pytest.approx(2)
    assert rows.loc["b"].geom.area == pytest.approx(1)
    assert rows.loc["c"].geom is None, "a polygon without an area is not a polygon any more"
    assert answer.receipt.geometry_type == "MULTIPOLYGON"
    assert "3 invalid shapes were repaired (ST_MakeValid) before they were united." in answer.receipt.notes
    assert "4 parts without an area or a length" in " ".join(answer.receipt.notes)
    whole = await bench.run("dissolve", source="data.plots")
    assert await held(bench, whole.table) == ("MULTIPOLYGON", {"MULTIPOLYGON"})


async def test_nothing_is_said_of_repairs_where_nothing_was_invalid(bench: Bench) -> None:
    answer = await bench.run("dissolve", source="data.countries", by=["continent"])
    assert not [note for note in answer.receipt.notes if "repaired" in note or "left out" in note]


@pytest.mark.parametrize("source", ["data.plots", "data.countries", "data.cities"])
async def test_what_is_collected_is_multi_in_each_row(bench: Bench, source: str) -> None:
    answer = await bench.run("collect", source=source)
    declared, kinds = await held(bench, answer.table)
    assert declared.startswith("MULTI")
    assert kinds == {declared}


async def test_a_column_declares_what_its_rows_are(bench: Bench) -> None:
    both = await bench.run("filter", source="data.either", filter="id > 0")
    assert await held(bench, both.table) == ("MULTIPOLYGON", {"MULTIPOLYGON"})
    assert both.receipt.geometry_type == "MULTIPOLYGON"
    assert "ST_Multi" in both.receipt.sql
    one = await bench.run("filter", source="data.singles", filter="id > 0")
    assert await held(bench, one.table) == ("LINESTRING", {"LINESTRING"})
    merged = await bench.run("merge", sources=["data.plots", "data.either"])
    assert await held(bench, merged.table) == ("MULTIPOLYGON", {"MULTIPOLYGON"})


async def test_reprojecting_out_of_the_area_of_use_offers_the_choice(bench: Bench) -> None:
    for source in ("data.countries", "data.cities"):
        with pytest.raises(
            InvalidQuestion, match=r"outside of the area of use of EPSG:25832.*outside='drop'"
        ):
            await bench.run("reproject", source=source, srid=25832)
    with pytest.raises(InvalidQuestion, match="area of use of EPSG:3035"):
        await bench.run("reproject", source="data.countries", srid=3035)


async def test_what_is_outside_is_dropped_or_loses_its_shape_as_chosen(bench: Bench) -> None:
    dropped = await bench.run("reproject", source="data.cities", srid=25832, outside="drop")
    area, cities = (
        CRS(25832).area_of_use,
        (await bench.run("filter", source="data.cities", filter="id > 0")).rows,
    )
    aside, up = (max(15, extent / 2) for extent in (area.east - area.west, area.north - area.south))
    around = box(area.west - aside, area.south - up, area.east + aside, area.north + up)
    near = [shape for shape in cities.geom if around.covers(shape)]
    assert 0 < len(dropped.rows) == len(near) < len(cities)
    assert dropped.rows.geom.notna().all()
    assert any("they were left out" in note for note in dropped.receipt.notes)
    nulled = await bench.run("reproject", source="data.cities", srid=25832, outside="null")
    assert nulled.rows.geom.notna().sum() == len(dropped.rows)
    assert len(nulled.rows) > len(dropped.rows)
    assert any("their rows have no shape" in note for note in nulled.receipt.notes)


async def test_what_is_near_the_area_of_use_is_transformed_and_counted(bench: Bench) -> None:
    await bench.make(
        "CREATE TABLE data.germany (id int PRIMARY KEY, geom geometry(Point, 4326))",
        "INSERT INTO data.germany VALUES (1, 'SRID=4326;POINT(10 50)'), (2, 'SRID=4326;POINT(14.5 51)'), (3, NULL)",
    )
    answer = await bench.run("reproject", source="data.germany", srid=25832)
    assert answer.rows.geom.notna().sum() == 2
    assert any(
        note.startswith("1 of 2 features is outside of the area of use") for note in answer.receipt.notes
    )


async def test_reprojecting_within_the_area_of_use_says_nothing_of_it(bench: Bench) -> None:
    answer = await bench.run("reproject", source="data.cities", srid=3857)
    assert not [note for note in answer.receipt.notes if "area of use" in note]


async def test_repaired_polygons_stay_polygons_and_what_is_left_out_is_counted(bench: Bench) -> None:
    answer = await bench.run("make_valid", source="data.plots")
    assert await held(bench, answer.table) == ("MULTIPOLYGON", {"MULTIPOLYGON"})
    rows = answer.rows.set_index("id")
    assert rows.loc[1].geom is None, "a line is not a polygon"
    assert rows.loc[2].geom.area == pytest.approx(2)
    assert pd.isna(rows.loc[3].was_wrong)
    assert rows.loc[1].was_wrong
    notes = " ".join(answer.receipt.notes)
    assert "3 invalid shapes were repaired (ST_MakeValid)" in notes
    assert "parts without an area or a length" in notes


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("clip", {"mask": "data.singles_areas"}),
        ("difference", {"other": "data.singles_areas"}),
        ("intersection", {"other": "data.singles_areas"}),
        ("symmetric_difference", {"other": "data.singles_areas"}),
        ("union", {"other": "data.singles_areas"}),
        ("identity", {"other": "data.singles_areas"}),
    ],
)
async def test_overlays_tell_what_they_repaired_of_which_table(
    bench: Bench, operation: str, arguments: dict[str, str]
) -> None:
    await bench.make(
        "CREATE TABLE IF NOT EXISTS data.singles_areas (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        f"INSERT INTO data.singles_areas VALUES (1, 'SRID=4326;{SQUARE}') ON CONFLICT DO NOTHING",
    )
    answer = await bench.run(operation, source="data.plots", **arguments)
    notes = " ".join(answer.receipt.notes)
    assert "3 invalid shapes of data.plots were repaired (ST_MakeValid) before they were overlaid." in notes
    assert "parts of data.plots without an area or a length" in notes
    assert "data.singles_areas" not in notes, "nothing of it was repaired"
    if operation in ("union", "identity"):
        assert "1 row of data.plots without a geometry has no pieces and is left out." in notes
    sound = await bench.run(operation, source="data.singles_areas", **arguments)
    assert not [note for note in sound.receipt.notes if "repaired" in note or "left out" in note]


async def test_notes_of_rows_that_are_left_out_are_made_where_there_are_any(bench: Bench) -> None:
    first = await bench.run("top", source="data.cities", by="population", n=1, per=["country"])
    assert not [note for note in first.receipt.notes if "left out" in note]
    kept = await bench.run("deduplicate", source="data.plots", by=["kind"])
    assert not [note for note in kept.receipt.notes if "without a value" in note]
    kept = await bench.run("deduplicate", source="data.plots")
    assert "1 row without a value of geometry was kept." in kept.receipt.notes
    lines = await bench.run("lines_from_points", source="data.cities", order="population", by="country")
    assert any("groups of a single point make no line" in note for note in lines.receipt.notes)
    times = {"function": "cast", "column": "text", "to": "timestamp", "name": "time"}
    await bench.make(
        "CREATE TABLE data.moments (id int PRIMARY KEY, text text)",
        "INSERT INTO data.moments VALUES (1, '2024-01-05T10:30'), (2, '2024-01-05')",
    )
    plain = await bench.run("columns", source="data.moments", changes=[times])
    assert plain.receipt.notes == ()
    async with bench.database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "INSERT INTO data.moments VALUES (3, '2024-01-05T10:30+02:00'), (4, '2024-01-05 10:30-05')"
        )
    zoned = await bench.run("columns", source="data.moments", changes=[times])
    assert zoned.receipt.notes == ("2 times of text with a zone were brought to UTC.",)
