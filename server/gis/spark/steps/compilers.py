"""How operations read on Spark: most as PostGIS has them, some in another form with the same meaning.

PostGIS searches row by row with lateral subqueries and tells rows apart by their addresses; Spark joins whole tables
and needs a number in each row (`names.ROW`). What is not listed here, or cannot be done with the same meaning, is
refused with its reason.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sqlalchemy import Select

from server.gis.operations.support.base import Step, Workspace
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

DIFFERENCES: Mapping[str, str] = {
    "buffer": "Areas around lines and areas cover the same places as those of PostGIS to less than a hundredth of the "
    "distance: JTS leaves out more corners of lines, areas and outlines that matter less than that than GEOS does.",
    "cluster": "Clusters are numbered in another order than in PostGIS; their members are the same.",
    "make_valid": "Faults are named and repaired by JTS, and not by GEOS as in PostGIS: where an outline crosses "
    "itself more than once, the parts may differ.",
    "measure": "Edges are measured along geodesics between their corners, also where they are straight in a projected "
    "system: with edges of 100 km, areas differ by about 0.003 % from those of PostGIS.",
    "nearest": "It was not counted for how many features more neighbours are equally near than were taken.",
    "sample": "Rows are chosen by another hash than in PostGIS: the same seed gives the same rows on Spark, and others "
    "there.",
}
"""Notes in receipts of operations whose rows or counts differ from those of PostGIS."""


def compiler(operation: str) -> Compiler:
    """Raises NotOnSpark."""
    found = COMPILERS.get(operation)
    if found is None:
        raise NotOnSpark(operation, "it is not ported")
    return found
