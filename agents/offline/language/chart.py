"""The chart: all ways in which templates read the words of a request from a place on, the cheapest first.

Each node of the grammar is read at each place once. What fills a slot comes as spans from the tags: where they end,
what they mean, and what they cost; a word of the template costs nothing. The number of edges is bounded, and the same
text is always read or always declined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.offline.language.grammar import Choice, Kept, Node, Part, Parts, Sequence_, Slot, Word
from agents.offline.language.reading import TOO_INVOLVED

MAX_EDGES = 60_000
MAX_ALTERNATIVES = 3
"""Readings kept of those that end at one place."""
FILLERS = frozenset(("the", "a", "an", "their", "its", "me", "us"))
"""Words that may be passed over before a word of a template."""

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
        self._spans = spans
        self._parts = parts
        self._text = text
        self._edges: dict[tuple[int, int], tuple[Edge, ...]] = {}
        self._kept: list[Node] = []
        self.size = 0

    def read(self, node: Node, at: int) -> tuple[Edge, ...]:
        """Raises Unreadable where there are too many ways."""
        if isinstance(node, Word):
            return self._word(node.text, at)  # not worth keeping
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
            case Kept(name, inner):
                return [
                    Edge(each.end, each.cost, (*each.bindings, (name, self._text(at, each.end))))
                    for each in self.read(inner, at)
                ]

    def _slot(self, slot: Slot, at: int) -> Sequence[Edge]:
        found = self._spans(slot, at)
        while not found and at < len(self.words) and self.words[at] in FILLERS:
            at += 1
            found = self._spans(slot, at)
        return [Edge(span.end, span.cost, ((slot.name, span.value),)) for span in found]

    def _word(self, text: str, at: int) -> tuple[Edge, ...]:
        while at < len(self.words):
            if self.words[at] == text:
                return (Edge(at + 1),)
            if self.words[at] not in FILLERS:
                break
            at += 1
        return ()

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
