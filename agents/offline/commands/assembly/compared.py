"""Pieces that set values side by side: `oaks vs limes`, `compare permits in 2024 and 2025 by district`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agents.offline.commands.assembly.measured import MeasuredPieces
from agents.offline.commands.assembly.piece import MAX_VALUE_WORDS, Piece
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.flags import is_flag, without_negation
from agents.offline.language.figures import Listed
from agents.offline.language.grammar import Slot
from agents.offline.language.names.costs import years_in
from agents.offline.language.names.dates import times_of
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Mention,
    OneOf,
    Quantity,
    joined,
)
from agents.offline.meaning.features import Features
from agents.offline.meaning.row_names import name_column

BEFORE_ROWS = word_set("of for in among across from on at the all any our your these those its their")
BETWEEN = BEFORE_ROWS | {"between"}
BEFORE_VALUES = BETWEEN | {",", ":"}
_LISTED, _MANY, _ROWS = Slot("listed", "listed"), Slot("many", "many"), Slot("rows", "bare")


class ComparedPieces(MeasuredPieces):
    """Pieces of groups of some values only, about one table."""

    def _past(self, place: int, words: frozenset[str]) -> int:
        while place < self.cursor.end - 1 and self._word(place) in words:
            place += 1
        return place

    def _groups(self, place: int) -> Iterable[Piece]:
        """`by district`"""
        raise NotImplementedError

    def _compared(self, place: int) -> Iterable[Piece]:
        """The groups of these values, also within others: `2024 and 2025 by district`, `by district in
        2024 and 2025`."""
        for each in [
            *self._values_compared(place),
            *self._codes_compared(place),
            *self._answers_compared(place),
            *self._years_compared(place),
        ]:
            yield each
            self.cursor.at = each.end
            for other in list(self._groups(each.end)):
                if other.where is None and isinstance(other.value, ColumnMention | str):
                    pair, cost = (other.value, each.value), each.cost + other.cost
                    text = f"{other.text if isinstance(other.value, str) else f'by {other.text}'} and {each.text}"
                    yield replace(each, kind="groups", end=other.end, value=pair, cost=cost, text=text)
        self.cursor.at = place
        for each in [
            own for own in self._groups(place) if isinstance(own.value, ColumnMention) and not own.where
        ]:
            for years in list(self._years_compared(each.end)):
                pair = (each.value, years.value)
                yield replace(years, kind="groups", begin=place, value=pair, text=f"by {each.text} and year")

    def _groups_kept(self, place: int) -> Iterable[Piece]:
        """`only countries with at least 20 cities`, of the cities: the noun of the groups, if any, and the condition on
        the number of their rows."""
        is_only = self.cursor.take(p.ONLY_GROUPS) is not None
        begin = self.cursor.at
        for noun, end in [((), begin), *self.cursor.runs(most=MAX_VALUE_WORDS)]:
            self.cursor.at = end
            many = self._tags.spans(_MANY, self.cursor.at) if self.cursor.take(p.GROUPS_WITH) else ()
            for number in many:
                found = [
                    each for each in self._tags.spans(_ROWS, number.end)
                    if each.value.where is None and not each.value.guessed
                    and each.value.mention is not None and self.table.id in each.value.mention.tables
                ]  # fmt: skip
                ends = [each.end for each in found] or ([number.end] if is_only else [])
                for self.cursor.at in ends:
                    yield self._piece("kept", place, (noun, number.value))

    def _splits(self, place: int) -> Iterable[Piece]:
        """`split by severity`, of a chart: a series for each value."""
        if self.cursor.take(p.SPLIT_BY):
            for column in list(self._columns_at(self.cursor.at)):
                yield replace(column, kind="split", begin=place)

    @property
    def _is_comparison(self) -> bool:
        """Whether values joined by `and` are compared."""
        return self.cursor.words[0] == "compare"

    def _values_compared(self, place: int) -> Iterable[Piece]:
        """`India vs China vs Brazil`; after `compare` also `Altheim and Bergfeld`; names of areas around the rows."""
        begin = self._past(place, BETWEEN)
        for span in self._tags.spans(_LISTED, begin):
            listed: Listed = span.value
            if not (listed.is_compared or self._is_comparison):
                continue
            self.cursor.at = span.end
            column = ColumnMention(listed.column, (listed.column,))
            values = OneOf(" or ".join(f'"{each}"' for each in listed.values), column, "is")
            if listed.table == self.table:
                yield replace(self._piece("group", place, column, 1.0), where=values)
            elif _are_named_areas(listed):
                noun = listed.table.name.replace("_", " ")
                areas = Features(Mention(noun, (listed.table.id,)), values, text=" vs ".join(listed.values))
                yield self._piece("group", place, areas, 2.0)

    def _columns_compared(self, place: int) -> Iterable[Piece]:
        """`prepaid vs postpaid`; after `compare` also `cars and motorcycles`: several columns of numbers."""
        for first in list(self._columns_at(self._past(place, BETWEEN))):
            names, end = [first.value.columns], first.end
            while True:
                self.cursor.at = end
                if not (
                    self.cursor.take(p.SET_AGAINST)
                    or (self._is_comparison and (self.cursor.take(p.AND_WITH) or self.cursor.take(",")))
                ):
                    break
                found = next(iter(self._columns_at(self._past(self.cursor.at, BETWEEN))), None)
                if found is None:
                    break
                end = found.end
                names.append(found.value.columns)
            single = tuple(each[0] for each in names if len(each) == 1)
            if len(names) > 1 and len({*single}) == len(names):
                self.cursor.at = end
                text = self.cursor.since(first.begin)
                self.cursor.take(p.OF_ALL)
                yield self._piece("both", place, ColumnMention(text, single), 1.0)

    def _years_compared(self, place: int) -> Iterable[Piece]:
        """`2024 vs 2025`; after `compare` also `in 2024 and 2025`."""
        self.cursor.at = place
        self.cursor.take("in", "of", "for", "from", "between")
        years: list[Condition] = []
        while (year := self.cursor.take_number()) is not None and len(year.text) == len("2024"):
            years.append(Compare("=", Quantity(year.value, text=year.text), measure="time"))
            end = self.cursor.at
            if not (
                self.cursor.take(p.SET_AGAINST) or (self._is_comparison and self.cursor.take(p.AND_WITH))
            ):
                break
            self.cursor.take("in", "of")
        if len(years) > 1:
            self.cursor.at = end
            yield replace(self._piece("group", place, "year"), where=joined("or", years))

    def _years_listed(self, place: int) -> Iterable[Piece]:
        """`2023 and 2024`, also after `in`: the rows of both years."""
        self.cursor.take("in", "of", "for", "during")
        years = [self.cursor.take_number()]
        years += [self.cursor.take_number()] if self.cursor.take("and", "or", "&") else []
        named = [each for each in years if each is not None and len(each.text) == len("2024")]
        if len(named) > 1 and times_of(self.table) and not self._is_comparison:
            values = [Quantity(each.value, text=each.text) for each in named]
            parts: list[Condition] = [Compare("=", each, measure="time") for each in values]
            yield self._piece("condition", place, joined("or", parts), 1.5)

    def _codes_compared(self, place: int) -> Iterable[Piece]:
        """`beat 111 vs 222`: a text column, and one-word codes or names to compare."""
        for column in list(self._columns_at(place)):
            name = column.value.columns[0]
            own = self.table.column(name) if len(column.value.columns) == 1 else None
            codes: list[str] = []
            self.cursor.at = column.end
            while own is not None and own.kind == "text" and (token := self.cursor.token()) is not None:
                if token.text.islower() or token.kind == "sign":
                    break
                codes.append(token.text)
                self.cursor.at += 1
                end = self.cursor.at
                if not self.cursor.take(p.SET_AGAINST):
                    break
            if len(codes) > 1:
                values = OneOf(" or ".join(f'"{each}"' for each in codes), column.value, "is")
                yield replace(column, kind="group", end=end, where=values, text=name)

    def _answers_compared(self, place: int) -> Iterable[Piece]:
        """`restored vs not restored`, `watered versus unwatered`: both answers of a yes/no column."""
        for column in list(self._columns_at(self._past(place, BEFORE_VALUES))):
            self.cursor.at = column.end
            own = self.table.column(column.value.columns[0]) if len(column.value.columns) == 1 else None
            if own is None or not is_flag(own) or not self.cursor.take(p.SET_AGAINST):
                continue
            begin = self.cursor.at
            self.cursor.at += 2 if self.cursor.word() == "not" else 1
            if without_negation(self.cursor.since(begin)) == name_words(column.text):
                yield replace(column, kind="group", end=self.cursor.at)

    def _columns_of_years(self, place: int) -> Iterable[Piece]:
        """`gas use 2024 vs 2025`: the columns of both years."""
        for column in list(self._columns_at(place)):
            self.cursor.at = column.end
            self.cursor.take("in", "of", "for")
            first = self.cursor.take_number()
            joined_on = self.cursor.take(p.SET_AGAINST) or self.cursor.take(p.AND_WITH)
            second = self.cursor.take_number() if first is not None and joined_on else None
            if first is None or second is None:
                continue
            years = (first.text, second.text)
            names = {each for name in column.value.columns for each in self._of_years(name, years)}
            if len(names) == len(years):
                pair = tuple(sorted(names, key=lambda name: years[1] in years_in(name)))
                yield self._piece("both", place, ColumnMention(column.text, pair), 1.0)

    def _of_years(self, name: str, years: Sequence[str]) -> list[str]:
        """The columns of these years that have the name of a column of some year."""
        own = next(iter(years_in(name)), "")
        named = [name.replace(own, each) for each in years] if own else []
        return [each for each in named if self.table.column(each) is not None]


def _are_named_areas(listed: Listed) -> bool:
    """Whether the values are the names of areas."""
    name = name_column(listed.table) if listed.table.geometry_family == "polygon" else None
    return name is not None and name.name == listed.column
