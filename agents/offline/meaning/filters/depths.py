"""Depths, of which the greater number lies lower: what is said with `below`, `above`, `lowest` or `highest`."""

from __future__ import annotations

import re
from dataclasses import replace

from agents.domain import Column, Table
from agents.offline.answers import refusals
from agents.offline.language.lexicon import MEASURES, spelt_out
from agents.offline.language.names.comments import comment_head
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import ColumnMention, Compare, Quantity
from agents.offline.meaning.scene import Refuse, Scene

_DEPTH = frozenset(MEASURES["deep"])
_SAID = _DEPTH | {"deep"}
_LEVEL = re.compile(r"(?i)\bdepth to\b|\bgroundwater\b|\bwater (?:table|level)\b")
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def compared_depth(scene: Scene, column: Column, condition: Compare) -> Compare:
    """The comparison as one of numbers: `water table below 30 m` is deeper than that. Raises Ask if the number may be
    meant as well, as in `earthquakes below 20 km`."""
    value, mention = condition.value, condition.column
    if not condition.side or not _holds_depths(column) or not isinstance(value, Quantity):
        return condition
    is_said, is_level = _names_depth(mention) or condition.measure == "deep", _is_level(column)
    if condition.op not in _MIRRORED or (is_said and not is_level):
        return condition
    mirrored = replace(condition, op=_MIRRORED[condition.op])
    if is_level and mention is not None and not is_said:
        return mirrored
    options = (f"deeper than {value.text}", f"shallower than {value.text}")
    text = f"{condition.side} {value.text}"
    question = refusals.WHICH_DEPTH(text=text, first=options[0], second=options[1])
    chosen = scene.choose(options, question, text)
    return mirrored if (chosen == options[0]) != condition.op.startswith(">") else condition


def is_lowest_of_depths(column: Column, mention: ColumnMention | None, word: str) -> bool:
    """Whether a superlative is of what lies at a depth, so that the lowest has the greatest number: `the lowest water
    table`, not `the lowest depth`."""
    return word in _EXTREMES and mention is not None and not _names_depth(mention) and _is_level(column)


def refuse_unclear_extreme(table: Table, column: Column, mention: ColumnMention) -> None:
    """Raise Refuse for `lowest groundwater`, which is the deepest, but may be meant as the smallest number."""
    if is_lowest_of_depths(column, mention, _EXTREMES[0]):
        example = f"maximum {column.name.replace('_', ' ')} of {table.name.replace('_', ' ')}"
        raise Refuse(refusals.DEPTH_UNCLEAR(text=mention.text), refusals.SAY_EXAMPLE(example=example))


_EXTREMES = ("lowest", "highest")


def _names_depth(mention: ColumnMention | None) -> bool:
    return mention is not None and not _SAID.isdisjoint(name_words(mention.text))


def _holds_depths(column: Column) -> bool:
    """Whether the column holds depths as positive numbers."""
    is_depth = _DEPTH & (
        spelt_out(column.name) | {*comment_head(column.comment), *name_words(column.comment or "")[:1]}
    )
    is_negative = isinstance(column.maximum, int | float) and column.maximum <= 0
    return bool(is_depth) and not is_negative


def _is_level(column: Column) -> bool:
    """Whether the depth is that at which something lies, such as the water table, not the size of a thing."""
    name = " ".join(name_words(column.name))
    is_level = _LEVEL.search(f"{name}; {column.comment or ''}") or "groundwater" in spelt_out(column.name)
    return _holds_depths(column) and bool(is_level)
