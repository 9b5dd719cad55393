"""Rules for the shapes of one table: `centroids of countries`, `points every 10 km along the rivers`."""

from __future__ import annotations

from typing import Any

from agents.offline import phrasebook as p
from agents.offline.step_pieces import Rule, StepPieces, some
from agents.offline.steps import Step, step

SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    **dict.fromkeys(("centroid", "centroids", "centres", "centers"), ("centroid", {})),
    **dict.fromkeys(("points inside", "points on", "a point inside"), ("centroid", {"inside": True})),
    **dict.fromkeys(("convex hull", "convex hulls", "hull", "hulls"), ("hull", {})),
    **dict.fromkeys(("concave hull", "concave hulls"), ("hull", {"concave": 0.3})),
    **dict.fromkeys(("bounding boxes", "bounding box", "envelopes", "envelope"), ("envelope", {})),
    **dict.fromkeys(
        ("oriented boxes", "oriented envelopes", "smallest rectangles"), ("envelope", {"oriented": True})
    ),
    **dict.fromkeys(
        ("voronoi polygons", "voronoi cells", "voronoi diagram", "voronoi", "thiessen polygons"),
        ("voronoi", {}),
    ),
    **dict.fromkeys(
        ("delaunay triangles", "delaunay triangulation", "delaunay", "triangulation"), ("delaunay", {})
    ),
}
"""What can be made of features, and the operation that makes it."""
VERBS = {
    "smooth": "smooth", "repair": "make_valid", "make valid": "make_valid", "fix": "make_valid", "explode": "explode",
    "split": "explode", "take apart": "explode",
}  # fmt: skip


class ShapeRules(StepPieces):
    def of_shapes(self) -> tuple[Rule, ...]:
        return (
            self.made_of, self.reshaped, self.simplify, self.densify, self.reproject,
            self.buffer_column, self.lines, self.points, self.points_along,
        )  # fmt: skip

    def made_of(self) -> Step | None:
        """`centroids of countries`, `the convex hull of airports by country`, `their bounding boxes`."""
        cursor = self.cursor
        self.opener()
        noun = cursor.take(p.SHAPE_NOUNS)
        if noun is None:
            return None
        operation, arguments = SHAPES[noun]
        named = (
            cursor.take("around each of", "around", "of each of", "of", "for", "from", "on", "inside", "in")
            is not None
        )
        named = named or noun.endswith((" inside", " on"))
        source = self.given() if named or self.chained else None
        if source is None:
            return None
        by = self.columns_by(source) if operation == "hull" else []
        return step(operation, source, **arguments, **some(by=by[0] if by else None))

    def reshaped(self) -> Step | None:
        """`smooth the rivers`, `repair the parcels`, `split the countries into parts`."""
        verb = self.cursor.take(p.SHAPE_VERBS)
        source = self.given() if verb is not None else None
        if source is None:
            return None
        self.cursor.take("into single parts", "into parts", "into their parts", "apart")
        return step(VERBS[verb or ""], source)

    def simplify(self) -> Step | None:
        """`simplify the countries by 5 km`."""
        return self._with_length("simplify", "tolerance", "simplify", "generalise", "generalize")

    def densify(self) -> Step | None:
        """`densify the borders to 10 km`."""
        return self._with_length("densify", "longest", "densify")

    def _with_length(self, operation: str, argument: str, *verbs: str) -> Step | None:
        source = self.given() if self.cursor.take(*verbs) else None
        if source is None:
            return None
        self.cursor.take("by", "to", "with a tolerance of", "with", "every", "at")
        distance = self.length()
        return step(operation, source, **{argument: distance}) if distance is not None else None

    def reproject(self) -> Step | None:
        """`reproject the countries to EPSG:3857`."""
        source = self.given() if self.cursor.take("reproject", "transform", "project") else None
        if source is None or not self.cursor.take("to", "into"):
            return None
        self.cursor.take("epsg")
        self.cursor.take(":")
        code = self.cursor.take_number()
        return step("reproject", source, srid=int(code.value)) if code is not None else None

    def buffer_column(self) -> Step | None:
        """`buffer the airports by the column noise_m`."""
        source = self.given() if self.cursor.take("buffer") else None
        if source is None or not self.cursor.take("by the column", "by column", "by their", "by its"):
            return None
        column = self.column_words("source", source)
        return step("buffer", source, distance_column=column) if column is not None else None

    def lines(self) -> Step | None:
        """`connect the stops into lines by route in the order of stop_number`."""
        if not self.cursor.take("connect", "join up", "link"):
            return None
        source = self.given(tail=False)
        if source is None or not self.cursor.take(
            "into lines", "into a line", "to lines", "to a line", "as lines"
        ):
            return None
        by = self.columns_by(source)
        if not self.cursor.take("in the order of", "in order of", "ordered by", "sorted by", "along"):
            return None
        order = self.column_words("source", source)
        by = by or self.columns_by(source)
        return (
            step("lines_from_points", source, order=order, **some(by=by[0] if by else None))
            if order
            else None
        )

    def points(self) -> Step | None:
        """`make points from longitude and latitude of shops`."""
        cursor = self.cursor
        if not cursor.take("make points from", "create points from", "points from"):
            return None
        cursor.take("the columns", "columns")
        x = self.column_words()
        y = self.column_words() if cursor.take("and", ",") else None
        source = self.given() if x and y and cursor.take("of", "in") else None
        return step("points_from_columns", source, x=x, y=y) if source is not None else None

    def points_along(self) -> Step | None:
        """`points every 10 km along the rivers`."""
        self.opener()
        if not self.cursor.take("points every", "a point every"):
            return None
        every = self.length()
        source = self.given() if every is not None and self.cursor.take("along", "on") else None
        return step("points_along_lines", source, every=every) if source is not None else None
