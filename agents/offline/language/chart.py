"""Chart parser: finds all readings of a request by the templates, from a token on, cheapest first.

Each node of the grammar is read once at each position. Slots are filled by spans from the tags: where they
end, what they mean and what they cost; words of a template cost nothing. The number of edges is limited, so
the same text is always read or always declined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from agents.offline.language.grammar import Capture, Choice, Node, Part, Parts, Sequence_, Slot, Word
from agents.offline.language.reading import TOO_INVOLVED
from agents.offline.language.words import word_set

MAX_EDGES = 60_000
MAX_ALTERNATIVES = 3
"""Readings kept that end at the same position."""
COMPARING = word_set(
    "or between exactly only just single than least most above over below under up minimum maximum min max"
    " > < = >= <= ≥ ≤"
)
"""Every comparison of a number contains one of these words."""
FILLERS = frozenset(("the", "a", "an", "their", "its", "me", "us"))
"""Words that may be skipped before a word of a template."""
MAX_PASSED_OVER = 3
"""Fillers skipped in a row."""

Bindings = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Span:
    """A possible value of a slot: it ends before token `end`; guesses have a cost."""

    end: int
    value: Any
    cost: float = 0.0


class Edge(NamedTuple):
    """A node read up to `end`; `bindings` are the filled slots in the order of the words."""

    end: int
    cost: float = 0.0
    bindings: Bindings = ()


class Chart:
    """The parser of one request.

    `words`: the tokens as words and signs. `spans(slot, at)`: values of a slot from a token on. `text(begin,
    end)`: the original text.
    """

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
        self._left = {0: frozenset(words)}
        self._edges: dict[tuple[int, int], tuple[Edge, ...]] = {}
        self._kept: list[Node] = []
        self.size = 0

    def may_read(self, node: Node, at: int) -> bool:
        """Whether the remaining words include all that the template requires."""
        if at not in self._left:
            self._left[at] = frozenset(self.words[at:])
        return _has_needed(needed_words(node, self._parts), self._left[at])

    def read_whole(self, node: Node, at: int) -> tuple[Edge, ...]:
        """Read a whole template; skips templates whose required words are missing."""
        return self.read(node, at) if self.may_read(node, at) else ()

    def read(self, node: Node, at: int) -> tuple[Edge, ...]:
        """All readings of a node from a token on. Raises Unreadable if there are too many."""
        if isinstance(node, Word):
            return self._word(node.text, at)  # cheaper than a cache
        key = (id(node), at)
        found = self._edges.get(key)
        if found is None:
            known = _OPENING.get(id(node))
            opening = known[1] if known is not None else opening_words(node, self._parts)
            if opening is not None and (at >= len(self.words) or opening.isdisjoint(self._starts[at])):
                return ()
            found = tuple(_cheapest(self._read(node, at)))
            self._edges[key] = found
            self._kept.append(node)  # keeps the node alive, so that its id is not reused
            self.size += 1 + len(found)
            if self.size > MAX_EDGES:
                raise TOO_INVOLVED
        return found

    def _read(self, node: Node, at: int) -> Sequence[Edge]:
        match node:
            case Word(text):
                return self._word(text, at)
            case Choice(options):
                return [
                    edge
                    for option in options
                    if not isinstance(option, Sequence_) or self.may_read(option, at)
                    for edge in self.read(option, at)
                ]
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
                    Edge(each.end, each.cost, (*each.bindings, (name, self._captured(begin, each.end))))
                    for each in self.read(inner, at)
                ]

    def _captured(self, begin: int, end: int) -> str:
        """The words in lower case, because rules compare them with their own."""
        return self._text(min(begin, end), end).lower()

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
        """Positions after the fillers that may be skipped here."""
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
    """The words with which a reading may begin here: the next word, or one after skipped fillers."""
    end = at
    while end < len(words) - 1 and end - at < MAX_PASSED_OVER and words[end] in FILLERS:
        end += 1
    return tuple(words[at : end + 1])


def _cheapest(edges: Sequence[Edge]) -> Sequence[Edge]:
    """The cheapest few edges for each end position."""
    if len(edges) < 2:
        return edges
    kept: list[Edge] = []
    ends: dict[int, int] = {}
    for edge in sorted(edges, key=lambda each: each.cost):
        if ends.get(edge.end, 0) < MAX_ALTERNATIVES and edge not in kept:
            ends[edge.end] = ends.get(edge.end, 0) + 1
            kept.append(edge)
    return kept


# --- Template properties that rule out most templates without reading them --------------------------------

T = TypeVar("T")
Known = dict[int, tuple[Node, T]]
"""Results by node id; the node is stored too, so that its id is not reused."""

_OPENING: Known[frozenset[str] | None] = {}
_NEEDED: Known[tuple[frozenset[str], ...]] = {}


def opening_words(node: Node, parts: Parts) -> frozenset[str] | None:
    """The words that can begin a reading of a node; None if a slot can, or if the node can be empty."""
    known = _OPENING.get(id(node))
    if known is None:
        words, may_be_other, may_be_empty = _openings(node, parts)
        known = _OPENING[id(node)] = (node, None if may_be_other or may_be_empty else words)
    return known[1]


def needed_words(node: Node, parts: Parts) -> tuple[frozenset[str], ...]:
    """Sets of words: a text must contain at least one word of each set to match the node."""
    known = _NEEDED.get(id(node))
    if known is None:
        known = _NEEDED[id(node)] = (node, tuple(dict.fromkeys(_needed(node, parts))))
    return known[1]


def _has_needed(needed: tuple[frozenset[str], ...], words: frozenset[str]) -> bool:
    return not any(map(words.isdisjoint, needed))


class TemplateIndex(Generic[T]):
    """Templates indexed by a required word, so that only a few of hundreds are tried for a request."""

    def __init__(self, templates: Iterable[tuple[Node, T]], parts: Parts) -> None:
        self._templates = [(needed_words(node, parts), each) for node, each in templates]
        self._with_any: list[int] = []
        self._with_word: dict[str, list[int]] = {}
        for at, (needed, _) in enumerate(self._templates):
            if not needed:
                self._with_any.append(at)
            for word in min(needed, key=len, default=()):
                self._with_word.setdefault(word, []).append(at)

    def readable(self, words: frozenset[str]) -> list[T]:
        """The templates whose required words are all in `words`, in their original order."""
        places = set(self._with_any).union(*(self._with_word.get(word, ()) for word in words))
        found = (self._templates[at] for at in sorted(places))
        return [each for needed, each in found if _has_needed(needed, words)]


def _needed(node: Node, parts: Parts) -> list[frozenset[str]]:
    match node:
        case Word(text):
            return [frozenset((text,))]
        case Part(name):
            return _needed(parts[name], parts)
        case Capture(_, inner):
            return _needed(inner, parts)
        case Sequence_(items):
            return [words for item in items for words in _needed(item, parts)]
        case Choice(options):
            found = [min(_needed(option, parts), key=len, default=None) for option in options]
            sure = [words for words in found if words is not None]
            return [frozenset().union(*sure)] if len(sure) == len(found) else []
        case Slot(kind="many"):
            return [COMPARING]
        case _:
            return []


def _openings(node: Node, parts: Parts) -> tuple[frozenset[str], bool, bool]:
    """The possible first words, whether a slot can come first, and whether the node can be empty."""
    match node:
        case Word(text):
            return frozenset((text,)), False, False
        case Part(name):
            return _openings(parts[name], parts)
        case Capture(_, inner):
            return _openings(inner, parts)
        case Choice(options):
            found = [_openings(option, parts) for option in options]
            words: frozenset[str] = frozenset().union(*(each[0] for each in found))
            return words, any(each[1] for each in found), any(each[2] for each in found)
        case Sequence_(items):
            first: frozenset[str] = frozenset()
            for item in items:
                words, other, empty = _openings(item, parts)
                first |= words
                if other or not empty:
                    return first, other, False
            return first, False, True
        case Slot(kind="then"):
            return frozenset(), False, True
        case _:
            return frozenset(), True, False
