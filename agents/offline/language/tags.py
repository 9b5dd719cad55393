"""Tags: possible meanings of the words from a token on, as spans with a type, a value and a cost.

Rows, places, columns, lengths and the rest are found in the registry and on the map; names are matched as a
whole. Guesses (a capitalised place, a column that no table here has) have a cost, so that a reading that the
data supports is cheaper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span
from agents.offline.language.conditions.geometries import take_line, take_spot
from agents.offline.language.conditions.ranks import take_place
from agents.offline.language.conditions.value_text import IN_NAMES, take_comparator
from agents.offline.language.cursor import Cursor
from agents.offline.language.figures import Figures
from agents.offline.language.grammar import Slot
from agents.offline.language.names.bands import take_bands
from agents.offline.language.names.dates import records_last_time, times_of
from agents.offline.language.names.kinds import kinds_counted, take_country
from agents.offline.language.nouns import (
    take_count,
    take_people,
    take_quantity,
    take_share,
    take_system,
    take_unit,
)
from agents.offline.language.pieces import ANY_WORD, GUESS, cost_of
from agents.offline.language.subjects import Subject
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_numbered, is_plural, name_words, singular, word_set
from agents.offline.meaning.alike_places import PLACES
from agents.offline.meaning.conditions import (
    ColumnMention,
    Condition,
    Mention,
    Negation,
    OneOf,
    all_of,
    is_bare_time,
)
from agents.offline.meaning.features import Features

PER_ROW = 0.5
"""Cost of `each of them` as all of them, for it more often means one by one: `how many trees in each of them`."""
OF_VALUE = 1.5
"""Cost of areas named by one of their values in the singular."""
CALLED = 0.5
"""Added for a row by its name: `the district Old Town`."""
NAMED = 2.0
"""Added for reading a name as a kind: `Oak Park Hospital` as a hospital of some kind."""
MAX_SINCE_NO = 5
"""Maximum number of words from `no` to `them`, in `with no wells in them`."""
_NONE = word_set("no any without")


class Tags(Figures):
    """All tags for the words of one request. `limits`: template words after slots, before which a value may end."""

    def __init__(
        self, cursor: Cursor, vocabulary: Vocabulary, default: Table | None, limits: frozenset[str]
    ) -> None:
        super().__init__(cursor, vocabulary, default, limits)
        self._known: dict[tuple[str, int], Sequence[Span]] = {}
        self._known_rows: dict[int, Sequence[Span]] = {}
        # rows made by nested steps, from a token on
        self.made: Callable[[int], Sequence[Span]] = lambda _: ()
        self._readers: dict[str, Callable[[int], Iterable[Span]]] = {
            "rows": self._rows, "bare": self._bare, "plain": self._plain, "any": self._any,
            "areas": self._areas, "shapes": self._shapes, "meant": self._meant, "place": self._places_there,
            "named": self._rows, "either": self._any, "quoted": self._quoted,
            "column": self._columns, "columns": self._several_columns, "length": self._length,
            "lengths": self._lengths, "count": self._taking(take_count), "text": self._free_text, "name": self._name,
            "figure": self._figure, "figures": self._figures, "top": self._taking(self._superlative),
            "had": lambda at: self._condition(at) if {*self.cursor.words[at : at + 1]} & _HAVE else (),
            "condition": self._condition, "also": self._also, "kept": self._kept, "number": self._number,
            "mention": self._mention, "mentions": self._mentions, "selection": self._selection, "look": self._look,
            "title": self._title, "share": self._taking(take_share), "box": self._box, "value": self._value,
            "spot": self._taking(take_spot), "line": self._taking(take_line),
            "country": self._taking(take_country), "nth": self._taking(take_place),
            "where": self._where, "words": self._words, "surface": self._surface, "then": self._then,
            "area_unit": self._area_unit, "unit": self._taking(take_unit), "people": self._taking(take_people),
            "counted": self._counted, "owned": self._owned, "averaged": self._averaged, "listed": self._listed,
            "kinds": lambda at: kinds_counted(at, cursor, vocabulary, self.roots), "proper": self._proper,
            "system": self._taking(take_system), "bands": self._taking(take_bands),
            "quantity": self._taking(take_quantity), "lasting": self._lasting, "many": self._many, "stuff": self._stuff,
        }  # fmt: skip

    def spans(self, slot: Slot, at: int) -> Sequence[Span]:
        """The spans that may fill the slot from token `at` on."""
        kind, _, options = slot.kind.partition("|")
        key = (slot.kind, at)
        if key not in self._known:
            before = self.cursor.at
            found = self._options(options.split("|"), at) if kind == "options" else self._readers[kind](at)
            made = self.made(at) if kind in MADE_BY_STEPS and at < self._ends else ()
            of_steps = (
                replace(each, value=replace(each.value, areas=kind in ("areas", "shapes"))) for each in made
            )
            self._known[key] = [*(found if at < self._ends else ()), *of_steps]
            self.cursor.at, self.cursor.end = before, self._ends
        return self._known[key]

    # --- rows and places -------------------------------------------------------------------------------------

    def _rows(self, at: int) -> Iterable[Span]:
        """Rows with conditions; cached for all slots that take rows."""
        if at not in self._known_rows:
            self._known_rows[at] = [*self._result(at), *self._named_rows(at, tail=True)]
            self.cursor.end = self._ends
        return self._known_rows[at]

    def _bare(self, at: int) -> Iterable[Span]:
        return [*self._result(at), *self._named_rows(at, tail=False)]

    def _plain(self, at: int) -> Iterable[Span]:
        """Rows without any condition: `village` in `defunct village wise`."""
        return [each for each in self._bare(at) if each.value.where is None]

    def _any(self, at: int) -> Iterable[Span]:
        return [*self._rows(at), *self._places(at)]

    def _areas(self, at: int) -> Iterable[Span]:
        """Areas that may contain other rows.

        A plural value counts only if its rows are areas: nothing is inside `wetlands` that are points, so
        there it is the value. What is in `all countries` is in any of them.
        """
        return [
            replace(each, value=replace(each.value, text=_without_all(each.value.text)))
            for each in (*self._rows_as_areas(at), *self._areas_of_value(at))
        ]

    def _areas_of_value(self, at: int) -> Iterable[Span]:
        """`sightings in native pinewood`: the areas of that kind, if the rows lack such a value."""
        is_place = self._folded(at - 1) in _BEFORE_AREA
        self.cursor.at = at
        self.cursor.take("a", "an", "the")
        at = self.cursor.at
        is_kind = is_place and at < self._ends and self.cursor.tokens[at].text.islower()
        for words, end in self.cursor.runs(most=3) if is_kind else ():
            known = self.vocabulary.values_called(words)
            areas = {
                (table.id, column): value
                for table, column, value in known
                if table.geometry_family == "polygon" and name_words(column)[-1] not in _NAMES_OF_PLACES
            }
            own = self.roots or (self.default,)  # `which of them are in tonbach`
            if len(areas) != 1 or any(table in own for table, _, _ in known):
                continue
            (((table_id, column), value),) = areas.items()
            self.cursor.at = end
            is_named = self.cursor.take(
                " ".join(name_words(column))
            )  # `the south area`, with a column `area`
            where = OneOf(f'"{value}"', ColumnMention(column, (column,)), "is")
            mention = Mention(self.cursor.since(at), (table_id,), of_value=True)
            span = self._span(at, Subject(mention, where), False, 0.0 if is_named else OF_VALUE)
            yield replace(span, value=replace(span.value, areas=True))

    def _rows_as_areas(self, at: int) -> Iterable[Span]:
        return [
            Span(each.end, replace(each.value, areas=True), each.cost)
            for each in self._rows(at)
            if not self._is_value_of_points(each.value) and not self._is_one_value(at, each.value)
        ]

    def _shapes(self, at: int) -> Iterable[Span]:
        """Shapes that others may cross or border, by table or name."""
        return [
            *self._rows_as_areas(at),
            *self._areas_of_value(at),
            *(replace(each, value=replace(each.value, areas=True)) for each in self._places(at)),
        ]

    def _is_one_value(self, at: int, rows: Features) -> bool:
        """Whether `the North region` is a value of the named rows (wards with a column `region`), not an area."""
        mention = rows.mention
        if mention is not None and isinstance(
            rows.where, OneOf
        ):  # `the south area`, of wards with a column `area`
            known = self.vocabulary.values_called(name_words(rows.where.text))
            noun = name_words(mention.text)
            if any(table in self.roots and name_words(column) == noun for table, column, _ in known):
                return True
        if mention is None or not mention.of_value or is_plural(mention.text):
            return False
        of_any = at > 0 and self._folded(at - 1) in ("a", "an", "any")
        return not of_any and any(each.id in mention.tables for each in self.roots)

    def _is_value_of_points(self, rows: Features) -> bool:
        table = (
            self.vocabulary.table(rows.mention.tables[0]) if rows.mention and rows.mention.tables else None
        )
        return (
            table is not None and table.geometry_family != "polygon" and rows.mention is not None
            and rows.mention.of_value
        )  # fmt: skip

    def _meant(self, at: int) -> Iterable[Span]:
        return [Span(each.end, replace(each.value, unless_column=True), each.cost) for each in self._rows(at)]

    def _result(self, at: int) -> Iterable[Span]:
        """`them`: the result of the previous step, or the layer mentioned last."""
        self.cursor.at = at
        if self.cursor.take(p.RESULT):
            text, before = self.cursor.since(at), self.cursor.words[max(0, at - MAX_SINCE_NO) : at]
            are_own = before[-1:] in (["in"], ["inside"]) and not _NONE.isdisjoint(before)
            cost = PER_ROW * text.startswith("each") + are_own  # `basins with no wells in them`
            yield Span(self.cursor.at, Features(text=text, previous=True), cost)
        self.cursor.at = at
        if self.cursor.take("those", "the ones", "ones"):
            yield Span(self.cursor.at, Features(text="them", previous=True), 1.0)

    def _named_rows(self, at: int, *, tail: bool) -> Iterable[Span]:
        found: dict[int, Span] = {}
        if self._folded(at) in ("each", "every", "of"):
            return ()
        for limit in self._limited(at) if tail else (self._ends,):
            self.cursor.end = limit
            for span in self._rows_up_to_limit(at, tail=tail):
                found.setdefault(span.end, span)
        return found.values()

    def _rows_up_to_limit(self, at: int, *, tail: bool) -> Iterable[Span]:
        cursor = self.cursor
        is_target = at > 0 and self._folded(at - 1) in _BEFORE_TARGET
        cursor.at = at
        if is_target:
            cursor.take("one of our", "one of the", "one of my", "any of our", "any of the", "any of my")
        drawn = cursor.take("the layer", "layer") is not None
        each = cursor.word(-1) in _BEFORE_ONE
        subject = self.subject(pronouns=False, one=each)
        if (
            subject is None
            or subject.top is not None
            or not (subject.mention.tables or subject.mention.layers)
        ):
            return
        is_name = subject.where is not None and _is_proper(cursor.since(at))
        if is_name and self._is_value(cursor.since(at)):
            return
        cost = (GUESS if subject.mention.guessed else 0.0) + (1.0 if subject.where is not None else 0.0)
        cost += NAMED if is_name else 0.0
        yield self._span(at, subject, drawn, cost)
        in_part = tail and self.vocabulary.show_part(subject.mention.tables)
        if in_part and cursor.take("shown on the map", "on the map"):
            drawn = True
            yield self._span(at, subject, drawn, cost)
        conditions = self.conditions(subject.mention)
        where = [subject.where] if subject.where is not None else []
        called = self._called(subject.mention) if cursor.tokens[cursor.at - 1].text.islower() else None
        if isinstance(called, OneOf):
            where.append(replace(called, text=f'"{called.text}"'))
            yield self._span(at, replace(subject, where=all_of(*where)), drawn, cost + CALLED)
        of_each = cursor.words[at - 1 : at] in (["each"], ["every"], ["per"])
        tail = tail and (of_each or not self._is_named_place(subject))
        while tail and not cursor.done:
            cursor.take("and", ",") if where else None
            before = cursor.at
            condition = conditions.one()
            if condition is None or cursor.at == before or self._is_of_others(condition, subject):
                return
            if is_target and is_bare_time(condition) and self._happens_to_others(subject):
                return
            where.append(condition)
            cost += ANY_WORD if isinstance(condition, OneOf) and condition.how == "kind" else 0.0
            yield self._span(at, replace(subject, where=all_of(*where)), drawn, cost)

    def _is_of_others(self, condition: Condition, subject: Subject) -> bool:
        """Whether a value belongs to other rows of the request: `…, not closed` after `roads crossing flood zones`."""
        inner = condition.inner if isinstance(condition, Negation) else condition
        if not isinstance(inner, OneOf) or inner.how in ("in", "of"):
            return False
        words = name_words(inner.text)
        group = self.vocabulary.match_group(words[0]) if len(words) == 1 else None
        known = [*self.vocabulary.values_called(words), *([group] if group is not None else ())]
        having = {table.id for table, _, _ in known}
        return having.isdisjoint(subject.mention.tables) and any(each.id in having for each in self.roots)

    def own_tables(self) -> Collection[Table]:
        return self.roots

    def _happens_to_others(self, subject: Subject) -> bool:
        """Whether a time after a target is that of the rows near it: `outages near Airport substation since May`, but
        not `stands near a fire in 2025`, where the stands only have the date of what was done last."""
        targets = self.tables_of(subject.mention)
        timed = any(times_of(table) for table in targets)
        others = [table for table in self.roots if table not in targets] or self.roots
        own = [each for table in others for each in times_of(table)]
        happened = [each for each in own if not records_last_time(each)]
        return bool(own if not timed else happened if not is_plural(subject.mention.text) else ())

    def _is_named_place(self, subject: Subject) -> bool:
        """Whether the subject is a single place, such as `city of Vienna`."""
        of, name = self.cursor.word(), self.cursor.token(1)
        is_place = any(subject.mention.text.split()[-1].lower() in kinds for kinds in PLACES)
        return is_place and of == "of" and name is not None and name.text[:1].isupper()

    def _is_value(self, name: str) -> bool:
        """Whether a name is a value: `Long Bridge` is not a long bridge."""
        return bool(self.vocabulary.values_called(name_words(name.removeprefix("the "))))

    def _span(self, at: int, subject: Subject, drawn: bool, cost: float) -> Span:
        text = self.cursor.since(at).removeprefix("the layer ").removeprefix("layer ")
        layer = self.vocabulary.layer(text)
        text = layer.name if drawn and layer is not None else text
        return Span(self.cursor.at, Features(subject.mention, subject.where, text=text, drawn=drawn), cost)

    # --- conditions ------------------------------------------------------------------------------------------

    def _condition(self, at: int) -> Iterable[Span]:
        """A condition on columns of the tables in the request."""
        found: dict[int, Span] = {}
        for limit in self._limited(at):
            self.cursor.at, self.cursor.end = at, limit
            conditions = self.conditions(None)
            conditions.tables = self.roots or conditions.tables
            condition = conditions.one()
            if condition is not None and self.cursor.at > at:
                found.setdefault(self.cursor.at, Span(self.cursor.at, condition, cost_of(condition)))
        return found.values()

    def _also(self, at: int) -> Iterable[Span]:
        """`and have more than 10 million people`: a further condition."""
        self.cursor.at = at
        joined_on = self.cursor.take(", and", "and", ",", "but") is not None
        begin = self.cursor.at
        goes_on = self._starts_comparison() or self.cursor.word() in _GOES_ON
        if goes_on and (joined_on or self.cursor.word() in ("that", "which", "with")):
            for span in list(self._condition(begin)):
                yield Span(span.end, span.value, span.cost + (0.0 if joined_on else GUESS))
        elif not joined_on and begin < self._ends:
            yield from (each for each in self._condition(begin) if is_bare_time(each.value))

    def _starts_comparison(self) -> bool:
        start = self.cursor.at
        found = take_comparator(self.cursor) is not None
        self.cursor.at = start
        return found

    def _kept(self, at: int) -> Iterable[Span]:
        """A condition on a column that the result may have: `area over 3 m2`."""
        if self.roots:
            yield from self._condition(at)
        for column in list(self._columns(at)):
            for limit in self._limited(column.end):
                self.cursor.at, self.cursor.end = column.end, limit
                conditions = self.conditions(None)
                conditions.tables = self.roots
                found: Condition | None = conditions.comparison(ColumnMention(column.value.text))
                if found is not None:
                    yield Span(self.cursor.at, found, column.cost)
                    break


def _without_all(text: str) -> str:
    return text.removeprefix("all ").removeprefix("of ")


def _is_proper(text: str) -> bool:
    """Whether a text is a proper name: capitalised except for words like `am` in `Frankfurt am Main`, ending
    in a singular. Codes are not names."""
    words = text.removeprefix("the ").split()
    if is_numbered(text):
        return False  # `LJ-0042`
    named = [word for word in words if word not in IN_NAMES] or words
    return all(word[:1].isupper() for word in named) and singular(words[-1].lower()) == words[-1].lower()


_NAMES_OF_PLACES = PLACES[0] | PLACES[1]
"""Last words of columns whose values are names, and no kinds of areas: `in asia`."""
_BEFORE_ONE = frozenset(("each", "every", "nearest", "closest"))
"""Words before a value in the singular as the noun of its rows: `every scheduled monument`."""
_BEFORE_TARGET = frozenset(("of", "from", "to", "near"))
"""Prepositions before rows any of which suffices: `within 500 m of one of our stores`."""
_BEFORE_AREA = frozenset(("in", "within", "inside", "cross", "crosses", "crossing", "through"))
_GOES_ON = frozenset(("that", "which", "have", "has", "with", "are", "is", "in", "not"))
"""Words that begin a further condition on the same rows."""
MADE_BY_STEPS = frozenset(("rows", "any", "areas", "shapes", "meant"))
"""Kinds of slots that results of nested steps may fill."""
PLAIN = {"rows": "named", "any": "either"}
"""The same kinds without results of steps."""
_HAVE = word_set("have has had")
KINDS = frozenset(("rows", "named", "bare", "any", "either", "areas", "shapes", "place"))
"""Kinds of slots that take features."""
