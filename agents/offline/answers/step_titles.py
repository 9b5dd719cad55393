"""Titles of the steps of an analysis, in the request's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.offline.language.grammar import Template
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning.conditions import OneOf
from agents.offline.meaning.features import Features


def titled(template: Template, bindings: Mapping[str, Any], inputs: Sequence[tuple[str, Features]]) -> str:
    """The title after `::` with the request's words; empty if the words themselves are the title."""
    given = dict(inputs)
    words = {
        name: _title_words(given.get(name, value), name) for name, value in {**bindings, **given}.items()
    }
    words |= {f"one_{name}": _one_of(features) for name, features in inputs}
    words["ends"] = _ends(words.get("from_x", ""), words.get("to_x", ""))
    text = " ".join(template.title.format_map(_Empty(words)).split()).replace("each those", "each of them")
    for name, features in inputs:
        if isinstance(features.where, OneOf) and features.where.how == "named":
            text = text.replace(f"each {words[f'one_{name}']}", words[f"one_{name}"])  # a single row
    title = text.removeprefix("the ").removeprefix("all ")
    return title[:1].upper() + title[1:]


def _one_of(features: Features) -> str:
    """The rows in the singular: the nearest `city` to each `airport`, to each `of the 5 largest cities`."""
    if features.mention is None:
        return _title_words(features, "source")
    if features.made:
        return f"of the {features.noun}"
    noun = features.mention.text
    last = noun.rpartition(" ")[2]
    one = shown_singular(noun) if last.isalpha() and last.islower() else noun
    return features.noun.removeprefix("the ").replace(noun, one, 1)


def _ends(start: str, end: str) -> str:
    """The names of an arc's ends, from its longitude columns: `from origin to destination`; empty for `lon`."""
    names = [" ".join(word for word in name_words(text) if word not in _COORDINATES) for text in (start, end)]
    return f"from {names[0]} to {names[1]}" if all(names) else ""


_COORDINATES = frozenset(("lon", "long", "lng", "longitude", "x", "easting"))
FINITE_VERBS = word_set(
    "border contain cross crosses do does don't fall has have intersect lie overlap share touch"
)
"""Verbs after a noun in a question; titles insert `that`."""


class _Empty(dict[str, str]):
    def __missing__(self, _: str) -> str:
        return ""


def _title_words(value: Any, name: str) -> str:
    if name in ("wording", "said") and value.partition(" ")[0] in FINITE_VERBS:
        return f"that {value}"
    if isinstance(value, Features) and value.previous and not value.text.startswith("the "):
        return "those" if name == "source" else value.text or "them"
    return str(getattr(value, "text", value))
