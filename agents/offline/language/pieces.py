"""Tags for single pieces of a request: numbers and units, texts, layers, styles, conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TypeVar

from agents.domain import Table
from agents.offline.language import phrasebook as p
from agents.offline.language.chart import Span
from agents.offline.language.conditions.explained_numbers import codes_explained_as
from agents.offline.language.conditions.geometries import take_box, take_line, take_spot
from agents.offline.language.conditions.value_nouns import is_denied
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks.rules import settled
from agents.offline.language.nouns import take_quantity, take_unit
from agents.offline.language.subjects import Grammar
from agents.offline.language.vocabulary import Value, Vocabulary
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Group,
    Negation,
    OneOf,
    Quantity,
)
from agents.offline.meaning.features import Features
from agents.offline.meaning.intents import Look

T = TypeVar("T")
MAX_LIMITS = 6
MAX_TEXT_TOKENS = 30
MAX_WORDS = 6
MAX_VALUE_WORDS = 4
GUESS, FREE_TEXT, COMPARED, LOOKED_UP = 3.0, 2.0, 0.5, 2.0
"""Costs of guesses, free text, comparisons and values to look up."""
ANY_WORD = 0.1
"""Added for a word that may be a value, so that a template with the literal word is cheaper."""

NAMED_PLACE = 2.0
"""Cost of a place by name; known words of the data cost nothing."""


class Pieces(Grammar):
    """Tags for the words of one request. `limits`: template words after slots, before which a value may end."""

    def __init__(
        self, cursor: Cursor, vocabulary: Vocabulary, default: Table | None, limits: frozenset[str]
    ) -> None:
        super().__init__(cursor, vocabulary, default)
        self.begin = cursor.at
        self._ends = cursor.end
        self._joints = [at for at in range(self._ends) if self._folded(at) in limits]
        self._roots: tuple[Table, ...] | None = None
        self.roots_are_guessed = False
        """Whether the request names values alone, which other tables may have, too."""

    @property
    def roots(self) -> tuple[Table, ...]:
        """The tables that the request names, whose columns it may use; else the tables of the values that it names."""
        if self._roots is None:
            found: dict[str, Table] = {}
            before = self.cursor.at
            for at in range(self.begin, self._ends):
                self.cursor.at = at
                words, _ = self.cursor.keys()
                match = self.vocabulary.match_table(words) if words else None
                layers = self.vocabulary.match_layer(words) if words else None
                for table in match.found if match else ():
                    found[table.id] = table
                for layer in layers.found if layers else ():
                    table_of = self.vocabulary.table(layer.table)
                    if table_of is not None:
                        found[table_of.id] = table_of
            self.roots_are_guessed = not found and self.default is None
            for at in range(self.begin, self._ends) if self.roots_are_guessed else ():
                self.cursor.at = at
                words, _ = self.cursor.keys(most=3)
                values = (self.vocabulary.match_value(words[:length]) for length in range(len(words), 0, -1))
                found |= {value[0].id: value[0] for value in values if value is not None}
            self._roots = tuple(found.values())
            self.cursor.at = before
        return self._roots

    def _folded(self, at: int) -> str:
        self.cursor.at = at
        return self.cursor.word()

    def _limited(self, at: int) -> Iterable[int]:
        """Positions where a piece that begins at `at` may end; the end of the request first."""
        yield self._ends
        following = [joint for joint in self._joints if joint > at]
        yield from reversed(following[:MAX_LIMITS])

    # --- numbers and texts -----------------------------------------------------------------------------------

    def _length(self, at: int) -> Iterable[Span]:
        return self._measured(at, "length")

    def _surface(self, at: int) -> Iterable[Span]:
        return self._measured(at, "area")

    def _area_unit(self, at: int) -> Iterable[Span]:
        """`hectare`, `square kilometre`."""
        return [each for each in self._taking(take_unit)(at) if each.value.dimension == "area"]

    def _taking(self, take: Callable[[Cursor], T | None]) -> Callable[[int], Sequence[Span]]:
        """A tag function for what `take` reads from the cursor."""

        def spans(at: int) -> Sequence[Span]:
            self.cursor.at = at
            found = take(self.cursor)
            return () if found is None else (Span(self.cursor.at, found),)

        return spans

    def _measured(self, at: int, dimension: str) -> Iterable[Span]:
        self.cursor.at = at
        quantity = take_quantity(self.cursor)
        if quantity is not None and quantity.unit is not None and quantity.unit.dimension == dimension:
            yield Span(self.cursor.at, quantity)

    def _lasting(self, at: int) -> Iterable[Span]:
        """`more than 10 days`: a comparison with a time."""
        self.cursor.at = at
        found = self.conditions(None).comparison(ColumnMention("days"))
        value = found.value if isinstance(found, Compare) else None
        if isinstance(value, Quantity) and value.unit is not None and value.unit.dimension == "time":
            yield Span(self.cursor.at, found)

    def _lengths(self, at: int) -> Iterable[Span]:
        """`10, 50 and 100 km`: the last unit applies to numbers without one."""
        self.cursor.at = at
        found: list[Quantity] = []
        while (quantity := take_quantity(self.cursor)) is not None:
            found.append(quantity)
            unit = quantity.unit
            if unit is not None and unit.dimension == "length":
                yield Span(
                    self.cursor.at,
                    tuple(Quantity(each.value, each.unit or unit, each.text) for each in found),
                )
            if not self.cursor.take(", and", ",", "and"):
                break

    def _number(self, at: int) -> Iterable[Span]:
        self.cursor.at = at
        quantity = take_quantity(self.cursor)
        if quantity is not None and quantity.unit is None:
            yield Span(self.cursor.at, quantity)

    def _many(self, at: int) -> Iterable[Span]:
        """`more than 3`, `five or more`, `only one`, `a single`: a condition on a count."""
        self.cursor.at = at
        if not is_denied(self.cursor) and self.cursor.take(p.ONLY_SO_MANY) is not None:
            is_one = self.cursor.word(-1) == "single"
            exact = Quantity(1.0, text="1") if is_one else take_quantity(self.cursor)
            if exact is not None and exact.unit is None:
                yield Span(self.cursor.at, Compare("=", exact, ColumnMention("count")))
            return
        found = self.conditions(None).comparison(ColumnMention("count"))
        bounds: tuple[object, ...] = ()
        if isinstance(found, Compare):
            bounds = (found.value,)
        elif isinstance(found, Between):
            bounds = (found.low, found.high)
        if bounds and all(isinstance(each, Quantity) and each.unit is None for each in bounds):
            yield Span(self.cursor.at, found)

    def _then(self, at: int) -> Iterable[Span]:
        """An empty span, if another step precedes."""
        if at > self.begin:
            yield Span(at, None)

    def _options(self, options: Sequence[str], at: int) -> Iterable[Span]:
        """`area and perimeter`: words that an argument may have."""
        found: list[str] = []
        self.cursor.at = at
        while True:
            self.cursor.take("the", "their")
            word = self.cursor.word()
            word = word if word in options else word.removesuffix("s")
            if word not in options:
                return
            self.cursor.at += 1
            found.append(word)
            yield Span(self.cursor.at, tuple(found))
            if not self.cursor.take(", and", ",", "and"):
                return

    def _free_text(self, at: int) -> Iterable[Span]:
        """Any words; the template determines where they end."""
        for end in range(at + 1, min(self._ends, at + MAX_TEXT_TOKENS) + 1):
            self.cursor.at = end
            yield Span(end, self.cursor.since(at), FREE_TEXT + 0.1 * (end - at))

    def _name(self, at: int) -> Iterable[Span]:
        """One word, or a quoted name."""
        token = self.cursor.tokens[at]
        if token.kind in ("word", "string"):
            yield Span(at + 1, token.text, 1.0)

    # --- layers and styles -----------------------------------------------------------------------------------

    def _mention(self, at: int) -> Iterable[Span]:
        self.cursor.at = at
        mention = self.mention()
        if mention is not None:
            yield Span(self.cursor.at, mention, GUESS if mention.guessed else 0.0)

    def _mentions(self, at: int) -> Iterable[Span]:
        self.cursor.at = at
        found = self.mentions()
        if found:
            yield Span(self.cursor.at, found, 0.0)

    def _stuff(self, at: int) -> Iterable[Span]:
        """Rows named by a value in the singular, like a mass noun: `motorway`."""
        return self._selection(at, one=True)

    def _selection(self, at: int, *, one: bool = False) -> Iterable[Span]:
        """Rows with all their conditions, but without a style."""
        found: dict[int, Span] = {}
        for limit in self._limited(at):
            self.cursor.at, self.cursor.end = at, limit
            subject = self.subject(one=one)
            if subject is not None:
                full = self.tail(subject, looks=False)
                found.setdefault(self.cursor.at, Span(self.cursor.at, full, 0.0))
                if self.cursor.take("shown on the map", "on the map"):  # the parser handles these words
                    found.setdefault(self.cursor.at, Span(self.cursor.at, full, 0.0))
        return found.values()

    def _look(self, at: int) -> Iterable[Span]:
        self.cursor.at = at
        rules = self.looks(None)
        rules.tables = self.roots or rules.tables
        look = Look()
        while True:
            joined_on = not look.empty and self.cursor.take("and", ",") is not None
            more = None if joined_on and self.vocabulary.is_named(self.cursor.keys()[0]) else rules.add(look)
            if more is None:
                return
            look = more
            yield Span(self.cursor.at, settled(look))

    def _where(self, at: int) -> Iterable[Span]:
        """Conditions on the layer mentioned last, or on the tables named."""
        self.cursor.at = at
        conditions = self.conditions(None)
        conditions.tables = self.roots or conditions.tables
        found = conditions.all()
        if found is not None:
            yield Span(self.cursor.at, found, COMPARED)

    def _title(self, at: int) -> Iterable[Span]:
        """A new name, as written."""
        self.cursor.at = at
        name = self.name()
        if name:
            yield Span(self.cursor.at, name, 1.0)

    def _proper(self, at: int) -> Iterable[Span]:
        """A quoted name, one word, or capitalised words."""
        tokens = self.cursor.tokens[at : self._ends]
        if tokens[0].kind == "string":
            yield Span(at + 1, tokens[0].text, 1.0)
            return
        capitals = list(takewhile(lambda each: each.kind == "word" and each.text[:1].isupper(), tokens))
        if capitals or tokens[0].kind == "word":
            self.cursor.at = at + max(len(capitals), 1)
            yield Span(self.cursor.at, self.cursor.since(at), 1.0)

    def _quoted(self, at: int) -> Iterable[Span]:
        """A quoted text."""
        self.cursor.at = at
        text = self.cursor.take_string()
        if text is not None:
            yield Span(at + 1, text)

    def _value(self, at: int) -> Iterable[Span]:
        """A value or place, as written."""
        return [Span(end, text, FREE_TEXT + 0.01 * (end - at)) for end, text in self._value_texts(at).items()]

    def _value_texts(self, at: int) -> dict[int, str]:
        """Possible values or places, by end position."""
        found: dict[int, str] = {}
        for limit in self._limited(at):
            self.cursor.at, self.cursor.end = at, limit
            text = self.conditions(None).value_text()
            if text:
                found.setdefault(self.cursor.at, text)
        return found

    def _places(self, at: int) -> Iterable[Span]:
        """Places by name, except coordinates."""
        self.cursor.at = at
        if take_spot(self.cursor) is not None or take_line(self.cursor) is not None:
            return ()
        return [
            Span(end, Features(place=text.strip('"'), text=text), NAMED_PLACE + 0.1 * (end - at))
            for end, text in self._value_texts(at).items()
            if not text.startswith(("a ", "an "))
        ]

    def _places_there(self, at: int) -> Iterable[Span]:
        """Places, also within others: `Hyderabad in India` as `Hyderabad, India`."""
        for inner in self._places(at):
            yield inner
            self.cursor.at, self.cursor.end = inner.end, self._ends
            for outer in self._places(self.cursor.at) if self.cursor.take("in") else ():
                text = f"{inner.value.text}, {outer.value.text}"
                if outer.value.text[:1].isupper():
                    yield Span(outer.end, Features(place=text, text=text), inner.cost)

    def _values_here(self) -> Sequence[Value]:
        """The values of the longest matching words, or that a comment explains so; moves the cursor behind them."""
        tables = self.vocabulary.few_tables
        for words, end in self.cursor.runs(most=MAX_VALUE_WORDS):
            found = self.vocabulary.values_called(words) or codes_explained_as(tables, " ".join(words))
            if found:
                self.cursor.at = end
                return found
        return ()

    def _words(self, at: int) -> Iterable[Span]:
        """Up to six words without a sign, except dashes inside a code."""
        tokens, used = self.cursor.tokens, 0
        for end in range(at + 1, self._ends + 1):
            goes_on = end < self._ends and tokens[end].glued and tokens[end].text in "-/"
            if tokens[end - 1].kind == "sign":
                if not (tokens[end - 1].text in "-/" and tokens[end - 1].glued):
                    return
                continue
            if goes_on:
                continue
            used += 1
            if used > MAX_WORDS:
                return
            self.cursor.at = end
            text = self.cursor.since(at)
            yield Span(end, text.removeprefix("the "), FREE_TEXT + 0.1 * (end - at))

    def _box(self, at: int) -> Iterable[Span]:
        """`5, 45, 15, 55`: west, south, east, north."""
        self.cursor.at = at
        self.cursor.take("bounds", "box", "the box")
        if (box := take_box(self.cursor)) is not None:
            yield Span(self.cursor.at, box)


def cost_of(condition: Condition) -> float:
    """The cost of a condition; a word that has to be looked up in the data may mean something else."""
    match condition:
        case OneOf():
            return LOOKED_UP + (ANY_WORD if condition.how == "kind" else 0.0)
        case Negation(inner):
            return cost_of(inner)
        case Group():
            return max(map(cost_of, condition.parts))
        case _:
            return COMPARED
