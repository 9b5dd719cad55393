"""Groups of features that lie close together: by density (DBSCAN), or a given number of them (k-means)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import ColumnElement, func, select

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Prepared,
    Source,
    Step,
    Workspace,
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import geometry, is_of_points, lonlat
from server.gis.operations.support.earth.local_projection import in_plane
from server.gis.operations.support.earth.projections import local_equal_area, utm_zone
from server.gis.operations.support.earth.units import Length
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.pairs import pairs_within

FEW_FOR_CLUSTERS = Template(
    "op_few_for_clusters",
    "{table} has {n|one=# feature|other=# features} with a geometry, too few for {k} clusters. Give a k of "
    "at most {n}.",
)
DBSCAN_DISTANCE = Template("op_dbscan_distance", "DBSCAN needs a distance, such as '5 km'.")
KMEANS = Template("op_kmeans", "k-means of straight distances between centres on a globe (3D).")


class ClusterArguments(Arguments):
    source: str = table_argument("The table whose features are grouped.")
    method: Literal["dbscan", "kmeans"] = "dbscan"
    """dbscan: by density, however many groups there are; kmeans: k compact groups."""
    distance: Length | None = None
    """DBSCAN: features nearer than this to each other belong together."""
    minimum: Annotated[
        int, Field(ge=1, le=10_000, description="DBSCAN: the fewest features of a cluster.")
    ] = 5
    k: Annotated[int, Field(ge=1, le=1000, description="k-means: how many clusters.")] = 5


class Cluster(Operation[ClusterArguments]):
    """A number of a cluster for each feature: DBSCAN (distance in metres) or k-means."""

    summary = "Group nearby features: DBSCAN by distance and minimum size, or k-means into k groups."
    reads_extent = True
    phrases = (
        (
            "<open> (cluster|clusters of|group into clusters) {source} (within|by|at) {distance} "
            "[(with at least|of at least|and at least) {minimum} [features|points|members|of them|"
            "each]]"
        ),
        (
            "<open> (cluster|clusters of|group into clusters) {source} (into|in) {k} (groups|"
            "clusters|parts) -> method=kmeans"
        ),
    )

    async def build(self, arguments: ClusterArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        own = attribute_columns(source)
        name = free_name("cluster", {label.name for label in own})
        shape = geometry(source)
        prepare: tuple[Prepared, ...] = ()
        pairs = None
        if arguments.method == "kmeans":
            await _refuse_few(source, arguments.k, workspace)
            # On the sphere's surface in three dimensions, so that neither poles nor 180 degrees split a cluster.
            number: ColumnElement[Any] = func.ST_ClusterKMeans(_on_sphere(lonlat(source)), arguments.k).over()
            note: str = KMEANS()
            statement = (
                select(*own, number.label(name), shape.label(GEOMETRY))
                .select_from(source.rows)
                .where(has_shape(shape))
            )
        else:
            if arguments.distance is None or arguments.distance <= 0:
                raise InvalidQuestion(DBSCAN_DISTANCE())
            pairs = pairs_within(source, source, arguments.distance)
            projection = await utm_zone(source, workspace) or await local_equal_area(source, workspace)
            note = projection.note
            flat = free_name("flat", {GEOMETRY, *(label.name for label in own)})
            kept = [*own, shape.label(GEOMETRY)]
            prepare, rows = in_plane(
                source.rows,
                projection,
                lonlat(source),
                kept,
                workspace,
                flat,
                are_points=is_of_points(source),
            )
            number = func.ST_ClusterDBSCAN(rows.c[flat], arguments.distance, arguments.minimum).over()
            statement = select(
                *(rows.c[label.name] for label in own), number.label(name), rows.c[GEOMETRY]
            ).select_from(rows)
        return Step.keeping(
            source,
            statement,
            prepare=prepare,
            pairs=pairs,
            method=(note,),
            comments={name: "Number of the cluster from 0; empty: belongs to none (noise)."},
            style={"kind": "categorical", "column": name},
        )


def _on_sphere(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    centre = func.ST_Centroid(shape, type_=Geometry())
    return func.ST_Transform(func.ST_Force3D(centre, type_=Geometry()), 4978, type_=Geometry())


async def _refuse_few(source: Source, k: int, workspace: Workspace) -> None:
    features = await count_rows(source.rows, workspace, has_shape(lonlat(source)))
    if features < k:
        raise InvalidQuestion(FEW_FOR_CLUSTERS(table=source.table.id, n=features, k=k))
