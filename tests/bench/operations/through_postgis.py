"""GeoPandas for somebody whose data is in PostGIS: tables read into frames, answers written back.

Both by COPY, which is what `GeoDataFrame.to_postgis` does and is faster than `geopandas.read_postgis`."""

from __future__ import annotations

import io
import os
import subprocess
import time
from typing import Any

import numpy as np
import pandas as pd
import shapely
from geopandas import GeoDataFrame, GeoSeries

from tests.bench.operations.data import PLANE

CHUNK = 50_000
FRAME = f"frame_{os.getpid()}"
"""The table of an answer, named by the process that measures."""
KINDS = {"i": "bigint", "u": "bigint", "f": "float8", "b": "boolean"}


def read(psql: list[str], table: str, *, plane: bool) -> float:
    """Seconds until the table is a frame, in metres if it has to be `plane`."""
    began = time.perf_counter()
    done = subprocess.run(
        [*psql, "-c", f"COPY {table} TO STDOUT (FORMAT csv, HEADER)"], capture_output=True, check=True
    )
    frame = pd.read_csv(io.BytesIO(done.stdout))
    if "geom" in frame:
        shapes = GeoSeries(shapely.from_wkb(frame.pop("geom").to_numpy(dtype=object)), crs=4326)
        made = GeoDataFrame(frame, geometry=shapes)
        if plane:
            made.to_crs(PLANE)
    return time.perf_counter() - began


def write(psql: list[str], answer: Any, *, plane: bool) -> float | None:
    """Seconds until the answer is a table with a spatial index; None for what is not a table."""
    if not isinstance(answer, pd.DataFrame | pd.Series):
        return None
    began = time.perf_counter()
    frame = answer.to_frame("value") if not isinstance(answer, pd.DataFrame | GeoSeries) else answer
    if isinstance(frame, GeoSeries):
        frame = GeoDataFrame(geometry=frame)
    spatial = isinstance(frame, GeoDataFrame)
    if spatial and plane and frame.crs is not None:
        frame = frame.to_crs(4326)
    plain = pd.DataFrame(frame.drop(columns=frame.geometry.name) if spatial else frame)
    plain.columns = pd.Index([f"c{number}" for number in range(len(plain.columns))])
    declared = [f"{name} {KINDS.get(kind.kind, 'text')}" for name, kind in plain.dtypes.items()]
    if spatial:
        declared.append("geom geometry")
    script = f"DROP TABLE IF EXISTS analysis.{FRAME}; CREATE TABLE analysis.{FRAME} ({', '.join(declared)})"
    subprocess.run([*psql, "-c", script], check=True, capture_output=True)
    copying = subprocess.Popen(
        [*psql, "-c", f"COPY analysis.{FRAME} FROM STDIN (FORMAT csv)"], stdin=subprocess.PIPE
    )
    assert copying.stdin is not None
    shapes = frame.geometry.to_numpy() if spatial else None
    for start in range(0, len(plain), CHUNK):
        part = plain.iloc[start : start + CHUNK]
        if shapes is not None:
            few = np.asarray(shapes[start : start + CHUNK])
            part = part.assign(geom=shapely.to_wkb(shapely.set_srid(few, 4326), hex=True, include_srid=True))
        copying.stdin.write(part.to_csv(index=False, header=False).encode())
    copying.stdin.close()
    if copying.wait():
        raise AssertionError("the answer of GeoPandas could not be written")
    if spatial:
        subprocess.run(
            [*psql, "-c", f"CREATE INDEX ON analysis.{FRAME} USING gist (geom)"],
            check=True,
            capture_output=True,
        )
    return time.perf_counter() - began
