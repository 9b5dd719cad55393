"""Rows of another table that belong to the rows spoken of (`which stops are affected?`, `show their stops`), and those
of them that have some (`have any of them failed an inspection?`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.commands.analyses.by_key.chosen import (
    RECORDED,
    YET,
    may_have,
    named_after,
    names_detail,
    rows_of_table,
    table_of,
    with_rows,
)
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.conditions.verbs import outcome_of
from agents.offline.language.names.keys import links
from agents.offline.language.words import fold, is_participle, name_words
from agents.offline.meaning.conditions import ColumnMention, OneOf, all_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import step

_NOT = "(never|not|haven't|hasn't|have not|has not|have never|has never|didn't|did not)"
THEM = Features(text="them", previous=True)
RULES = Rules()
on = RULES.on


@on(f"<ask> {{source:bare}} (have|had|has|got|received) [a|an|any] {{other:meant}} {YET}", cost=1.0)
@on(
    f"<ask> {{source:bare}} (have|had|has|got|received) [a|an|any] {{other:meant}} done=({RECORDED}) {YET}",
    cost=0.5,
)
def _having(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many of them have a job raised?`, `which of them got complaints?`"""
    rows, other = bindings["source"], bindings["other"]
    own, theirs = table_of(rows, context), context.table(other)
    if own is None or theirs is None or not other.named or not may_have(own, theirs, context):
        return None
    if names_detail(bindings.get("done", ""), theirs, context):
        return None
    return (with_rows(rows, other, f"{rows.heading} that have {other.text}"),)


@on(
    f"<ask> {{source:bare}} [that|which|who] denied=([{_NOT}]) [have|has|had] [ever] {{done:name}}"
    f" [a|an|any|their|its|the] {{other:meant}} {YET}",
    cost=1.0,
)
def _with_outcome(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`have any of them failed an inspection?`: those with an inspection of that result."""
    rows, other, done = bindings["source"], bindings["other"], bindings["done"].lower()
    own, theirs = table_of(rows, context), context.table(other)
    if own is None or theirs is None or not other.named or not may_have(own, theirs, context):
        return None
    values = {
        (column, value)
        for table, column, value in context.vocabulary.values_called((fold(done),))
        if table == theirs
    }
    result = outcome_of((theirs,), done) or (values.pop() if len(values) == 1 else None)
    if result is None:
        return None
    column, value = result
    of_result = OneOf(f'"{value}"', ColumnMention(column, (column,)), "is")
    others = replace(other, where=all_of(other.where, of_result))
    denied = bindings.get("denied", "")
    said = f"that {denied + ' ' if denied else ''}{done} {other.text}"
    return (with_rows(rows, others, f"{rows.heading} {said}", invert=bool(denied)),)


@on(f"<ask> {{source:bare}} [that] [have|has] [ever] been {{done:name}} {YET}", cost=1.0)
def _done(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`have any of them been inspected?`: those with rows of the table that is named after the verb."""
    rows, done = bindings["source"], bindings["done"].lower()
    own = table_of(rows, context)
    if own is None or not is_participle(done):
        return None
    named = [each for each in named_after(done, context) if may_have(own, each, context)]
    if len(named) != 1 or any(done in name_words(each.name) for each in own.columns):
        return None
    return (with_rows(rows, rows_of_table(named[0]), f"{rows.heading} that were {done}"),)


@on(f"<ask> {{source:bare}} [are|is|were|was|got|get] affected [by {{other:bare}}] {YET}", cost=1.0)
def _affected(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which stops are affected?`, after the suspended routes."""
    rows, other = bindings["source"], bindings.get("other", THEM)
    own, theirs = context.table(rows), table_of(other, context)
    if own is None or theirs is None or not rows.named or context.has_column(rows, "affected"):
        return None
    if own.id == theirs.id or not links(own, theirs, context.vocabulary.few_tables):
        return None
    return (step("select_by_attribute", rows, ("other", other), title=f"{rows.heading} affected"),)


@on("<ask> whose=(their|its) {source:bare}", cost=1.0)
@on("<ask> layer={other:bare} {source:bare}", cost=1.0)
@on("how many {source:bare} (do|does|did|have|has) {other:bare} (have|has|had|got)", cost=1.0)
def _theirs(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`show their stops`, `how many stops do they have?`: the rows that refer to those spoken of."""
    rows, other = bindings["source"], bindings.get("other")
    other = replace(THEM, text=bindings["whose"]) if other is None else other
    own, theirs = context.table(rows), table_of(other, context)
    if own is None or theirs is None or not rows.named:
        return None
    if not (other.drawn or (other.previous and "layer" not in bindings)):
        return None
    if not any(each.refers for each in links(own, theirs, context.vocabulary.few_tables)):
        return None
    return (step("select_by_attribute", rows, ("other", other), title=f"Their {rows.noun}"),)
