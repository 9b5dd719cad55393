"""How operations read on Spark: most as PostGIS has them, some in another form with the same meaning.

PostGIS searches row by row with lateral subqueries and tells rows apart by their addresses; Spark joins whole tables
and needs a number in each row (`names.ROW`). What is not listed here, or cannot be done with the same meaning, is
refused with its reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy import Select

from agents.worded import Template
from server.gis.operations.support.base import Step, Workspace
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.steps import buffers, clusters, grids, overlays, places, rows, statistics
from server.gis.spark.steps.halves import Halves

Compiled = Select[Any] | Halves
Compiler = Callable[[Any, Workspace, Step], Compiled | Awaitable[Compiled]]


def _as_built(_arguments: Any, _workspace: Workspace, step: Step) -> Select[Any]:
    """The statement that PostGIS would run."""
    return step.select


COMPILERS: Mapping[str, Compiler] = {
    "buffer": buffers.buffered,
    "calculate": _as_built,
    "centroid": places.centroids,
    "clip": overlays.clipped,
    "cluster": clusters.clustered,
    "difference": overlays.reduced,
    "dissolve": overlays.dissolved,
    "filter": _as_built,
    "grid": grids.gridded,
    "hot_spots": statistics.hot_spots,
    "intersection": _as_built,
    "join_by_attribute": _as_built,
    "make_valid": _as_built,
    "measure": rows.measured,
    "merge": _as_built,
    "nearest": places.nearest,
    "points_from_columns": _as_built,
    "reproject": rows.reprojected,
    "sample": rows.sampled,
    "select_by_location": places.selected,
    "simplify": rows.simplified,
    "sort": _as_built,
    "spatial_join": places.joined,
    "summarise": _as_built,
    "top": _as_built,
}

DIFFERENCES: Mapping[str, Template] = {
    "buffer": texts.OTHER_CORNERS,
    "cluster": texts.OTHER_ORDER,
    "make_valid": texts.OTHER_REPAIR,
    "measure": texts.GEODESIC_EDGES,
    "nearest": texts.TIES_NOT_COUNTED,
    "sample": texts.OTHER_HASH,
}
"""Notes in receipts of operations whose rows or counts differ from those of PostGIS."""


def compiler(operation: str) -> Compiler:
    """The compiler of an operation. Raises NotOnSpark."""
    found = COMPILERS.get(operation)
    if found is None:
        raise NotOnSpark(operation, texts.NOT_PORTED())
    return found
