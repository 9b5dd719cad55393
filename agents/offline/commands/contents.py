"""Questions about the contents of a table: values of a column, numbers of rows, rates, and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Table
from agents.offline.commands.figures import figure_of
from agents.offline.commands.requests import Commands, command, row_column, tables_of
from agents.offline.language.conditions.flags import is_flag
from agents.offline.language.conditions.verbs import columns_of_doers, records
from agents.offline.language.lexicon import OBSERVED
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.names.dates import records_last_time, times_of
from agents.offline.language.subjects import Subject
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import are_forms, are_names, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import (
    MOST_FIRST,
    ColumnMention,
    Mention,
    NearSpot,
    OneOf,
    Top,
    all_of,
)
from agents.offline.meaning.intents import Count, Intent, Look, Lookup, Rows, Show, Statistic

MOST_LISTED = 50
"""Maximum number of rows listed with a number of theirs."""
_EACH_ROW = (
    "[total] {what:words} (by|per|of each|for each|in each|of every|for every|of all [the]) {rows:words}"
)
_LATEST = "(last|latest|most recent|most recently|first|earliest)"
_THERE = "[are there|were there|there are|there were|happen|happened|occur|occurred]"
_PER = "(per|a|an|each|every|in a|in an) {period:unit}"
_ON_AVERAGE = f"([,] on average {_PER}|{_PER} [,] on average)"
_EACH_VALUE = "[the] [different|distinct|unique|possible]"
_EXIST = "(are there|exist|do (we|you) have|are used|occur)"
_MOST = "[the] (most common|most frequent|commonest)"
_ROWS = "(rows|records|entries|features)"
COMMANDS = Commands()
on = COMMANDS.on


_HOW_MANY_DIFFERENT = "(how many|[<what>] [the] number of|count [the]) (different|distinct|unique)"


@on(
    f"how many [different|distinct|unique] {{what:words}} {_EXIST} {{where:where}}",
    f"{_HOW_MANY_DIFFERENT} {{what:words}} {{where:where}}",
    cost=3.5,
)
@on(
    *(
        f"{words} {{what:words}}{ending}"
        for words, ending in (
            (
                f"(list|name|enumerate|give me|what are) [all] {_EACH_VALUE}",
                " [(there are|used) [{where:where}]]",
            ),
            ("(which|what) [different|distinct]", f" {_EXIST} [{{where:where}}]"),
            (_HOW_MANY_DIFFERENT, ""),
            ("how many [different|distinct|unique]", f" {_EXIST}"),
            (f"[<what>] {_MOST}", " [{where:where}]"),
        )
    ),
    cost=4.0,
)
def _values(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which continents are there?`: the values of a text column; of the table on the map, else of the only table of
    areas, else the user is asked."""
    what = bound["what"]
    if vocabulary.tables_called(what):
        return None
    if " ".join(name_words(what)) in vocabulary.index.by_flag or vocabulary.names_rows_by_value(
        name_words(what)
    ):
        return None  # rows: `how many capitals are there`
    shown = [vocabulary.table(layer.table) for layer in reversed(vocabulary.layers)]
    for tables in ([table for table in shown if table is not None], vocabulary.few_tables):
        having = [table for table in tables if _texts(table, what, vocabulary)]
        areas = [table for table in having if table.geometry_family == "polygon"]
        meant = having[:1] if tables is not vocabulary.few_tables else areas if len(areas) == 1 else having
        if meant:
            columns = vocabulary.columns_called(meant, what)
            rows = Mention("", tuple(each.id for each in meant))
            return Statistic("values", ColumnMention(what, columns), rows, bound.get("where"))
    return None


def _texts(table: Table, what: str, vocabulary: Vocabulary) -> bool:
    """Whether the words only mean text columns, not of yes and no: `how many hazmats are there`."""
    columns = [table.column(name) for name in vocabulary.columns_called((table,), what)]
    return bool(columns) and all(each and each.kind == "text" and not is_flag(each) for each in columns)


@on(
    *(
        f"{words} {{what:words}} (of|for|in|among) [all] {{rows:selection}}{ending}"
        for words, ending in (
            (f"(list|name|enumerate|give me|what are) [all] {_EACH_VALUE}", ""),
            ("(which|what) [different|distinct]", " (are there|exist|do (we|you) have)"),
            (_HOW_MANY_DIFFERENT, " [are there|do (we|you) have]"),
        )
    ),
    cost=1.0,
)
def _values_of_rows(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which species of trees are there?`"""
    tables = tables_of(bound["rows"].mention, vocabulary)
    if not tables or not all(_texts(table, bound["what"], vocabulary) for table in tables):
        return None
    return figure_of("values")(bound, vocabulary)


@on(
    f"how many {_ROWS} ((does|do) {{rows:mention}} (have|contain|hold)|(are|are there) in {{rows:mention}})",
    cost=-1.0,
)
def _rows_in_all(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`how many rows does airports have?`"""
    rows = bound["rows"]
    return Count(rows) if rows.tables or rows.layers else None


@on(f"<what> [number of] {{rows:selection}} {_ON_AVERAGE}", cost=-1.0)
@on(f"<what> [the] (average|mean) number of {{rows:selection}} {_THERE} {_PER}", cost=-2.0)
@on(f"on average [,] how many {{rows:selection}} {_THERE} {_PER}", cost=-2.0)
@on(f"how many {{rows:selection}} {_THERE} {_ON_AVERAGE}", cost=-2.0)
def _rate(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """Rows per unit of time, by their table's only date or time."""
    subject, period = bound["rows"], bound["period"]
    tables = vocabulary.tables(subject.mention.tables)
    times = [each.name for table in tables for each in times_of(table)]
    if period.dimension != "time" or subject.top is not None or len(tables) != 1 or len(times) != 1:
        return None
    return Statistic("rate", ColumnMention(times[0], tuple(times)), subject.mention, subject.where, period)


def _of_each_row(bound: Mapping[str, Any], vocabulary: Vocabulary) -> tuple[Mention, ColumnMention] | None:
    """`population by country`, `area of each district`: the rows and their own number."""
    found = row_column(vocabulary, bound["rows"], bound["what"])
    if found is None:
        return None
    table, column = found
    return Mention(bound["rows"], (table.id,)), ColumnMention(bound["what"], (column,))


@on(f"[show [me]|map|display|draw] [the] {_EACH_ROW} [on the map]", cost=3.0)
def _each_drawn(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    found = _of_each_row(bound, vocabulary)
    return Show(found[0], Look(by=found[1])) if found is not None else None


@on(
    "(show [me]|map|display|draw|plot) [the] [number of] {what:words}"
    " (of|at|on|for|per|by|for each|of each|at each) [all] [the] {rows:selection} [on (the|a) map]",
    cost=3.5,
)
def _column_drawn(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`show the elevation of airports in Peru`: these rows coloured by their own numbers."""
    subject, what = bound["rows"], bound["what"]
    tables = vocabulary.tables(subject.mention.tables)
    names = vocabulary.columns_called(tables, what)
    own = [each for table in tables for each in table.columns if each.name in names]
    if subject.top is not None or not own or not all(map(is_number, own)):
        return None
    return Show(subject.mention, Look(by=ColumnMention(what, names)), subject.where)


@on(f"(list|what is|what are|give me|tell me) [the] {_EACH_ROW}", cost=3.0)
def _each_listed(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    found = _of_each_row(bound, vocabulary)
    if found is not None:
        return Rows(found[0], None, Top(0, True, found[1], word="sorted"), MOST_LISTED)
    return None


@on("when (was|were) {rows:selection}", cost=-1.0)
def _when(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the strongest earthquake?`: the first row with its time."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    dates = [each.name for table in tables for each in times_of(table)]
    times = dates or [name for table in tables for name in measure_columns(table, "time")]
    if subject.top is None or len(tables) != 1 or len(times) != 1:
        return None
    return Rows(subject.mention, subject.where, subject.top, subject.top.limit, tuple(times))


@on(f"when (was|were|is) [the] which={_LATEST} {{rows:selection}}", cost=-1.0)
def _latest(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the last cougar sighting?`: the row with the latest or earliest time of its table."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    times = [each.name for table in tables for each in times_of(table)]
    if subject.top is not None or len(tables) != 1 or len(times) != 1:
        return None
    latest = bound["which"] not in ("first", "earliest")
    top = Top(1, latest, ColumnMention(times[0], (times[0],)))
    return Rows(subject.mention, subject.where, top, top.limit, (times[0],))


def _dates_called(verb: str, tables: Sequence[Table]) -> list[str]:
    """The dates of an action: `inspection_date` for `inspected`."""
    done = name_words(verb)
    columns = [each for table in tables for each in table.columns if each.kind in ("date", "timestamp")]
    called = [
        each.name
        for each in columns
        if all(any(are_forms(word, own) for own in name_words(each.name)) for word in done)
    ]
    recorded = [each for each in columns if all(records(each, word) for word in done)]
    last = [each for each in recorded if records_last_time(each)]  # not when the next one is due
    called = called or [each.name for each in last or recorded]
    is_only_date = len(columns) == 1 and verb in OBSERVED
    return called or [each.name for each in columns if is_only_date]


@on(
    f"when (was|were) ([the] which={_LATEST} {{rows:selection}} {{does:words}} [{{where:where}}]"
    "|{rows:selection} which=(last|most recently|first) {does:words} [[,] and (which|which one|where)])",
    cost=-2.0,
)
@on("when (was|were) {rows:selection} {does:words}", cost=1.0)
def _row_done(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the oldest well drilled?`, `when was a bridge in Ulm last inspected?`: the first row of a ranking, or
    the one with the latest or earliest date, with that date."""
    subject = bound["rows"]
    tables = vocabulary.tables(subject.mention.tables)
    dates = _dates_called(bound["does"], tables)
    if len(tables) != 1 or len(dates) != 1 or (subject.top is None) != ("which" in bound):
        return None
    if isinstance(subject.where, OneOf) and subject.where.how == "named" and "where" not in bound:
        return Rows(subject.mention, subject.where, None, MOST_FIRST, (dates[0],), wording=(bound["does"],))
    top = subject.top or Top(
        1, bound["which"] not in ("first", "earliest"), ColumnMention(bound["does"], (dates[0],))
    )
    return Rows(subject.mention, all_of(subject.where, bound.get("where")), top, top.limit, (dates[0],))


@on(f"when (was|were) [the|a|an] {{kind:words}} which={_LATEST} {{does:words}}", cost=-1.0)
@on(f"when (was|were) [the] which={_LATEST} {{kind:words}} {{does:words}}", cost=-1.0)
def _value_done(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the last capercaillie seen?`: the same for rows with a value."""
    found = vocabulary.match_value(name_words(bound["kind"]))
    if found is None:
        return None
    table, column, value = found
    where = OneOf(f'"{value}"', ColumnMention(column, (column,)), "is")
    return _row_done(
        {**bound, "rows": Subject(Mention(bound["kind"], (table.id,), of_value=True), where)}, vocabulary
    )


@on("when (was|were) {whose:words} {does:words}")
@on("when (was|were) {whose:words} (last|most recently) {does:words}", cost=-0.5)
def _when_done(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`when was the Goethe School opened?`: the value of the date column with that name."""
    does = bound["does"]
    is_one = bound["whose"].split()[0].lower() not in ("each", "every")
    names = set(_dates_called(does, vocabulary.few_tables)) if is_one else set()
    return Lookup(names.pop(), bound["whose"], instead=does) if len(names) == 1 and " " not in does else None


@on("(which|what) {what:words} (is|are|was|were) {does:words} (most often|most frequently|the most|most)")
def _done_most(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which species was seen most often?`: the most common value, in the only table with a column `species` and
    another one that begins with the verb."""
    does = name_words(bound["does"])
    having = [
        (table, columns)
        for table in vocabulary.few_tables
        if (columns := vocabulary.columns_called((table,), bound["what"]))
        and any(does == name_words(column.name)[:1] for column in table.columns)
    ]
    if len(having) != 1:
        return None
    ((table, columns),) = having
    words = f"{bound['what']} {bound['does']}"
    return Statistic("values", ColumnMention(bound["what"], columns), Mention(words, (table.id,)))


@on("[and] who {does:words} (there|it|them|these|those) [(in|for) each [of them]]", cost=-1.0)
def _who(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`who won there?`, about rows mentioned before: the column of the agent."""
    names = columns_of_doers(vocabulary.few_tables, bound["does"])
    return Rows(Mention("them", pronoun=True), None, None, MOST_FIRST, (*names,)) if len(names) == 1 else None


@on("[and] who {does:words} [the] {of:words}")
def _who_of(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`who owns Farr`: the column of the agent, in the row of this name."""
    names = columns_of_doers(vocabulary.few_tables, bound["does"].removesuffix("s"))
    return Lookup(names[0], bound["of"]) if len(names) == 1 and are_names(bound["of"]) else None


@on(
    "[and] (what|how much) (would|will|does|do) (it|that) cost [us] to {does:words}"
    " (it|them|these|those|all of them|[all] [the] {rows:selection})"
)
def _costs(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`what would it cost to replace them?`: the total of a column `replacement_cost`."""
    words = f"{bound['does']} cost"
    names = {each for table in vocabulary.few_tables for each in vocabulary.columns_called((table,), words)}
    rows = bound.get("rows", _THEM)
    if "rows" in bound:
        names &= {each.name for table in tables_of(rows.mention, vocabulary) for each in table.columns}
    if len(names) != 1 or rows.top is not None:
        return None
    return Statistic("sum", ColumnMention(words, (*names,)), rows.mention, rows.where)


@on(
    "(which|what) {rows:selection} (does|do) {line:line} (cross|touch|run through|pass through|go through)",
    cost=-6.0,
)
def _crossed(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`which countries does the equator cross?`"""
    rows = bound["rows"]
    if rows.top is not None:
        return None
    crossing = NearSpot(0.0, bound["line"], bound["line"].text)
    return Rows(rows.mention, all_of(rows.where, crossing), None, MOST_LISTED)


_THEM = Subject(Mention("them", pronoun=True))


COMMANDS += (
    command(
        "[and] (which|what) (ones|ones are they|are they)", lambda *_: Rows(_THEM.mention, limit=MOST_LISTED)
    ),
)
