"""The pieces that the rules for operations share: columns, aggregates, lengths, and the words before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.offline.features import FeatureRules, Features
from agents.offline.intents import Quantity
from agents.offline.lexicon import STATISTICS
from agents.offline.nouns import take_count, take_quantity
from agents.offline.steps import ColumnWords, Grouped, Step
from agents.offline.words import name_words, word_set

Rule = Callable[[], Step | Grouped | None]

_MOST_WORDS = 4
_COLUMN_ENDS = word_set("""
    and then with in of for from by within into to on per over across among using as is than have
""")
_FUNCTIONS = {
    "mean": "mean", "median": "median", "sum": "sum", "minimum": "min", "maximum": "max", "largest": "max",
    "highest": "max", "smallest": "min", "lowest": "min", "greatest": "max", "biggest": "max",
    "tallest": "max", "deepest": "max", "longest": "max", "strongest": "max", "shortest": "min", "shallowest": "min",
    "weakest": "min",
}  # fmt: skip


class StepPieces(FeatureRules):
    def column_words(self, of: str = "source", features: Features | None = None) -> ColumnWords | None:
        """A column by name: known to a table at hand, or the words up to where something else begins."""
        cursor = self.cursor
        quoted = cursor.take_string()
        if quoted is not None:
            return ColumnWords(quoted, of)
        start = cursor.at
        known = self.vocabulary.match_column(self._tables(features), cursor.keys()[0])
        found = self.column(features.mention if features is not None else None)
        if found is not None and (known is not None or not self.chained):
            return ColumnWords(found.text, of)
        cursor.at = start
        while cursor.take("the", "their", "its", "column"):
            pass
        begin = cursor.at
        while cursor.at - begin < _MOST_WORDS and not cursor.done and cursor.word() not in _COLUMN_ENDS:
            token = cursor.token()
            if token is None or token.kind != "word":
                break
            cursor.at += 1
        return ColumnWords(cursor.since(begin), of) if cursor.at > begin else None

    def _tables(self, features: Features | None) -> tuple[Any, ...]:
        if features is not None and features.mention is not None:
            return self.tables_of(features.mention)
        return self.roots

    def columns_by(self, features: Features) -> list[ColumnWords]:
        """`by continent`, `by country and kind`."""
        found: list[ColumnWords] = []
        after = self.cursor.at
        joined = self.cursor.take("by", "for each", "per")
        while joined:
            column = self.column_words("source", features)
            if column is None or (found and not self._is_known(column, features)):
                break
            found.append(column)
            after = self.cursor.at
            joined = self.cursor.take(", and", ",", "and")
        self.cursor.at = after
        return found

    def _is_known(self, column: ColumnWords, features: Features) -> bool:
        return self.vocabulary.match_column(self._tables(features), name_words(column.text)) is not None

    def aggregates(self, features: Features, of: str = "source") -> list[dict[str, Any]]:
        """`with total population and mean elevation`, in front of the count."""
        found: list[dict[str, Any]] = []
        while True:
            start = self.cursor.at
            self.cursor.take(", and", "and", ",", "with", "including", "giving", "plus")
            one = self.aggregate(features, of)
            if one is None:
                self.cursor.at = start
                return found
            found.append(one)

    def aggregate(self, features: Features | None, of: str = "source") -> dict[str, Any] | None:
        cursor, start = self.cursor, self.cursor.at
        while cursor.take("the", "their"):
            pass
        word = cursor.word()
        function = _FUNCTIONS.get(STATISTICS.get(word, word))
        if function is not None:
            cursor.at += 1
            cursor.take("number of", "of the", "of")
            column = self.column_words(of, features)
            if column is not None:
                return {"function": function, "column": column}
        cursor.at = start
        return None

    def whole(self, *words: str) -> int | None:
        """`into 8 groups`: a count before one of the words."""
        start = self.cursor.at
        count = take_count(self.cursor)
        if count is None or not self.cursor.take(*words):
            self.cursor.at = start
            return None
        return count

    def neighbourhood(self) -> dict[str, Any]:
        """`within 100 km`, `with 8 neighbours`."""
        start = self.cursor.at
        if self.cursor.take("within"):
            distance = self.length()
            if distance is not None:
                return {"distance": distance}
        self.cursor.at = start
        if self.cursor.take("with", "using"):
            count = self.whole("neighbours", "neighbors", "nearest neighbours", "nearest neighbors")
            if count is not None:
                return {"k": count}
        self.cursor.at = start
        return {}

    def opener(self) -> None:
        """Words that only begin a step."""
        self.cursor.take(
            "show me", "show", "make", "draw", "create", "compute", "calculate", "find", "get", "take", "map"
        )
        self.cursor.take("the", "their", "a", "an", "its")

    def lengths(self) -> list[Quantity]:
        """`10, 50 and 100 km`: the last one's unit serves those without."""
        found: list[Quantity] = []
        while (quantity := take_quantity(self.cursor)) is not None:
            found.append(quantity)
            if not self.cursor.take(", and", ",", "and"):
                break
        unit = found[-1].unit if found else None
        if unit is None or unit.dimension != "length":
            return []
        return [Quantity(each.value, each.unit or unit, each.text) for each in found]


def counted(aggregates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With the count of rows in front; nothing when nothing else is wanted, for the operations count by themselves."""
    return [{"function": "count"}, *aggregates] if aggregates else []


def some(**arguments: Any) -> dict[str, Any]:
    """The arguments that were said."""
    return {name: value for name, value in arguments.items() if value not in (None, False, [], ())}
