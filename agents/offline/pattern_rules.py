"""Rules for patterns in space: clusters, hot spots, grids, surfaces, bands of distance."""

from __future__ import annotations

from agents.offline import phrasebook as p
from agents.offline.features import Features
from agents.offline.intents import Quantity
from agents.offline.nouns import take_count
from agents.offline.step_pieces import Rule, StepPieces, some
from agents.offline.steps import ColumnWords, Step, step

_USUAL = {"k": 8}
"""Who is a neighbour, when nobody says; the result says it."""


class PatternRules(StepPieces):
    def of_patterns(self) -> tuple[Rule, ...]:
        return (
            self.cluster, self.hot_spots, self.autocorrelation, self.grid, self.heat, self.bands,
        )  # fmt: skip

    def cluster(self) -> Step | None:
        """`cluster the airports within 50 km with at least 5`, `cluster cities into 8 groups`."""
        self.opener()
        if not self.cursor.take("cluster", "clusters of", "group into clusters"):
            return None
        source = self.given()
        if source is None:
            return None
        if self.cursor.take("into", "in"):
            count = self.whole("groups", "clusters", "parts")
            return step("cluster", source, method="kmeans", k=count) if count is not None else None
        distance = self.length() if self.cursor.take("within", "by", "at") else None
        if distance is None:
            return None
        fewest = None
        if self.cursor.take("with at least", "of at least", "and at least"):
            fewest = take_count(self.cursor)
            self.cursor.take("features", "points", "members", "of them", "each")
        return step("cluster", source, distance=distance, **some(minimum=fewest))

    def hot_spots(self) -> Step | None:
        """`hot spots of population in countries`, `hot spots of count`."""
        self.opener()
        if not self.cursor.take(p.HOT_SPOTS):
            return None
        found = self._of_column()
        return (
            step("hot_spots", found[0], column=found[1], **(self.neighbourhood() or _USUAL))
            if found
            else None
        )

    def autocorrelation(self) -> Step | None:
        """`spatial autocorrelation of population in countries`, `local moran's i of …`."""
        self.opener()
        local = self.cursor.take("local", "the local") is not None
        if not self.cursor.take(p.AUTOCORRELATION):
            return None
        found = self._of_column()
        name = "local_autocorrelation" if local else "autocorrelation"
        return step(name, found[0], column=found[1], **(self.neighbourhood() or _USUAL)) if found else None

    def _of_column(self) -> tuple[Features, ColumnWords] | None:
        """`of population in countries`, `of countries by population`; in a chain `of count`."""
        cursor = self.cursor
        if not cursor.take("of", "in", "for", "by"):
            return None
        start = cursor.at
        source = self.features(places=False)
        if source is not None and cursor.take("by", "of"):
            column = self.column_words("source", source)
            return (source, column) if column is not None else None
        cursor.at = start
        column = self.column_words()
        source = (
            self.given() if cursor.take("in", "of", "for", "across", "among", "over") else self.about_result()
        )
        return (source, column) if source is not None and column is not None else None

    def grid(self) -> Step | None:
        """`count the airports in 200 km hexagons`, `a square grid of 100 km over the cities`."""
        cursor = self.cursor
        self.opener()
        shape = _shape(cursor.take(p.CELLS))
        if cursor.take("grid") or shape is not None:
            size = self.length() if cursor.take("of", "with", "by") else None
            cursor.take("cells", "squares", "hexagons")
            source = (
                self.given()
                if size is not None and cursor.take("over", "of", "for", "with", "around")
                else None
            )
        else:
            source, size, shape = self._gridded()
        if source is None or size is None:
            return None
        return step("grid", source, size=size, shape=shape or "hexagon")

    def _gridded(self) -> tuple[Features | None, Quantity | None, str | None]:
        cursor = self.cursor
        if not cursor.take("count", "grid", "bin", "how many", "count the"):
            return None, None, None
        source = self.given()
        cursor.take("are there")
        if source is None or not cursor.take("in", "by", "into", "per", "with"):
            return None, None, None
        size = self.length()
        shape = _shape(cursor.take(p.CELLS))
        cursor.take("cells", "grid", "cell")
        return (source, size, shape) if shape is not None else (None, None, None)

    def heat(self) -> Step | None:
        """`heat surface of the cities with a radius of 200 km in 50 km cells`."""
        cursor = self.cursor
        self.opener()
        if not cursor.take("heat surface", "kernel density", "density surface"):
            return None
        source = self.given() if cursor.take("of", "for") else None
        if source is None:
            return None
        cursor.take(
            "with a radius of", "with a bandwidth of", "with radius", "with bandwidth", "within", "with"
        )
        bandwidth = self.length()
        cell = self.length() if cursor.take("in", "on", "and") else None
        cursor.take("cells", "squares", "grid")
        return step("heat", source, bandwidth=bandwidth, **some(size=cell)) if bandwidth is not None else None

    def bands(self) -> Step | None:
        """`distance bands of 10, 50 and 100 km around the airports`."""
        cursor = self.cursor
        self.opener()
        if not cursor.take("distance bands", "rings", "bands", "isolines"):
            return None
        cursor.take("of", "at", "with")
        lengths = self.lengths()
        source = self.given() if lengths and cursor.take("around", "from", "about") else None
        return step("distance_bands", source, distances=lengths) if source is not None else None


def _shape(said: str | None) -> str | None:
    if said is None:
        return None
    return "square" if said.startswith("square") else "hexagon"
