"""Plans of the questions: each from an intent to the calls of its next step, or to an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.domain import Cql2, Table
from agents.geo.phrases import listed
from agents.offline.answers import refusals, texts
from agents.offline.answers.suggestions import suggestions
from agents.offline.answers.wording import plain
from agents.offline.commands.analyses.analysis import read_analysis
from agents.offline.commands.analyses.asked_back import ask_back
from agents.offline.language.column_names import columns_called, fact_columns, measure_columns
from agents.offline.language.lexicon import MEASURE_OF_NOUN
from agents.offline.language.reading import read
from agents.offline.language.words import fold, name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import check_unit, is_number, name_column, named_column, text_columns
from agents.offline.meaning.conditions import ColumnMention, Condition, Mention, OneOf
from agents.offline.meaning.places import full_name, is_wide, place_meant, row_of
from agents.offline.meaning.ranking import first_rows
from agents.offline.meaning.resolver import combined, to_cql2
from agents.offline.meaning.scene import Ask, Calls, Refuse, Say, Scene
from agents.offline.meaning.spellings import unquoted
from agents.offline.meaning.units import in_unit
from agents.offline.meaning.values import with_name
from agents.worded import joined

_SHOWN_COLUMNS = 4
MAX_SUGGESTED = 4


async def count(scene: Scene, intent: i.Count) -> Calls:
    """Call `count_features`; for a share, also for the whole, and to compare, also for the other rows."""
    table = scene.table_of(intent.subject)
    whole = await _filters(scene, table, intent.subject, intent.among)
    wanted = [
        combined("and", whole, await to_cql2(scene, table, where)) if where is not None else whole
        for where in ([intent.where, intent.versus] if intent.versus is not None else [intent.where])
    ]
    wanted += [whole] if intent.share else []
    return [
        ("count_features", {"table": table.id, **({"filters": each} if each is not None else {})})
        for each in wanted
    ]


async def _filters(scene: Scene, table: Table, subject: Mention, where: Condition | None) -> Cql2 | None:
    """What was said; of a layer also its filter."""
    own = scene.filter_of(subject)
    if where is None:
        return own
    return combined("and", own, await to_cql2(scene, table, where))


async def statistic(scene: Scene, intent: i.Statistic) -> Calls:
    """Call `column_stats` for the number that was asked for."""
    table = scene.table_of(intent.subject)
    mention = intent.column
    if not mention.columns:
        called = columns_called((table,), name_words(mention.text))
        named = called or measure_columns(table, MEASURE_OF_NOUN.get(mention.text, ""))
        mention = replace(mention, columns=tuple(named))
    column = named_column(scene, table, mention)
    if intent.what in ("mean", "median", "sum") and not is_number(column):
        raise Refuse(
            refusals.NO_FIGURE(
                column=column.name, table=table.title, figure=_NAMES.get(intent.what, intent.what)
            )
        )
    if intent.what != "rate":
        check_unit(table, column, intent.unit)
    arguments: dict[str, Any] = {"table": table.id, "column": column.name}
    filters = await _filters(scene, table, intent.subject, intent.where)
    if filters is not None:
        arguments["filters"] = filters
    return [("column_stats", arguments)]


_NAMES = {"mean": "average", "sum": "total"}


async def rows(scene: Scene, intent: i.Rows) -> Calls:
    """Call `query_features` for the rows that were asked for."""
    table = scene.table_of(intent.subject)
    filters = await _filters(scene, table, intent.subject, intent.where)
    limit = min(max(intent.limit, 1), 100)
    arguments: dict[str, Any] = {"table": table.id, "limit": limit}
    shown = list(intent.columns)
    if intent.unit is not None and not any(in_unit(table.column(name), intent.unit) for name in shown):
        check_unit(table, table.column(shown[0]), intent.unit)
    tie: Calls = []
    if intent.top is not None:
        first = await first_rows(scene, table, filters, intent.top, limit)
        check_unit(table, table.column(first.column), intent.top.unit)
        arguments |= first.query
        filters = first.query["filters"]
        shown, tie = [first.column, *shown], first.tie
    arguments["columns"] = _shown_columns(table, shown, filters)
    if filters is not None:
        arguments["filters"] = filters
    return [("query_features", arguments), *tie]


def _shown_columns(table: Table, first: list[str], filters: Cql2 | None) -> list[str]:
    """The name, what was asked about, and what fills up to four columns."""
    named = name_column(table)
    wanted = ([named.name] if named else []) + first + _properties(filters)
    usual = [
        c.name
        for c in table.columns
        if c.kind in ("text", "integer", "number", "date", "timestamp") and c.name not in table.key
    ]
    shown = list(
        dict.fromkeys(
            name for name in wanted if (c := table.column(name)) is not None and c.kind != "geometry"
        )
    )
    for name in usual:
        if len(shown) >= _SHOWN_COLUMNS:
            break
        if name not in shown:
            shown.append(name)
    return shown or [column.name for column in table.columns if column.kind != "geometry"][:_SHOWN_COLUMNS]


def _properties(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [str(node["property"])] if "property" in node else []
        return own + [name for part in node.get("args", ()) for name in _properties(part)]
    return []


async def lookup(scene: Scene, intent: i.Lookup) -> Calls:
    """One fact about a named thing: the first table that has such a column and a row of that name."""
    name = "” and “".join(unquoted(each) for each in (intent.of, *intent.others))
    tables = scene.vocabulary.few_tables or await scene.agent.registry.search(f"{intent.words} {name}", 50)
    candidates = [(table, found) for table in tables if (found := fact_columns(table, intent.words))]
    if not candidates and intent.instead:
        return await lookup(scene, replace(intent, words=intent.instead, instead=""))
    if not candidates:
        raise Refuse(refusals.NO_COLUMN_FOR(text=intent.words), refusals.THERE_ARE(names=scene.some_tables()))
    candidates.sort(key=lambda pair: pair[0].row_estimate)
    if intent.share:
        return await _share_of_total(scene, candidates, intent)
    if fold(intent.of).removeprefix("the ") in _WORLD and not intent.others:
        return _of_the_world(scene, candidates, intent)
    for table, columns in candidates[:8]:
        rows = [
            await _named_row(scene, table, unquoted(each))
            or await _named_row(scene, table, unquoted(without_noun(table, each)))
            for each in (intent.of, *intent.others)
        ]
        known = [each for each in rows if each is not None]
        whole = f"{intent.of} and {intent.others[0]}" if len(intent.others) == 1 else ""
        if len(known) < len(rows) and whole and await _named_row(scene, table, whole) is not None:
            return await lookup(scene, replace(intent, of=whole, others=()))  # `Trinidad and Tobago`
        if len(known) < len(rows):
            continue
        best = await _best_known(scene, table, (intent.of, *intent.others), known) if intent.claim else known
        column = named_column(scene, table, ColumnMention(intent.words, tuple(columns)))
        check_unit(table, column, intent.unit)
        filters = reduce(lambda one, other: combined("or", one, other), best)
        if intent.total:
            return [("column_stats", {"table": table.id, "column": column.name, "filters": filters})]
        named = name_column(table)
        where = [each.name for each in text_columns(table) if is_wide(each)][: best != known]
        shown = list(dict.fromkeys([*([named.name] if named else []), *where, column.name]))
        arguments: dict[str, Any] = {"table": table.id, "columns": shown, "filters": filters, "limit": 5}
        if is_number(column):
            arguments |= {"sort": column.name, "descending": True}
        return [("query_features", arguments)]
    if intent.total and not intent.others:
        totals = [each for pair in candidates[:8] if (each := await _total_of_value(scene, *pair, intent))]
        if len(totals) == 1:
            return totals[0]
    if not intent.others and not intent.claim:
        sums = await _sums(scene, candidates, unquoted(intent.of))
        if len(sums) == 1:
            table = scene.table(sums[0]["table"])
            check_unit(table, table.column(sums[0]["column"]), intent.unit)
            return [("column_stats", sums[0])]
    if intent.instead:
        return await lookup(scene, replace(intent, words=intent.instead, instead=""))
    looked = ", ".join(table.name for table, _ in candidates[:8])
    raise Refuse(
        refusals.NOT_IN(n=2 if intent.others else 1, text=name, tables=looked),
        refusals.CHECK_SPELLING(),
    )


_WORLD = frozenset(("world", "earth", "whole world"))
_WORLD_WIDTH = 300.0
"""Degrees of longitude that areas of the whole world span, at least."""


def _of_the_world(scene: Scene, candidates: Sequence[tuple[Table, list[str]]], intent: i.Lookup) -> Calls:
    """`the population of the world`: of the one table of areas all around the earth. Raises Refuse where none is."""
    found = [
        (table, columns[0])
        for table, columns in candidates
        if table.geometry_family == "polygon" and table.bounds is not None and len(columns) == 1
        and table.bounds[2] - table.bounds[0] >= _WORLD_WIDTH
        and columns[0] in (*measure_columns(table, "people"), *measure_columns(table, "area"))
    ]  # fmt: skip
    if len(found) != 1:
        raise Refuse(refusals.NO_WORLD(words=intent.words))
    ((table, name),) = found
    check_unit(table, table.column(name), intent.unit)
    return [("column_stats", {"table": table.id, "column": name})]


async def _sums(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], value: str
) -> list[dict[str, Any]]:
    """`the population of Africa`: of the areas that have that value of a column, the arguments of their sum. What
    points know of people or areas is not all there is."""
    found = []
    for table, columns in candidates[:8]:
        adds_up = {*measure_columns(table, "people"), *measure_columns(table, "area")}
        if table.geometry_family != "polygon" or len(columns) != 1 or columns[0] not in adds_up:
            continue
        filters = await _with_value(scene, table, value)
        if filters is not None:
            found.append({"table": table.id, "column": columns[0], "filters": filters})
    return found


async def _share_of_total(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], intent: i.Lookup
) -> Calls:
    """`what share of the world population lives in India`: the sum of the rows of that name, or with that value, and
    that of all. Raises Refuse where no one table of areas has both."""
    found: list[Calls] = []
    for table, columns in candidates[:8]:
        if table.geometry_family != "polygon" or len(columns) != 1:
            continue
        row = await _named_row(scene, table, unquoted(intent.of))
        parts = [{"table": table.id, "column": columns[0], "filters": row}] if row is not None else []
        parts = parts or await _sums(scene, [(table, columns)], unquoted(intent.of))
        whole = {"table": table.id, "column": columns[0]}
        wholes = await _sums(scene, [(table, columns)], intent.among) if intent.among else [whole]
        found += [[("column_stats", part), ("column_stats", all_)] for part in parts for all_ in wholes]
    if len(found) != 1:
        looked = ", ".join(table.name for table, _ in candidates[:8])
        raise Refuse(refusals.QUESTION_NO_SHARE(text=intent.of, tables=looked))
    return found[0]


async def _total_of_value(scene: Scene, table: Table, columns: list[str], intent: i.Lookup) -> Calls:
    """`how much floor area does Nordway have in total`: of the rows that have that value, such as their operator;
    nothing where none has."""
    column = named_column(scene, table, ColumnMention(intent.words, tuple(columns)))
    filters = await _with_value(scene, table, intent.of) if is_number(column) else None
    if filters is None:
        return []
    return [("column_stats", {"table": table.id, "column": column.name, "filters": filters})]


async def _with_value(scene: Scene, table: Table, value: str) -> Cql2 | None:
    """The rows with that value of a column; None where none has it."""
    try:
        filters = await to_cql2(scene, table, OneOf(value.removeprefix("the "), how="kind"))
    except ToolUnavailable:
        raise
    except (Refuse, ToolFailed):
        return None
    return filters if filters["op"] in ("=", "in") else None


def without_noun(table: Table, name: str) -> str:
    """`the parcel P-010`, of parcels, is `P-010`; `the Lakeside fire station`, of fire stations, is `Lakeside`."""
    bare, noun = name.removeprefix("the "), len(name_words(table.name))
    words = bare.split()
    if len(words) > noun and name_words(" ".join(words[-noun:])) == name_words(table.name):
        return " ".join(words[:-noun])
    first, _, rest = bare.partition(" ")
    return rest if rest and name_words(first) == name_words(table.name) else name


async def _named_row(scene: Scene, table: Table, name: str) -> Cql2 | None:
    """The row of that name, or of `Paris, France`."""
    if name_column(table) is None:
        return None
    try:
        if "," in name:
            return await row_of(scene, await place_meant(scene, name, table.id), name)
        filters = await with_name(scene, table, name)
    except ToolUnavailable:
        raise
    except (Refuse, ToolFailed):
        return None
    return filters if filters["op"] in ("=", "in") else None


async def _best_known(scene: Scene, table: Table, names: Sequence[str], rows: list[Cql2]) -> list[Cql2]:
    """Of the rows of each name the one that is by far the best known; all of them where none stands out.
    Raises Ask where several are as well known."""
    found = list(rows)
    for at, (name, own) in enumerate(zip(names, rows, strict=True)):
        if await scene.data.count(table.id, own) < 2:
            continue
        try:
            found[at] = await row_of(scene, await place_meant(scene, unquoted(name), table.id), name)
        except Refuse:
            return rows
    return found


async def analyse(scene: Scene, intent: i.Analyse) -> Calls:
    """Call `run_analysis` with the message as its goal."""
    if "add_map_layer" not in scene.tools:
        raise Refuse(
            refusals.NO_PLANNER(),
            refusals.CONFIGURE(),
        )
    if "run_analysis" not in scene.tools:
        raise Refuse(
            refusals.NO_ANALYST(),
            refusals.I_CAN(),
        )
    return [("run_analysis", {"goal": await _spelt_out(scene, intent.goal)})]


async def _spelt_out(scene: Scene, goal: str) -> str:
    """The analyst sees the goal and not the conversation: `them` becomes the layer that was spoken of last, and a
    place the one that is meant. Raises Ask where several places are called so."""
    chain = await read(read_analysis, goal, scene.vocabulary, scene.vocabulary.operations)
    if chain is None:
        return goal
    if chain.pronoun:
        layer = f"the layer `{scene.recent_layer().id}`"
        goal = re.sub(rf"(?<!\w){re.escape(chain.pronoun)}(?!\w)", lambda _: layer, goal, count=1)
    await ask_back(scene, chain, goal)
    for features, rows in chain.places:
        name = features.place
        try:
            place = await place_meant(scene, name, rows=rows, shapes=features.areas)
        except Refuse:
            return goal  # the analyst says so, and the map keeps that it was tried
        if scene.preferred and name in goal and f'"{name}"' not in goal:
            goal = goal.replace(name, f'"{full_name(place)}"', 1)
    return goal


async def run_sql(scene: Scene, intent: i.RunSql) -> Calls:
    """Call `run_sql`, where the tool exists."""
    if "run_sql" not in scene.tools:
        raise Refuse(refusals.NO_SQL(), refusals.ALLOW_SQL())
    return [("run_sql", {"statement": intent.statement})]


async def not_understood(scene: Scene, intent: i.NotUnderstood) -> Calls:
    """Say what was not understood, with the nearest commands."""
    raise Say(not_understood_words(scene, intent))


def not_understood_words(scene: Scene, intent: i.NotUnderstood, own: Sequence[str] = ()) -> str:
    """What was understood, what was not, and what would be: first the person's `own` words, as far as they are read."""
    said = understood_words(intent)
    near = suggestions(scene.agent.registry, scene.layers, limit=4, like=f"{intent.understood} {intent.rest}")
    examples = list(dict.fromkeys((*map(plain, own), *near)))[:MAX_SUGGESTED]
    if not examples:
        return joined(" ", (said, refusals.NO_TABLES_HERE()))
    lines = joined("\n", (joined("", ("- ", example)) for example in examples))
    tables = refusals.TABLES_ARE(names=scene.some_tables())
    return joined("", (said, " ", texts.COULD_SAY(), "\n", lines, "\n\n", tables))


def understood_words(intent: i.NotUnderstood) -> str:
    """What was understood, and what was not."""
    if intent.understood:
        return refusals.UNDERSTOOD(understood=intent.understood, rest=intent.rest)
    return refusals.NOT_UNDERSTOOD(text=intent.rest)


async def several_meanings(scene: Scene, intent: i.SeveralMeanings) -> Calls:
    """Ask which one is meant."""
    meanings = listed([f"“{plain(each)}”" for each in intent.meanings], "or")
    raise Ask(refusals.MANY_MEANINGS(meanings=meanings), intent.meanings)


async def out_of_reach(scene: Scene, intent: i.Unsupported) -> Calls:
    """Call `cannot_do` with the reason and the alternative."""
    raise Refuse(intent.reason, intent.alternative)


PLANS = {
    "Count": count, "Statistic": statistic, "Rows": rows, "Lookup": lookup, "Analyse": analyse, "RunSql": run_sql,
    "NotUnderstood": not_understood, "Unsupported": out_of_reach,
    "SeveralMeanings": several_meanings,
}  # fmt: skip
