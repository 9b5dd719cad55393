"""Tables for the tests of deliverables, and how files of them are made and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import geopandas
import pandas
import pyogrio

from agents.exports import ExportReport, ExportRequest
from server.gis.export.deliverable import resolved, wanted_of, write
from tests.integration.tiles.drawing import Atlas

TABLES = (
    "CREATE TABLE data.towns (id int PRIMARY KEY, name text, population_of_the_town int, "
    "population_of_the_region bigint, region text, founded date, geom geometry(Point, 2154))",
    "INSERT INTO data.towns SELECT n, CASE n WHEN 3 THEN 'Œuilly €' ELSE 'Town ' || n END, n * 1000, n * 5000, "
    "CASE WHEN n <= 3 THEN 'north' ELSE 'south' END, date '1200-01-01' + n, "
    "ST_SetSRID(ST_MakePoint(652469.123456 + n, 6862035.654321), 2154) FROM generate_series(1, 5) n",
    "CREATE TABLE data.fields (id int PRIMARY KEY, geom geometry(Geometry, 4326))",
    "INSERT INTO data.fields VALUES (1, 'SRID=4326;POLYGON((0 0, 1 0, 1 1, 0 0))'), "
    "(2, 'SRID=4326;MULTIPOLYGON(((2 0, 3 0, 3 1, 2 0)), ((4 0, 5 0, 5 1, 4 0)))'), (3, NULL)",
    "CREATE TABLE data.mixed AS SELECT 1 AS id, 'SRID=4326;POINT(1 2)'::geometry AS geom "
    "UNION ALL SELECT 2, 'SRID=4326;LINESTRING(0 0, 1 1)'",
    "CREATE TABLE data.budget (year int, amount numeric(10, 2), note text)",
    "INSERT INTO data.budget VALUES (2020, 1.5, '=1+1'), (2021, NULL, 'x')",
    "CREATE TABLE analysis.nearest_towns_a1b2c3 AS SELECT 'a' AS name, 7 AS n, "
    "'SRID=4326;POINT(1 2)'::geometry(Point, 4326) AS geom, 1::bigint AS fid",
    "ALTER TABLE analysis.nearest_towns_a1b2c3 ADD PRIMARY KEY (fid)",
)


async def made(atlas: Atlas, folder: Path, *items: Any, **request: Any) -> tuple[Path, ExportReport]:
    asked = ExportRequest.model_validate(
        {
            "items": [item if isinstance(item, dict) else {"source": item} for item in items],
            "format": "gpkg",
            **request,
        }
    )
    await atlas.registry.refresh(patience=30)
    wanted = [wanted_of(item, atlas.registry.get(item.source)) for item in asked.items]
    parts = await resolved(atlas.database.reader, asked, wanted)
    return await write(asked, parts, folder)


def frame(path: Path, kind: str) -> Any:
    if kind == "parquet":
        return geopandas.read_parquet(path)
    if kind == "json":
        return pandas.DataFrame(json.loads(path.read_text()))
    if kind == "csv":
        return pandas.read_csv(path)
    return pyogrio.read_dataframe(path)
