"""Compiles templates: the words of a command as its author writes them, to the grammar that the chart reads.

    [convex] hull[s] (of|around) {source} [by {by}] -> concave=0.3 :: Hull of {source}

`[...]` is optional, `(a|b)` is a choice, `hull[s]` has an optional ending. `{source}` is a slot for an
argument; `{source:place}` takes another kind of words than the argument's own. `how=(...)` captures the words
used, `<ask>` is a part shared by templates. Arguments implied by the words follow `->`, the title of the
result follows `::`. A group, such as `per {by:column}`, may also be named as `{by:column} wise`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

_LEXEME = re.compile(
    r"\s*(\{\w+(?::\w+)?\}|<\w+>|\w+=\(|[\[\]()|]|[^\s\[\]()|{}<>]+(?:\[\w+\](?=\s|$|[|)\]]))?)"
)
_ENDING = re.compile(r"(.+)\[(\w+)\]$")


@dataclass(frozen=True, slots=True)
class Word:
    """A literal word."""

    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot for an argument; without `kind`, the argument's schema determines what fills it."""

    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A reference to a part shared by templates."""

    name: str


@dataclass(frozen=True, slots=True)
class Sequence_:
    """Nodes in sequence."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternative nodes."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Capture:
    """The words read by `node`, bound to a name."""

    name: str
    node: Node


Node = Word | Slot | Part | Sequence_ | Choice | Capture
NOTHING = Sequence_(())


class BadTemplate(ValueError):
    """A template cannot be compiled; the message quotes it."""


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled template; `constants` are arguments that its words imply."""

    text: str
    node: Node
    constants: tuple[tuple[str, Any], ...] = ()
    title: str = ""

    @property
    def first_words(self) -> frozenset[str]:
        """The literal words with which it may begin."""
        return frozenset(_first(self.node))

    @property
    def slots(self) -> frozenset[str]:
        """The names of its slots."""
        return frozenset(each.name for each in nodes_of(self.node) if isinstance(each, Slot))

    @property
    def words(self) -> frozenset[str]:
        """All its literal words."""
        return words_in(self.node)


@lru_cache(maxsize=4096)
def compiled(text: str) -> Template:
    """Compile a template. Raises BadTemplate."""
    rest, _, title = text.partition(" :: ")
    pattern, _, meant = rest.partition(" -> ")
    lexemes = _lexemes(pattern)
    node, end = _choice(lexemes, 0, text)
    if end != len(lexemes):
        raise BadTemplate(f"“{lexemes[end]}” is not expected in the template “{text}”")
    return Template(
        text, node, tuple(_constant(each, text) for each in meant.split(",") if each.strip()), title.strip()
    )


def _lexemes(pattern: str) -> list[str]:
    found, at = [], 0
    pattern = pattern.strip()
    while at < len(pattern):
        match = _LEXEME.match(pattern, at)
        if match is None:
            raise BadTemplate(f"“{pattern[at:]}” cannot be read in the template “{pattern}”")
        found.append(match[1])
        at = match.end()
    return found


def _choice(lexemes: list[str], at: int, text: str) -> tuple[Node, int]:
    options: list[Node] = []
    while True:
        items: list[Node] = []
        while at < len(lexemes) and lexemes[at] not in ("|", ")", "]"):
            item, at = _item(lexemes, at, text)
            items.append(item)
        items = _with_suffixed_groups(items)
        options.append(items[0] if len(items) == 1 else Sequence_(tuple(items)))
        if at == len(lexemes) or lexemes[at] != "|":
            break
        at += 1
    return (options[0] if len(options) == 1 else Choice(tuple(options))), at


_GROUPING = ("for_each", "in_each")
_SUFFIXED_SLOTS = {"areas": "plain", "bare": "plain", "column": "column"}
"""Kinds of slots for groups, and what fills them before `wise`."""


def _with_suffixed_groups(items: list[Node]) -> list[Node]:
    """The nodes with `{by:column} wise` as an alternative to `per {by:column}`."""
    for at in range(len(items) - 1):
        behind = items[at + 1 : at + 3] if _can_be_left_out(items[at + 1]) else items[at + 1 : at + 2]
        group = _before_suffix(behind[-1]) if _says_per(items[at]) else None
        if group is not None:
            named = Choice((Sequence_((items[at], *behind)), Sequence_((group, Word("wise")))))
            return [*items[:at], named, *_with_suffixed_groups(items[at + 1 + len(behind) :])]
    return items


def _says_per(node: Node) -> bool:
    match node:
        case Word(text):
            return text == "per"
        case Part(name):
            return name in _GROUPING
        case Choice(options):
            return any(map(_says_per, options))
        case _:
            return False


def _can_be_left_out(node: Node) -> bool:
    return isinstance(node, Choice) and NOTHING in node.options


def _before_suffix(node: Node) -> Node | None:
    """The slot of a group, or a choice of such slots, as it may stand before `wise`; None for other nodes."""
    match node:
        case Slot(name, kind) if kind in _SUFFIXED_SLOTS:
            return Slot(name, _SUFFIXED_SLOTS[kind])
        case Choice(options):
            found = tuple([group for each in options if (group := _before_suffix(each)) is not None])
            return Choice(found) if len(found) == len(options) else None
        case _:
            return None


def _item(lexemes: list[str], at: int, text: str) -> tuple[Node, int]:
    lexeme = lexemes[at]
    if lexeme[0] == "{":
        name, _, kind = lexeme[1:-1].partition(":")
        return Slot(name, kind), at + 1
    if lexeme[0] == "<" and len(lexeme) > 2:
        return Part(lexeme[1:-1]), at + 1
    if lexeme in ("(", "[") or lexeme.endswith("=("):
        node, end = _choice(lexemes, at + 1, text)
        if end == len(lexemes) or lexemes[end] != ("]" if lexeme == "[" else ")"):
            raise BadTemplate(f"“{lexeme}” is not closed in the template “{text}”")
        if lexeme == "[":
            return Choice((node, NOTHING)), end + 1
        return (node if lexeme == "(" else Capture(lexeme[:-2], node)), end + 1
    ending = _ENDING.match(lexeme)
    if ending is not None:
        return Choice((Word(ending[1]), Word(ending[1] + ending[2]))), at + 1
    return Word(lexeme), at + 1


def _constant(text: str, template: str) -> tuple[str, Any]:
    name, _, value = text.strip().partition("=")
    if not name.isidentifier():
        raise BadTemplate(f"“{text.strip()}” is not an argument in the template “{template}”")
    if not value or value == "true":
        return name, True
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        return name, value


def _first(node: Node) -> set[str]:
    match node:
        case Word(text):
            return {text}
        case Capture(_, inner):
            return _first(inner)
        case Choice(options):
            return {word for option in options for word in _first(option)}
        case Sequence_(items):
            found: set[str] = set()
            for item in items:
                found |= _first(item)
                if not _may_be_empty(item):
                    break
            return found
        case _:
            return set()


def _may_be_empty(node: Node) -> bool:
    match node:
        case Choice(options):
            return any(map(_may_be_empty, options))
        case Sequence_(items):
            return all(map(_may_be_empty, items))
        case Capture(_, inner):
            return _may_be_empty(inner)
        case Part():
            return True
        case _:
            return False


def nodes_of(node: Node) -> list[Node]:
    """The words, slots and parts of a node, in their order."""
    match node:
        case Sequence_(items):
            return [each for item in items for each in nodes_of(item)]
        case Choice(options):
            return [each for option in options for each in nodes_of(option)]
        case Capture(_, inner):
            return nodes_of(inner)
        case _:
            return [node]


def words_in(node: Node) -> frozenset[str]:
    """The literal words of a template."""
    return frozenset(each.text for each in nodes_of(node) if isinstance(each, Word))


@lru_cache(maxsize=64)
def words_of_templates(texts: tuple[str, ...]) -> frozenset[str]:
    """The literal words of all these templates, cached. Raises BadTemplate."""
    return frozenset(word for text in texts for word in compiled(text).words)


def spellings(node: Node) -> list[tuple[str, ...]]:
    """All texts that a template without slots matches, as words. Raises BadTemplate for slots."""
    match node:
        case Word(text):
            return [(text,)]
        case Choice(options):
            return [words for option in options for words in spellings(option)]
        case Sequence_(items):
            return [sum(parts, ()) for parts in product(*map(spellings, items))]
        case _:
            raise BadTemplate("only words can be spelt out")


def verbs(node: Node) -> set[str]:
    """The words that may begin a template, directly before a slot for rows."""
    return {
        first.text
        for first, *rest in filter(None, _leading(node, 2))
        if isinstance(first, Word) and rest and isinstance(rest[0], Slot) and rest[0].kind in _ROWS
    }


_ROWS = frozenset(("rows", "bare", "any"))


def _leading(node: Node, most: int) -> list[tuple[Node, ...]]:
    """All possible sequences of the first leaves of a template."""
    match node:
        case Choice(options):
            return [each for option in options for each in _leading(option, most)]
        case Capture(_, inner):
            return _leading(inner, most)
        case Sequence_(items):
            ways: list[tuple[Node, ...]] = [()]
            for item in items:
                if all(len(way) >= most for way in ways):
                    break
                ways = [
                    (*way, *more)[:most] if len(way) < most else way
                    for way in ways
                    for more in (_leading(item, most - len(way)) if len(way) < most else [()])
                ]
            return list(dict.fromkeys(way for way in ways if way)) or [()]
        case Part():
            return [()]
        case _:
            return [(node,)]


Parts = Mapping[str, Node]
"""Parts shared by templates, by name."""


def parts(**texts: str) -> Parts:
    """Compile named templates for use as parts."""
    return {name: compiled(text).node for name, text in texts.items()}
