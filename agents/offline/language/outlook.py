"""What can be said of a template without reading it: the words that it may begin with, and those that it needs.

The chart passes over templates that cannot be in a text, which are most of them.
"""

from __future__ import annotations

from typing import TypeVar

from agents.offline.language.grammar import Capture, Choice, Node, Part, Parts, Sequence_, Slot, Word

T = TypeVar("T")
Known = dict[int, tuple[Node, T]]
"""By the id of a node; the node is kept, so that no other gets its id."""

_OPENING: Known[frozenset[str] | None] = {}
_NEEDED: Known[tuple[frozenset[str], ...]] = {}


def opening_words(node: Node, parts: Parts) -> frozenset[str] | None:
    """The words of which one begins every reading of a node; None where it may begin with others, or take nothing."""
    known = _OPENING.get(id(node))
    if known is None:
        words, may_be_other, may_be_empty = _openings(node, parts)
        known = _OPENING[id(node)] = (node, None if may_be_other or may_be_empty else words)
    return known[1]


def needed_words(node: Node, parts: Parts) -> tuple[frozenset[str], ...]:
    """Sets of words, of each of which a text must have one for the node to be in it."""
    known = _NEEDED.get(id(node))
    if known is None:
        known = _NEEDED[id(node)] = (node, tuple(dict.fromkeys(_needed(node, parts))))
    return known[1]


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
        case _:
            return []


def _openings(node: Node, parts: Parts) -> tuple[frozenset[str], bool, bool]:
    """The words that may come first, whether others may, and whether it may take no word at all."""
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
