"""Conditions that name no column: what is in view, a name, its first letters, a value alone."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.done_by import DoneBy
from agents.offline.language.conditions.geometries import take_box
from agents.offline.language.conditions.times.days import take_day
from agents.offline.language.conditions.value_text import (
    MAX_VALUE_WORDS,
    MAX_WORDS_OF_VALUES,
    ends_value,
    goes_on,
)
from agents.offline.language.conditions.verbs import records_only_action
from agents.offline.language.lexicon import ARTICLES, MONTHS
from agents.offline.language.names.comments import common_words
from agents.offline.language.names.dates import times_of
from agents.offline.language.names.keys import is_key_name
from agents.offline.language.nouns import take_column
from agents.offline.language.words import Phrases, are_forms, is_participle, name_words, singular, word_set
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Empty,
    InFocus,
    Matches,
    Negation,
    OneOf,
    joined,
)
from agents.offline.meaning.spellings import is_short_code

_BEGIN_VALUES = word_set("under in on at out off not by for no up non")
"""Words that may begin a value after a noun."""
_BEFORE_TIMES = word_set("in during between before after on from until")
_OF_TIMES = word_set("""
    last this the january february march april may june july august september october november december spring summer
    autumn winter
""")
_DIGITS_OF_YEAR = 4
_OR_MISSING = Phrases("or [is|are] (missing|unknown|empty|blank|not known|not set|not available)")
_ARE = Phrases("that are | which are | that is | which is | are | is")


class Unlinked(DoneBy):
    """Rules for conditions without a column."""

    def whole_value(self) -> Condition | None:
        """Words that as a whole are a value of one column: `under construction`, `not started`, `for sale`.

        `not felt widely` is not the value `not felt` of `felt`, but all that is not `widely`.
        """
        cursor, start = self.cursor, self.cursor.at
        means = cursor.take(p.BY_MEANS)  # `that came in through the app`
        cursor.take("the", "a", "an") if means else cursor.take("with", "having", "about", "to")
        if cursor.at > start and (found := self.known_value(1 if means else 3)) is not None:
            return found  # `with water in the street`
        cursor.at = start
        cursor.take(_ARE)
        found = self.known_value(2) if self.length_of_value() else None
        if found is not None and self.known_value(1, found.column) is None:
            return found  # `are still in hospital`
        cursor.at = start
        cursor.take(_ARE, "still", "currently")
        done = cursor.word().endswith("ed")  # `rejected in 2020`
        if cursor.word() not in _BEGIN_VALUES and not done:
            return None
        begin = cursor.at
        for shortest in (2, 1) if done or cursor.word() == "for" else (2,):
            cursor.at = begin + (shortest == 1 and not done)
            words, _ = cursor.keys(most=MAX_VALUE_WORDS)
            found = self.known_value(shortest)
            if found is None:
                continue
            if done and self._is_dated(words[0]):
                return None
            column = found.column
            another = self.known_value(1, column)
            if another is None:
                return self._or_more(found)
            named = column is not None and set(words[1:2]) <= set(name_words(column.text))
            return Negation(another) if words[0] == "not" and named else None
        return None

    def or_missing(self, found: Condition) -> Condition:
        """`older than 2015 or missing`: also the rows without a value of that column."""
        column = getattr(found, "column", None)
        if not isinstance(column, ColumnMention) or self.cursor.take(_OR_MISSING) is None:
            return found
        return joined("or", [found, Empty(column, unknown=True)])

    def only_of_value(self) -> Condition | None:
        """`high or extreme risk only`, `only high risk`, `iata codes only`, after a comma."""
        cursor, whole = self.cursor, self.cursor.end
        begins = cursor.take("only", "just") is not None
        ahead = cursor.words[cursor.at : cursor.at + MAX_WORDS_OF_VALUES]
        if not begins and "only" not in ahead:
            return None
        cursor.end = whole if begins else cursor.at + ahead.index("only")
        begin = cursor.at
        if (found := self.value_of_column()) is None:
            cursor.at = begin
            cursor.take("with", "having")
            column = take_column(cursor, self.vocabulary, self.tables)
            found = self._of_code(column) if column is not None and cursor.done else None
        is_whole, cursor.end = begins or cursor.done, whole
        return found if is_whole and (begins or cursor.take("only")) else None

    def _of_code(self, column: ColumnMention) -> Condition | None:
        """That rows have a value of a column of yes and no, or of codes; names and numbers are rather to be listed."""
        if self.is_flag(column):
            return Compare("=", True, column)
        own = [each for each in self.columns if each.name in column.columns]
        are_codes = all(each.samples and all(map(is_short_code, each.samples)) for each in own)
        return Negation(Empty(column)) if are_codes else None

    def serving(self) -> Condition | None:
        """`airports serving London`, `that serve London`: a value of the text column “City or place served”."""
        cursor = self.cursor
        cursor.take("that", "which")
        verb, token = cursor.word(), cursor.token(1)
        texts = [each for each in self.columns if each.kind == "text" and verb]
        ends = {each.name: name_words((each.comment or "").partition(",")[0])[-1:] for each in texts}
        names = [
            name
            for name, last in ends.items()
            if last not in ((), (verb,)) and is_participle(last[0]) and are_forms(verb, last[0])
        ]
        if len(names) != 1 or token is None or not token.text[:1].isupper():
            return None
        cursor.at += 1
        text = self.value_text()
        return OneOf(text, ColumnMention(verb, (names[0],)), "is") if text else None

    def in_parentheses(self) -> Condition | None:
        """`airports (above 3000 m) in Peru`."""
        found = self.one() if self.cursor.take("(") else None
        return found if found is not None and self.cursor.take(")") else None

    def by_code(self) -> Condition | None:
        """`for 540045`, `at 540045`: rows of a number, in the only column of codes of as many digits."""
        opener, token = self.cursor.take("for", "at", "of", "from"), self.cursor.take_number()
        if opener is None or token is None or not token.text.isdigit() or not ends_value(self.cursor):
            return None
        names = {
            each.name
            for each in self.columns
            if each.kind == "text" and is_key_name(each.name) and each.samples
            and all(code.isdigit() and len(code) == len(token.text) for code in each.samples)
        }  # fmt: skip
        own = [ColumnMention(name, (name,)) for name in names]
        is_year = len(token.text) == _DIGITS_OF_YEAR
        return OneOf(token.text, own[0], "is") if len(own) == 1 and not is_year else None

    def in_event(self) -> Condition | None:
        """`in Feb 2022`, where this is a value; `in the Feb 2022 flood`, of “Readings during the Feb 2022 flood”: the
        time, called by a noun of the comment."""
        cursor = self.cursor
        opener, begin = cursor.take("in", "during", "from", "of"), cursor.at
        the = cursor.take("the")
        day, noun = take_day(cursor), singular(cursor.word())
        if opener is None or day is None:
            return None
        text = cursor.since(begin + (the is not None))
        own = [each for each in self.vocabulary.values_called(name_words(text)) if each[0] in self.tables]
        if own:
            is_it = len(own) == 1 and ends_value(cursor)
            return OneOf(text, ColumnMention(own[0][1], (own[0][1],)), "is") if is_it else None
        times = [times_of(each) for each in self.tables if noun in common_words(each.comment)]
        if the is None or not times or {len(each) for each in times} != {1} or len(times) < len(self.tables):
            return None
        cursor.at += 1
        return Compare("=", day, ColumnMention(noun, tuple(each.name for (each,) in times)))

    def _is_dated(self, done: str) -> bool:
        """`issued in 2022`: whether a time follows and exactly one date records only this action; what was
        finished since then was issued too."""
        after = self.cursor.token(1)
        if (
            self.cursor.word() not in _BEFORE_TIMES
            or after is None
            or not (after.kind == "number" or after.lower in _OF_TIMES)
        ):
            return False
        dates = [each for each in self.columns if each.kind in ("date", "timestamp")]
        return sum(records_only_action(each, done) for each in dates) == 1

    def _or_more(self, found: OneOf) -> OneOf:
        """The value, and further ones of its column: `permits for shops and offices`, `refused or withdrawn`."""
        while True:
            end = self.cursor.at
            joined_on = self.cursor.take(", or", "or", "and", ",")
            more = self.known_value(1, found.column) if joined_on is not None else None
            if more is None:
                self.cursor.at = end
                return found
            found = replace(found, text=f"{found.text} or {more.text}")

    def focus(self) -> Condition | None:
        self.cursor.take("that are", "which are", "that lie")
        start = self.cursor.at
        self.cursor.take("the")
        if self.cursor.take(p.SELECTED):
            self.cursor.take("ones", "features", "one")
            return InFocus("selected")
        self.cursor.at = start
        if self.cursor.take("here"):
            return InFocus("here")
        if self.cursor.take(p.IN_BOX) and (box := take_box(self.cursor)) is not None:
            return InFocus("view", box)
        self.cursor.at = start
        if self.cursor.take(p.IN_AREA):
            return InFocus("area")
        return InFocus("view") if self.cursor.take(p.IN_VIEW) else None

    def lettered(self) -> Condition | None:
        """`starting with the letter B`, `starting with San`, `ending in land`: a condition on the name."""
        self.cursor.take("that", "which", "whose name", "whose names")
        if not ((starts := self.cursor.take(p.STARTS)) or self.cursor.take(p.ENDS)):
            return None
        self.cursor.take("the letter")
        token = self.cursor.token()
        if token is None or token.kind != "word" or token.lower in {*ARTICLES, *MONTHS} - {"a"}:
            return None  # `starting with the largest`, `ending in March`
        self.cursor.at += 1
        return Matches("starts" if starts else "ends", token.text) if ends_value(self.cursor) else None

    def named(self) -> Condition | None:
        if self.cursor.take(p.NAMED):
            text = self.value_text()
            if text:
                return OneOf(text, how="named")
        return None

    def neither(self) -> Condition | None:
        """`neither large nor small`, `neither vacant nor a shelter`: values, columns or comparisons."""
        parts = [self._lacked()]
        while parts[-1] is not None and self.cursor.take(", nor", "nor"):
            parts.append(self._lacked())
        if len(parts) < 2 or parts[-1] is None:
            return None
        texts = [each.text for each in parts if isinstance(each, OneOf)]
        if len(texts) == len(parts):
            return Negation(OneOf(" or ".join(texts), how="kind"))
        return joined("and", [Negation(each) if isinstance(each, OneOf) else each for each in parts if each])

    def _lacked(self) -> Condition | None:
        """A value, or the negation of a comparison or column: `larger than 500 m2`, `a bench`."""
        start = self.cursor.at
        compared = self.comparison()
        if compared is not None:
            return Negation(compared)
        self.cursor.at = start
        column = take_column(self.cursor, self.vocabulary, self.tables)
        is_value = bool(self.vocabulary.values_called(name_words(self.cursor.since(start))))
        if (
            column is not None
            and not is_value
            and (self.cursor.word() in ("nor", ",") or not goes_on(self.cursor))
        ):
            return self.lacks(column)
        self.cursor.at = start
        self.cursor.take("a", "an")
        text = self.value_text()
        return OneOf(text, how="kind") if text else None

    def out_of(self) -> Condition | None:
        """`hydrants out of service`: a state without a verb before it."""
        is_state = self.cursor.sees("out of") and self.cursor.word(2) not in (
            "the",
            "their",
            "its",
            "this",
            "a",
        )
        return self.kind() if is_state else None

    def kind(self) -> Condition | None:
        """A value alone: `large`, `closed` (the ones that are …)."""
        self.cursor.take("the", "a", "an", p.OF_KIND)
        if self.cursor.word(1) and not ends_value(self.cursor):
            self.cursor.take("still", "currently", "already")
        text = self.value_text()
        words = text.split()
        is_value = bool(words) and words[0] not in _RELATES and not _VERBS & set(text.lower().split())
        return OneOf(text, how="kind") if is_value and len(words) <= MAX_WORDS_OF_VALUES else None

    def _is_unit_of_answer(self, length: int, *, known: bool) -> bool:
        """Whether a final `in km` names a unit; one not `known` must end a column's name (`yield_gpm`)."""
        after = self.cursor.token(length)
        if after is not None and after.text not in ("?", "!", "."):
            return False
        own = (name_words(column.name) for column in self.columns if column.kind in ("integer", "number"))
        return known or any(len(words) > 1 and words[-1] == self.cursor.word() for words in own)


_EACH, _VERBS = word_set("each every"), word_set("has have had does do did")
_RELATES = word_set("""
    border touch cross contain intersect overlap share borders touches crosses contains intersects overlaps shares
    bordering touching crossing containing within near inside outside around along between beyond
""")
"""No value contains the verbs, nor begins with these spatial relations."""
