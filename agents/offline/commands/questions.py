"""Rules for questions (how many, which, averages, facts), and for requests that the analyst answers."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.answers import refusals
from agents.offline.commands.analyses.analysis import AnalysisReader, Language, language_of
from agents.offline.commands.comparisons import of_both_values
from agents.offline.commands.tables_named import begins_column
from agents.offline.language import phrasebook as p
from agents.offline.language.conditions.ranks import (
    starts_superlative,
    take_most,
    take_verb,
    takes_descending,
)
from agents.offline.language.conditions.rates import compares_own_distance, compares_rate
from agents.offline.language.conditions.value_text import MAX_KNOWN_WORDS
from agents.offline.language.figures import add_up_pieces, number_of_things
from agents.offline.language.lexicon import (
    ANALYSIS_FUNCTIONS,
    MEASURE_OF_NOUN,
    STARTS,
    STATISTICS,
    SUPERLATIVES,
)
from agents.offline.language.names.columns import fact_columns
from agents.offline.language.nouns import take_column, take_count, take_quantity
from agents.offline.language.subjects import Grammar, Subject
from agents.offline.language.vocabulary import RESULTS
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import MOST_FIRST, UNNAMED_ROWS, ColumnMention, Mention, Top, all_of
from agents.offline.meaning.intents import Analyse, Count, Intent, Look, Lookup, Rows, Statistic, Unsupported
from agents.offline.meaning.units import unit_named
from agents.units import Unit

MOST_NAMED = 20
"""Maximum number of rows in the answer to `which …?`."""
_NEAR = word_set("near nearby around nearest closest farthest furthest intersects intersecting overlapping")
"""Spatial relations, which never occur in conditions on columns."""
_BEFORE_ROWS = word_set("of for in among across per over at on along")


class DataCommands(Grammar):
    """The commands that ask about data, read word by word."""

    def count(self) -> Intent | None:
        """`how many airports are in Peru`, `how many of them are closed`."""
        cursor = self.cursor
        of_these = cursor.take("of these", "of those", "of them")
        cursor.take(",")
        opener = cursor.take(p.HOW_MANY)
        if opener is None:
            return None
        cursor.take("of the", "of")
        start = cursor.at
        unnamed = cursor.done or cursor.word() in ("are", "is", "were", "was", "do", "have", "lie", "?", ".")
        subject = Subject(UNNAMED_ROWS) if unnamed else self.subject(unknown=opener.startswith("how"))
        if of_these is not None:
            subject = Subject(Mention(of_these.removeprefix("of "), pronoun=True)) if unnamed else None
        if subject is None:
            return None
        self._existence(subject)
        if (both := self._with_another_noun(start)) is not None:
            return both
        full = self.tail(subject, looks=False)
        if (self._existence(full) or full.where is None) and not full.mention.pronoun:
            full = self.tail(full, looks=False)
        if full.top is not None:
            return None
        things = number_of_things(self.tables_of(full.mention), full)
        return things or of_both_values(Count(full.mention, full.where), self.conditions(full.mention))

    def _with_another_noun(self, start: int) -> Unsupported | None:
        """`how many airports and cities …`: one count cannot answer for both."""
        before = self.cursor.at
        joined = self.cursor.take(", and", "and", "or", ",", "plus")
        if joined is None or (self.mention() or self.rows_of_a_value(None)) is None:
            self.cursor.at = before
            return None
        both = self.cursor.since(start)
        self.cursor.at = self.cursor.end
        return Unsupported(refusals.ONE_NUMBER(both=both), refusals.ONE_NUMBER_DO())

    def _existence(self, subject: Subject) -> bool:
        """Read `are there`, `were reported`, unless that is a value of the rows."""
        cursor, start = self.cursor, self.cursor.at
        found = cursor.take(p.THERE_ARE) is not None
        words = cursor.keys(ahead=-1, most=MAX_KNOWN_WORDS)[0] if found else ()
        called = (self.vocabulary.values_called(words[:length]) for length in range(1, len(words) + 1))
        if any(table in self.tables_of(subject.mention) for values in called for table, _, _ in values):
            cursor.at, found = start, False
        cursor.at += any(map(cursor.sees, ("are in", "lie in", "are on")))
        return found

    def statistic(self) -> Intent | None:
        """`the average elevation of airports in Germany`, `total population by …`, `statistics of area`."""
        cursor = self.cursor
        cursor.take(p.WHAT)
        cursor.take("the")
        what = STATISTICS.get(cursor.word())
        if what is None or self._is_value_of_noun():
            return self._extreme_of_column()
        cursor.at += 1
        cursor.take("number of", "of the", "of", "for the", "for", "value of", "the")
        before = cursor.at
        subject = self.subject(pronouns=False)
        if subject is not None and subject.where is None and subject.top is None:
            column = self.column(subject.mention)
            if column and not begins_column(self.vocabulary, subject.mention, cursor.since(before)):
                return self._of_rows(what, column, subject)
        cursor.at = before
        found = self._column_of_subject()
        return self._of_rows(what, *found) if found is not None else None

    def _is_value_of_noun(self) -> bool:
        """Whether a word for a figure is a value of the rows: `combined sewers`."""
        noun = self.cursor.keys(ahead=1)[0][:1]
        values = self.vocabulary.values_called((self.cursor.word(),))
        return any(set(noun) & set(name_words(table.name)) for table, _, _ in values)

    def _of_rows(self, what: str, column: ColumnMention, given: Subject) -> Statistic | None:
        """The statistic for these rows; rankings are left to the analysis."""
        full = self.tail(given, looks=False)
        unit = self.unit_of_answer()
        if unit is None and self.cursor.sees("in"):
            self.cursor.at += 2 * any(name_words(name)[-1] == self.cursor.word(1) for name in column.columns)
        figure = Statistic(what, column, full.mention, full.where, unit)
        return of_both_values(figure, self.conditions(full.mention)) if full.top is None else None

    def _extreme_of_column(self) -> Statistic | None:
        """`the highest elevation of the airports in France`, if the table is named too."""
        what = {"max": "maximum", "min": "minimum"}.get(ANALYSIS_FUNCTIONS.get(self.cursor.word(), ""))
        if what is None:
            return None
        self.cursor.at += 1
        found = self._column_of_subject(named=True)
        return self._of_rows(what, *found) if found is not None else None

    def _column_of_subject(self, *, named: bool = False) -> tuple[ColumnMention, Subject] | None:
        """`elevation of the airports`: reads the subject first, to know its columns."""
        cursor, start = self.cursor, self.cursor.at
        for ahead in range(1, 7):
            cursor.at = start
            if cursor.word(ahead) not in _BEFORE_ROWS:
                continue
            cursor.at = start + ahead + 1
            subject = self.subject()
            after = cursor.at
            if subject is None or not subject.mention.known:
                continue
            cursor.at = start
            cursor.take("number of")
            column = take_column(cursor, self.vocabulary, self.tables_of(subject.mention))
            if column is not None and cursor.at == start + ahead:
                cursor.at = after
                return column, subject
        cursor.at = start
        if named:
            return None
        # The result of an analysis is meant if it is named, or if nothing else is.
        result = self.default is not None and self.default.schema_name == RESULTS
        own = (self.default,) if result and self.default is not None else self.tables_of(None)
        column = take_column(cursor, self.vocabulary, own)
        if column is not None and (not result or cursor.done or cursor.word() in p.JOINERS):
            return column, Subject(Mention("it", pronoun=True))
        cursor.at = start
        return self._column_of_any_table()

    def _column_of_any_table(self) -> tuple[ColumnMention, Subject] | None:
        """`the maximum magnitude`: all tables with such a column may be meant."""
        tables = self.vocabulary.few_tables
        whose = self.cursor.word() in ("their", "its")  # only what was mentioned
        column = None if whose else take_column(self.cursor, self.vocabulary, tables)
        if column is None:
            return None
        having = [table for table in tables if any(table.column(name) for name in column.columns)]
        if MEASURE_OF_NOUN.get(name_words(column.text)[-1]) == "people":  # all people live in areas
            having = [table for table in having if table.geometry_family == "polygon"] or having
        return column, Subject(Mention(column.text, tables=tuple(table.id for table in having)))

    def rows(self) -> Intent | None:
        """`list the airports above 4000 m`, `which city is the largest`, `top 10 cities by population`."""
        cursor = self.cursor
        asked, count = cursor.take(p.LIST, "what's"), None
        if asked in ("which", "what", "what's", "which of the"):
            begin = cursor.at
            if (found := self._which()) is not None:
                return found
            cursor.at = begin - len(asked.split())
            asked = None
        if asked is None:
            cursor.take(p.WHAT)
            cursor.take("name of the", "names of the", "name of", "names of")
            begin = cursor.at
            subject = self.subject(pronouns=False)
            if subject is None:
                cursor.at = begin
                subject = self.subject(pronouns=False, unknown=True)
            if subject is None or subject.top is None:
                return None
        else:
            cursor.take("me")
            cursor.take("all the", "all", "the", "names of the", "names of", "some", "a few")
            count = self._plain_count()
            subject = self.subject()
            if subject is None and (top := self.superlative()) is not None:  # `list the 3 highest`
                subject = Subject(Mention("them", pronoun=True), top=top)
        if subject is None:
            return None
        full = self.tail(subject, looks=False)
        if asked is not None and full.top is None and (order := self._order(full.mention)) is not None:
            full = self.tail(replace(full, top=order), looks=False)
        top = full.top
        if top is not None and top.unit is None:
            top = replace(top, unit=self.unit_of_answer())
        if asked is None and top is not None:
            top = top.of_several(full.mention.text)
        usual = MOST_FIRST if full.where is None and top is None else MOST_NAMED
        limit = count or (top and top.limit) or usual
        return Rows(full.mention, full.where, top, limit, *self._shown_columns(full.mention))

    def _shown_columns(self, mention: Mention) -> tuple[tuple[str, ...], Unit | None]:
        """`with their area and population in square miles`: columns to show, and their unit."""
        names: list[str] = []
        end, more = self.cursor.at, p.SHOWN_WITH
        while self.cursor.take(more) and (column := self.column(mention)) is not None:
            names += column.columns
            end, more = self.cursor.at, p.AND
        self.cursor.at = end
        return tuple(dict.fromkeys(names)), self.unit_of_answer() if names else None

    def _order(self, mention: Mention) -> Top | None:
        """`list the countries by area`: numbers in descending order."""
        start = self.cursor.at
        column = self.column(mention) if self.cursor.take("by", "in order of") else None
        if column is not None:
            descending = takes_descending(self.cursor, self.tables_of(mention), column)
            return Top(0, descending, column, word="sorted", unit=self.unit_of_answer())
        self.cursor.at = start
        return None

    def _plain_count(self) -> int | None:
        """The count in `list 5 airports`; a number before a superlative belongs to that."""
        start = self.cursor.at
        if self.superlative() is not None:
            self.cursor.at = start
            return None
        return take_count(self.cursor) or None

    def _which(self) -> Intent | None:
        cursor = self.cursor
        count = None if cursor.word() == "one" else self._plain_count()
        subject = Subject(Mention("which", pronoun=True)) if self._ranks_alone() else self.subject()
        if subject is None:
            return None
        if count is None and subject.mention.pronoun and (number := self._plain_count()):
            subject = replace(subject, mention=replace(subject.mention, number=number))
        linked = cursor.take("is", "are", "lies", "lie") is not None and not cursor.take("there")
        full = self.tail(subject, looks=False)
        if linked and full.where == subject.where and full.top is None:
            before = cursor.at
            kind = self.conditions(subject.mention).kind() if self.superlative() is None else None
            if kind is None:
                cursor.at = before
            full = replace(full, where=all_of(full.where, kind))
        if full.top is None:
            _ = cursor.take("is", "are", "has", "have", "had", "got", "gets", "with") or take_verb(
                cursor, self.tables_of(full.mention)
            )
            cursor.take("located", "situated")
            top = self.superlative() or take_most(cursor)
            if top is not None:
                column = self.column(full.mention)
                if column is not None:
                    self.conditions(full.mention).take_period(column)
                top = replace(top, column=column or top.column, limit=count or top.limit)
                full = self.tail(replace(full, top=top), looks=False)
        column, named = full.top.column if full.top is not None else None, full.mention
        own = () if named.pronoun or column is None else self.tables_of(named)
        in_pieces = column is not None and add_up_pieces(own, named.text, column.columns, column.text)
        if in_pieces or (full.where is None and full.top is None):
            return None
        return Rows(full.mention, full.where, full.top, count or (full.top and full.top.limit) or MOST_NAMED)

    def _ranks_alone(self) -> bool:
        """Whether no rows are named: `which the shortest`, `what's the highest`."""
        cursor, start = self.cursor, self.cursor.at
        asks = cursor.word(-1) in ("which", "what") and cursor.take("is", "are", "has", "have")
        linked = asks or cursor.word(-1) == "what's"
        found = bool(start) and cursor.word() == "the" and starts_superlative(cursor)
        if linked and found and self.superlative():
            found = self.mention() is None and self.rows_of_a_value(None, one=True) is None
        cursor.at = start
        return found

    def lookup(self) -> Intent | None:
        """`the population of Germany`, `how high is Ulm Airfield`, `how big is France`."""
        cursor = self.cursor
        if cursor.take("how"):
            measure = cursor.take(
                "high", "big", "large", "populous", "long", "deep", "tall", "old", "wide", "dense"
            )
            if measure is None or not cursor.take("is", "are", "was"):
                return None
            return self._looked_up("area" if measure in ("big", "large") else measure)
        cursor.take(p.WHAT, "show me the", "show the")
        if cursor.word() in STARTS or cursor.word() in STATISTICS or cursor.word() in SUPERLATIVES:
            return None
        words = self._up_to("of", "in", most=4)
        facts = (fact_columns(table, words) for table in self.vocabulary.few_tables)
        is_operation = self._language.operation_words & set(words.lower().split()) and not any(facts)
        if is_operation or words.endswith(" out"):  # `hydrants out of service`
            return None
        return self._looked_up(words) if words else None

    def _looked_up(self, words: str) -> Lookup | None:
        name = self.conditions(None).value_text()
        return Lookup(words, name, unit=self.unit_of_answer()) if name else None

    def _up_to(self, *ends: str, most: int = 6) -> str:
        """The words before one of `ends`; also reads that word."""
        cursor, start = self.cursor, self.cursor.at
        while not cursor.done and cursor.at - start <= most:
            if cursor.word() in ends and cursor.at > start:
                text = cursor.since(start)
                cursor.at += 1
                return text
            token = cursor.token()
            if token is None or token.kind != "word":
                break
            cursor.at += 1
        cursor.at = start
        return ""

    @property
    def _language(self) -> Language:
        return language_of(self.vocabulary.operations)

    def analysis(self) -> Intent | None:
        """A spatial question up to the end of the text; steps joined by `then` belong together."""
        cursor, start = self.cursor, self.cursor.at
        if not self._is_spatial(self._language.operation_words | _NEAR):
            return None
        cursor.at = cursor.end
        return Analyse(cursor.since(start))

    def read_analysis(self) -> Intent | None:
        """A question that the analysis rules can read."""
        cursor, start = self.cursor, self.cursor.at
        if compares_rate(cursor, self.vocabulary) or compares_own_distance(cursor, self.vocabulary):
            return None
        chain = AnalysisReader(cursor, self.vocabulary, self.default, self.vocabulary.operations).chain()
        if chain is None:
            return None
        look = chain.look.look if chain.look is not None else Look()
        kept = Look(opacity=look.opacity) if look.thematic else look
        return Analyse(cursor.since(start), is_read=True, look=kept, steps=chain.parts)

    def unread_analysis(self) -> Intent | None:
        """Words that can only be an analysis, such as `nearest`."""
        cursor, start = self.cursor, self.cursor.at
        if not (cursor.word() in self._language.verbs or self._is_spatial(_NEAR, to_joiner=True)):
            return None
        cursor.at = cursor.end
        return Analyse(cursor.since(start))

    def _is_spatial(self, words: frozenset[str], *, to_joiner: bool = False) -> bool:
        cursor, start = self.cursor, self.cursor.at
        try:
            while not cursor.done and not (to_joiner and cursor.word() in ("and", "then", ";", ",", ".")):
                named = self._name_length()
                if named:
                    cursor.at += named
                    continue
                unit = unit_named(cursor.word(), cursor.word(1))
                if unit is not None and unit[1] > 1:  # `square miles` are not squares
                    cursor.at += unit[1]
                    continue
                if cursor.word() in words:
                    return True
                after_by, amount = cursor.word(-1) == "by", cursor.word(-1) in ("than", "least", "most")
                quantity = take_quantity(cursor)
                if quantity is not None:
                    far = quantity.unit is not None and quantity.unit.dimension == "length"
                    of = cursor.word() == "of" and not amount  # `more than 4 feet of water`
                    if far and (after_by or of or cursor.word() in ("from", "around", "away", "to", "along")):
                        return True
                    continue
                cursor.at += 1
            return False
        finally:
            cursor.at = start

    def _name_length(self) -> int:
        """The number of tokens in the name of a table or layer here; names may contain any word."""
        keys, used = self.cursor.keys()
        found = (self.vocabulary.match_layer(keys), self.vocabulary.match_table(keys)) if keys else ()
        return max((used[match.length - 1] for match in found if match is not None), default=0)
