"""Rules for the rows of one table: `dissolve countries by continent`, `keep those with a count above 5`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.offline import phrasebook as p
from agents.offline.features import Features
from agents.offline.intents import ColumnMention
from agents.offline.nouns import take_count
from agents.offline.step_pieces import Rule, StepPieces, counted, some
from agents.offline.steps import Kept, Ranking, Step, step
from agents.offline.subjects import Subject

_MEASURES = ("area", "length", "perimeter", "compactness")


class TableRules(StepPieces):
    def of_tables(self) -> tuple[Rule, ...]:
        return (
            self.dissolve, self.summarise, self.calculate, self.measure, self.sample, self.sort, self.rank, self.keep,
        )  # fmt: skip

    def dissolve(self) -> Step | None:
        """`dissolve countries by continent with total population`, `collect the airports by country`."""
        verb = self.cursor.take("dissolve", "merge", "unite", "union all", "union", "collect")
        source = self.given(tail=False) if verb else None
        if source is None:
            return None
        start = self.cursor.at
        by = self.columns_by(source)
        if not by:
            self.cursor.at = start
            source = self._conditions_too(source)
            self.cursor.take("into one", "into a single", "to one", "into one shape", "into a single shape")
            self.cursor.take("shape", "polygon", "area", "feature")
            by = self.columns_by(source)
        if verb in ("merge", "unite") and not by and self.cursor.word() in ("with", "and"):
            return None
        aggregates = self.aggregates(source)
        return step(
            "collect" if verb == "collect" else "dissolve",
            source,
            **some(by=by, aggregates=counted(aggregates)),
        )

    def _conditions_too(self, source: Features) -> Features:
        """With the rows that are meant: `the countries in South America`."""
        if source.mention is None:
            return source
        begin = self.cursor.at
        full = self._conditioned(Subject(source.mention, source.where))
        said = self.cursor.since(begin)
        return replace(source, where=full.where, text=f"{source.text} {said}".strip())

    def summarise(self) -> Step | None:
        """`summarise countries by continent with total population`."""
        if not self.cursor.take("summarise", "summarize", "group", "aggregate"):
            return None
        source = self.given()
        if source is None:
            return None
        by = self.columns_by(source)
        return step("summarise", source, **some(by=by, aggregates=counted(self.aggregates(source))))

    def calculate(self) -> Step | None:
        """`calculate density = population / area_km2 for countries`."""
        cursor = self.cursor
        if not cursor.take("calculate", "compute", "add a column", "add the column", "add column"):
            return None
        name, token = cursor.take_string(), cursor.token()
        if name is None and token is not None:
            name = token.text
            cursor.at += 1
        if not name or not cursor.take("=", "as"):
            return None
        start, depth = cursor.at, 0
        while not cursor.done and (
            depth or cursor.word() not in ("for", "of", "to", "then", "and", ",", ";", "in")
        ):
            depth += {"(": 1, ")": -1}.get(cursor.word(), 0)
            cursor.at += 1
        expression = cursor.since(start)
        cursor.take("for each of", "for", "of", "to", "in")
        source = self.given() if name and expression else None
        return step("calculate", source, name=name, expression=expression) if source is not None else None

    def measure(self) -> Step | None:
        """`measure the area of countries`, `measure the roads`."""
        if not self.cursor.take("measure"):
            return None
        self.cursor.take("the", "their")
        measures = []
        while (word := self.cursor.word().removesuffix("s")) in _MEASURES:
            measures.append(word)
            self.cursor.at += 1
            self.cursor.take("and", ",")
        self.cursor.take("of")
        source = self.given()
        return step("measure", source, **some(measures=measures)) if source is not None else None

    def sample(self) -> Step | None:
        """`sample 100 of the cities`, `a random sample of 100 cities`."""
        self.cursor.take("take", "draw", "show", "pick")
        if not self.cursor.take("a random sample of", "a sample of", "sample", "random"):
            return None
        count = take_count(self.cursor)
        self.cursor.take("random")
        self.cursor.take("of")
        source = self.given() if count is not None else None
        return step("sample", source, n=count) if source is not None else None

    def sort(self) -> Step | None:
        if not self.chained or not self.cursor.take("sort", "order"):
            return None
        source = self.given(tail=False)
        column = (
            self.column_words("source", source) if source is not None and self.cursor.take("by") else None
        )
        if source is None or column is None:
            return None
        rising = self.cursor.take("ascending", "rising", "smallest first") is not None
        self.cursor.take(p.DESCENDING)
        return step("sort", source, by=column, **some(ascending=rising))

    def rank(self) -> Step | None:
        """After another step: `show the ten largest`, `keep the top 5 by count`."""
        if not self.chained:
            return None
        self.cursor.take("show me", "show", "keep only", "keep", "list", "take", "only", "find", "give me")
        top = self.superlative()
        if top is None:
            return None
        self.cursor.take("of them", "ones", "one", "of those", "areas", "features")
        source = Features(text="the result", previous=True)
        by: Any = Ranking(top)
        if self.cursor.take("by"):
            by = self.column_words("source")
        if by is None:
            return None
        return step("top", source, by=by, n=top.limit, **some(smallest=not top.descending))

    def keep(self) -> Step | None:
        """After another step: `keep those with a count above 5`."""
        if not self.chained:
            return None
        only = self.cursor.take(p.ONLY) or self.cursor.take("show me", "show", "list")
        ones = self.cursor.take(p.ONES)
        if only is None or (only in ("show me", "show", "list") and ones is None):
            return None
        self.cursor.take(
            "with a", "with an", "with", "where the", "where", "whose", "that have", "which have"
        )
        start = self.cursor.at
        tables = self.roots
        known = self.conditions(None)
        known.tables = tables
        condition = known.one() if tables else None
        if condition is None:
            self.cursor.at = start
            column = self.column_words()
            condition = known.comparison(ColumnMention(column.text)) if column is not None else None
        if condition is None:
            return None
        return step("filter", Features(text="the result", previous=True), filter=Kept(condition))
