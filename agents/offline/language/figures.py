"""Tags for columns and their figures: `average elevation`, `residential parcel area`, `dwellings approved in May`.

Counted things may be mentioned without their rows (`birds seen in May`): the tables with such a column are then
meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from agents.domain import Column, Table
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span
from agents.offline.language.conditions.ranks import take_function
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.conditions.verbs import records
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ANALYSIS_FUNCTIONS, spelt_out
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.names.costs import is_cost_of
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.nouns import are_counts, skip_hint, take_column
from agents.offline.language.pieces import ANY_WORD, Pieces
from agents.offline.language.subjects import Subject
from agents.offline.language.tokens import words_of
from agents.offline.language.words import fold, name_words, singular, word_set
from agents.offline.meaning.conditions import ColumnMention, Condition, Mention, OneOf, Top, all_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.individuals import numbers_in_rows, numbers_of_things
from agents.offline.meaning.intents import Statistic
from agents.offline.meaning.steps import ColumnWords
from agents.offline.meaning.units import column_unit, unit_per

MAX_COLUMN_WORDS = 4
UNKNOWN_COLUMN, WITH_ITS_ROWS = 3.0, 0.1
"""Costs of a column that no table here has, and of a column with its table's noun, which more likely names
the table."""
_COLUMN_ENDS = word_set("""
    and then with in of for from by within into to on per over across among using as is than have
""")
_KINDS = word_set("species taxa kinds")  # several rows may count the same ones
_SAME_IN_PLURAL = word_set("people children sheep fish deer data")
_ADDED_UP = ("area", "long", "people")
"""Measures that are summed if no function is named."""
_TOTALS = word_set("use usage consumption production generation emissions")
"""Nouns for amounts that add up: `gas use`."""
_ADDED_UP_UNITS = ("currency", "mass", "power")
"""Dimensions of units that are summed likewise."""
_OF_EACH = word_set("average mean median rate share percent percentage per ratio density index lane track")
"""Words for figures that cannot be summed: `avg_wage_eur`, `ed_rate_10k`, lanes of road segments."""
_PRICES = word_set("price tariff fee fare wage salary rent toll")
"""Amounts that belong to single rows; they are summed only on request."""
_CHARGES = word_set("fees fares tolls")  # plurals that mean the sum over rows: `top 5 clubs by fees`
_FLOWS = re.compile(r"\b(average|mean|daily|hourly|per (day|hour|weekday))\b")


def number_of_things(tables: Sequence[Table], rows: Subject) -> Statistic | None:
    """The sum of individuals: how many lapwings."""
    numbers = numbers_of_things(tables, rows.mention)
    return Statistic("sum", ColumnMention(numbers[0], numbers), rows.mention, rows.where) if numbers else None


def _numbers_of(table: Table, words: tuple[str, ...]) -> tuple[str, ...]:
    """The columns for a number of things: `individuals` for birds, in bird sightings."""
    *what, of = name_words(table.name)
    return numbers_in_rows(table) if len(words) == 1 and words[0] in what and words[0] != of else ()


def is_of_each(column: Column, words_for_it: str = "") -> bool:
    """Whether a column holds averages, rates or shares, whose sum is meaningless."""
    unit, per = column_unit(column), unit_per(column)
    of_a_size = unit is None and name_words(column.name)[-1:] in (("ha",), ("km2",))  # `yield_t_ha`
    of_a_size |= per is not None and per.dimension in ("area", "length")
    words = spelt_out(column.name) | set(name_words(words_for_it))
    return of_a_size or bool(words & _OF_EACH) or (unit is not None and unit.dimension == "share")


def adds_up(table: Table, names: Sequence[str], said: str) -> bool:
    """Whether columns are summed if no function is named: measures, and counts if `said` is plural."""
    columns = [column for name in names if (column := table.column(name)) is not None]
    words, last = fold(said).split(), fold(said).split()[-1]
    is_price = _CHARGES.isdisjoint(words) and any(spelt_out(each.name) & _PRICES for each in columns)
    of_each = any(is_of_each(each, said) or is_cost_of(each.name, said) for each in columns)
    if is_price or of_each or last in _KINDS:
        return False
    if not _TOTALS.isdisjoint(words):
        return True
    measured = {name for measure in _ADDED_UP for name in measure_columns(table, measure)}
    units = {each.name: unit for each in columns if (unit := column_unit(each)) is not None}
    measured |= {name for name, unit in units.items() if unit.dimension in _ADDED_UP_UNITS}
    measured |= {name for name, unit in units.items() if unit.symbol == "hours" and "hours" in words}
    plural = singular(last) != last or last in _SAME_IN_PLURAL or last.endswith("ed")
    return set(names) <= measured or (
        plural and are_counts((table,), tuple(names)) and "year" not in name_words(said)
    )


def adds_along(table: Table, names: Sequence[str], said: str) -> bool:
    """Whether columns can be summed over the pieces of a thing, such as road segments: crashes can, daily
    vehicles, which pass several segments, cannot."""
    columns = [column for name in names if (column := table.column(name)) is not None]
    return adds_up(table, names, said) and not any(
        _FLOWS.search(fold(each.comment or "")) for each in columns
    )


def add_up_pieces(tables: Iterable[Table], things: str, columns: Sequence[str], said: str) -> bool:
    """Whether the rows are pieces of the named things, so that a figure needs a sum: `the street with the
    most crashes`, of segments."""
    words = name_words(things)
    return any(are_pieces_of(table, words) and adds_along(table, columns, said) for table in tables)


@dataclass(frozen=True, slots=True)
class Listed:
    """Several values of one column: `Altheim and Bergfeld`. `is_compared`: as in `oaks vs limes`."""

    table: Table
    column: str
    values: tuple[str, ...]
    is_compared: bool = False


class Figures(Pieces):
    """Tags for columns and figures."""

    # --- columns ---------------------------------------------------------------------------------------------

    def _columns(self, at: int) -> Iterable[Span]:
        """Every run of words that may name a column; columns of the tables here cost nothing."""
        cursor = self.cursor
        cursor.at = at
        quoted = cursor.take_string()
        if quoted is not None:
            return [Span(at + 1, ColumnWords(quoted))]
        while cursor.take("the", "their", "its", "column"):
            pass
        counted = cursor.take("number of") is not None
        begin = cursor.at
        found: list[Span] = []
        while cursor.at - begin < MAX_COLUMN_WORDS and not cursor.done:
            token = cursor.token()
            year = token is not None and token.kind == "number" and token.text.isdigit() and cursor.at > begin
            if token is None or not (token.kind == "word" or year):
                break
            if cursor.word() in _COLUMN_ENDS and not (found and cursor.word() in ("of", "in", "per")):
                break
            cursor.at += 1
            text = cursor.since(begin)
            known = self._counts(text) if counted else self._is_column(text)
            if counted and not known:
                continue
            joined_on = year or set(text.lower().split()) & _COLUMN_ENDS
            if not known and joined_on and not self._is_column(text, self.vocabulary.few_tables):
                continue
            cost = 0.0 if known else UNKNOWN_COLUMN + 0.5 * (cursor.at - begin)
            found.append(Span(cursor.at, ColumnWords(text), cost))
        whole = [each.end for each in found if not each.cost]
        if not whole:
            return found
        cursor.at = whole[-1]
        text = cursor.since(begin)
        end = self._past_its_rows(text)
        return found if end is None else [*found, Span(end, ColumnWords(text), WITH_ITS_ROWS)]

    def _past_its_rows(self, text: str) -> int | None:
        """The position after the noun of a table with the column (`kind of school`), or after the column's name or
        values in parentheses; else None. `cities of the country` are rows."""
        cursor, begin = self.cursor, self.cursor.at
        if cursor.word() == "(":
            skip_hint(cursor, self.roots, self.vocabulary.columns_called(self.roots, text))
            return cursor.at if cursor.at > begin else None
        if not cursor.take("of"):
            return None
        cursor.take("the", "a")
        words, used = cursor.keys()
        table = self.vocabulary.match_table(words) if words else None
        if table is None or table.guessed or not self._is_column(text, table.found):
            return None
        last = cursor.word(used[table.length - 1] - 1)
        return cursor.at + used[table.length - 1] if singular(last) == last else None

    def _counts(self, text: str) -> bool:
        """Whether the words name a count in the tables of the request: `number of residents`."""
        tables = self.roots or self.tables_of(None)
        names = self.vocabulary.columns_called(tables, text)
        return bool(names) and are_counts(tables, tuple(names))

    def _is_column(self, text: str, tables: Sequence[Table] = ()) -> bool:
        """Whether the text names a column of these tables, or of those in the request."""
        return bool(self.vocabulary.columns_called(tables or self.roots, text))

    def _several_columns(self, at: int) -> Iterable[Span]:
        """`continent`, `country and kind`."""
        for first in self._columns(at):
            yield Span(first.end, (first.value,), first.cost)
            self.cursor.at = first.end
            if self.cursor.take(", and", ",", "and"):
                for more in self._several_columns(self.cursor.at):
                    # The columns of `the result` are not known here.
                    if not more.cost or not self.roots or self.roots_are_guessed:
                        yield Span(more.end, (first.value, *more.value), first.cost + more.cost)

    # --- figures ---------------------------------------------------------------------------------------------

    def _figure(self, at: int) -> Iterable[Span]:
        """`average elevation`: a function and its column."""
        cursor = self.cursor
        cursor.at = at
        while cursor.take("the", "their"):
            pass
        if not (function := take_function(cursor)):
            return
        cursor.take("number of", "of the", "of", "up")
        for span in list(self._columns(cursor.at)):
            yield Span(span.end, {"function": function, "column": span.value}, span.cost)

    def _owned(self, at: int) -> Iterable[Span]:
        """`maximum well depth`, `residential parcel area`: rows and a figure of a column; counts and lengths
        are summed."""
        cursor = self.cursor
        cursor.at = at
        function = take_function(cursor)
        begin = cursor.at
        subject = self.subject(pronouns=False, values=False)
        if subject is None or subject.top is not None or subject.all:
            return
        mention = subject.mention
        table = self.vocabulary.table(mention.tables[0]) if len(mention.tables) == 1 else None
        if table is None or mention.guessed or singular(cursor.word(-1)) != cursor.word(-1):
            return
        text = cursor.since(begin)
        column = take_column(cursor, self.vocabulary, (table,))
        adds_up = column is not None and (
            are_counts((table,), column.columns)
            or set(column.columns) <= {*measure_columns(table, "long"), *measure_columns(table, "area")}
        )
        if column is not None and (function or adds_up):
            figure = {"function": function or "sum", "column": ColumnWords(column.text)}
            rows = Features(Mention(mention.text, (table.id,)), subject.where, text=text)
            yield Span(cursor.at, (rows, figure), ANY_WORD * (2 if subject.where is not None else 1))

    def _superlative(self, _: Cursor) -> Top | None:
        top = self.superlative()
        return top if top is not None and top.place == 1 else None

    def _figures(self, at: int) -> Iterable[Span]:
        """`total population and mean area`, in the form that operations take."""
        for first in list(self._figure(at)):
            yield Span(first.end, (first.value,), first.cost)
            self.cursor.at = first.end
            if self.cursor.take(", and", "and", ",", "with", "including", "giving", "plus"):
                for more in list(self._figures(self.cursor.at)):
                    yield Span(more.end, (first.value, *more.value), first.cost + more.cost)

    # --- figures without named rows ------------------------------------------------------------------

    def _counted(self, at: int) -> Iterable[Span]:
        """`average rent`, `dwellings approved in 2021`: of tables with such a column; counts are summed."""
        yield from self._of_any_rows(at, "sum")

    def _averaged(self, at: int) -> Iterable[Span]:
        """The same for any number, averaged."""
        yield from self._of_any_rows(at, "mean")

    def _of_any_rows(self, at: int, function: str) -> Iterable[Span]:
        cursor, self.cursor.at = self.cursor, at
        if cursor.sees("size by"):  # a style
            return
        cursor.take("the", "their")
        named = ANALYSIS_FUNCTIONS.get(cursor.word())
        cursor.at += named is not None
        is_number = cursor.take("number of the", "number of") is not None
        cursor.take("of the", "of")
        begin, (_, used) = cursor.at, cursor.keys(most=MAX_COLUMN_WORDS)
        ends = {begin + each for each in used if each}
        for end in sorted((e for e in ends if cursor.tokens[e - 1].lower not in _COLUMN_ENDS), reverse=True):
            wanted = named or ("" if function == "sum" else function)
            having = self._having(begin, end, wanted, any_noun=is_number and bool(wanted))
            if having:
                cursor.at = end
                text, having = self._with_verb(cursor.since(begin), having)
                end = cursor.at
                called = self.vocabulary.columns_called((having[0],), text)
                column = text if called else _numbers_of(having[0], name_words(text))[0]
                figure = {"function": named or function, "column": ColumnWords(column)}
                rows = Features(Mention(text, tuple(table.id for table in having)), text=text)
                yield Span(end, (rows, figure))
                yield from self._some_of(begin, end, having, rows, figure)
                return

    def _with_verb(self, noun: str, having: list[Table]) -> tuple[str, list[Table]]:
        """The words with a verb (`customers affected`, read from `customers were affected by outages`), and
        the tables with such a column."""
        cursor, start = self.cursor, self.cursor.at
        cursor.take("were", "are", "was", "is", "have been", "has been", "had been", "got")
        verb = cursor.word()
        phrase = f"{noun} {verb}"
        of_verb = [
            table for table in having
            if (names := self.vocabulary.columns_called((table,), phrase))
            and any(records(c, verb) and not is_of_each(c) for c in table.columns if c.name in names)
        ]  # fmt: skip
        if not of_verb:
            cursor.at = start
            return noun, having
        cursor.at += 1
        end = cursor.at
        words, used = cursor.keys() if cursor.take("by", "in", "during") else ((), ())
        rows = self.vocabulary.match_table(words) if words else None
        is_named = rows is not None and of_verb[0] in rows.found
        cursor.at = cursor.at + used[rows.length - 1] if rows is not None and is_named else end
        return phrase, of_verb

    def _having(self, begin: int, end: int, function: str, *, any_noun: bool) -> list[Table]:
        """The tables with a column of this name that has such a figure, preferably those in the request.

        Without `function`, only counts and measures qualify. `any_noun`: also if a table has this name.
        """
        self.cursor.at = begin
        words, _ = self.cursor.keys(most=end - begin)
        named = self.vocabulary.match_table(words)
        if named is not None and named.length == len(words) and not (named.guessed or any_noun):
            return []
        found = []
        for table in self.vocabulary.few_tables:
            names = self.vocabulary.columns_called((table,), " ".join(words)) or _numbers_of(table, words)
            columns = [each for each in table.columns if each.name in names and each.name not in table.key]
            if not columns or any(each.kind not in ("integer", "number") for each in columns):
                continue
            if function or adds_up(table, names, words_of(self.cursor.tokens[begin:end])):
                found.append(table)
        return [each for each in found if each in self.roots] or found

    def _some_of(
        self, begin: int, at: int, having: Sequence[Table], rows: Features, figure: dict[str, object]
    ) -> Iterable[Span]:
        """The conditions after the column, one after the other."""
        cursor = self.cursor
        conditions = Conditions(cursor, self.vocabulary, tuple(having))
        found: dict[int, Span] = {}
        for limit in self._limited(at):
            cursor.at, cursor.end = at, limit
            where: list[Condition] = []
            cost = 0.0
            while not cursor.done:
                before = cursor.at
                cursor.take("were there", "are there", "was there", "is there")
                cursor.take("and", ",") if where else None
                condition = conditions.of_value() if cursor.take("by") else conditions.one()
                of_rows = isinstance(condition, OneOf) and condition.how == "of"  # it would be named
                if condition is None or cursor.at == before or of_rows:
                    break
                where.append(condition)
                cost += ANY_WORD * (isinstance(condition, OneOf) and condition.how == "kind")
                text = cursor.since(begin)
                meant = replace(rows, where=all_of(*where), text=text)
                found.setdefault(cursor.at, Span(cursor.at, (meant, figure), cost))
        cursor.end = self._ends
        return found.values()

    # --- values side by side ---------------------------------------------------------------------------------

    def _listed(self, at: int) -> Iterable[Span]:
        """`commercial and mixed use zones`, `Altheim vs Bergfeld`: values of one column, also with a noun."""
        cursor = self.cursor
        cursor.at = at
        common: dict[tuple[str, str], list[str]] | None = None
        tables: dict[str, Table] = {}
        nouns: set[str] = set()
        is_compared = False
        while True:
            cursor.take("the")
            found = self._values_here()
            tables |= {table.id: table for table, _, _ in found}
            kept = {(table.id, column): value for table, column, value in found}
            noun = self.vocabulary.match_table(cursor.keys()[0]) if found else None
            if noun is not None and not noun.guessed:
                cursor.at += cursor.keys()[1][noun.length - 1]
                nouns |= {table.id for table in noun.found}
            elif own := {k: v for k, v in kept.items() if singular(cursor.word()) in name_words(k[1])}:
                kept = own  # `St. Bernard parish`
                cursor.at += 1
            elif nouns:
                cursor.take("ones")  # `fatal crashes vs slight ones`
            common = {key: [value] for key, value in kept.items()} if common is None else {
                key: [*values, kept[key]] for key, values in common.items() if key in kept
            }  # fmt: skip
            for (table, column), values in common.items():
                if len(values) > 1 and (not nouns or table in nouns):
                    yield Span(cursor.at, Listed(tables[table], column, tuple(values), is_compared))
            joiner = cursor.take(p.SET_AGAINST) or cursor.take(", and", "and", ",")
            if not common or joiner is None:
                return
            is_compared |= joiner in p.SET_AGAINST
            cursor.take("that of the", "that of", "those of", "in the", "in", "of", "on")
