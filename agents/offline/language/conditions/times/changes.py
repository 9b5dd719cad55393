"""Conditions on changes between two years with a column each: `that lost more than 15 % of their students
between 2018 and 2023`."""

from __future__ import annotations

from agents.offline.language.conditions.value_text import ValueRules, ends_value, take_comparator
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.costs import years_in
from agents.offline.language.nouns import take_quantity
from agents.offline.language.words import Phrases, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition, Quantity, joined

MAX_MEASURE_WORDS = 3
_SINCE = ("between", "from", "since")
_OF_THEIR = ("of their", "of its", "of the", "of", "in their", "in its", "in", "their", "its", "the")
RISEN = Phrases("""
    growth | increase[s] | gain[s] | rise | grow | grew | grown | increased | gained | rose | risen
    | [has|have] (went|gone|go) up
""")
FALLEN = Phrases("""
    decrease[s] | decline[d] | drop | loss | losses | lose | lost | shrink | shrank | shrunk | fall | fell | decreased
    | dropped | [has|have] (went|gone|go) down
""")
_NOUNS = frozenset(("growth", "increase", "gain", "rise", "decrease", "decline", "drop", "loss"))
_ENDS = frozenset((*_SINCE, "by", "more", "over", "less", "at", "under", "and", "or", "with", "?", ".", ","))


class Changes(ValueRules):
    """Rules for changes between years."""

    def between_years(self) -> Condition | None:
        """`that lost population since 2010` (up to the latest year), `whose population grew by over 5 %
        between 2010 and 2020`."""
        cursor = self.cursor
        cursor.take("that have", "which have", "that", "which", "have")
        measure = "" if self._direction_follows() else self._measure()
        way = self._take_direction()
        is_noun = cursor.word(-1) in _NOUNS
        if not way:
            return None
        amount, op = self._amount()
        if is_noun and amount is None:
            return None  # `the largest increase in crashes`
        measure = measure or self._measure()
        is_named = bool(measure)
        if not measure and amount is not None and amount.unit is not None:
            measure = "population"  # `gained 500 people`, `grew by more than 10 %`
        years = self._years(measure)
        if years is None or not (is_named or self._measured_in(*years) <= 1):
            return None
        early, late = (self._of_year(measure, each) for each in years)
        if early is None or late is None:
            return None
        changed = Compare(way, early, late)
        if amount is None:
            return changed if cursor.word(-1) != "by" else None
        compared = _by_more(changed, amount, op)
        return compared if op[0] == ">" or compared is None else joined("and", [compared, changed])

    def _direction_follows(self) -> bool:
        start = self.cursor.at
        found = self._take_direction()
        self.cursor.at = start
        return bool(found)

    def _take_direction(self) -> str:
        """The operator between the later and the earlier value; empty if no verb of change follows."""
        return "<" if self.cursor.take(FALLEN) else ">" if self.cursor.take(RISEN) else ""

    def _amount(self) -> tuple[Quantity | None, str]:
        """The amount of change and its comparison operator: `by more than 15 %`, `of over 500`."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("by", "of")
        compared = take_comparator(cursor)
        amount = take_quantity(cursor) if compared is not None else None
        if compared is None or amount is None or compared[0] not in (">", ">=", "<", "<="):
            cursor.at = start
            return None, ""
        return amount, compared[0]

    def _measure(self) -> str:
        cursor = self.cursor
        cursor.take(*_OF_THEIR)
        begin = cursor.at
        while cursor.word() and cursor.word() not in _ENDS and cursor.at - begin < MAX_MEASURE_WORDS:
            if self._direction_follows():
                break
            cursor.at += 1
        return cursor.since(begin)

    def _years(self, measure: str) -> tuple[str, str] | None:
        """The two years; if none is named, the first and last for which there is a column."""
        cursor = self.cursor
        since = cursor.take(*_SINCE)
        known = self._known_years(measure) if since is None and ends_value(cursor) else []
        if len(known) > 1:
            return known[0], known[-1]
        first = cursor.take_number() if since is not None else None
        if first is None:
            return None
        if since == "since":
            known = self._known_years(measure)
            return (first.text, known[-1]) if known else None
        last = cursor.take_number() if cursor.take("and", "to") else None
        return (first.text, last.text) if last is not None else None

    def _known_years(self, measure: str) -> list[str]:
        """The years that have a column for this measure."""
        years = {year for each in self.columns for year in years_in(each.name)}
        return sorted(year for year in years if self._of_year(measure, year) is not None)

    def _measured_in(self, first: str, last: str) -> int:
        """The number of measures with a column for both years: `pop_2010`, `crew_2010`."""
        names = [each.name for each in self.columns if is_number(each)]
        return len({each for each in names if first in each and each.replace(first, last) in names})

    def _of_year(self, measure: str, year: str) -> ColumnMention | None:
        """The only numeric column for this measure and year."""
        words = (*name_words(measure), year)
        names = {name for table in self.tables for name in columns_called((table,), words, is_number)}
        called = measure and len(names) == 1 and year in years_in(next(iter(names)))
        return ColumnMention(f"{measure} {year}", tuple(names)) if called else None


def _by_more(changed: Compare, amount: Quantity, op: str) -> Compare | None:
    """The comparison of the later value with the earlier one plus the amount, absolute or in percent."""
    is_share = amount.unit is not None and amount.unit.dimension == "share"
    if amount.unit is not None and not is_share and amount.unit.dimension != "people":
        return None
    sign = -1.0 if changed.op == "<" else 1.0
    falls = (changed.op == "<") == (op[0] == ">")
    way = ("<" if falls else ">") + op[1:]
    if is_share:
        return Compare(way, changed.value, changed.column, times=round(1 + sign * amount.value / 100, 12))
    return Compare(way, changed.value, changed.column, plus=sign * amount.value)
