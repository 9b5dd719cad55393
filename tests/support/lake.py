"""GeoParquet datasets of known content."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely

KINDS = ("boat", "car", 'it\'s a \\ "plane"')
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


def pings(rows: int, west: float = 5.0, seed: int = 1, unit: str = "us") -> pa.Table:
    """Points in ten degrees by ten, from west to east, with one without a place and some without a value."""
    generator = np.random.default_rng(seed)
    x = np.sort(generator.uniform(west, west + 10, rows))
    y = generator.uniform(45, 55, rows)
    wkb = list(shapely.to_wkb(shapely.points(x, y)))
    wkb[0] = None
    values = [
        None if n % 50 == 0 else float(v) for n, v in enumerate(generator.normal(100, 20, rows).round(3))
    ]
    boxes = [
        None if n == 0 else {"xmin": a, "ymin": b, "xmax": a, "ymax": b}
        for n, (a, b) in enumerate(zip(x, y, strict=True))
    ]
    box = pa.struct([(side, pa.float64()) for side in ("xmin", "ymin", "xmax", "ymax")])
    return pa.table(
        {
            "id": pa.array(np.arange(rows) + int(west) * 1_000_000, pa.int64()),
            "kind": pa.array([KINDS[n % 3] for n in range(rows)], pa.string()),
            "value": pa.array(values, pa.float64()),
            "size": pa.array(np.arange(rows) % 200, pa.uint8()),
            "at": pa.array(
                [START + datetime.timedelta(minutes=n) for n in range(rows)], pa.timestamp(unit, "UTC")
            ),
            "tags": pa.array([["a", "b"] if n % 2 else None for n in range(rows)], pa.list_(pa.string())),
            "lasted": pa.array(np.arange(rows), pa.duration("s")),
            "geometry": pa.array(wkb, pa.binary()),
            "bbox": pa.array(boxes, box),
        }
    )


def write(
    table: pa.Table, path: Path, geometry_types: tuple[str, ...] = ("Point",), **described: Any
) -> Path:
    """Write GeoParquet 1.1; `described` adds to what the metadata say of the geometry, None leaves out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shapes = shapely.from_wkb(table["geometry"].to_numpy())
    column: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": list(geometry_types),
        "bbox": [float(v) for v in shapely.total_bounds(shapes)],
    }
    if "bbox" in table.column_names:
        column["covering"] = {"bbox": {side: ["bbox", side] for side in ("xmin", "ymin", "xmax", "ymax")}}
    column |= described
    column = {name: value for name, value in column.items() if value is not None or name == "crs"}
    geo = {"version": "1.1.0", "primary_column": "geometry", "columns": {"geometry": column}}
    pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), path, row_group_size=1000)
    return path


def hive(folder: Path, rows: int = 5000) -> Path:
    """Two folders `zone=...` with a file each, of neighbouring areas."""
    write(pings(rows, 5.0), folder / "zone=1" / "part-0.parquet")
    write(pings(rows, 15.0, seed=2), folder / "zone=2" / "part-0.parquet")
    (folder / "_SUCCESS").touch()
    return folder


def stac_items(
    path: Path, files: dict[str, tuple[float, float, float, float]], media: str | None = None
) -> Path:
    """Write STAC items as GeoParquet that name files by `href`, each with its box in longitude and latitude."""
    media = media or "application/vnd.apache.parquet"
    sides = ("xmin", "ymin", "xmax", "ymax")
    boxes = list(files.values())
    table = pa.table(
        {
            "type": ["Feature"] * len(files),
            "stac_version": ["1.0.0"] * len(files),
            "id": [f"item-{number}" for number in range(len(files))],
            "links": [[{"rel": "self", "href": "item.json"}]] * len(files),
            "assets": [
                {
                    "data": {"href": href, "type": media, "roles": ["data"]},
                    "thumbnail": {"href": "small.png", "type": "image/png", "roles": ["thumbnail"]},
                }
                for href in files
            ],
            "bbox": [dict(zip(sides, box, strict=True)) for box in boxes],
            "geometry": pa.array([shapely.box(*box).wkb for box in boxes], pa.binary()),
        }
    )
    return write(table, path, ("Polygon",))
