"""Rows chosen by the key of rows of another table: `stops of suspended routes`; and those without any, said with a
verb: `places that were never inspected`, `outages with no job raised`, `sectors that haven't had a cleanup`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.rules import Context, Rules, Steps, are_times
from agents.offline.language.conditions.verbs import is_empty_where_not, records
from agents.offline.language.names.keys import links
from agents.offline.language.words import are_forms, is_participle, name_words, words_of_things
from agents.offline.meaning.conditions import Mention, all_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import AnalysisStep, step

YET = "[yet|so far|to date|at all|ever]"
_NO = (
    "(without|with no|that have no|which have no|having no|have no|has no|had no|that had no|lacking|where no"
    "|where there (is|are|was|were) no)"
    " [a|an|any|a single]"
)
_NEVER_HAD = (
    "[that|which|who] (haven't|hasn't|have not|has not|have never|has never|had never|hadn't|never|didn't|did not)"
    " [yet] [ever] (had|have|got|get|received|receive|seen|see) [a|an|any|a single|their first]"
)
RECORDED = (
    "[was|were|has been|have been] (raised|logged|recorded|registered|reported|filed|opened|created|done|made"
    "|carried out|undertaken|performed|held|booked|assigned|taken|found|against them|for them)"
)
_NEVER = (
    "[that|which|who] (not|are not|aren't|were never|was never|are never|have never been|has never been|haven't been"
    "|hasn't been|have not been|has not been|had never been|weren't|wasn't|were not|never been|never|not yet|have never"
    "|has never) [yet] [ever]"
)
_ANY_ROWS = "(places|sites|locations|premises|facilities|properties)"
"""Nouns for the rows of any table."""
_OF_NONE = (
    "[that|which] ((belong|belongs|belonging|refer|referring) to (no|none of the)"
    "|[are|is] (assigned|linked|attached|connected) to no"
    "|((don't|doesn't|do not|does not) belong|(aren't|isn't|are not|is not|not) (assigned|linked|attached|connected))"
    " to (a|an|any|any of the))"
)
_OF = (
    "[that|which] [are|is|were|was] (of|on|at|for|from|out of|about|connected to|assigned to|linked to"
    "|attached to|issued to|(fed|served|supplied|run|operated) (by|from))"
)
_ROWS = f"{{source:bare}} said=({_OF}) [the|any|all] {{other:rows}}"
_ROWS_WHEN = f"{{source:bare}} said=({_OF}) [the|any|all] {{other:bare}} {{more:condition}}"
OF_ROWS = 1.5
"""Cost of reading a preposition as a relation by key; places and values are likelier."""
RULES = Rules()
on = RULES.on


@on(f"<ask> {_ROWS}", rows=_ROWS, cost=OF_ROWS)
@on(f"<ask> {_ROWS_WHEN}", rows=_ROWS_WHEN, cost=OF_ROWS - 1.0)
def _of_rows(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """By the key of the other rows, which these rows have. A time behind these is that of the rows: `inspections of
    restaurants in 2024`."""
    rows, other, more = bindings["source"], bindings["other"], bindings.get("more")
    if not (rows.named and other.named) or (other.where is None and not other.made):
        return None
    title = f"{rows.heading} {bindings['said']} {other.text}"
    if more is not None:
        if not are_times(more) or not _has_times(context.table(rows)):
            return None
        rows, title = replace(rows, where=all_of(rows.where, more)), ""
    return by_key(rows, other, context, title=title)


def by_key(rows: Features, other: Features, context: Context, title: str) -> Steps | None:
    """The rows that refer to the others by a key; None if no column may be one."""
    own, theirs = context.table(rows), context.table(other)
    if own is None or theirs is None:
        return None
    if not any(each.refers for each in links(own, theirs, context.vocabulary.few_tables)):
        return None
    return (step("select_by_attribute", rows, ("other", other), title=title),)


def _has_times(table: Table | None) -> bool:
    """Whether a column of the rows is a date or time."""
    return table is not None and any(each.kind in ("date", "timestamp") for each in table.columns)


@on(
    f"<ask> {{source:bare}} said=({_NO} {{other:meant}}) done=({RECORDED}) {YET}",
    f"<ask> {{source:bare}} said=({_NEVER_HAD} {{other:meant}}) {YET}",
    f"<ask> {{source:bare}} said=({_NEVER_HAD} {{other:meant}}) done=({RECORDED}) {YET}",
    f"<ask> {{source:bare}} said=({_OF_NONE} {{other:meant}})",
    cost=0.5,
)
def _without(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Without rows of the other table, unless a column or value of theirs is called like the verb."""
    rows, other = bindings["source"], bindings["other"]
    own, theirs = table_of(rows, context), context.table(other)
    if rows.guessed or not other.named or own is None or theirs is None:
        return None
    if names_detail(bindings.get("done", ""), theirs, context) or not may_have(own, theirs, context):
        return None
    return (with_rows(rows, other, _that(rows, bindings["said"]), invert=True),)


@on(f"<ask> {{source:bare}} said=({_NEVER}) {{done:name}} {YET}", cost=1.0)
def _never_done(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Without rows of the table that is named after the verb, unless a column of the rows records the action."""
    rows: Features = bindings["source"]
    own, done = table_of(rows, context), bindings["done"].lower()
    if own is None or rows.guessed or not is_participle(done):
        return None
    if any(records(each, done) or is_empty_where_not(each, done) for each in own.columns):
        return None
    named = [each for each in named_after(done, context) if may_have(own, each, context)]
    if len(named) != 1:
        return None
    title = _that(rows, f"{bindings['said']} {done}")
    return (with_rows(rows, rows_of_table(named[0]), title, invert=True),)


@on(f"<ask> rows={_ANY_ROWS} said=({_NEVER}) {{done:name}} {YET}", cost=2.0)
def _places_never_done(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`places never inspected`: the rows of the only table that the inspections refer to."""
    noun, done = bindings["rows"].lower(), bindings["done"].lower()
    named = named_after(done, context) if is_participle(done) else []
    if len(named) != 1 or context.vocabulary.match_table(name_words(noun)) is not None:
        return None
    known = context.vocabulary.few_tables
    refers_to = [
        each for each in known if any(link.refers and link.declared for link in links(named[0], each, known))
    ]
    if len(refers_to) != 1:
        return None
    rows = replace(Features.of_table(refers_to[0]), text=noun)
    return _never_done({**bindings, "source": rows}, context)


def names_detail(done: str, other: Table, context: Context) -> bool:
    """Whether a verb that would only say that rows are there names a column or value of theirs."""
    words = name_words(done)[-1:]
    named = [each for each in other.columns if {*words} & {*name_words(each.name)}]
    values = context.vocabulary.values_called(words) if words else ()
    return any(each.kind not in ("date", "timestamp") for each in named) or any(
        table.id == other.id for table, _, _ in values
    )


def named_after(done: str, context: Context) -> Sequence[Table]:
    """The tables whose rows are named after what was done: `food_inspections` for `inspected`."""
    return [
        each
        for each in context.vocabulary.few_tables
        if are_forms(done, _noun_of(each)) and not each.is_result
    ]


def _noun_of(table: Table) -> str:
    words = words_of_things(table.name)
    return next((each for each in reversed(words) if not each.isdigit()), words[-1])


def may_have(own: Table, other: Table, context: Context) -> bool:
    """Whether rows of the other table may belong to these rows, by a key, or by lying in them."""
    lie_in = own.geometry_family == "polygon" and other.geometry_family != "none"
    return own.id != other.id and (lie_in or bool(links(own, other, context.vocabulary.few_tables)))


def rows_of_table(table: Table) -> Features:
    """All rows of a table that others may have."""
    name = table.name.replace("_", " ")
    return Features(Mention(name, (table.id,)), text=name, unless_column=True)


def table_of(rows: Features, context: Context) -> Table | None:
    """The table of rows, also of those spoken of."""
    return context.spoken_of if rows.previous else context.table(rows)


def _that(rows: Features, said: str) -> str:
    """`Shops that have never been inspected`, for `which shops have never been inspected`."""
    is_verb = said.split()[0] not in (
        "that",
        "which",
        "who",
        "where",
        "without",
        "with",
        "having",
        "lacking",
        "not",
        "never",
    )
    return f"{rows.heading} {'that ' if is_verb else ''}{said}"


def with_rows(rows: Features, other: Features, title: str, *, invert: bool = False) -> AnalysisStep:
    """The rows that have some of the others, or with `invert` none."""
    denied = {"invert": True} if invert else {}
    return step(
        "select_by_location", rows, ("other", other), title=title, predicate="shares_interior", **denied
    )
