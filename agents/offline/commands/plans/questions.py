"""Plans of the questions: from an intent to the tool calls of its next step, or to an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Cql2, Table
from agents.geo.wording.phrases import listed
from agents.offline.analyses_read import analysis_read
from agents.offline.answers import refusals, texts
from agents.offline.answers.wording import plain
from agents.offline.commands.analyses.asked_back import ask_back
from agents.offline.commands.looks import style_arguments
from agents.offline.commands.plans.lookups import lookup
from agents.offline.commands.plans.ranked_charts import chart_of_groups
from agents.offline.commands.plans.value_colours import with_stored_values
from agents.offline.language.conditions.contradictions import without_contradicted
from agents.offline.language.lexicon import MEASURE_OF_NOUN
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.words import name_words
from agents.offline.late_columns import late_look
from agents.offline.meaning import intents as i
from agents.offline.meaning.alike_places import full_name, wide_columns
from agents.offline.meaning.columns import check_age, check_unit, check_when, is_number, named_column
from agents.offline.meaning.conditions import UNNAMED_ROWS, Condition, Mention, OneOf, parts_of
from agents.offline.meaning.cql2 import columns_in, combined, conjunction, conjuncts, disjunction
from agents.offline.meaning.filters.depths import refuse_unclear_extreme
from agents.offline.meaning.filters.flags_in_words import rows_with_flag
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.places import places_meant
from agents.offline.meaning.ranking import first_rows, of_its_year, without_covered_year
from agents.offline.meaning.row_names import has_row_names, is_code, name_column
from agents.offline.meaning.scene import Ask, Calls, Refuse, Say, Scene, unless_refused
from agents.offline.meaning.spellings import place_forms
from agents.offline.meaning.stored_values import stored_values
from agents.offline.meaning.tables_meant import with_rows_spoken_of
from agents.offline.meaning.units import in_unit
from agents.offline.offers.suggestions import suggestions, suggestions_about
from agents.worded import joined

_SHOWN_COLUMNS = 4
MAX_SUGGESTED = 4


async def count(scene: Scene, intent: i.Count) -> Calls:
    """Call `count_features`; for a share also for the whole, and for a comparison also for the other rows."""
    scene = replace(scene, counts=True)
    table = scene.table_of(intent.subject)
    if intent == i.Count(UNNAMED_ROWS) and table.is_result and table.column("count") is not None:
        return await not_understood(scene, i.NotUnderstood("", "how many"))  # the groups, or the rows in them
    whole = await _filters(scene, table, intent.subject, intent.among)
    replaces = intent.subject == UNNAMED_ROWS and scene.rows is not None
    wanted = [(table, await _within(scene, table, whole, intent.where, replaces=replaces))]
    row = intent.where.text if isinstance(intent.where, OneOf) and intent.where.how == "in" else ""
    if (
        row
        and whole is None
        and (name := _number_of_row(scene, table, intent.subject.text, row, wanted[0][1]))
    ):
        return await lookup(scene, i.Lookup(name, row))
    if intent.other is not None:
        others = scene.table_of(intent.other)
        own = await _filters(scene, others, intent.other, intent.among)
        wanted.append((others, await _within(scene, others, own, intent.versus)))
    elif intent.versus is not None:
        wanted.append((table, await _within(scene, table, whole, intent.versus)))
    in_all = intent.where is None and intent.subject.pronoun  # `what percentage of claims is that?`
    if intent.share:
        recorded = rows_with_flag(table, wanted[0][1])
        wanted.append((table, None if in_all else combined("and", whole, recorded) if recorded else whole))
    return [
        ("count_features", {"table": each.id, **({"filters": filters} if filters is not None else {})})
        for each, filters in wanted
    ]


def _number_of_row(scene: Scene, table: Table, noun: str, row: str, filters: Cql2 | None) -> str:
    """The column of `how many pupils does De Brug have` where schools have a number of pupils; empty if the rows that
    refer to the school are counted, which may be a sample. Raises Ask."""
    for own, other, _ in table.references:
        found = scene.vocabulary.columns_called((scene.table(other),), noun)
        if found and filters is not None and filters["op"] == "=" and columns_in(filters) == [own]:
            first, second = f"{found[0]} of {row}", f"{table.title} of {row}"
            question = refusals.VALUE_WHICH(text=noun, first=first, second=second)
            return found[0] if scene.choose([first, second], question) == first else ""
    return ""


async def _within(
    scene: Scene, table: Table, whole: Cql2 | None, where: Condition | None, *, replaces: bool = False
) -> Cql2 | None:
    """The filter with a further condition; `replaces`: drop earlier conditions on the same columns: `how many are
    fires?`, then `how many are rescues?`."""
    if where is None:
        return whole
    wanted = await to_cql2(scene, table, where)
    columns = set(columns_in(wanted))
    others = [each for each in conjuncts(whole) if columns.isdisjoint(columns_in(each))]
    return combined("and", _with_layers(scene, table, whole, others) if replaces else whole, wanted)


def _with_layers(scene: Scene, table: Table, whole: Cql2 | None, kept: Sequence[Cql2]) -> Cql2 | None:
    """The conditions of a filter that are kept or are those of layers."""
    of_layers = [
        part for layer in scene.layers if layer.table == table.id for part in conjuncts(layer.filter)
    ]
    parts = [part for part in conjuncts(whole) if part in kept or part in of_layers]
    return conjunction(parts)


async def _filters(scene: Scene, table: Table, subject: Mention, where: Condition | None) -> Cql2 | None:
    """The condition, together with the filter of the mentioned rows, but without what it contradicts if no word names
    the rows: `and kerbside?` after a question about roadside sites."""
    whole = scene.filter_of(subject)
    if where is not None and subject.text.lower() not in _SPOKEN_OF:
        possible = conjuncts(without_contradicted(whole, await to_cql2(scene, table, where)))
        whole = _with_layers(scene, table, whole, possible)
    return await _within(scene, table, whole, where)


_SPOKEN_OF = ("those", "them", "these")


async def _of_named_area(scene: Scene, table: Table, where: Condition | None) -> Condition | None:
    """The condition, of the row itself if rows are areas and the place is only the name of one: `median rent in
    Lindenau`, of districts."""
    is_place = isinstance(where, OneOf) and where.how == "in" and where.column is None
    own = name_column(table) if is_place and table.geometry_family == "polygon" else None
    if own is None or not isinstance(where, OneOf):
        return where
    named = await stored_values(scene, table, [own], place_forms(where.text))
    is_elsewhere = await unless_refused(to_cql2(scene, table, where)) if named else None
    return replace(where, how="named") if named and is_elsewhere is None else where


async def statistic(scene: Scene, intent: i.Statistic) -> Calls:
    """Call `column_stats`. Raises Ask or Refuse."""
    table = scene.table_of(intent.subject)
    mention = intent.column
    if not mention.columns:
        called = columns_called((table,), name_words(mention.text))
        named = called or measure_columns(table, MEASURE_OF_NOUN.get(mention.text, ""))
        mention = replace(mention, columns=tuple(named))
    column, where = of_its_year(table, named_column(scene, table, mention), intent.where)
    where = await _of_named_area(scene, table, where)
    if intent.what in ("mean", "median", "sum") and not is_number(column):
        raise Refuse(
            refusals.NO_FIGURE(
                column=column.name, table=table.title, figure=_NAMES.get(intent.what, intent.what)
            )
        )
    if intent.what in ("minimum", "maximum"):
        refuse_unclear_extreme(table, column, mention)
    if intent.what not in ("mean", "median"):  # of years, these tell the age
        check_age(intent.column.text, column)
    check_when(scene, table, where)
    if intent.what != "rate":
        check_unit(table, column, intent.unit)
    arguments: dict[str, Any] = {"table": table.id, "column": column.name}
    filters = await _filters(scene, table, intent.subject, where)
    wanted = [filters]
    if intent.versus == "rest":
        wanted.append(_all_but(table, filters))
    elif intent.share or intent.versus is not None:
        wanted.append(await _filters(scene, table, intent.subject, intent.versus))
    return [
        ("column_stats", {**arguments, **({"filters": each} if each is not None else {})}) for each in wanted
    ]


_NAMES = {"mean": "average", "sum": "total"}
_ON_VALUES = ("=", "<>", "<", ">", "<=", ">=", "in", "like", "between")


def _all_but(table: Table, rows: Cql2 | None) -> Cql2:
    """The rows that do not pass a filter, also those without a value. Raises Refuse."""
    parts = conjuncts(rows)
    others = [each for part in parts for each in _denied(table, part)]
    if not parts or not all(_denied(table, part) for part in parts):
        raise Refuse(refusals.NO_REST(table=table.title))
    return disjunction(others)


def _denied(table: Table, part: Cql2) -> list[Cql2]:
    """The alternatives of which one holds where a test of one column does not; empty for other filters."""
    own = part["args"][0]
    if part["op"] == "not":
        empty = _empty(table, own)
        return [own, *empty] if empty is not None else []
    empty = _empty(table, part)
    return [{"op": "not", "args": [part]}, *empty] if empty is not None else []


def _empty(table: Table, test: Cql2) -> list[Cql2] | None:
    """The filter for the rows without a value of the only column that is tested, if there may be any; None for filters
    that test no column by its value."""
    tested = test["args"][0]
    while isinstance(tested, dict) and tested.get("op") in ("casei", "accenti"):
        tested = tested["args"][0]
    column = table.column(str(tested.get("property"))) if isinstance(tested, dict) else None
    if column is None or test["op"] not in (*_ON_VALUES, "isNull"):
        return None
    return [{"op": "isNull", "args": [tested]}] if column.nullable and test["op"] != "isNull" else []


async def rows(scene: Scene, intent: i.Rows) -> Calls:
    """Call `query_features`. Raises Ask or Refuse."""
    table = scene.table_of(intent.subject)
    where = without_covered_year(scene, table, intent.where, intent.top) if intent.top else intent.where
    filters = await _filters(scene, table, intent.subject, where)
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
    """Columns to show: the name or key, those of the question, the country or region of a name that others may have,
    and others up to four in total."""
    named = name_column(table)
    has_names = named is not None and has_row_names(table)
    names = [named.name] if named is not None and has_names else list(table.key)
    wanted = names + first + columns_in(filters)
    wanted += [each for each in wide_columns(table)[:1] if has_names]
    usual = [
        c.name
        for c in table.columns
        if c.kind in ("text", "integer", "number", "date", "timestamp") and c.name not in table.key
    ]
    usual.sort(key=is_code)
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


async def analyse(scene: Scene, intent: i.Analyse) -> Calls:
    """Call `run_analysis` with the message as its goal, then style or chart the result."""
    if scene.done and intent.chart:
        return await chart_of_groups(scene, intent)
    if scene.done:
        layer = next((each for each in reversed(scene.layers) if each.table == scene.result), None)
        if layer is None:
            return []
        table = scene.table(layer.table)
        look = await with_stored_values(scene, table, late_look(table, intent.look))
        return [("update_map_layer", {"layer_id": layer.id, **style_arguments(scene, table, look, layer)})]
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
    """The goal without references to the conversation, which the analyst does not see: `them` becomes the layer
    mentioned last, an ambiguous place its full name.

    Raises Ask for ambiguous places, Refuse if no layer shows `them`.
    """
    chain = await analysis_read(goal, scene.vocabulary)
    if chain is None:
        return goal
    for mention in chain.spoken_of:
        meant = with_rows_spoken_of(scene, mention)
        scene.refuse_undrawn(meant)
        scene.refuse_others(meant)
        beside = re.split(rf"(?<!\w){re.escape(mention.text)}(?!\w)", goal, maxsplit=1)
        layer = f"the layer `{scene.layer_of(meant).id}`"
        # `which stops are affected?` does not say by what
        goal = layer.join(beside) if len(beside) > 1 else f"{goal.rstrip('?! ')} by {layer}"
    for each in parts_of(chain):
        if isinstance(each, Mention) and re.search(rf"(?i)\b(?:those|these) {re.escape(each.text)}\b", goal):
            raise Refuse(refusals.NO_STEPS())
    await ask_back(scene, chain, goal)
    for features, rows in chain.places:
        name = features.place
        try:
            places = await places_meant(scene, name, rows, shapes=features.areas)
        except Refuse:
            return goal  # the analyst reports it, and the map records the attempt
        if scene.preferred and len(places) == 1 and name in goal and f'"{name}"' not in goal:
            goal = goal.replace(name, f'"{full_name(places[0])}"', 1)
    return goal


async def run_sql(scene: Scene, intent: i.RunSql) -> Calls:
    """Call `run_sql`. Raises Refuse if the tool is not available."""
    if "run_sql" not in scene.tools:
        raise Refuse(refusals.NO_SQL(), refusals.ALLOW_SQL())
    return [("run_sql", {"statement": intent.statement})]


async def not_understood(scene: Scene, intent: i.NotUnderstood) -> Calls:
    """Say what was not understood, with similar commands."""
    raise Say(not_understood_words(scene, intent))


def not_understood_words(scene: Scene, intent: i.NotUnderstood, own: Sequence[str] = ()) -> str:
    """What was understood, what was not, and suggestions: first `own`, valid requests in the user's words."""
    sentence = understood_words(intent)
    text, registry = f"{intent.understood} {intent.rest}", scene.agent.registry
    near = (
        suggestions_about(registry, text) if own else suggestions(registry, scene.layers, limit=4, like=text)
    )
    examples = list(dict.fromkeys((*map(plain, own), *near)))[:MAX_SUGGESTED]
    if not examples:
        return joined(" ", (sentence, refusals.NO_TABLES_HERE()))
    lines = joined("\n", (joined("", ("- ", example)) for example in examples))
    tables = refusals.TABLES_ARE(names=scene.some_tables())
    return joined("", (sentence, " ", texts.COULD_SAY(), "\n", lines, "\n\n", tables))


def understood_words(intent: i.NotUnderstood) -> str:
    """What was understood, and what was not."""
    if intent.understood:
        return refusals.UNDERSTOOD(understood=intent.understood, rest=intent.rest)
    return refusals.NOT_UNDERSTOOD(text=intent.rest)


async def several_meanings(scene: Scene, intent: i.SeveralMeanings) -> Calls:
    """Ask which meaning is intended."""
    meanings = listed([f"“{plain(each)}”" for each in intent.meanings], "or")
    raise Ask(refusals.MANY_MEANINGS(meanings=meanings), intent.meanings)


async def out_of_reach(scene: Scene, intent: i.Unsupported) -> Calls:
    """Refuse with the reason and an alternative."""
    raise Refuse(intent.reason, intent.alternative)


PLANS = {
    "Count": count, "Statistic": statistic, "Rows": rows, "Lookup": lookup, "Analyse": analyse, "RunSql": run_sql,
    "NotUnderstood": not_understood, "Unsupported": out_of_reach,
    "SeveralMeanings": several_meanings,
}  # fmt: skip
