"""The chart: all ways in which templates read the words of a request from a place on, the cheapest first.

Each node of the grammar is read at each place once. What fills a slot comes as spans from the tags: where they end,
what they mean, and what they cost; a word of the template costs nothing. The number of edges is bounded, and the same
text is always read or always declined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.language.grammar import Capture, Choice, Node, Part, Parts, Sequence_, Slot, Word
from agents.offline.language.outlook import needed_words, opening_words
from agents.offline.language.reading import TOO_INVOLVED

MAX_EDGES = 60_000
MAX_ALTERNATIVES = 3
"""Readings kept of those that end at one place."""
FILLERS = frozenset(("the", "a", "an", "their", "its", "me", "us"))
"""Words that may be passed over before a word of a template."""
MAX_PASSED_OVER = 3
"""Such words in a row."""

Bindings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Span:
    """What fills a slot: up to the token `end`, with what a guess costs."""

    end: int
    value: Any
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Edge:
    """A node read up to `end`; `bindings` are the slots that were filled, in the order of the words."""

    end: int
    cost: float = 0.0
    bindings: Bindings = ()

    def bound(self, name: str) -> Any:
        return next((value for each, value in self.bindings if each == name), None)


class Chart:
    """`spans(slot, at)` are the fillings of a slot that begin at a token; `words` the tokens as words and signs."""

    def __init__(
        self,
        words: Sequence[str],
        spans: Callable[[Slot, int], Sequence[Span]],
        parts: Parts,
        text: Callable[[int, int], str],
    ) -> None:
        self.words = words
        self._starts = [_starts(words, at) for at in range(len(words))]
        self._spans = spans
        self._parts = parts
        self._text = text
        self._left: dict[int, frozenset[str]] = {}
        self._edges: dict[tuple[int, int], tuple[Edge, ...]] = {}
        self._kept: list[Node] = []
        self.size = 0

    def read_whole(self, node: Node, at: int) -> tuple[Edge, ...]:
        """As `read`, of the node of a whole template: nothing where words are missing that it cannot do without."""
        if at not in self._left:
            self._left[at] = frozenset(self.words[at:])
        if any(each.isdisjoint(self._left[at]) for each in needed_words(node, self._parts)):
            return ()
        return self.read(node, at)

    def read(self, node: Node, at: int) -> tuple[Edge, ...]:
        """Raises Unreadable where there are too many ways."""
        if isinstance(node, Word):
            return self._word(node.text, at)  # not worth keeping
        opening = opening_words(node, self._parts)
        if opening is not None and (at >= len(self.words) or opening.isdisjoint(self._starts[at])):
            return ()
        key = (id(node), at)
        found = self._edges.get(key)
        if found is None:
            found = tuple(_cheapest(self._read(node, at)))
            self._edges[key] = found
            self._kept.append(node)  # so that no other node gets its id
            self.size += 1 + len(found)
            if self.size > MAX_EDGES:
                raise TOO_INVOLVED
        return found

    def _read(self, node: Node, at: int) -> Sequence[Edge]:
        match node:
            case Word(text):
                return self._word(text, at)
            case Choice(options):
                return [edge for option in options for edge in self.read(option, at)]
            case Sequence_(items):
                return self._sequence(items, at)
            case Slot():
                return self._slot(node, at)
            case Part(name):
                return self.read(self._parts[name], at)
            case Capture(name, inner):
                begin = at
                while begin < len(self.words) and self.words[begin] in FILLERS:
                    begin += 1
                return [
                    Edge(
                        each.end,
                        each.cost,
                        (*each.bindings, (name, self._text(min(begin, each.end), each.end))),
                    )
                    for each in self.read(inner, at)
                ]

    def _slot(self, slot: Slot, at: int) -> Sequence[Edge]:
        found = self._spans(slot, at)
        for place in self._after_fillers(at) if not found else ():
            found = self._spans(slot, place)
            if found:
                break
        return [Edge(span.end, span.cost, ((slot.name, span.value),)) for span in found]

    def _word(self, text: str, at: int) -> tuple[Edge, ...]:
        if at < len(self.words) and self.words[at] == text:
            return (Edge(at + 1),)
        for place in self._after_fillers(at):
            if self.words[place] == text:
                return (Edge(place + 1),)
        return ()

    def _after_fillers(self, at: int) -> range:
        """The places behind fillers that may be passed over here."""
        return range(at + 1, at + len(self._starts[at])) if at < len(self.words) else range(0)

    def _sequence(self, items: Sequence[Node], at: int) -> Sequence[Edge]:
        edges: Sequence[Edge] = (Edge(at),)
        for item in items:
            longer = [
                Edge(more.end, edge.cost + more.cost, edge.bindings + more.bindings)
                for edge in edges
                for more in self.read(item, edge.end)
            ]
            edges = _cheapest(longer)
            if not edges:
                break
        return edges


def _starts(words: Sequence[str], at: int) -> tuple[str, ...]:
    """The words that something may begin with here: fillers may be passed over."""
    end = at
    while end < len(words) - 1 and end - at < MAX_PASSED_OVER and words[end] in FILLERS:
        end += 1
    return tuple(words[at : end + 1])


def _cheapest(edges: Sequence[Edge]) -> Sequence[Edge]:
    """Of the edges that end at one place the few that cost least."""
    if len(edges) < 2:
        return edges
    kept: list[Edge] = []
    ends: dict[int, int] = {}
    for edge in sorted(edges, key=lambda each: each.cost):
        if ends.get(edge.end, 0) < MAX_ALTERNATIVES and edge not in kept:
            ends[edge.end] = ends.get(edge.end, 0) + 1
            kept.append(edge)
    return kept
