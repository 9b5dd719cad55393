"""Conditions on actions and who performed them: `owned by the city`, `rejected`, `that nobody operates`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.comparisons import any_of
from agents.offline.language.conditions.explained_numbers import explains_number, values_in
from agents.offline.language.conditions.flags import is_flag, says_allowed, take_flag
from agents.offline.language.conditions.not_done import WE_DID, NotDone
from agents.offline.language.conditions.value_text import goes_on, values_known
from agents.offline.language.conditions.verbs import is_given_by, outcome_of, records
from agents.offline.language.lexicon import WAYS, spelt_out
from agents.offline.language.names.columns import columns_called, fits_column
from agents.offline.language.names.comments import comment_head
from agents.offline.language.names.costs import COUNTS
from agents.offline.language.names.rows import columns_alike
from agents.offline.language.nouns import take_column
from agents.offline.language.words import (
    Phrases,
    are_forms,
    doers_of,
    english,
    fold,
    name_words,
    participle_of,
    singular,
)
from agents.offline.meaning.columns import is_number, is_point_in_time
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Negation,
    OneOf,
    Quantity,
    joined,
)
from agents.offline.meaning.units import column_unit, is_year

_AT_ITS = re.compile(r"^(?:at|in|on|of|from|after|during) (?:its|their|the) ")
_ARE, _RUN = Phrases("[that|which] (are|is|were)"), frozenset(("manage", "operate", "run"))
_WHEN_IT = Phrases("(when|while) it (was|is)")
_MOST_WORDS = 4
"""Maximum length of a value that is looked up."""


class DoneBy(NotDone):
    """Rules for actions."""

    def comparison(self, column: ColumnMention | None = None) -> Condition | None:
        """The same, but no time for a column of amounts: `maintained since 2020` does not mean `maint_eur`; and of a
        number, no text: `groundwater deeper than 30 m` is not its category."""
        start = self.cursor.at
        found = super().comparison(column)
        if (
            isinstance(found, Compare)
            and isinstance(found.value, Quantity)
            and column
            and self.is_text(column)
        ):
            numbers = columns_called(self.tables, name_words(column.text), is_number)
            return replace(found, column=replace(column, columns=tuple(numbers))) if numbers else found
        is_time = isinstance(found, Compare) and found.measure == "time"
        is_other = is_time and column is not None and self._holds_amounts(column)
        if is_other or (column is not None and self._is_measured_count(column, found)):
            self.cursor.at = start
            return None
        return found

    def _is_measured_count(self, column: ColumnMention, found: Condition | None) -> bool:
        """Whether a column of counts is compared with a length: `pupils more than 2 km from …`, of `n_pup`."""
        value = found.value if isinstance(found, Compare) else None
        unit = value.unit if isinstance(value, Quantity) else None
        counts = all(COUNTS & {*name_words(each)} for each in column.columns)
        return unit is not None and unit.dimension == "length" and counts

    def _holds_amounts(self, column: ColumnMention) -> bool:
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        numbers = [each for each in own if isinstance(each.minimum, int | float)]
        return any(not is_point_in_time(each) and not is_year(float(each.minimum or 0)) for each in numbers)

    def done_by(self) -> Condition | None:
        """`owned by the city`, `rated unacceptable`, `classified as urban`: the value of the column for the action.
        Without `by`, only common values count."""
        cursor = self.cursor
        if cursor.take(p.BELONGS):
            owners = tuple(self._columns_of(doers_of("own") | {"own"}))
            if not (text := self.value_text()):
                return None
            return OneOf(text, ColumnMention("owner", owners), "is") if owners else OneOf(text, how="in")
        cursor.take(_ARE)
        did, said = cursor.take(*WE_DID) is not None, cursor.word()
        word = participle_of(said) if did else said
        verb = english().irregular.get(word)
        if did and (own := self.vocabulary.values_called((word,))):
            cursor.at += 1
            columns = {column for table, column, _ in own if table in self.tables}
            return OneOf(f'"{word}"', ColumnMention(said, tuple(columns)), "is") if columns else None
        if not (word.endswith("ed") or word == "run" or verb is not None):
            return None
        verbs = frozenset((verb,) if verb is not None else (word.removesuffix("ed"), word.removesuffix("d")))
        verbs = _RUN if verbs & _RUN else verbs
        doers = frozenset(doer for each in verbs for doer in doers_of(each))
        done = [word, *map(participle_of, sorted(verbs & _RUN))]
        names = self._columns_of(doers) or next(filter(None, map(self._text_columns_of, done)), [])
        cursor.at += 1
        numbered = None if (by := cursor.take("by a", "by an", "by")) else self._numbered(word)
        if numbered is None and not by and cursor.take("as", "at"):
            numbered = self._numbered(word)
        if numbered is not None:
            return numbered
        if not names and not by and (outcome := outcome_of(self.tables, word)) is not None:
            return OneOf(f'"{outcome[1]}"', ColumnMention(word, outcome[:1]), "is")
        text = (self.value_text() if by else self._common_value(names)) if names else ""
        if not names and by and verbs & _RUN:  # `run by Seqwater`, of a column `owner` with that value
            names = self._columns_of(doers_of("own"))
            text = self._common_value(names)
        return OneOf(text, ColumnMention(word, tuple(dict.fromkeys(names))), "is") if text else None

    def _common_value(self, names: Sequence[str]) -> str:
        """The longest run of words that is a common value of these columns, or several: `dead or poor`."""
        first = self._one_common_value(names)
        values = [first] if first else []
        while values:
            end = self.cursor.at
            joined_on = self.cursor.take(", or", "or", "and", ",")
            more = self._one_common_value(names) if joined_on is not None else ""
            if not more:
                self.cursor.at = end
                break
            values.append(more)
        return " or ".join(values)

    def _one_common_value(self, names: Sequence[str]) -> str:
        start = self.cursor.at
        for words, end in self.cursor.runs(most=_MOST_WORDS):
            known = self.vocabulary.values_called(words)
            found = {value for table, column, value in known if table in self.tables and column in names}
            if len(found) == 1:
                self.cursor.at = end
                (value,) = found
                is_code = {*name_words(value)}.isdisjoint(words)  # `zoned commercial`, of “GE commercial”
                return self.cursor.since(start) if is_code else f'"{value}"'
        return ""

    def _numbered(self, verb: str) -> Condition | None:
        """`rated 4 or 5`, `scored above 80`: numbers of a column named after the action (`cond_rating`)."""
        own = [each for table in self.tables for each in table.columns if each.name not in table.key]
        names = [each.name for each in own if is_given_by(each, verb)]
        if not names:
            return None
        start, column = self.cursor.at, ColumnMention(verb, tuple(dict.fromkeys(names)))
        found = self.comparison(column) or self.between_numbers(column)
        numbers = self.numbers(self.lone_quantity()) if found is None else []
        found = found or (any_of(numbers, column) if numbers else None)
        if found is not None and (than := self.cursor.take(p.OR_WORSE)) is not None:
            found = OneOf(f"{numbers[0].text} {than}", column, "is") if len(numbers) == 1 else None
        if found is None:
            self.cursor.at = start
        return found

    def _text_columns_of(self, verb: str) -> list[str]:
        """The text columns named after the action: `cond_rating` for `rated`."""
        own = [each for each in self.columns if each.kind == "text"]
        return columns_called(self.tables, (verb,), lambda each: each.kind == "text") or [
            each.name for each in own if any(are_forms(verb, word) for word in name_words(each.name))
        ]

    def _columns_of(self, words: frozenset[str]) -> list[str]:
        """The columns with one of the words in their names; prefers `winner` to `prev_winner`."""
        own = [
            c.name
            for c in self.columns
            if not words.isdisjoint(spelt_out(c.name)) or words & {*comment_head(c.comment)[-1:]}
        ]
        return [each for each in own if set(name_words(each)) <= words] or own

    def done_by_nobody(self) -> Condition | None:
        """`that nobody operates`: rows without a value of `operator`."""
        cursor = self.cursor
        cursor.take("that", "which")
        if not cursor.take("nobody", "no one", "no-one"):
            return None
        names = tuple(dict.fromkeys(self._columns_of(doers_of(singular(cursor.word())))))
        if len(names) != 1:
            return None
        cursor.at += 1
        return Empty(ColumnMention(cursor.word(-1), names))

    def by_someone(self) -> Condition | None:
        """`sightings by C. Wolf`: a capitalised name that is not a column."""
        cursor = self.cursor
        token = cursor.token(1)
        if cursor.word() != "by" or token is None or token.kind != "word" or not token.text[:1].isupper():
            return None
        cursor.at += 1
        start = cursor.at
        if take_column(cursor, self.vocabulary, self.tables) is not None:
            return None
        cursor.at = start
        text = self.value_text()
        return OneOf(text, how="kind") if text else None

    def about(self) -> Condition | None:
        """`complaints about low pressure`, `closed as no further action`: a common value of one column; `while it was
        dark`."""
        if self.cursor.take(_WHEN_IT):
            return OneOf(text, how="kind") if (text := self.value_text()) else None
        return self.of_value() if self.cursor.take(p.ABOUT) else None

    def made_of(self) -> Condition | None:
        """`paved with asphalt`: the value of a column `surface`; `because of snow`: of a column `reason`."""
        kinds = (p.MADE_OF, p.MATERIALS), (p.BECAUSE, p.REASONS)
        start = self.cursor.at
        nouns = next((nouns for opener, nouns in kinds if self.cursor.take(opener)), frozenset())
        phrase = self.cursor.since(start)
        names = self._columns_of(nouns)
        text = self.value_text() if names else ""
        return OneOf(text, ColumnMention(phrase, tuple(dict.fromkeys(names))), "is") if text else None

    def of_value(self) -> Condition | None:
        """`lanes with asphalt`: a common value of exactly one column, or of columns for the same thing."""
        begin, text = self.cursor.at, self.value_text()
        if not all(self.vocabulary.values_called(name_words(each)) for each in values_in(text)):
            self.cursor.at = begin
            self.cursor.take("a", "an")
            texts = {each.name for each in self.columns if each.kind == "text"}
            text = self._common_value([*texts]).replace('"', "")
        known = [self.vocabulary.values_called(name_words(each)) for each in values_in(text)]
        columns = [{column for table, column, _ in each if table in self.tables} for each in known]
        names = tuple(set.intersection(*columns)) if text else ()
        self.cursor.take(p.TOOK_PART) if names else None
        alike = {each.name for table in self.tables for name in names for each in columns_alike(table, name)}
        if alike and {*names} <= {names[0], *alike}:
            each_one = re.search(r" and an? ", self.cursor.since(begin), re.IGNORECASE)
            parts = values_in(text) if each_one else [" or ".join(values_in(text))]
            return joined("and", [OneOf(each, how="kind") for each in parts])  # `with a truck and a bicycle`
        return OneOf(text, ColumnMention(names[0], names), "is") if len(names) == 1 else None

    def value_of_column(self) -> Condition | None:
        """`with high flood risk`: a common value, then its column."""
        found = self.of_column(self.value_text())
        names = found.column.columns if found is not None and found.column is not None else ()
        own = [each for each in self.columns if each.name in names]
        is_known = found is not None and set(map(fold, values_in(found.text))) <= values_known(own)
        return found if is_known else None

    def stated_twice(self) -> Condition | None:
        """`high nitrate, more than 50 mg/l`, `low coverage (below 55 %)`: the comparison defines the adjective."""
        way = WAYS.get(self.cursor.word(), "")
        self.cursor.at += 1
        column = take_column(self.cursor, self.vocabulary, self.tables) if way else None
        opened = self.cursor.take("(", ",", "i.e.", "of") if column is not None else None
        found = self.comparison(column) if column is not None else None
        agrees = isinstance(found, Compare) and found.op.startswith(way)
        return found if agrees and (opened != "(" or self.cursor.take(")")) else None

    def value_or_column(self) -> Condition | None:
        """`under poor condition`, `under forest`: a value with its column, or a common value of one column."""
        begin = self.cursor.at
        found = self.of_column(self.value_text())
        self.cursor.at = begin if found is None else self.cursor.at
        return found or self.of_value()

    def of_column(self, text: str) -> OneOf | None:
        """`in poor condition`: a value, then its column."""
        words = text.split()
        texts = {c.name for c in self.columns if c.kind == "text"}
        for at in range(1, len(words)):
            last = _AT_ITS.sub("", " ".join(words[at:]))
            value = " ".join(words[:at])
            texts |= {c.name for c in self.columns if explains_number(c, value)}
            exact = [name for name in texts if name_words(name) == name_words(last)]
            called = (name for name in self.vocabulary.columns_called(self.tables, last) if name in texts)
            names = exact or self._columns_with(value, last) or list(called)
            if len(names) == 1 and not last[:1].isupper():
                return OneOf(value, ColumnMention(last, tuple(names)), "is")
        return None

    def _columns_with(self, text: str, noun: str) -> list[str]:
        """The columns that have the values, and the noun in their name or comment: `surf_cond` for `poor surface`."""
        found: list[set[str]] = []
        for value in values_in(text):
            own = self.vocabulary.values_called(name_words(value))
            found.append(
                {
                    name
                    for table, name, _ in own
                    if table in self.tables and fits_column(table, name, name_words(noun))
                }
            )
        return sorted(set.intersection(*found))

    def done_to(self, column: ColumnMention, negative: bool) -> Condition | None:
        """`that cross a river`, for a column `crosses`."""
        name = column.columns[0]
        is_verb = len(column.columns) == 1 and name_words(name) != tuple(fold(name).split("_"))
        text = self.value_text() if is_verb and self.is_text(column) else ""
        one = text.removeprefix("the ").removeprefix("a ").removeprefix("an ")
        columns = (own for table in self.tables if (own := table.column(name)) is not None)
        if not one or fold(one) not in {fold(value) for own in columns for value in own.samples}:
            return None
        found = OneOf(one, column, "is")
        return Negation(found) if negative else found

    def is_rows(self, column: ColumnMention, *, any_kind: bool = False) -> bool:
        """Whether the words for a column of dates name the rows themselves, which none of them can lack."""
        found = self.vocabulary.match_table(name_words(column.text))
        own = [own for table in self.tables if (own := table.column(column.columns[0])) is not None]
        dated = any(each.kind in ("date", "timestamp") for each in own)
        return (
            (dated or any_kind)
            and found is not None
            and not found.guessed
            and any(table in self.tables for table in found.found)
        )

    def lacks(self, column: ColumnMention, filler: str = "") -> Condition:
        """The condition that a flag is false, or true for `no take` of `no_take`, or that a column is empty."""
        is_denial = name_words(column.columns[0])[0] == "no"
        return Compare("=", is_denial, column) if self.is_flag(column) else Empty(column, filler)

    def is_flag(self, column: ColumnMention) -> bool:
        """Whether a column holds yes or no."""
        found = [own for table in self.tables if (own := table.column(column.columns[0])) is not None]
        return bool(found) and all(map(is_flag, found))

    def is_amount(self, column: ColumnMention) -> bool:
        """Whether a column holds numbers other than years: `cost this year` does not compare the cost with a year."""
        found = [own for table in self.tables if (own := table.column(column.columns[0])) is not None]
        return bool(found) and all(is_number(each) and not is_point_in_time(each) for each in found)

    def has_no_time(self, column: ColumnMention) -> bool:
        """Whether a column holds yes or no, and no other one tells when, as `burn_year` does for `burned`."""
        return self.is_flag(column) and not any(
            is_point_in_time(each) and records(each, word)
            for each in self.columns
            for word in name_words(column.text)
        )

    def says_allowed(self, column: ColumnMention) -> bool:
        """Whether yes in the column means allowed, not banned."""
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        return all(map(says_allowed, own))

    def is_no_number(self, column: ColumnMention, number: float) -> bool:
        """Whether a number after `in` is not a value of the column: it holds text, flags, money, or numbers other than
        years."""
        own = [each for table in self.tables if (each := table.column(column.columns[0])) is not None]
        units = [unit.dimension for each in own if (unit := column_unit(each)) is not None]
        is_other = self.is_text(column) or self.has_no_time(column) or "currency" in units
        return is_other or (self._holds_amounts(column) and is_year(number))

    def is_text(self, column: ColumnMention) -> bool:
        """Whether a column holds text."""
        own = (table.column(name) for table in self.tables for name in column.columns[:1])
        return {each.kind for each in own if each is not None} == {"text"}

    def named_by_column(self) -> Condition | None:
        """`in tariff zone A`, `in the time zone Asia/Tokyo`: a text column and its value, as a name."""
        start = self.cursor.at
        amount = self.cursor.take("no", "a", "an", "any")  # `on a cycle highway`: on any
        column = take_column(self.cursor, self.vocabulary, self.tables)
        if amount:
            if column is not None and not goes_on(self.cursor) and (amount == "no" or self.is_text(column)):
                return Empty(column) if amount == "no" else Negation(Empty(column))
            self.cursor.at = start
            return None
        token = self.cursor.token()
        is_name = token is not None and (token.kind == "string" or token.text[:1].isupper())
        if column is not None and is_name and self.is_text(column):
            begin = self.cursor.at
            text = self.value_text()
            if not text and token is not None:  # `zone A`
                self.cursor.at = begin + 1
                text = token.text
            return OneOf(text, column, "is")
        self.cursor.at = start
        return None

    def flag_is(self) -> Condition | None:
        """`at risk`, `that are on the list of buildings at risk`: the name of a flag, or the words of its comment."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("that are", "which are", "that is", "which is", "are", "is")
        whole = take_column(cursor, self.vocabulary, self.tables)
        if whole is not None and " " in whole.text and not goes_on(cursor) and self.is_flag(whole):
            return Compare("=", True, whole)
        cursor.at = start
        if (flag := take_flag(cursor, self.tables)) is not None and not goes_on(cursor):
            return Compare("=", True, ColumnMention(flag.name.replace("_", " "), (flag.name,)))
        cursor.at = start
        return None
