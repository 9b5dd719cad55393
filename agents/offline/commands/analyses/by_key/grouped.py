"""Groups by what rows refer to: `fail rate by risk category`, where the risk is a column of the shops that were
inspected, and `average loading of transformers per substation`, by way of their feeders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from agents.domain import Table
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.names.columns import KIND_NOUNS, columns_called
from agents.offline.language.names.costs import names_year
from agents.offline.language.names.keys import Link, links, shared_key
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.nouns import are_counts
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import Words, is_plural, name_words, word_set, words_of_things
from agents.offline.meaning.conditions import ColumnMention, Condition, OneOf
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.row_names import has_row_names, name_column
from agents.offline.meaning.steps import AnalysisStep, ColumnWords, Grouped, step
from agents.offline.meaning.units import column_unit
from agents.units import UNITS

_BY = "(by|per|for each|for every|in each|across)"
RULES = Rules()
on = RULES.on


@on(
    f"[<what>|show [me]] [the] {{done:name}} (rate|rates) [of [the] {{source:bare}}] {_BY} [the] {{by:column}}",
    cost=1.0,
)
def _outcome_rate(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`fail rate by risk category`: the share of the rows with that value, which those of one table have."""
    done, by = bindings["done"], bindings["by"].text
    known = {
        (table.id, column): value
        for table, column, value in context.vocabulary.values_called(name_words(done))
    }
    rows: Features | None = bindings.get("source")
    found = [each for each in known if rows is None or rows.mention is None or each[0] in rows.mention.tables]
    table = context.vocabulary.table(found[0][0]) if len(found) == 1 else None
    if table is None or columns_called((table,), name_words(by)):
        return None
    ((table_id, column),) = found
    rows = rows if rows is not None and rows.named else Features.of_table(table)
    grouped = by_referred(rows, by, None, context)
    if grouped is None:
        return None
    part = OneOf(f'"{known[(table_id, column)]}"', ColumnMention(column, (column,)), "is")
    title = f"Percentage of {rows.noun} with {column} {known[(table_id, column)]} by {by}"
    return (replace(grouped, part=part, title=title),)


@on(f"<what> {{figure:figure}} per {{source:bare}} {_BY} [the] {{by:column}}", cost=0.5)
def _average_of_each(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`average kg per cleanup by region`: of the rows, each of which has one value."""
    rows, figure, by = bindings["source"], bindings["figure"], bindings["by"].text
    own = context.table(rows)
    figure = _with_own_columns(figure, own) if figure["function"] == "mean" and rows.named else None
    if own is None or figure is None or "column" not in figure:
        return None
    names = columns_called((own,), name_words(by))
    grouped = Grouped(rows, names[0], figure) if len(names) == 1 else by_referred(rows, by, figure, context)
    return (grouped,) if grouped is not None and len(names) < 2 else None


def referred_figure(
    counted: Features, figure: Mapping[str, Any], by: str, context: Context
) -> Grouped | None:
    """The figure of the rows of the only table with its column whose rows refer to such a group."""
    found = []
    for table in context.vocabulary.tables(counted.mention.tables if counted.mention is not None else ()):
        rows = replace(Features.of_table(table), where=_without_own_noun(counted.where, table, context))
        grouped = by_referred(rows, by, figure, context)
        found += [grouped] if grouped is not None else []
    return found[0] if len(found) == 1 else None


def _without_own_noun(where: Condition | None, table: Table, context: Context) -> Condition | None:
    """The condition, unless it only names the rows: `people killed in crashes`."""
    match = context.vocabulary.match_table(name_words(where.text)) if isinstance(where, OneOf) else None
    return None if match is not None and match.found == (table,) and not match.guessed else where


class Way(NamedTuple):
    """The keys from the rows of a table to those of another, one table further each."""

    links: tuple[Link, ...]
    tables: tuple[Table, ...]


def by_referred(
    rows: Features, by: str, figure: Mapping[str, Any] | None, context: Context, only: Condition | None = None
) -> Grouped | None:
    """The figure of the rows, or their number, for each value of a column of the rows that they refer to, or for
    each of these rows (`only` those). None if several are called so."""
    own = context.table(rows)
    figure = _with_own_columns(figure, own)
    if own is None or rows.made or rows.previous or figure is None:
        return None
    words = name_words(by)
    if len(words) > 1 and words[-1].isdigit() and columns_called((own,), words[:-1]):
        return None  # `by crop 2026` is the rows' own crop in that year, not `crop_26` of the fields
    found = _ways_to(own, words, context.vocabulary)
    if is_plural(by):  # `mains with 3 or more breaks` are not grouped by “Critical main”
        found = [each for each in found if not _is_flag(*each)]
    return _grouped(rows, own, *found[0], figure, only) if len(found) == 1 else None


def by_key_of(
    things: Features, rows: Features, figure: Mapping[str, Any] | None, context: Context
) -> Grouped | None:
    """The figure of the rows, or their number, for each of the things that they refer to: by their key, else by
    their name, where several rows are one thing. None without a key."""
    own, table = context.table(rows), context.table(things)
    if own is None or table is None or own.id == table.id:
        return None
    if are_pieces_of(table, name_words(things.noun)):
        return by_referred(rows, " ".join(words_of_things(table.name)), figure, context)
    keys = shared_key(own, [table])
    return Grouped(rows, keys[0], dict(figure or {"function": "count"})) if keys else None


def _is_flag(way: Way, name: str | None) -> bool:
    column = way.tables[-1].column(name) if name is not None else None
    return column is not None and column.kind == "boolean"


def refers_to(own: Table, words: Words, vocabulary: Vocabulary) -> bool:
    """Whether the words are a column of the rows that a table refers to by foreign keys."""
    found = _ways_to(own, words, vocabulary) if own.references else []
    return len(found) == 1 and found[0][1] is not None and found[0][0].links[0].declared


def _ways_to(own: Table, by: Words, vocabulary: Vocabulary) -> list[tuple[Way, str | None]]:
    """The shortest ways to rows with a column that is called so, or to rows that are."""
    ways = _ways(own, vocabulary.few_tables)
    for length in (1, 2):
        near = [way for way in ways if len(way.links) == length]
        found = [(way, column) for way in near for column in _columns(way, by, vocabulary)]
        if found:
            return found
    return []


def _with_own_columns(figure: Mapping[str, Any] | None, own: Table | None) -> dict[str, Any] | None:
    """The figure with the name of its column, which the joined rows keep, or of the only one in a unit: `average kg`.
    None if the rows have none."""
    if figure is None or "column" not in figure:
        return {"function": "count"}
    columns, text = own.columns if own is not None else (), figure["column"].text
    names = columns_called((own,), name_words(text)) if own is not None else []
    if names and text.lower() in _TIMES and text.lower() not in name_words(names[0]):
        return None  # the hours of repairs need not be the `repair time`
    unit = UNITS.get(text.lower())
    if not names and unit is not None:
        names = [each.name for each in columns if column_unit(each) == unit]
    return {**figure, "column": ColumnWords(names[0])} if len(names) == 1 else None


_TIMES = ("time", "duration")


def _ways(own: Table, known: Sequence[Table]) -> list[Way]:
    """The ways to the tables that rows refer to; over another table only by foreign keys."""
    found = [Way((link,), (other,)) for other, link in _referred(own, known)]
    return found + [
        Way((first, second), (way.tables[0], other))
        for way in found
        if (first := way.links[0]).declared
        for other, second in _referred(way.tables[0], known)
        if second.declared and other.id != own.id
    ]


def _referred(own: Table, known: Sequence[Table]) -> list[tuple[Table, Link]]:
    """The tables that rows refer to by a single key."""
    found = []
    for other in known:
        keys = links(own, other, known) if not other.is_result else []
        if len(keys) == 1 and keys[0].refers:
            found.append((other, keys[0]))
    return found


def _columns(way: Way, words: Words, vocabulary: Vocabulary) -> list[str | None]:
    """The columns of the last table that the words mean; None stands for each of its rows. Not those of a table over
    another, nor by words such as `type`, which do not say whose."""
    last = way.tables[-1]
    match = vocabulary.match_table(words) or (vocabulary.index.guess(words[0]) if len(words) == 1 else None)
    if match is not None and match.length >= len(words):
        if last not in match.found:
            return []
        named = name_column(last) if are_pieces_of(last, words) and has_row_names(last) else None
        return [named.name if named is not None else None]  # a street is all of its segments
    if len(way.links) > 1 or _OF_ANYTHING.issuperset(words) or names_year(words[-2:]):
        return []
    names = columns_called((last,), words, lambda each: each.kind in ("text", "boolean", "integer"))
    is_group = len(names) == 1 and names[0] not in last.key and not are_counts((last,), tuple(names))
    return [*names] if is_group else []


_OF_ANYTHING = KIND_NOUNS | word_set("name code number date year owner comment")


def _grouped(
    rows: Features, own: Table, way: Way, column: str | None, figure: dict[str, Any], only: Condition | None
) -> Grouped | None:
    if column is None and len(way.links) == 1 and only is None:
        is_place = way.tables[-1].geometry_family == "polygon" and figure["function"] == "count"
        return None if is_place else Grouped(rows, way.links[0].own, figure)
    named = name_column(way.tables[-1]) if column is None and has_row_names(way.tables[-1]) else None
    brought = column or (named.name if named is not None else None)
    if brought is None:
        return None
    steps, taken, source = [], {each.name for each in own.columns}, rows
    wanted = [*(each.own for each in way.links[1:]), brought]
    names: list[str] = []
    for link, other, name in zip(way.links, way.tables, wanted, strict=True):
        key = ColumnWords(names[-1] if names else link.own)
        where = only if other is way.tables[-1] else None
        steps.append(_joined(source, replace(Features.of_table(other), where=where), link, key, name))
        names.append(f"{other.name}_{name}" if name in taken else name)
        taken.add(names[-1])
        source = RESULT
    made = replace(rows, where=None, made=tuple(steps))
    if column is not None:
        return Grouped(made, names[-1], figure)
    return Grouped(made, names[0], figure, names=(names[-1],))


def _joined(source: Features, others: Features, link: Link, key: ColumnWords, column: str) -> AnalysisStep:
    """The rows with a column of the rows that they refer to."""
    keys = {"key": key, "other_key": ColumnWords(link.other, "other")} if link.declared else {}
    return step(
        "join_by_attribute", source, ("other", others), title=f"With the {column} of {others.text}", **keys,
        columns=[ColumnWords(column, "other")], rows="matched",
    )  # fmt: skip
