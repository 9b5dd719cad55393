"""Conditions that name no column: what is in view, a name, its first letters, a value alone."""

from __future__ import annotations

from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.done_by import DoneBy
from agents.offline.language.conditions.times.days import MONTHS
from agents.offline.language.conditions.value_text import MAX_WORDS_OF_VALUES, ends_value, goes_on
from agents.offline.language.lexicon import ARTICLES
from agents.offline.language.nouns import take_column
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import Condition, InFocus, Matches, Negation, OneOf, joined


class Unlinked(DoneBy):
    """Rules for conditions without a column."""

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

    def kind(self) -> Condition | None:
        """A value alone: `large`, `closed` (the ones that are …)."""
        self.cursor.take("the", "a", "an", p.OF_KIND)
        if self.cursor.word(1) and not ends_value(self.cursor):
            self.cursor.take("still", "currently", "already")
        text = self.value_text()
        words = text.split()
        is_value = bool(words) and words[0] not in _RELATES and not _VERBS & set(text.lower().split())
        return OneOf(text, how="kind") if is_value and len(words) <= MAX_WORDS_OF_VALUES else None


_EACH, _VERBS = word_set("each every"), word_set("has have had does do did")
_RELATES = word_set("""
    border touch cross contain intersect overlap share borders touches crosses contains intersects overlaps shares
    bordering touching crossing containing within near inside outside around along between beyond
""")
"""No value contains the verbs, nor begins with these spatial relations."""
