"""The plan of a question about a fact of named rows: of one row, of several compared or summed, or as a share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from agents.domain import Cql2, Table
from agents.offline.answers import refusals
from agents.offline.language.names.columns import fact_columns, measure_columns
from agents.offline.language.words import fold, name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.alike_places import wide_columns
from agents.offline.meaning.columns import check_unit, is_number, named_column, number_columns
from agents.offline.meaning.conditions import ColumnMention, Mention, OneOf, joined
from agents.offline.meaning.cql2 import combined
from agents.offline.meaning.filters.named_in_part import is_distinctive, values_with
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.filters.values import with_name
from agents.offline.meaning.places import place_meant, row_of
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Calls, Refuse, Scene, unless_failed, unless_refused
from agents.offline.meaning.spellings import unquoted

MAX_SEARCHED = 8
"""Maximum number of tables searched for the rows."""
MAX_COMPARED = 4
"""Number of columns shown if rows are compared without naming one."""
MAX_OPTIONS = 6
"""Maximum number of names with the words of a request that are asked about."""


async def lookup(scene: Scene, intent: i.Lookup) -> Calls:
    """A fact about a named thing, from the first table with such a column and row. Raises Ask or Refuse."""
    name = "” and “".join(unquoted(each) for each in (intent.of, *intent.others))
    tables = scene.vocabulary.few_tables or await scene.agent.registry.search(f"{intent.words} {name}", 50)
    candidates = [(table, found) for table in tables if (found := _facts(table, intent))]
    if not candidates and intent.instead:
        return await lookup(scene, replace(intent, words=intent.instead, instead=""))
    if not candidates:
        raise Refuse(refusals.NO_COLUMN_FOR(text=intent.words), refusals.THERE_ARE(names=scene.some_tables()))
    candidates.sort(key=lambda pair: pair[0].row_estimate)
    if intent.share:
        return await _share_of_total(scene, candidates, intent)
    if fold(intent.of).removeprefix("the ") in _WORLD and not intent.others:
        return _of_the_world(candidates, intent)
    searched = candidates[:MAX_SEARCHED]
    alone = not intent.others and not intent.claim
    sums: list[dict[str, Any]] = []
    for pair in searched:
        if (fact := await _looked_up(scene, *pair, intent)) is None:
            continue
        if alone and pair[0].geometry_family == "point":  # Asia is also a town
            sums = await _sums(scene, candidates, unquoted(intent.of))
        if len(sums) != 1:
            return fact
        break
    if intent.total and not intent.others:
        totals = [each for pair in searched if (each := await _total_of_value(scene, *pair, intent))]
        if len(totals) == 1:
            return totals[0]
    if alone:
        sums = sums or await _sums(scene, candidates, unquoted(intent.of))
        if len(sums) == 1:
            table, name = scene.table(sums[0]["table"]), unquoted(intent.of)
            check_unit(table, table.column(sums[0]["column"]), intent.unit)
            for words in intent.also:
                sums += await _sums(scene, [(table, fact_columns(table, words))], name)
            if len(sums) > len(intent.also):
                return [("column_stats", each) for each in sums]
        if (values := await _values_there(scene, searched, unquoted(intent.of))) is not None:
            return values
        if (named := await _named_in_part(scene, searched, unquoted(intent.of))) is not None:
            return await lookup(scene, replace(intent, of=f'"{named}"'))
    if intent.instead:
        return await lookup(scene, replace(intent, words=intent.instead, instead=""))
    looked = ", ".join(table.name for table, _ in searched)
    raise Refuse(
        refusals.NOT_IN(n=2 if intent.others else 1, text=name, tables=looked), refusals.CHECK_SPELLING()
    )


async def _looked_up(scene: Scene, table: Table, columns: Sequence[str], intent: i.Lookup) -> Calls | None:
    """The fact for all named rows; None unless the table has each of them."""
    rows = [
        await _named_row(scene, table, unquoted(each))
        or await _named_row(scene, table, unquoted(without_noun(table, each)))
        or await _row_with_noun(scene, table, unquoted(each))
        for each in (intent.of, *intent.others)
    ]
    known = [each for each in rows if each is not None]
    whole = f"{intent.of} and {intent.others[0]}" if len(intent.others) == 1 else ""
    if len(known) < len(rows) and whole and await _named_row(scene, table, whole) is not None:
        return await lookup(scene, replace(intent, of=whole, others=()))  # `Trinidad and Tobago`
    if len(known) < len(rows):
        return None
    best = await _best_known(scene, table, (intent.of, *intent.others), known) if intent.claim else known
    filters = reduce(lambda one, other: combined("or", one, other), best)
    named = name_column(table)
    if not intent.words:
        kinds = wide_columns(table) if not intent.others else []
        numbers = [each.name for each in number_columns(table)]
        usual = [*kinds[:MAX_COMPARED], *numbers[:MAX_COMPARED]]
        shown = list(dict.fromkeys([*([named.name] if named else []), *usual]))
        return [("query_features", {"table": table.id, "columns": shown, "filters": filters, "limit": 5})]
    column = named_column(scene, table, ColumnMention(intent.words, tuple(columns)))
    check_unit(table, column, intent.unit)
    if intent.total:
        return [("column_stats", {"table": table.id, "column": column.name, "filters": filters})]
    is_shared = best != known or (len(known) == 1 and await scene.data.count(table.id, filters) > 1)
    where = wide_columns(table)[:is_shared]
    also = [
        named_column(scene, table, ColumnMention(each, tuple(fact_columns(table, each)))).name
        for each in intent.also
    ]
    shown = list(dict.fromkeys([*([named.name] if named else []), *where, column.name, *also]))
    arguments: dict[str, Any] = {"table": table.id, "columns": shown, "filters": filters, "limit": 5}
    if is_number(column):
        arguments |= {"sort": column.name, "descending": True}
    return [("query_features", arguments)]


def _facts(table: Table, intent: i.Lookup) -> list[str]:
    """The columns for the fact, if the table also has the further ones; all numeric columns if none is named."""
    if not intent.words:
        return [each.name for each in number_columns(table)]
    return fact_columns(table, intent.words) if all(fact_columns(table, each) for each in intent.also) else []


_WORLD = frozenset(("world", "earth", "whole world"))
_WORLD_WIDTH = 300.0
"""Minimum extent of areas of the whole world, in degrees of longitude."""


def _of_the_world(candidates: Sequence[tuple[Table, list[str]]], intent: i.Lookup) -> Calls:
    """`the population of the world`: of the only table of areas around the earth. Raises Refuse if there is none."""
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


_LIE_WITHIN = frozenset(("capital", "seat"))
"""Words in columns whose values are only a part of the area: the people of France do not live in Paris."""


async def _sums(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], value: str
) -> list[dict[str, Any]]:
    """Arguments for the sum over areas with a value: `the population of Africa`. Sums over points would be
    incomplete."""
    found = []
    for table, columns in candidates[:MAX_SEARCHED]:
        adds_up = {*measure_columns(table, "people"), *measure_columns(table, "area")}
        if table.geometry_family != "polygon" or len(columns) != 1 or columns[0] not in adds_up:
            continue
        bare = without_noun(table, value)
        filters = await _with_value(scene, table, value)
        if filters is None and bare != value:
            filters = await _with_value(scene, table, bare)
        if filters is not None and not _LIE_WITHIN & set(name_words(filters["args"][0]["property"])):
            found.append({"table": table.id, "column": columns[0], "filters": filters})
    return found


async def _values_there(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], value: str
) -> Calls | None:
    """`which currencies are used in Africa?`: the values in the rows of a table with such a column. Raises Ask if
    there are several."""
    found: list[dict[str, Any]] = []
    for table, columns in candidates:
        column = table.column(columns[0]) if len(columns) == 1 else None
        if column is None or column.kind != "text":
            continue
        filters = await _with_value(scene, table, without_noun(table, value))
        named = name_column(table)  # `Heathrow` is not only “Heathrow Airport”
        names = {column.name, *([named.name] if named is not None else [])}
        if filters is not None and filters["args"][0]["property"] not in names:
            found.append({"table": table.id, "column": column.name, "filters": filters})
    if len(found) > 1:
        meant = scene.table_of(Mention("", tuple(each["table"] for each in found)))
        found = [each for each in found if each["table"] == meant.id]
    return [("column_stats", found[0])] if found else None


async def _named_in_part(scene: Scene, searched: Sequence[tuple[Table, list[str]]], text: str) -> str | None:
    """`icao code of Keflavik`: the only name of rows with these words. Raises Ask if there are a few."""
    names: list[str] = []
    for table, _ in searched:
        named, part = name_column(table), without_noun(table, text)
        last = part.split()[-1:]
        if {*name_words(" ".join(last))} & {*name_words(table.name)}:
            part = " ".join(part.split()[:-1])  # `denver airport`
        if named is not None and is_distinctive(table, part):
            names += await values_with(scene, table, named, part)
    found = list(dict.fromkeys(names))
    if not 0 < len(found) <= MAX_OPTIONS:
        return None
    *others, last_one = found
    return scene.choose(found, refusals.WHICH_PLACE(name=text, places="; ".join(others), last=last_one))


async def _share_of_total(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], intent: i.Lookup
) -> Calls:
    """`what share of the world population lives in India`: the sum of the matching rows, and of all. Raises Refuse
    unless exactly one table of areas has both."""
    found: list[Calls] = []
    for table, columns in candidates[:MAX_SEARCHED] if intent.rows is None else ():
        if table.geometry_family != "polygon" or len(columns) != 1:
            continue
        row = await _named_row(scene, table, unquoted(intent.of))
        parts = [{"table": table.id, "column": columns[0], "filters": row}] if row is not None else []
        parts = parts or await _sums(scene, [(table, columns)], unquoted(intent.of))
        whole = {"table": table.id, "column": columns[0]}
        within = intent.among if fold(intent.among) not in _WORLD else ""
        wholes = await _sums(scene, [(table, columns)], within) if within else [whole]
        found += [[("column_stats", part), ("column_stats", all_)] for part in parts for all_ in wholes]
    if not found and intent.among:
        found = await _shares_in_points(scene, candidates, intent)
    if len(found) != 1:
        looked = ", ".join(table.name for table, _ in candidates[:MAX_SEARCHED])
        raise Refuse(refusals.QUESTION_NO_SHARE(text=intent.of, tables=looked))
    return found[0]


async def _shares_in_points(
    scene: Scene, candidates: Sequence[tuple[Table, list[str]]], intent: i.Lookup
) -> list[Calls]:
    """`what share of the people of Japan lives in Tokyo`, or `in cities above 500,000`: the population of points
    within an area, and of the area."""
    known = [pair for pair in candidates[:MAX_SEARCHED] if pair[1] == measure_columns(pair[0], "people")[:1]]
    wholes = [
        {"table": table.id, "column": name, "filters": row}
        for table, (name,) in known
        if table.geometry_family == "polygon"
        and (row := await _named_row(scene, table, unquoted(intent.among))) is not None
    ]
    parts: list[dict[str, Any]] = []
    for table, (name,) in known:
        if table.geometry_family != "point" or (
            intent.rows is not None and table.id not in intent.rows.tables
        ):
            continue
        own = intent.where if intent.rows is not None else OneOf(intent.of, how="named")
        conditions = [each for each in (own, OneOf(intent.among, how="in")) if each is not None]
        rows = await unless_refused(to_cql2(scene, table, joined("and", conditions)))
        if rows and (intent.rows is not None or await scene.data.count(table.id, rows) == 1):
            parts.append({"table": table.id, "column": name, "filters": rows})
    return [[("column_stats", part), ("column_stats", whole)] for part in parts for whole in wholes]


async def _total_of_value(scene: Scene, table: Table, columns: list[str], intent: i.Lookup) -> Calls:
    """`how much floor area does Nordway have in total`: the sum over rows with that value, such as their operator;
    empty if there are none."""
    column = named_column(scene, table, ColumnMention(intent.words, tuple(columns)))
    filters = await _with_value(scene, table, intent.of) if is_number(column) else None
    if filters is None:
        return []
    return [("column_stats", {"table": table.id, "column": column.name, "filters": filters})]


async def _with_value(scene: Scene, table: Table, value: str) -> Cql2 | None:
    """The rows with that value of a column; None if there are none."""
    filters = await unless_failed(to_cql2(scene, table, OneOf(value.removeprefix("the "), how="kind")))
    return filters if filters and filters["op"] in ("=", "in") else None


def without_noun(table: Table, name: str) -> str:
    """A name without the noun of its table: `P-010` for `the parcel P-010`, `Lakeside` for `the Lakeside fire
    station`."""
    words, length = name.removeprefix("the ").split(), len(name_words(table.name))
    for noun, rest in ((words[-length:], words[:-length]), (words[:length], words[length:])):
        if rest and name_words(" ".join(noun)) == name_words(table.name):
            return " ".join(rest)
    return name


async def _named_row(scene: Scene, table: Table, name: str) -> Cql2 | None:
    """The row of that name, or of `Paris, France`; None if there is none."""
    if name_column(table) is None:
        return None
    one, _, where = name.partition(" in ")
    if where[:1].isupper() and "," not in name:
        whole = await _named_row(scene, table, f"{one}, {where}")
        if whole is not None:
            return whole
    if "," in name:
        return await unless_failed(_row_called(scene, table, name))
    filters = await unless_failed(with_name(scene, table, name))
    if filters and filters["op"] in ("=", "in"):
        return filters
    is_code = name.isupper() and table.geometry_column is not None  # `elevation of KEF`
    return await unless_failed(_row_called(scene, table, name)) if is_code else None


async def _row_with_noun(scene: Scene, table: Table, name: str) -> Cql2 | None:
    """The row of a name in part with the noun of its table: `Vienna airport`. Raises Ask if several are called so."""
    is_one = without_noun(table, name) != name and table.geometry_column is not None
    return await unless_failed(_row_called(scene, table, name)) if is_one else None


async def _row_called(scene: Scene, table: Table, name: str) -> Cql2:
    return await row_of(scene, await place_meant(scene, unquoted(name), table.id), name)


async def _best_known(scene: Scene, table: Table, names: Sequence[str], rows: list[Cql2]) -> list[Cql2]:
    """For each name, the row that is by far the best known; all rows if none stands out. Raises Ask if several are
    equally well known."""
    found = list(rows)
    for at, (name, own) in enumerate(zip(names, rows, strict=True)):
        if await scene.data.count(table.id, own) < 2:
            continue
        best = await unless_refused(_row_called(scene, table, name))
        if best is None:
            return rows
        found[at] = best
    return found
