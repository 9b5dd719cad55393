"""Rules for spatial questions: `airports within 50 km of Berlin`, `the 10 cities farthest from any airport`.

GeoAgent's side only asks whether a request is one (it then goes to the analyst as it stands); the analyst's side
plans the operations from what is read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from agents.offline import phrasebook as p
from agents.offline.conditions import joined
from agents.offline.features import FeatureRules, Features
from agents.offline.intents import Quantity
from agents.offline.nouns import take_count


@dataclass(frozen=True, slots=True)
class Near:
    """Features within a distance of others, or (`far`) beyond it from all of them."""

    source: Features
    other: Features
    distance: Quantity
    far: bool = False
    said: str = ""
    """The words between the two."""
    also: str = ""
    """What is said of the source behind the other."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """Features that share ground with others, or (`without`) with none of them."""

    source: Features
    other: Features
    without: bool = False
    said: str = ""
    touching: bool = False
    """Only at their borders."""
    also: str = ""
    """What is said of the source behind the other."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """For each feature its nearest other; `limit` keeps those with the smallest (or greatest) distances."""

    source: Features
    target: Features
    limit: int | None = None
    farthest: bool = False
    said: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """The areas within a distance of features."""

    source: Features
    distance: Quantity
    united: bool = False


@dataclass(frozen=True, slots=True)
class CountedIn:
    """How many of some features lie in each of others."""

    counted: Features
    areas: Features


_GOES_ON = frozenset(("that", "which", "have", "has", "with", "are", "is", "in"))
"""What another condition on the same rows begins with."""

Question = Near | Meeting | Neighbours | Around | CountedIn


class Questions(FeatureRules):
    def question(self) -> Question | None:
        """The first rule that reads up to the end or to the next command."""
        cursor, start = self.cursor, self.cursor.at
        rules: tuple[Callable[[], Question | None], ...] = (
            self.around, self.counted_in, self.nearest_of_each, self.extreme, self.near,
            self.bordering, self.meeting,
        )  # fmt: skip
        for rule in rules:
            cursor.at = start
            found = rule()
            if found is None:
                continue
            while cursor.take(p.TAIL) or cursor.take("?", "!", "."):
                pass
            if cursor.done or cursor.word() in ("and", "then", ";", ",") or self._is_look():
                return found
        cursor.at = start
        return None

    def _is_look(self) -> bool:
        """Whether it goes on with how the result is to look."""
        return bool(
            self.cursor.sees("coloured by") or self.cursor.sees("colored by") or self.cursor.sees("sized by")
        )

    # --- the questions ---------------------------------------------------------------------------------------

    def around(self) -> Question | None:
        """`buffer the airports by 5 km`, `a 5 km buffer around the rivers`."""
        cursor = self.cursor
        cursor.take("draw", "make", "show", "show me", "create", "compute", "calculate")
        cursor.take("a", "the")
        distance = self.length()
        if distance is not None:
            if not cursor.take("buffers", "buffer", "zone", "zones", "areas", "area"):
                return None
            source = self.about() if cursor.take("around", "of", "for", "about") else None
            return Around(source, distance, self._united()) if source is not None else None
        if not cursor.take("buffer", "buffers"):
            return None
        if cursor.take("of"):
            distance = self.length()
            source = self.about() if distance is not None and cursor.take("around", "about", "for") else None
        else:
            source = self.about()
            distance = self.length() if source is not None and cursor.take("by", "with", "at") else None
        if source is None or distance is None:
            return None
        return Around(source, distance, self._united())

    def counted_in(self) -> Question | None:
        """`count the airports in each country`, `how many cities per country`."""
        cursor = self.cursor
        if not cursor.take(p.HOW_MANY):
            return None
        counted = self.about(tail=False)
        cursor.take("are there", "there are", "lie", "are", "does", "do")
        if counted is None or not cursor.take(p.IN_EACH):
            return None
        cursor.take("of")
        areas = self.about(tail=False) or self.about_result()
        cursor.take("have", "has")
        return CountedIn(counted, areas) if areas is not None else None

    def nearest_of_each(self) -> Question | None:
        """`the nearest airport to each city`, `the closest airport of every city`."""
        cursor = self.cursor
        self._ask()
        if not cursor.take("nearest", "closest"):
            return None
        start = cursor.at
        target = self.about(tail=False)
        if target is not None and cursor.word() not in ("to", "for", "of", "from"):
            cursor.at = start
            target = self.about()
        if target is None or not cursor.take("to", "for", "of", "from"):
            return None
        each = cursor.take("each", "every", "all the", "all") is not None
        source = self.about() or (self.about_result() if each else None)
        if source is None:
            return None
        if each or source.previous or source.mention is not None:
            return Neighbours(source, target)
        return Neighbours(target, source, 1, said="nearest to")

    def extreme(self) -> Question | None:
        """`the 10 cities over 100,000 people farthest from any airport`, `which airport is closest to Ulm`."""
        cursor = self.cursor
        self._ask()
        limit = take_count(cursor)
        farthest = cursor.take(p.EXTREMES)
        bare = self.chained and farthest is not None and cursor.word() in ("to", "from", "away")
        source = self.about_result() if bare else self.about()
        if source is None:
            return None
        linked = cursor.take("that are", "which are", "that is", "is", "are", "lie", "lies")
        begin = cursor.at
        said_before = farthest if bare else None
        farthest = farthest or cursor.take(p.EXTREMES)
        if farthest is None or not cursor.take("away from", "from", "to"):
            return None
        if cursor.word() in ("each", "every"):
            return None
        cursor.take("any", "an", "a", "the", "all", "their nearest", "the nearest")
        said = " ".join(filter(None, (said_before, cursor.since(begin))))
        target = self.about()
        if target is None:
            return None
        usual = 1 if linked in ("is", "that is", "lies") else 10
        far = farthest.split()[-1] not in ("closest", "nearest")
        return Neighbours(source, target, limit or usual, far, said)

    def near(self) -> Question | None:
        """`airports within 50 km of Berlin`, `cities more than 100 km from any airport`."""
        cursor = self.cursor
        self._ask()
        source = self.about()
        if source is None:
            return None
        cursor.take("that are", "which are", "that lie", "lying", "located", "are", "lie", "is")
        begin = cursor.at
        negative = cursor.take("not") is not None
        far = cursor.take(p.FARTHER_THAN)
        if far is None and not cursor.take(p.CLOSER_THAN):
            return None
        distance = self.length()
        if distance is None:
            return None
        cursor.take("away")
        if not cursor.take("of", "from", "to", "around"):
            return None
        cursor.take("any", "all", "every", "the nearest", "the next")
        said = cursor.since(begin)
        other = self.about()
        if other is None:
            return None
        source, also = self._with_more(source)
        return Near(source, other, distance, (far is not None) != negative, said, also)

    def meeting(self) -> Question | None:
        """`countries without airports`, `cities in countries with over 100 million people`."""
        self._ask()
        start = self.cursor.at
        found = self._meeting(tail=False)
        if found is None:
            self.cursor.at = start
            found = self._meeting(tail=True)
        return found

    def _meeting(self, *, tail: bool) -> Question | None:
        """`tail`: with conditions on the source before the relation, as in `countries in Europe without airports`."""
        cursor = self.cursor
        source = self.about(tail=tail)
        if source is None or source.place or (tail and source.where is None):
            return None
        cursor.take("that are", "which are", "that lie", "lying", "located", "are", "that", "which")
        begin = cursor.at
        opener = cursor.take(p.MEETING)
        cursor.take("any", "all", "the", "a", "an")
        said = cursor.since(begin)
        if opener is None or (opener in p.HAVING and self._is_column(source)):
            return None
        if tail and opener not in p.WITHOUT_ANY:
            return None
        other = self.about()
        if other is None or other.place:
            return None
        if not other.previous and (other.mention is None or other.mention.guessed):
            return None
        cursor.take("in them", "inside", "in it", "within them", "on them")
        source, also = self._with_more(source)
        return Meeting(source, other, opener in p.WITHOUT_ANY, said, also=also)

    def _with_more(self, source: Features) -> tuple[Features, str]:
        """The source with what is said of it behind the other one, and those words: `... and have more than 10 million
        people`. All conditions of a sentence are on the same rows."""
        cursor, start = self.cursor, self.cursor.at
        joined_on = cursor.take(", and", "and", ",", "but") is not None
        goes_on = self.starts_comparison() or cursor.word() in _GOES_ON
        if not joined_on or source.mention is None or not goes_on:
            cursor.at = start
            return source, ""
        found = self.conditions(source.mention).one()
        if found is None:
            cursor.at = start
            return source, ""
        where = found if source.where is None else joined("and", [source.where, found])
        return replace(source, where=where), cursor.since(start)

    def bordering(self) -> Question | None:
        """`countries bordering Germany`, `which countries touch Switzerland`."""
        cursor = self.cursor
        self._ask()
        source = self.about(tail=False)
        if source is None or source.place:
            return None
        begin = cursor.at
        cursor.take("that", "which", "are")
        if not cursor.take(p.BORDERING):
            return None
        said = cursor.since(begin)
        other = self.about()
        if other is None:
            return None
        source, also = self._with_more(source)
        return Meeting(source, other, said=said, touching=True, also=also)

    def _is_column(self, source: Features) -> bool:
        """`airports with a city`: what the rows have, not where they lie."""
        start = self.cursor.at
        found = self.column(source.mention) is not None
        self.cursor.at = start
        return found

    # --- their pieces ----------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Words that only begin a question."""
        self.cursor.take(p.ASKING) or (self.chained and self.cursor.take("keep only", "keep", "only"))
        while self.cursor.take("me", "us", "the", "all", "any"):
            pass

    def _united(self) -> bool:
        return self.cursor.take(p.UNITED) is not None
