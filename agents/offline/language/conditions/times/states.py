"""Conditions on states at a time: `normally open but currently closed`, `active on 1 September 2025`."""

from __future__ import annotations

import datetime

from agents.domain import Column
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.flags import is_flag, without_negation
from agents.offline.language.conditions.times.in_force import take_in_force
from agents.offline.language.conditions.value_text import MAX_VALUE_WORDS, ValueRules
from agents.offline.language.names.comments import comment_head
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition, Day, OneOf

_NORMAL, _CURRENT = "normal", "current"
_PHRASES = ((_NORMAL, p.NORMALLY), (_CURRENT, p.CURRENTLY))
_CALLED = {
    _NORMAL: word_set("normal normally norm usual usually default regular regularly design designed"),
    _CURRENT: word_set("current currently curr cur present presently actual actually now"),
}
"""Words in names or comments of columns for the normal and the current state."""
_NEUTRAL_WORDS = word_set("is are position state status")


class States(ValueRules):
    """Rules for normal and current states, and for rows that last some time."""

    def in_force(self) -> Condition | None:
        """`active on 1 September 2025`, of rows with a start and an end date. For today, a stored state is
        preferred."""
        start = self.cursor.at
        found = take_in_force(self.cursor, self.tables)
        is_today = found is not None and found.value == Day(datetime.date.today().isoformat())
        if is_today and any(
            table in self.tables
            for word in self.cursor.words[start : self.cursor.at]
            for table, _, _ in self.vocabulary.values_called((word,))
        ):
            self.cursor.at = start
            return None
        return found

    def in_state(self) -> Condition | None:
        """`closed right now`, `that should normally be open`, `currently closed`."""
        if len(self.tables) != 1:
            return None
        cursor = self.cursor
        cursor.take("that are", "which are", "that", "which", "they", "are", "is")
        stated = {self._take_state()}
        cursor.take("are", "is", "be", "set to")
        stated.add(self._take_state())
        begin = cursor.at
        for words, end in cursor.runs(most=MAX_VALUE_WORDS):
            cursor.at = end
            text = cursor.since(begin)
            states = (stated | {self._take_state()}) - {""}
            found = self._of_state(states.pop(), words, text) if len(states) == 1 else None
            if found is not None:
                return found
        return None

    def _take_state(self) -> str:
        return next((state for state, phrases in _PHRASES if self.cursor.take(phrases)), "")

    def _columns(self, state: str) -> list[Column]:
        """The columns for this state; if none is for the current state, those that are not for the normal one."""
        (table,) = self.tables
        own = [each for each in table.columns if each.kind in ("text", "boolean", "integer")]
        found = [each for each in own if _CALLED[state] & _words(each)]
        if not found and state == _CURRENT:
            found = [each for each in own if not is_normal_state(each)]
        return found

    def _of_state(self, state: str, words: tuple[str, ...], text: str) -> Condition | None:
        columns = {each.name: each for each in self._columns(state)}
        known = {
            name for table, name, _ in self.vocabulary.values_called(words) if table in self.tables
        } & columns.keys()
        if known:
            return OneOf(f'"{text}"', ColumnMention(text, tuple(sorted(known))), "is")
        for wanted, flag_words in ((True, words), (False, without_negation(text, columns.values()))):
            flags = [
                each.name
                for each in columns.values()
                if flag_words
                and is_flag(each)
                and {*name_words(each.name)} - _CALLED[state] - _NEUTRAL_WORDS == set(flag_words)
            ]
            if len(flags) == 1:
                return Compare("=", wanted, ColumnMention(text, tuple(flags)))
        return None


def is_normal_state(column: Column) -> bool:
    """Whether a column holds the normal state, which a value alone does not mean."""
    return bool(_CALLED[_NORMAL] & _words(column))


def _words(column: Column) -> set[str]:
    return {*name_words(column.name), *comment_head(column.comment)}
