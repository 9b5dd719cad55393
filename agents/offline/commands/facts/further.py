"""Questions for several columns of rows: `largest city of France and its time zone`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.offline.commands.requests import Commands, tables_of
from agents.offline.language.conditions.flags import is_flag
from agents.offline.language.names.columns import fact_columns, measure_columns
from agents.offline.language.names.costs import TIMES
from agents.offline.language.subjects import Subject
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.conditions import ColumnMention, Empty, Mention, Negation, all_of
from agents.offline.meaning.intents import Intent, Lookup, Rows
from agents.offline.meaning.spellings import split_values

MOST_LISTED = 50
"""Maximum number of rows listed with their columns."""
_THEM = Subject(Mention("them", pronoun=True))
COMMANDS = Commands()
on = COMMANDS.on

_PEOPLE_THERE = "how many also=(people|inhabitants|residents) (live|are living|are) [there|in it|in them]"
_AND_ALSO = (
    f"[,] and ((what|who|when) (is|are|was|were) [the|its|their] {{also:words}}|(its|their) {{also:words}}"
    f"|{_PEOPLE_THERE})"
)


@on(f"opener=(when|what|who) (is|are|was|were) [the] {{what:words}} of [the] {{whose:words}} [{_AND_ALSO}]")
def _facts_of(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the last check of the Rabet playground and what was the result?`: one or two columns of the rows of
    this name; after `when` a date."""
    own = [
        table.column(name) for table in vocabulary.few_tables for name in fact_columns(table, bound["what"])
    ]
    is_fact = bool(own) and (bound["opener"] != "when" or all(each and each.kind in TIMES for each in own))
    is_fact = is_fact and not re.search(r"\band (?:what|who|when)\b", bound["whose"])
    if not is_fact or (bound["opener"] != "when" and "also" not in bound):
        return None
    return Lookup(bound["what"], bound["whose"], also=(bound["also"],) if "also" in bound else ())


@on(
    "[what|what's|which|who|name|give me|tell me|show [me]] [is|are|was|were] [the] {rows:selection} [,]"
    f" and ([what (is|are)] (its|their) {{what:columns}}|{_PEOPLE_THERE})",
    cost=-2.0,
)
def _and_its(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`the capital of Peru and its time zone`, `… and how many people live in it`: of rows that are few, with these
    columns."""
    rows, tables = bound["rows"], tables_of(bound["rows"].mention, vocabulary)
    if len(tables) != 1 or rows.mention.pronoun or (rows.where is None and rows.top is None):
        return None
    wording = tuple(each.text for each in bound["what"]) if "what" in bound else ()
    columns = [vocabulary.columns_called(tables, each) for each in wording]
    columns = columns or [tuple(measure_columns(tables[0], "people"))]
    if not all(columns):
        return None
    limit = rows.top.limit if rows.top is not None and rows.top.limit else MOST_LISTED
    shown = tuple(dict.fromkeys(name for names in columns for name in names))
    return Rows(rows.mention, rows.where, rows.top, limit, shown, wording=wording)


@on("[what is|what are|what's|give me|tell me] [the] {what:columns} of {whose:value}", cost=1.0)
def _several_facts(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what are the area and population of France`: columns of the row of this name."""
    first, *also = [each.text for each in bound["what"]]
    having = [
        table for table in vocabulary.few_tables if all(fact_columns(table, each) for each in (first, *also))
    ]
    is_one = not re.search(r",| (?:and|vs) ", bound["whose"])
    return Lookup(first, bound["whose"], also=tuple(also)) if also and having and is_one else None


@on(
    "[what is|what's|what are|what was|how (large|big|high) is|give me|tell me|show me] {owner:words} {what:words}",
    cost=2.0,
)
def _owned_facts(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what is Germany's population`."""
    owner = re.sub(r"['’]s$", "", bound["owner"])
    if owner == bound["owner"]:
        return None
    facts = split_values(bound["what"])
    having = any(all(fact_columns(table, each) for each in facts) for table in vocabulary.few_tables)
    return Lookup(facts[0], owner, also=tuple(facts[1:])) if having else None


@on("[what is|what are|list|show [me]|give me] [the] {what:columns} of {rows:selection}", cost=-1.0)
def _of_first_rows(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`population of the five largest cities in Brazil`, `… of the capital of Peru`: the ranked rows, or the one with
    that flag, with these columns; with several columns any limited rows."""
    rows = bound["rows"]
    is_few = len(bound["what"]) > 1 or rows.mention.text.lower() in vocabulary.index.by_flag
    is_ranked = rows.top is not None and rows.top.limit
    return _with_columns(bound, vocabulary) if is_ranked or (is_few and rows.where is not None) else None


_LIST = "list=(list [of]|[show [me]|give me|make|i need|i want] (a|the) (table|list) of) [all] [the] {rows:selection}"


@on(
    f"{_LIST} (with|showing|including|along with|together with) whose=(their|its) {{what:columns}}", cost=-2.0
)
@on(
    f"{_LIST} (with|showing|including|along with|together with) [the] {{what:columns}}",
    "(show [me]|give me|make|i need|i want|put them in|list them in) (a|the) (table|list)"
    " (with|showing|of) [the|their|its] {what:columns}",
    cost=-1.0,
)
def _with_columns(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`list the arenas with their name, capacity and year built`: rows with these columns, none of them yes or no; with
    one column that is not `their …`, the rows that have a value there."""
    rows = bound.get("rows", _THEM)
    words = [each.text for each in bound["what"]]
    tables = tables_of(rows.mention, vocabulary)
    columns = [vocabulary.columns_called(tables, each) for each in words]
    if not tables or not all(columns):
        return None
    shown = tuple(dict.fromkeys(name for names in columns for name in names))
    own = [each for table in tables for each in table.columns if each.name in shown]
    if "list" in bound and any(map(is_flag, own)):
        return None
    limit = rows.top.limit if rows.top is not None and rows.top.limit else MOST_LISTED
    is_one = "list" in bound and len(words) == 1 and "whose" not in bound
    known = Negation(Empty(ColumnMention(words[0], shown))) if is_one else None
    return Rows(rows.mention, all_of(rows.where, known), rows.top, limit, shown, wording=tuple(words))
