"""Restricts GeoPackages to ordinary tables: views, triggers and generated columns are code of an unknown
author, which GDAL would run."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from agents.worded import Template
from server.gis.reading.notes import Unreadable

BAD_GEOPACKAGE = Template(
    "file_bad_geopackage", "{file} cannot be read as gpkg: it is damaged, or not a GeoPackage."
)
COMPUTED_LAYERS = Template(
    "file_computed_layers",
    "{file} computes its own list of layers when it is opened. Such a file is not read.",
)
VIEW_LAYER = Template(
    "file_view_layer",
    "{layer} in {file} is a view, or has computed columns. Only stored tables are read: save the layer "
    "as a separate table.",
)

OF_THE_FORMAT = ("gpkg_", "rtree_", "sqlite_", "ogr_", "geometry_columns", "spatial_ref_sys")
"""Prefixes of names that GDAL reads when it opens a file."""
COMPUTED_COLUMNS = (2, 3)
"""Values of `hidden` in `table_xinfo` for generated columns, virtual and stored."""


LISTED = (
    "SELECT table_name, table_name IN (SELECT table_name FROM gpkg_geometry_columns) FROM gpkg_contents"
    " WHERE data_type IN ('features', 'attributes') AND table_name IN (SELECT name FROM sqlite_master)"
)


@dataclass(frozen=True)
class GeoPackageLayers:
    """What a GeoPackage's own catalogue says, read without running its views."""

    computed: frozenset[str]
    """Layers that are computed on reading."""
    listed: tuple[tuple[str, bool], ...] = ()
    """Where some are computed: all layers, and whether they have geometries. GDAL would run a view to list it."""


def geopackage_layers(path: Path, name: str) -> GeoPackageLayers:
    """The layers of a GeoPackage. Raises Unreadable if the file's own catalogue is computed."""
    listed: tuple[tuple[str, bool], ...] = ()
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            objects = connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
            computed = {str(each) for kind, each, _ in objects if kind == "view"}
            for kind, table, sql in objects:
                if kind == "table" and _is_computed(connection, str(table), str(sql or "")):
                    computed.add(str(table))
            if computed and not _computes_its_catalogue(computed):
                listed = tuple((str(layer), bool(shaped)) for layer, shaped in connection.execute(LISTED))
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise Unreadable(BAD_GEOPACKAGE(file=name)) from error
    if _computes_its_catalogue(computed):
        raise Unreadable(COMPUTED_LAYERS(file=name))
    return GeoPackageLayers(frozenset(computed), listed)


def _computes_its_catalogue(computed: Collection[str]) -> bool:
    return any(each.lower().startswith(OF_THE_FORMAT) for each in computed)


def check_layer(layer: str, computed: Collection[str], name: str) -> None:
    """Raise Unreadable if the layer is one of the computed ones."""
    if layer.lower() in {each.lower() for each in computed}:
        raise Unreadable(VIEW_LAYER(layer=repr(layer), file=name))


def _is_computed(connection: sqlite3.Connection, table: str, sql: str) -> bool:
    if sql[:40].upper().split()[:2] == ["CREATE", "VIRTUAL"]:
        return not table.lower().startswith("rtree_")
    columns = connection.execute("SELECT hidden FROM pragma_table_xinfo(?)", (table,))
    return any(hidden in COMPUTED_COLUMNS for (hidden,) in columns)
