"""Nouns that are values: `oaks` in a table of trees by species, and `ticket C-10057`, a row by its code."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from agents.domain import Table
from agents.offline.language.conditions.flags import (
    MAX_FLAG_WORDS,
    is_flag,
    is_flag_named,
    without_negation,
)
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import spelt_out, synonyms_of
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.comments import common_words
from agents.offline.language.names.dates import due_dates
from agents.offline.language.names.keys import is_key_name
from agents.offline.language.names.rows import names_rows
from agents.offline.language.names.species import names_species
from agents.offline.language.tokens import words_of
from agents.offline.language.vocabulary import Value, Vocabulary
from agents.offline.language.words import (
    Words,
    fold,
    is_numbered,
    is_participle,
    is_storage_noun,
    may_be_plural,
    name_words,
    singular,
    word_set,
)
from agents.offline.meaning.conditions import ColumnMention, Condition, Matches, Mention, OneOf, joined
from agents.offline.meaning.spellings import is_short_code

NO_ADJECTIVE = word_set("""
    in from with within as by above over below under between where whose having that which is are
    and or but not then of to on at for coloured colored shaded sized labelled labeled than more
    less only me us what how who were was have has had happened occurred do does did
    most least fewest same other second third next last average total number without lacking outside
    about around near among along across inside beside a an cross crosses touch touches border borders intersect
    intersects contain contains overlap overlaps lie lies the there per
""")
"""Words that are never adjectives, nor the last word of a value."""
_ROWS = word_set(
    "record entry row feature case project site item job ticket incident event observation patient sighting"
)
"""Nouns for rows of any table, after a value."""
_BEFORE_ONE = word_set("a an any each every nearest closest")
"""Words before a noun in the singular."""
DENIALS = word_set(
    "without no not never lack lacks lacking don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't"
)
MAX_SINCE_DENIAL = 4
"""Maximum number of words from a denial to `single`: `that do not even have a single airport`."""
_JOINERS = (", and", ", or", "and", "or", ",")
_MOST_OF_VALUE = 4
"""Maximum number of words of a value before its noun."""
_MOST_OF_GROUP = 2
"""Maximum number of last words that several values have in common."""
_MOST_WORDS = 3
"""Maximum number of words for a column before the code of a row."""


def is_denied(cursor: Cursor) -> bool:
    """Whether one of the words before is a denial, as in `do not even have a single airport`."""
    return any(cursor.word(-back) in DENIALS for back in range(1, MAX_SINCE_DENIAL + 1))


class ValueNouns:
    """Rules for values used as nouns."""

    def __init__(self, cursor: Cursor, vocabulary: Vocabulary) -> None:
        self.cursor = cursor
        self.vocabulary = vocabulary

    def own_tables(self) -> Collection[Table]:
        """Tables whose values are meant rather than those of others: for `a school`, after `restaurants within 1 km
        of`, the table of the restaurants."""
        return ()

    def value_before_noun(self, begin: int, take_noun: Callable[[], Mention | None]) -> int:
        """The number of words of a value before its noun, or 0: 2 in `wildlife conflict incidents`, even with a table
        of wildlife; 1 in `tram stops` with a table of “Tram and bus stops”."""
        cursor = self.cursor
        cursor.at = begin
        words, _ = cursor.keys(most=_MOST_OF_VALUE)
        whole = self.vocabulary.match_table(words)
        if whole is not None and any(
            name_words(table.name) == words[: whole.length] for table in whole.found
        ):
            return 0  # `street trees`, of a table with this name
        for words, end in cursor.runs(most=_MOST_OF_VALUE):
            named = [table for table, _, _ in self.vocabulary.values_called(words)]
            having = {
                each.id for each in named if len(words) > 1 or _is_one_of_several(words[0], each.comment)
            }
            cursor.at = end
            mention = take_noun() if having else None
            if mention is not None and having & set(mention.tables):
                return end - begin
        return 0

    def rows_of_whole_value(
        self, take_noun: Callable[[], Mention | None]
    ) -> tuple[Mention, Condition] | None:
        """Rows named by several words that as a whole are one value or its explanation, without another noun: `service
        pipe leaks`, even if another table has pipes; `30 km/h zones`."""
        cursor, start = self.cursor, self.cursor.at
        if cursor.word() == "overdue" and (overdue := self._overdue_things()) is not None:
            return overdue
        cursor.at = start
        longer = self.vocabulary.match_table(cursor.keys()[0])
        for end in range(min(start + _MOST_OF_VALUE, cursor.end), start + 1, -1):
            cursor.at = end
            text = cursor.since(start)
            cursor.at = start
            words = name_words(text)
            known = self.vocabulary.values_called(words) if len(words) > 1 else ()
            is_table = len(known) == 1 and bool(self.vocabulary.tables_called(text))
            is_table |= longer is not None and longer.length > len(words)  # `tram and bus lines`
            is_noun = len(known) == 1 and (
                is_short_code(known[0][2])
                or (may_be_plural(cursor.tokens[end - 1].lower) and names_rows(*known[0]))
            )
            if not is_noun or is_table:
                continue
            ((table, column, code),) = known
            before_noun = self.value_before_noun(start, take_noun)
            cursor.at = start if before_noun else end
            if before_noun:
                return None
            value = OneOf(f'"{code}"', ColumnMention(column, (column,)), "is")
            return Mention(text, (table.id,), of_value=True), value
        return None

    def value_noun(self, *, one: bool = False) -> tuple[Table, str, str] | None:
        """A value in the plural, with its table and column; with `one`, also in the singular."""
        cursor, start = self.cursor, self.cursor.at
        for words, end in cursor.runs(most=3):
            cursor.at = end
            last = cursor.word(-1)
            found = self.vocabulary.match_value(words, self.own_tables()) or self._of_next_noun(words)
            if found is not None and last not in NO_ADJECTIVE and self._is_noun_of(*found[:2]):
                cursor.at += 1
                return found
            named = found is not None and cursor.since(start) == found[2] and found[2][:1].isupper()
            is_row = found is not None and self._is_code_of_row(*found)
            following = cursor.keys(most=1)[0]
            is_before = bool(following) and self.vocabulary.names_rows_by_value(
                following
            )  # `a masked owl nest`
            is_mass = last.endswith("ing") or (found is not None and self._is_species(*found[:2]))
            in_singular = one or is_mass  # `pruning in 2025`
            is_noun = (in_singular and not is_before) or (not named and may_be_plural(last))
            if is_row or (found and is_noun and names_rows(*found)):
                return found  # `LJ-0042`; but `Orleans` is not a plural
        cursor.at = start
        return self._numbered_after_column()

    def _of_next_noun(self, words: Words) -> Value | None:
        """The only value of several whose column the next word names: `full closures` of roads, not `full` access."""
        noun = singular(self.cursor.word())
        found = [each for each in self.vocabulary.values_called(words) if noun in name_words(each[1])]
        return found[0] if len(found) == 1 else None

    def rows_of_values(self, *, one: bool = False) -> tuple[Mention, Condition] | None:
        """Rows named by values in the plural (`oaks` of trees), and the condition that selects them. `one`:
        also in the singular."""
        cursor, start = self.cursor, self.cursor.at
        first, is_list = self._named(one=one), False
        if first is None:
            is_list = self._is_list_before_noun()
            first = self._named(one=True) if is_list else None
        if first is None:
            return self._rows_of_a_flag()
        table, column, _ = first
        named = [first]
        while True:
            end = cursor.at
            joined_on = cursor.take(*_JOINERS)
            more = self._next_named(singular_too=one or is_list) if joined_on is not None else None
            if more is None or more[:2] != (table, column):
                cursor.at = end
                break
            named.append(more)
        mentioned = ColumnMention(column, (column,))
        values = " or ".join(f'"{value}"' for _, _, value in named if not value.startswith(" "))
        whole = [OneOf(values, mentioned, "is")] if values else []
        groups = [Matches("ends", f'"{value}"', mentioned) for _, _, value in named if value.startswith(" ")]
        return Mention(cursor.since(start), (table.id,), of_value=True), joined("or", [*whole, *groups])

    def is_single_of_none(self) -> bool:
        """Whether `single` is no part of a value, as in `without a single IATA airport`."""
        word, following = self.cursor.word(), self.cursor.word(1)
        return (
            word == "single"
            and is_denied(self.cursor)
            and not self.vocabulary.values_called((word, following))
        )

    def _next_named(self, *, singular_too: bool) -> Value | None:
        found = self._named(one=False)
        return self._named(one=True) if found is None and singular_too else found

    def _named(self, *, one: bool) -> Value | None:
        """A value used as a noun, or ` oak`, the end of several values (`oaks` for `Bur oak` and `Red oak`)."""
        found = self.value_noun(one=one)
        if found is not None:
            return found
        cursor, start = self.cursor, self.cursor.at
        is_one = cursor.word(-1) in _BEFORE_ONE
        for words, end in cursor.runs(most=_MOST_OF_GROUP):
            if (group := self.vocabulary.match_group(*words)) is None:
                continue
            cursor.at = end
            if self._is_noun_of(*group[:2]):  # `fox sightings`
                cursor.at += 1
                return (*group[:2], f" {' '.join(words)}")
            if is_one or may_be_plural(cursor.word(-1)) or self._is_species(*group[:2]):
                return (*group[:2], f" {' '.join(words)}")
            cursor.at = start
        return None

    def _is_species(self, table: Table, column: str) -> bool:
        """Whether a value was read that names living things, without a noun for their rows: `osprey`, not `osprey
        nests`."""
        following = self.cursor.keys()[0]
        return names_species(table, column) and not (following and self.vocabulary.match_table(following))

    def value_of_group(self, places: range, rows: Mention, where: Condition | None) -> Condition | None:
        """The value before a noun that others of its column end with: `Liquor`, in `liquor stores` beside “Grocery
        Store”."""
        column = where.column if isinstance(where, Matches) else None
        words = name_words(words_of([self.cursor.tokens[place] for place in places]))
        known = self.vocabulary.values_called(words) if column is not None and words else ()
        values = {(table.id, own): value for table, own, value in known}
        value = values.get((rows.tables[0], column.columns[0])) if column is not None else None
        return OneOf(f'"{value}"', column, "is") if value is not None else None

    def _is_list_before_noun(self) -> bool:
        """`pine marten and red squirrel records`: joined singular values, the last followed by a noun."""
        cursor, start = self.cursor, self.cursor.at
        found = None
        while found is None and self.value_noun(one=True) is not None and cursor.take(*_JOINERS) is not None:
            found = self.value_noun()
        cursor.at = start
        return found is not None

    def _rows_of_a_flag(self) -> tuple[Mention, Condition] | None:
        """`capitals` for the rows of the only table with a yes/no column `is_capital`, `student lets` of
        `student_let`."""
        start = self.cursor.at
        for words, end in self.cursor.runs(most=MAX_FLAG_WORDS):
            noun = " ".join(words)
            tables = self.vocabulary.index.by_flag.get(noun, ())
            if len(tables) == 1 and noun not in NO_ADJECTIVE:
                self.cursor.at = end
                return Mention(self.cursor.since(start), (tables[0].id,), of_value=True), OneOf(
                    noun, how="kind"
                )
        self.cursor.at = start
        return self._flagged_things()

    def _flagged_things(self) -> tuple[Mention, Condition] | None:
        """`uninsured properties` of “Claims of flooded properties”: a yes/no column, or what denies it, and a noun of
        the comment of the only table that has both, or for any rows: `unverified records`."""
        cursor, start = self.cursor, self.cursor.at
        word, noun = cursor.word(), cursor.word(1)
        called = [words for words in ((word,), without_negation(word)) if words]
        tables = [
            table
            for table in self.vocabulary.few_tables
            if may_be_plural(noun)
            if singular(noun) in _ROWS
            or (singular(noun) in common_words(table.comment) and not _is_one_of_several(noun, table.comment))
            if any(is_flag(each) and is_flag_named(each, words) for each in table.columns for words in called)
        ]
        known = self.vocabulary.values_called(name_words(noun)) or self.vocabulary.match_group(singular(noun))
        if len(tables) != 1 or word in NO_ADJECTIVE or known:
            return None  # `green flag parks` are those of a value, too
        cursor.at += 2
        mention = Mention(cursor.since(start), (tables[0].id,), of_value=True)
        return mention, OneOf(word, how="kind")

    def _overdue_things(self) -> tuple[Mention, Condition] | None:
        """`overdue levee inspections`: the rows of the only table with a due date for such things."""
        cursor, start = self.cursor, self.cursor.at
        cursor.at += 1
        words, _ = cursor.keys()
        named = self.vocabulary.match_table(words)
        length = named.length if named is not None else 0
        cursor.at += length
        noun, said = singular(cursor.word()), named.found if named is not None else self.vocabulary.few_tables
        tables = [
            table
            for table in said
            if may_be_plural(cursor.word())
            if any(
                noun in spelt_out(each.name) | {*name_words(each.comment or "")} for each in due_dates(table)
            )
        ]
        if len(tables) != 1:
            return None
        cursor.at += 1
        mention = Mention(cursor.since(start), (tables[0].id,), of_value=True)
        return mention, OneOf("overdue", how="kind")

    def _numbered_after_column(self) -> tuple[Table, str, str] | None:
        """`ticket C-10057`, `pole no. 17-B`: words for a column, then a row's code."""
        cursor, start = self.cursor, self.cursor.at
        token, ahead = cursor.token(1), 1
        while (
            token is not None and token.kind == "word" and not is_numbered(token.text) and ahead < _MOST_WORDS
        ):
            ahead += 1
            token = cursor.token(ahead)
        for words, end in cursor.runs(ahead, most=3):
            found = self.vocabulary.match_value(words)
            column_words = name_words(words_of(cursor.tokens[start : start + ahead]))
            if found is None or not self._is_code_of_row(*found) or not column_words:
                continue
            if columns_called((found[0],), column_words) == [found[1]]:
                cursor.at = end
                return found
        return None

    def _is_code_of_row(self, table: Table, name: str, value: str) -> bool:
        """Whether a value is a code (`LJ-0042`) in a column that numbers the rows or holds only codes."""
        column = table.column(name)
        codes = column is not None and all(map(is_numbered, column.samples))
        return is_numbered(value) and (codes or is_key_name(name))

    def _is_noun_of(self, table: Table, name: str) -> bool:
        """Whether the next word is a noun for the value: a word of the column's name (`vacant land`, `land_use`) that
        names no table, a synonym in its comment (`homes`, for buildings), or `records`, `points`."""
        word, column = self.cursor.word(), table.column(name)
        noun, comment = singular(word), (column.comment if column is not None else None) or ""
        named = (
            noun in _ROWS or noun in name_words(name) or synonyms_of(noun) & {*name_words(comment)}
            or is_storage_noun(table.name, word, table.geometry_family)
        )  # fmt: skip
        return bool(named) and self.vocabulary.match_table((noun,)) is None


def says_no_more(words: Collection[str], table: Table, columns: Sequence[str]) -> bool:
    """Whether words before a value are of its table's or column's name (`former factories`, of a former use), or are
    what a comment says of all rows (`flooded houses` of “Claims of flooded properties”)."""
    if any({*words} <= {*name_words(each)} for each in (table.name, *columns)):
        return True
    own = {word for column in table.columns for word in name_words(column.name)}
    said = common_words(table.comment) - own
    return all(
        is_participle(word) and word in said and not _is_one_of_several(word, table.comment) for word in words
    )


def _is_one_of_several(word: str, comment: str | None) -> bool:
    """Whether a comment names rows of this and other kinds: “Tram and bus stops”."""
    kind = re.escape(word)
    listed = rf"\b{kind}(?:,| and| or) |(?:,| and| or) {kind} "
    return re.search(listed, fold(comment or "")) is not None
