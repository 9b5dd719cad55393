"""Rules for conditions: `above 2000 m`, `in Germany or France`, `with population over 1 million`, `not closed`.

Pieces that need a spatial operation (`within 50 km of …`) are left to the analyst.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.comparisons import any_of
from agents.offline.language.conditions.explained_numbers import take_grade
from agents.offline.language.conditions.flags import ABSENT, OFF, ON, PRESENT
from agents.offline.language.conditions.geometries import take_everywhere, take_geometry, take_near_spot
from agents.offline.language.conditions.joining import all_joined
from agents.offline.language.conditions.ranks import asks_another, starts_superlative
from agents.offline.language.conditions.times.days import take_day, take_period
from agents.offline.language.conditions.times.states import States
from agents.offline.language.conditions.unlinked import Unlinked
from agents.offline.language.conditions.value_text import ends_value, goes_on
from agents.offline.language.lexicon import AFTERWARDS, METHODS, SHADES, STATISTICS
from agents.offline.language.looks.colours import is_value, take_colour, take_ramp
from agents.offline.language.nouns import take_column, take_quantity
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Group,
    Matches,
    Negation,
    OneOf,
    Quantity,
    joined,
)
from agents.offline.meaning.units import unit_named


class Conditions(Unlinked, States):
    """All rules for conditions."""

    def all(self) -> Condition | None:
        """Adjacent conditions, or conditions joined by and, or, but, commas."""
        first = self.one()
        if first is None:
            return None
        others: list[tuple[str, Condition]] = []
        while True:
            start = self.cursor.at
            joiner = self.cursor.take("and", "but", "or", ",", p.ALTHOUGH) or ""
            if joiner == "," and self.cursor.take("and", "or", p.ALTHOUGH):
                joiner = self.cursor.word(-1) or joiner
            following = self.one() or (self.only_of_value() if joiner == "," else None)
            if following is None:
                self.cursor.at = start
                return all_joined(first, others, self.tables)
            others.append((joiner, following))

    def one(self) -> Condition | None:
        cursor, start = self.cursor, self.cursor.at
        is_group = {cursor.word(), cursor.word(1)} & _EACH and cursor.word() in (*_EACH, "of", "in", "for")
        if is_group or take_everywhere(cursor, self.vocabulary):
            cursor.at = start
            return None
        grade = take_grade(cursor, self.vocabulary, self.tables)
        if (
            taken := grade or take_geometry(cursor) or take_near_spot(cursor) or take_period(cursor)
        ) is not None:
            return taken
        found = self._first(
            self.done_in_time, self.in_force, self.in_state, self.out_of, self.about, self.whole_value, self.never_done,
            self.overdue,
            self.stated, self.not_doing, self.negated, self.focus, self.lettered, self.named, self.done_by,
            self.done_by_nobody, self.by_someone, self.made_of, self.flag_is, self.with_column, self.by_column,
            self.comparison, self.beyond_a_column, self.between_years, self.sized, self.by_code,
            self.in_event, self.place, self.in_parentheses, self.serving,
        )  # fmt: skip
        if found is not None:
            return self.or_missing(found)
        if not asks_another(cursor) and (
            cursor.take(p.LINKS)
            or (cursor.take("the") and cursor.take("ones", "one"))
            or cursor.take("ones", "those", "anything")
        ):
            inner = self.one() or self.kind()
            if inner is not None:
                cursor.take("ones")
                return inner
        cursor.at = start
        return None

    def _first(self, *rules: Callable[[], Condition | None]) -> Condition | None:
        start = self.cursor.at
        for rule in rules:
            found = rule()
            if found is not None:
                return found
            self.cursor.at = start
        return None

    def negated(self) -> Condition | None:
        cursor = self.cursor
        cursor.take("that are", "which are", "that do", "which do", "are", "is")
        if without := cursor.take(p.WITHOUT):
            begin = cursor.at
            column = take_column(cursor, self.vocabulary, self.tables)
            is_text = column and without == "with unknown" and not self.holds_numbers(column)
            if column and (is_text or self.is_rows(column)):
                return None  # `but no inspection`, of a table of inspections; `with unknown cause`
            word = cursor.take(p.TOOK_PART) if column is not None else None
            is_number = column and "no" in name_words(column.columns[0]) and not self.is_flag(column)
            if column and not (goes_on(cursor) or is_number):
                missing = without.endswith(("missing", "unknown"))
                return Empty(column, unknown=True) if missing else self.lacks(column, word or "")
            cursor.at = begin
            inner = self.one() or self.kind()
            return inner and Negation(inner)
        if cursor.take(p.NEITHER):
            return self.neither()
        taken, begin = cursor.take(p.NOT), cursor.at
        if taken is None:
            return None
        if taken.startswith("outside"):
            inner = OneOf(text) if (text := self.value_text()) else None
        else:
            inner = self.one() or self.kind()
        cursor.take("ones", "one")
        if inner is None or re.search(r"\( ?\w{1,3} ?\)", cursor.since(begin)):
            return None  # in `outside the flood zone (X)` the code may belong to what is outside
        return Negation(inner)

    def with_column(self) -> Condition | None:
        """One or several: `with a splash pad and a playground`, of columns of yes and no."""
        found = self._with_one_column()
        while _is_presence(found):
            end = self.cursor.at
            column = (
                take_column(self.cursor, self.vocabulary, self.tables) if self.cursor.take(p.AND) else None
            )
            if column is None or not self.is_flag(column) or goes_on(self.cursor):
                self.cursor.at = end
                break
            found = joined("and", [found, self._has(column, "")])
        return found

    def _with_one_column(self) -> Condition | None:
        """`with a population over 1 million`, `whose name contains …`, `with an iata code`, `with 6 lanes`."""
        cursor = self.cursor
        opener = cursor.take(p.WITH)
        if opener is None:
            return None
        shown = cursor.take("a", "an", "the", "their", "its", "some") in ("their", "its")
        found = self._first(
            self.text_in_column, self.stated_twice, self.value_of_column, self.between_years, self.by_column,
            self.comparison,
        )  # fmt: skip
        if found is not None:
            return found
        if shown or opener == "at":  # `with their area` requests a column and restricts nothing
            return None if shown else self._counted()
        allows = opener.split()[-1] in ("allow", "allowing")
        if opener == "where" or allows:  # `where a design overlay applies`, of “Design overlay applies (Y/N)”
            flag = take_column(cursor, self.vocabulary, self.tables)
            if flag is None or not self.is_flag(flag) or goes_on(cursor):
                return None
            return self._has(flag, "") if not allows or self.says_allowed(flag) else None
        if opener.split()[-1] in (
            "with",
            "having",
            "have",
            "has",
            "had",
            "involve",
            "involved",
            "involving",
            "there's",
            "to",
            *_CARRYING,
        ):
            return self.more_than_another() or self._counted() or self.has_or_is() or self.of_value()
        return None

    def _counted(self) -> Condition | None:
        """`with 6 lanes`, `with 3 to 5 floors`, `with 100 to 200 thousand people`."""
        start = self.cursor.at
        between = self.between_numbers()
        column = take_column(self.cursor, self.vocabulary, self.tables) if between is not None else None
        if between is not None and (column or between.has_unit) and not goes_on(self.cursor):
            return replace(between, column=column)
        self.cursor.at = start
        numbers = self.numbers(take_quantity(self.cursor))
        column = take_column(self.cursor, self.vocabulary, self.tables) if numbers else None
        if column is not None and len(numbers) == 1 and self.cursor.take("or", "and"):
            word = self.cursor.take_any(AFTERWARDS)
            self.cursor.at = self.cursor.at if word else start
            return Compare(AFTERWARDS[word], numbers[0], column) if word else None
        if column is not None and not goes_on(self.cursor):
            return any_of(numbers, column)
        self.cursor.at = start
        return None

    def has_or_is(self, *, numbers_only: bool = False) -> Condition | None:
        """`with an iata code` (has a value), `with country Germany` (has this value), `of priority 1`."""
        column = take_column(self.cursor, self.vocabulary, self.tables)
        if column is None or self.cursor.sees("as labels"):
            return None
        if self.cursor.take(p.RUNS_OUT):
            return self.comparison(column) or self._equal(column, negative=False)
        if (between := self.between_numbers(column)) is not None:
            return between
        numbers = self.numbers(self.lone_quantity())
        if numbers:
            return any_of(numbers, column)
        if numbers_only:
            return None
        filler = self.cursor.take(p.TOOK_PART)
        if filler or not goes_on(self.cursor):
            return self._has(column, filler or "")
        if self.cursor.word() in ("is", "of", "=", ">", "<"):
            return None
        if self.is_flag(column) and self._compares_next():
            return self._has(column, "")  # `with asbestos built before 1970`
        text = self.value_text()
        return OneOf(text, column, "is") if text else None

    def _has(self, column: ColumnMention, filler: str) -> Condition:
        return Compare("=", True, column) if self.is_flag(column) else Negation(Empty(column, filler))

    def by_column(self) -> Condition | None:
        """A column followed by its condition."""
        cursor = self.cursor
        cursor.take("did we", "did they", "have we", "we", "they")  # `visit in 2023`
        column = take_column(cursor, self.vocabulary, self.tables)
        if column is None:
            return None
        if cursor.take(PRESENT) or (self.is_flag(column) and cursor.take(ON)):
            return self._has(column, "")
        if cursor.take(ABSENT) or (self.is_flag(column) and cursor.take(OFF)):
            return self.lacks(column)
        if cursor.take(p.FILLED):
            return Negation(Empty(column, unknown=True))
        begin = cursor.at
        if empty := cursor.take(p.EMPTY):
            known = self.vocabulary.values_called((empty.split()[-1],))
            if not any(table in self.tables and name in column.columns for table, name, _ in known):
                return Empty(column, unknown=True)
            cursor.at = begin  # `unknown` is a value of the column
        if self.is_flag(column) and (phrase := cursor.take(p.AFFIRMED)):
            if self.says_allowed(column):
                return Compare("=", not re.search(r"\bnot\b|n't\b", phrase), column)
            return None
        cursor.take(p.RUNS_OUT)
        negative = cursor.take("does not", "do not", "doesn't", "don't", "not") is not None
        for how, phrases in (("contains", p.CONTAINS), ("starts", p.STARTS), ("ends", p.ENDS)):
            if opener := cursor.take(phrases):
                is_other = self.is_flag(column) or self.is_rows(
                    column, any_kind=True
                )  # `stops with a shelter`
                is_figure = self._amount_next() or starts_superlative(cursor) or cursor.word() in STATISTICS
                if opener in ("has", "with") and (is_figure or is_other):
                    return None
                text = self.value_text()
                if text:
                    matches = Matches(how, text, column)  # type: ignore[arg-type]  # how is one of the three
                    return Negation(matches) if negative else matches
                return None
        comparison = None if self.has_no_time(column) else self.comparison(column)
        if comparison is not None:
            return Negation(comparison) if negative else comparison
        return self._equal(column, negative) or self.done_to(column, negative) or self._done_there(column)

    def _done_there(self, column: ColumnMention) -> Condition | None:
        """`permits issued in Old Town`: rows that have the date, in that place."""
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        is_date = all(each.kind in ("date", "timestamp") for each in own)
        if not is_date or not column.text.endswith("ed") or self.cursor.word() not in ("in", "at", "on"):
            return None
        there = self.place()
        return joined("and", [Negation(Empty(column)), there]) if isinstance(there, OneOf) else None

    def _equal(self, column: ColumnMention, negative: bool) -> Condition | None:
        cursor, start = self.cursor, self.cursor.at
        has_time = not self.has_no_time(column)
        when = take_period(cursor, column) if has_time else None
        if when is None and has_time and cursor.take("in the", "during the", "in", "during", "on the", "on"):
            day = take_day(cursor)
            when = Compare("=", day, column) if day is not None else None
        if isinstance(when, Compare) and isinstance(when.value, Quantity) and self.is_amount(column):
            when = None  # `cost this year`
        if when is not None:
            return Negation(when) if negative else when
        cursor.at = start
        listed = cursor.word() == "in" and (after := cursor.token(1)) is not None and after.kind != "word"
        if listed and after is not None and after.kind == "number" and self.is_no_number(column, after.value):
            return None  # `not felt in 2020`, `injured in 2020`: the year is not a value of `felt`
        denied = cursor.take("isn't", "aren't", "wasn't", "weren't")
        link, negative = denied or cursor.take(p.IS), negative != bool(denied)
        if link is None and not (listed and cursor.take("in")):
            return None
        if not self.length_of_value() and cursor.take("not", "neither"):
            negative = not negative
        if cursor.take("true", "yes"):
            return Compare("=", not negative, column)
        if cursor.take("false", "no"):
            return Compare("=", negative, column)
        comparison = self.comparison(column)
        if comparison is None and (day := take_day(cursor)) is not None:
            comparison = Compare("=", day, column)
        if comparison is None and (numbers := self.numbers(self.lone_quantity())):
            comparison = any_of(numbers, column)
        if comparison is None:
            if link == "of" and self.holds_numbers(column):
                return None  # `population of Argentina` is a question
            opened = cursor.take("(") is not None
            text = self.value_text()
            comparison = OneOf(text, column, "is") if text and (not opened or cursor.take(")")) else None
        if comparison is None:
            cursor.at = start
            return None
        return Negation(comparison) if negative else comparison

    def place(self) -> Condition | None:
        """`in Germany`, `from Peru or Chile`; not `in red`, `in viridis`, `within 50 km of`, `in 7 classes`."""
        cursor = self.cursor
        cursor.take("that are", "which are", "that lie", "lying", "located", "situated", "are", "is")
        if cursor.take(p.OF_KIND):
            return self.kind()
        opener = cursor.take(p.IN)
        if opener is None:
            return self.value_or_column() if cursor.take("under") else None
        if opener == "on" and cursor.word() in ("top", "record"):
            return None
        begin = cursor.at
        token = cursor.token()
        if opener in ("of", "in"):
            if opener == "of" and (found := self._first(self.comparison, self.by_column)) is not None:
                return found
            if (numbered := self.has_or_is(numbers_only=True)) is not None:
                return numbered
            cursor.at = begin
        if (day := take_day(cursor)) is not None:
            return Compare("=", day, measure="time")
        if token is None or token.kind == "number":
            return self._year(opener)
        # `in Blue` is a colour; `in “Blue”`, or a colour that continues (`in Orange County`), is a name.
        if opener == "from" and cursor.word(1) == "to" and cursor.word() in SHADES:
            return None  # `from light to dark green`
        coloured = token.kind == "word" and (take_colour(cursor) or take_ramp(cursor))
        sized = (after := cursor.token()) is not None and after.kind == "number"  # `in orange 4 px wide`
        if (
            coloured
            and not is_value(cursor.since(begin), self.vocabulary, self.tables)
            and (sized or ends_value(cursor) or (opener == "from" and cursor.word() == "to"))
        ):
            return None
        cursor.at = begin
        unit = unit_named(cursor.word(), cursor.word(1)) if opener == "in" else None
        if opener == "in" and self._is_unit_of_answer(
            unit[1] if unit is not None else 1, known=unit is not None
        ):
            return None
        if cursor.word() in METHODS or any(map(cursor.sees, ("total", "general", "shades of", "tones of"))):
            return None
        if (named := self.named_by_column()) is not None:
            return named
        cursor.take(p.PLACE_NOUNS)
        text = self.value_text()
        return (self.of_column(text) or OneOf(text, how="of" if opener == "of" else "in")) if text else None

    def _year(self, opener: str) -> Condition | None:
        """`in 2019`, `in 2020 or 2021`: whole years of a date column."""
        years: list[Condition] = []
        while True:
            token = self.cursor.take_number()
            if opener not in ("in", "from", "of") or token is None or not re.fullmatch(r"\d{4}", token.text):
                return None
            years.append(Compare("=", Quantity(token.value, text=token.text), measure="time"))
            after = self.cursor.token(1)
            if self.cursor.word() not in ("or", "and", ",") or after is None or after.kind != "number":
                break
            self.cursor.at += 1
        return joined("or", years) if ends_value(self.cursor) else None


def _is_presence(condition: Condition | None) -> TypeGuard[Condition]:
    """Whether a condition says that there is something, or several things."""
    if isinstance(condition, Group):
        return condition.op == "and" and all(map(_is_presence, condition.parts))
    inner = condition.inner if isinstance(condition, Negation) else condition
    return (isinstance(inner, Compare) and inner.value is True) or isinstance(inner, Empty)


_EACH, _CARRYING = word_set("each every"), ("carry", "carries", "carrying")
