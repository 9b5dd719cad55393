"""Conditions on what was done at a time, and what was not: `done in March 2025`, `never inspected`, `no maintenance
since 2020`, `that don't run on Sundays`."""

from __future__ import annotations

from dataclasses import replace

from agents.domain import Column
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.comparisons import Comparisons
from agents.offline.language.conditions.times.days import take_period
from agents.offline.language.conditions.verbs import is_empty_where_not, records, records_only_action
from agents.offline.language.names.columns import columns_called
from agents.offline.language.nouns import take_quantity
from agents.offline.language.words import Phrases, fold, is_participle, name_words, singular
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Negation,
    OneOf,
    at_date,
    is_bare_time,
    joined,
)

_DATES = ("date", "timestamp")


DONE_IN = Phrases("""
    [that were|which were|were] (done|made|carried out|conducted|performed|undertaken)
    | [that|which] (happened|occurred|took place)
""")
"""Verbs that say no more than the rows do."""


class NotDone(Comparisons):
    """Rules for actions that did not happen."""

    def one(self) -> Condition | None:
        """One condition of any kind; implemented by the full set of rules."""
        raise NotImplementedError

    def done_in_time(self) -> Condition | None:
        """`inspections done in March 2025`: the time of the rows; `outages that started in May`: the date called so."""
        done = self.cursor.take(DONE_IN)
        if done is None:
            self.cursor.take("that", "which")
            self.cursor.take("are", "is", "were", "was")
            done = self.cursor.word()
            self.cursor.at += 1
        dates = self._dates_of(done.rpartition(" ")[2], is_known=done in DONE_IN)
        found = self.one() if done in DONE_IN or len(dates) == 1 else None
        if found is None or not is_bare_time(found):
            return None
        return at_date(found, ColumnMention(done, tuple(dates))) if len(dates) == 1 else found

    def _dates_of(self, verb: str, *, is_known: bool) -> set[str]:
        """The dates of an action. A verb that is a state, too (`closed`), must be all that the date's name tells."""
        if not (is_known or is_participle(verb) or verb.endswith("ing")):
            return set()
        columns = [each for table in self.tables for each in table.columns]
        is_state = any(fold(value) == verb for each in columns for value in each.samples)
        tells = records_only_action if is_state else records
        return {each.name for each in columns if each.kind in _DATES and tells(each, verb)}

    def not_doing(self) -> Condition | None:
        """`that don't run on Sundays`: false, for a boolean column; `that don't use the euro`."""
        taken, verb = self.cursor.take(p.DO_NOT), self.cursor.word()
        inner = self.one() if taken is not None and verb != "have" else None
        if isinstance(inner, OneOf) and verb == "use":
            return Negation(inner)
        return replace(inner, value=False) if isinstance(inner, Compare) and inner.value is True else None

    def never_done(self) -> Condition | None:
        """`never inspected`, `not inspected since 2020`, `with no inspection since 2020`: rows without a date of it, or
        with an empty column whose comment says “empty where never counted”."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("that have", "which have", "have", "has", "that were", "which were", "were", "was", "are")
        taken = cursor.take(p.NEVER)
        if taken is None:
            return self._nothing_since()
        word = cursor.word()
        known = self.vocabulary.values_called((word,)) if taken != "never" else ()
        if any(table in self.tables for table, _, _ in known):
            return None  # `not closed`, for a column with a value `Closed`
        columns = {each.name: each for table in self.tables for each in table.columns}.values()
        empty = [each for each in columns if is_empty_where_not(each, word)]
        (column,) = found if len(found := empty or self._dated(word)) == 1 else (None,)
        if column is None or not word.endswith(("ed", "en", "wn")):
            return None
        cursor.at += 1
        known_words = {*name_words(column.comment or ""), *name_words(column.name)}
        while cursor.word() in ("by", "on", "in") and cursor.word(1):
            ahead = 2 if cursor.word(1) in ("a", "an", "the") else 1
            if singular(cursor.word(ahead)) not in known_words - {"last"}:
                break
            cursor.at += ahead + 1
        mention = ColumnMention(cursor.since(start), (column.name,))
        if not empty and (ago := self._for_so_long(mention)) is not None:
            return joined("or", [ago, Empty(mention)])
        since = take_period(cursor, mention) or self.comparison(mention) if not empty else None
        return Empty(mention) if since is None else joined("or", [Negation(since), Empty(mention)])

    def _for_so_long(self, column: ColumnMention) -> Compare | None:
        """`for more than two years`, after `not calibrated`: longer ago than that."""
        start = self.cursor.at
        if self.cursor.take("for", "in"):
            self.cursor.take("more than", "over", "at least")
            value = take_quantity(self.cursor)
            if value is not None and value.unit is not None and value.unit.dimension == "time":
                return Compare(">", value, column, measure="old")
        self.cursor.at = start
        return None

    def _nothing_since(self) -> Condition | None:
        """`had no maintenance since 2020`, `without an inspection after May 2021`."""
        cursor = self.cursor
        noun = singular(cursor.word()) if cursor.take("had no", p.WITHOUT) else ""
        dated = self._dated(noun) if noun else []
        cursor.at += 1
        if len(dated) != 1 or cursor.word() not in ("since", "after"):
            return None
        mention = ColumnMention(noun, (dated[0].name,))
        since = self.comparison(mention)
        return joined("or", [Negation(since), Empty(mention)]) if since is not None else None

    def _dated(self, word: str) -> list[Column]:
        """The dates of an action: `last_insp` of `inspected`, `maint_date` of `maintenance`."""
        own = [each for table in self.tables for each in table.columns if each.kind in _DATES]
        recorded = [each for each in own if records(each, word)]
        named = columns_called(self.tables, (word,), lambda each: each.kind in _DATES)
        return recorded or [each for each in own if each.name in named]
