"""STAC items in GeoParquet: a file whose rows name other files, each with where its rows lie.

An items file whose `assets` name Parquet files is a dataset of these files; of any other, its own rows are the dataset.
https://github.com/stac-utils/stac-geoparquet"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pyarrow as pa

from agents.worded import Template
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.parquet import ParquetSource
from server.gis.lake.paths import ENDINGS, MAX_FILES
from server.gis.lake.ranges import Box
from server.gis.lake.remote.addresses import is_address

MANY_NAMED = Template("lake_many_named", "The items in {file} name more than {most} Parquet files.")


MEDIA_TYPES = ("application/vnd.apache.parquet", "application/x-parquet", "application/parquet")


@dataclass(frozen=True)
class Asset:
    """A Parquet file that an item names: an absolute path or an address, and the box of the item in longitude and
    latitude."""

    location: str
    box: Box | None


def parquet_assets(file: ParquetSource, base: str) -> list[Asset]:
    """What the items in a file name; nothing where it has no items, or none with Parquet files. `base` is the path or
    address that what is relative in it is relative to. Raises NoLakeTable and OSError."""
    try:
        names = file.footer().schema.to_arrow_schema().names
        if not {"assets", "geometry"} <= set(names):
            return []
        rows = file.read([each for each in ("assets", "bbox") if each in names]).to_pylist()
    except pa.ArrowException:
        return []  # Reading it as a dataset reports what is wrong.
    found = {
        (location := _location(href, base)): Asset(location, _box(row.get("bbox")))
        for row in rows
        for href in _hrefs(row["assets"])
    }
    if len(found) > MAX_FILES:
        raise NoLakeTable(MANY_NAMED(file=base.rpartition("/")[2], most=MAX_FILES))
    return sorted(found.values(), key=lambda asset: asset.location)


def _hrefs(assets: Any) -> Iterator[str]:
    entries = assets if isinstance(assets, Mapping) else dict(assets) if isinstance(assets, list) else {}
    for asset in entries.values():
        href = asset.get("href") if isinstance(asset, Mapping) else None
        if isinstance(href, str) and (
            asset.get("type") in MEDIA_TYPES or urlsplit(href).path.lower().endswith(ENDINGS)
        ):
            yield href


def _location(href: str, base: str) -> str:
    if is_address(href):
        return href
    if is_address(base):
        scheme, rest = base.split("://", 1)
        # urljoin resolves relative references for some schemes only.
        return urljoin(f"http://{rest}", href).replace("http", scheme, 1)
    path = unquote(urlsplit(href).path) if href.startswith("file:") else href
    return str(Path(base).parent / path)


def _box(bbox: Any) -> Box | None:
    if isinstance(bbox, Mapping):
        bbox = [bbox.get(side) for side in ("xmin", "ymin", "xmax", "ymax")]
    if not isinstance(bbox, list) or len(bbox) not in (4, 6) or None in bbox:
        return None
    half = len(bbox) // 2
    west, south, east, north = bbox[0], bbox[1], bbox[half], bbox[half + 1]
    return float(west), float(south), float(east), float(north)
