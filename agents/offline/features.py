"""What an analysis is about, in words: rows of a table, a layer as it is drawn, a place, or the step before."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agents.domain import Table
from agents.offline import phrasebook as p
from agents.offline.conditions import joined
from agents.offline.intents import Condition, Mention, Quantity
from agents.offline.nouns import take_quantity
from agents.offline.subjects import Grammar, Subject


@dataclass(frozen=True, slots=True)
class Features:
    """Rows of a table, or what is at a place called so.

    `drawn`: a layer is meant, with its filter. `previous`: the result of the step before; in the first step the
    layer that was spoken of last.
    """

    mention: Mention | None = None
    where: Condition | None = None
    place: str = ""
    text: str = ""
    drawn: bool = False
    previous: bool = False


class FeatureRules(Grammar):
    chained = False
    """Whether another step went before, so that its result is meant where nothing is named."""
    roots: tuple[Table, ...] = ()
    """The tables that the steps before have named: what columns their results may have."""

    def features(self, *, tail: bool = True, places: bool = True) -> Features | None:
        """A table with what is said of its rows, or (`places`) the name of a place."""
        cursor, start = self.cursor, self.cursor.at
        drawn = cursor.take("the layer", "layer") is not None
        subject = self.subject(pronouns=False)
        if subject is not None and (subject.mention.tables or subject.mention.layers) and subject.top is None:
            full = self._conditioned(subject) if tail else subject
            place = self._longer_place(start, cursor.at) if tail and places else ""
            if place:
                return Features(place=place, text=place)
            said = cursor.since(start).removeprefix("the layer ").removeprefix("layer ")
            return Features(full.mention, full.where, text=said, drawn=drawn)
        cursor.at = start
        if not (tail and places):
            return None
        text = self.conditions(None).value_text()
        return Features(place=text.strip('"'), text=text) if text else None

    def _longer_place(self, start: int, end: int) -> str:
        """`City Hospital`, although `city` names a table: a name in capitals that goes on after it. It is read."""
        cursor = self.cursor
        first, following = cursor.tokens[start], cursor.token()
        capitals = first.text[:1].isupper() and following is not None and following.text[:1].isupper()
        if end != start + 1 or not capitals or following is None or following.kind != "word":
            return ""
        cursor.at = start
        text = self.conditions(None).value_text()
        if cursor.at <= end:
            cursor.at = end
            return ""
        return text

    def given(self, *, tail: bool = True) -> Features | None:
        """What a step works on: features by name, `them`, or nothing where another step went before."""
        found = self.features(tail=tail, places=False)
        if found is not None and not (found.mention and found.mention.guessed):
            if found.mention is not None:
                self.roots = tuple(dict.fromkeys((*self.roots, *self.tables_of(found.mention))))
            return found
        return self.pronoun() or self.about_result()

    def about(self, *, tail: bool = True) -> Features | None:
        """Features by name, a place, or `them`."""
        if self.chained and self.cursor.take("those", "the ones", "ones"):
            return self.about_result()
        return self.pronoun() or self.features(tail=tail)

    def about_result(self) -> Features | None:
        """The result of the step before, which needs no word."""
        return Features(text="them", previous=True) if self.chained else None

    def pronoun(self) -> Features | None:
        start = self.cursor.at
        if self.cursor.take(p.RESULT):
            return Features(text=self.cursor.since(start), previous=True)
        return None

    def length(self) -> Quantity | None:
        quantity = take_quantity(self.cursor)
        if quantity is None or quantity.unit is None or quantity.unit.dimension != "length":
            return None
        return quantity

    def _conditioned(self, subject: Subject) -> Subject:
        """With the conditions that follow, but not the relation to other features."""
        conditions = self.conditions(subject.mention)
        where = [subject.where] if subject.where is not None else []
        while not self._relation_follows():
            start = self.cursor.at
            self.cursor.take("and", ",") if where else None
            found = None if self._relation_follows() else conditions.one()
            if found is None:
                self.cursor.at = start
                break
            where.append(found)
        return replace(subject, where=joined("and", where) if where else None)

    def _relation_follows(self) -> bool:
        start = self.cursor.at
        self.cursor.take("and", ",")
        self.cursor.take("that are", "which are", "that lie", "lying", "are", "is", "not")
        self.cursor.take("the", "not")
        if self.cursor.word() in ("farthest", "furthest", "closest", "nearest"):
            self.cursor.at = start
            return True
        if self.cursor.take(p.WITHOUT_ANY):
            # `without airports`; `without an iata code` is a condition.
            noun = self.mention()
            self.cursor.at = start
            return noun is not None and bool(noun.tables) and not noun.guessed
        comparison = self.cursor.take(p.FARTHER_THAN, p.CLOSER_THAN)
        found = comparison is not None and self.length() is not None
        found = found and (
            comparison == "within" or self.cursor.take("of", "from", "away", "to", "around") is not None
        )
        self.cursor.at = start
        return found
